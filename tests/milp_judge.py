"""Brute force over all models of at most two clauses: the judge of the exact learner on tiny problems.

What a model says depends on its weights only through the order of the values of assignments. With one soft clause there
is one order for all positive weights. With two soft clauses A and B the values are 0, a, b and a + b with a, b > 0:
0 is least and a + b greatest whatever they are, so the order depends on whether a > b, a < b or a = b. Weights (2, 1),
(1, 2) and (1, 1) stand for all others; (1, 2) with A and B exchanged is (2, 1). A soft clause of weight 0 is no clause.
So this is every model with weights in [0, 1], not only those with weights from some grid.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset

Judged = tuple[NDArray[np.bool_], NDArray[np.int64]]


def all_points(variables: int) -> NDArray[np.uint8]:
    return np.array(list(product((0, 1), repeat=variables)), dtype=np.uint8)


def all_clauses(variables: int, literals: int) -> Iterator[tuple[int, ...]]:
    """Every clause of 1 to so many literals."""
    for length in range(1, literals + 1):
        for chosen in combinations(range(1, variables + 1), length):
            for signs in product((1, -1), repeat=length):
                yield tuple(sign * v for sign, v in zip(signs, chosen, strict=True))


def covered_points(variables: int, literals: int) -> NDArray[np.bool_]:
    """One row per clause: the points it covers."""
    points = all_points(variables)
    rows = [
        np.any([points[:, abs(lit) - 1] == (lit > 0) for lit in clause], axis=0)
        for clause in all_clauses(variables, literals)
    ]
    return np.unique(np.array(rows), axis=0)


def all_models(variables: int, literals: int, clauses: int) -> Judged:
    """For every model with so many clauses (0, 1 or 2) and every point: is it feasible, and what is it worth?"""
    covered = covered_points(variables, literals)
    size = covered.shape[1]
    if clauses == 0:
        return np.ones((1, size), dtype=np.bool_), np.zeros((1, size), dtype=np.int64)
    worth = covered.astype(np.int64)
    if clauses == 1:
        return np.vstack([covered, np.ones_like(covered)]), np.vstack([np.zeros_like(worth), worth])
    first, second = (index.ravel() for index in np.meshgrid(*[np.arange(len(covered))] * 2, indexing="ij"))
    nothing, anything = np.zeros((len(first), size), dtype=np.int64), np.ones((len(first), size), dtype=np.bool_)
    return (
        np.vstack([covered[first] & covered[second], covered[first], anything, anything]),
        np.vstack([nothing, worth[second], worth[first] + worth[second], 2 * worth[first] + worth[second]]),
    )


def errors_of(models: Judged, data: Dataset) -> NDArray[np.bool_]:
    """For every model (row) and example (column): whether the model gets it wrong."""
    feasible, value = models
    points = all_points(len(data.variables))
    wrong = np.zeros((len(feasible), len(data)), dtype=np.bool_)
    for context, rows in zip(data.contexts, data.rows_by_context, strict=True):
        allowed = feasible & context.holds(points)
        best = np.where(allowed, value, -1).max(axis=1)
        for k in rows:
            point = int("".join(map(str, data.assignments[k])), 2)
            optimal = allowed[:, point] & (value[:, point] == best)
            wrong[:, k] = optimal != data.positive[k]
    return wrong


def least_prices(data: Dataset, literals: int, prices: NDArray[np.int64] | None = None) -> list[int]:
    """The least price of errors of any model of at most 0, 1 and 2 clauses; an error costs 1 unless told otherwise."""
    costs = np.ones(len(data), dtype=np.int64) if prices is None else prices
    exact = [
        int((errors_of(all_models(len(data.variables), literals, clauses), data) @ costs).min()) for clauses in range(3)
    ]
    return [min(exact[: clauses + 1]) for clauses in range(3)]
