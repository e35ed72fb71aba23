"""Comparisons: what the examples say of values. A positive is worth at least every feasible completion of its context.

There are far too many completions to list; the ones near the positives come first, by flipping a variable and repairing
the hard clauses, and later those by which a solver beats a positive under the current model: the cuts.

A comparison is a row ``better``, a row ``worse``, and the example (``owner``) that it rests on. What it costs when it
does not hold is a log-likelihood: a positive is one of the best assignments, drawn at random, so a tie with another
assignment halves its chance, and being beaten all but excludes it. A tie with a labelled negative counts as lost; a
tie between two positives of one context costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.logic import Clause, Context, all_held

BEATEN = float(np.log(0.01))
TIED = float(np.log(0.5))
# Cells of comparisons that are looked at together.
PIECE = 2**24
# Of all comparisons together: variables in which their sides differ. Each takes memory, and time in every round.
MOST_CHANGES = 200_000


@dataclass(frozen=True)
class Comparisons:
    """Row k: ``better[k]`` is worth more than ``worse[k]``, says example ``owner[k]``; a tie costs ``tie[k]``."""

    better: NDArray[np.uint8]
    worse: NDArray[np.uint8]
    owner: NDArray[np.int64]
    tie: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.owner)

    def changes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The comparisons whose sides differ in variable v: ``rows[starts[v]:starts[v + 1]]``, in order."""
        variables = self.better.shape[1]
        found = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
        step = max(1, PIECE // max(1, variables))
        for start in range(0, len(self), step):
            part = slice(start, start + step)
            row, variable = np.nonzero(self.better[part] != self.worse[part])
            found.append((row + start, variable))
        rows, variable = (np.concatenate(parts) for parts in zip(*found, strict=True))
        order = np.argsort(variable, kind="stable")
        return np.searchsorted(variable[order], np.arange(variables + 1)), rows[order]

    @property
    def size(self) -> int:
        """In how many variables the two sides differ, summed over the comparisons."""
        return int(np.count_nonzero(self.better != self.worse))

    def joined(self, *others: Comparisons) -> Comparisons:
        parts = (self, *others)
        return Comparisons(
            np.concatenate([part.better for part in parts]),
            np.concatenate([part.worse for part in parts]),
            np.concatenate([part.owner for part in parts]),
            np.concatenate([part.tie for part in parts]),
        )


def comparisons_of(
    better: list[NDArray[np.uint8]], worse: list[NDArray[np.uint8]], owner: list[int], tie: float, variables: int
) -> Comparisons:
    return Comparisons(
        np.array(better, dtype=np.uint8).reshape(-1, variables),
        np.array(worse, dtype=np.uint8).reshape(-1, variables),
        np.array(owner, dtype=np.int64),
        np.full(len(owner), tie),
    )


def first_comparisons(
    data: Dataset,
    hard: tuple[Clause, ...],
    positives: NDArray[np.int64],
    checkpoint: Callable[[], None],
    order: Sequence[int] | None = None,
    most: float = MOST_CHANGES,
) -> Comparisons:
    """What the examples themselves say, and how the positives compare with the completions near them.

    Contexts are asked in this order, and in each its examples, until the comparisons have ``most`` changes or a few
    more.
    """
    variables = len(data.variables)
    parts = [comparisons_of([], [], [], TIED, variables)]
    feasible = all_held(hard, data.assignments)
    believed = np.zeros(len(data), dtype=np.bool_)
    believed[positives] = True
    table = padded(hard)
    left = most
    for c in range(len(data.contexts)) if order is None else order:
        context, rows = data.contexts[c], data.rows_by_context[c]
        good = rows[believed[rows] & feasible[rows]]
        known = {row.tobytes() for row in data.assignments[good]}
        bad = rows[feasible[rows] & ~data.positive[rows]]
        for k in good.tolist():
            checkpoint()
            if left <= 0:
                break
            new = [_neighbourhood(data, context, k, known, table)]
            if k == good[0]:
                # Less than half of what may still come, so that the neighbourhoods of others are heard too.
                new.append(_ties(data, _first(data, k, good, left / 8)))
                new.append(_negatives(data, k, _first(data, k, bad, left / 4)))
            left -= sum(part.size for part in new)
            parts += new
    return parts[0].joined(*parts[1:])


def _first(data: Dataset, k: int, rows: NDArray[np.int64], most: float) -> NDArray[np.int64]:
    """The first of these examples, until they differ from example k in so many variables together."""
    changes = (data.assignments[rows] != data.assignments[k]).sum(axis=1).cumsum()
    return rows[: 1 + int(np.searchsorted(changes, most))]


def _neighbourhood(
    data: Dataset, context: Context, k: int, known: Collection[bytes], clauses: NDArray[np.int64]
) -> Comparisons:
    """The positive k against the feasible completions near it, those known to be positives aside."""
    from hassle.kernels.preferences import near_completions

    variables = len(data.variables)
    bits = data.assignments[k]
    fixed = np.zeros(variables, dtype=np.bool_)
    fixed[[abs(lit) - 1 for lit in context.literals]] = True
    found = np.empty((max(1, variables - int(fixed.sum())), variables), dtype=np.uint8)
    near = found[: near_completions(np.array(bits), fixed, clauses, found)]
    if context.rest is not None:
        near = near[context.holds(near)]
    distinct = {row.tobytes(): row for row in near}
    worse = [row for key, row in distinct.items() if key not in known]
    return comparisons_of([bits] * len(worse), worse, [k] * len(worse), TIED, variables)


def _ties(data: Dataset, good: NDArray[np.int64]) -> Comparisons:
    """Each positive of a context is worth as much as the first: no less, and no more."""
    rows, first = data.assignments, int(good[0])
    others = [int(k) for k in good[1:] if (rows[k] != rows[first]).any()]
    better = [rows[k] for k in others] + [rows[first]] * len(others)
    worse = [rows[first]] * len(others) + [rows[k] for k in others]
    return comparisons_of(better, worse, others + others, 0.0, len(data.variables))


def _negatives(data: Dataset, positive: int, negatives: NDArray[np.int64]) -> Comparisons:
    rows = data.assignments
    return comparisons_of(
        [rows[positive]] * len(negatives), [rows[k] for k in negatives], negatives.tolist(), BEATEN, len(data.variables)
    )


def padded(clauses: Sequence[Clause]) -> NDArray[np.int64]:
    """The clauses as rows of literals, filled up with 0, as kernels take them."""
    width = max((len(clause) for clause in clauses), default=1)
    table = np.zeros((len(clauses), max(1, width)), dtype=np.int64)
    for j, clause in enumerate(clauses):
        table[j, : len(clause)] = clause
    return table
