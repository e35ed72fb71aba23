"""A dataset as the arrays that the evidence kernels read: a table of completions per context and per neighbour of it.

A neighbour of a context has one of its literals turned around; comparing the two shows which circumstances make a
difference (see :mod:`hassle.kernels.evidence`). There are as many per context as the memory for points allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb, log

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.kernels.evidence import Cases
from hassle.kernels.proposals import Sources
from hassle.learners.options import usable_cores
from hassle.logic import Context
from hassle.memory import allowed_memory
from hassle.solve.tables import allowed_words, free_counts, places_of

# Points of all tables together: what fits, and what is quick enough for neighbours to be worth having.
MOST_POINTS = 2**25
QUICK_POINTS = 2**18
MOST_FREE = 20
# Memory of a point in each chain: its loss, and some to spare.
POINT_BYTES = 8


def fits_tables(data: Dataset) -> bool:
    """Whether every context leaves few enough variables open for its completions to be listed."""
    free = free_counts(data.contexts, len(data.variables))
    most = min(MOST_POINTS, allowed_memory() // (POINT_BYTES * usable_cores()))
    return bool(np.all(free <= MOST_FREE)) and int(np.sum(2.0**free)) <= most


@dataclass(frozen=True)
class Problem:
    """What the data fixes. ``rows[e]`` is the first place in the dataset of the e-th example of ``cases``.

    Equal examples are evidence with a count.
    """

    variables: int
    cases: Cases
    sources: Sources
    blocked: NDArray[np.int64]
    rows: NDArray[np.int64]
    assignments: NDArray[np.uint8]

    @property
    def examples(self) -> int:
        """How many examples there are, repetitions counted."""
        return int(self.cases.counts.sum())

    @cached_property
    def table_of(self) -> NDArray[np.int64]:
        """The table of each example of ``cases``."""
        return np.repeat(np.arange(self.tables), np.diff(self.cases.starts))

    @property
    def tables(self) -> int:
        return len(self.cases.places)

    @property
    def largest_table(self) -> int:
        return int(np.diff(self.cases.offsets).max())


def make_problem(data: Dataset, rng: np.random.Generator) -> Problem:
    """The arrays for a dataset whose contexts fit tables."""
    variables = len(data.variables)
    neighbours = _affordable_neighbours(data)
    contexts = [near for context in data.contexts for near in (context, *_neighbours(context, neighbours, rng))]
    places = places_of(contexts, variables).astype(np.int16)
    offsets = np.zeros(len(contexts) + 1, dtype=np.int64)
    np.cumsum(1 << free_counts(contexts, variables), out=offsets[1:])
    allowed, blocked = _ruled_out(contexts, variables, offsets)
    rows, counts = _distinct(data)
    table_of = data.context_of[rows].astype(np.int64) * (1 + neighbours)
    assignments = np.ascontiguousarray(data.assignments[rows])
    cases = Cases(
        places,
        _fixed_true(places),
        np.ascontiguousarray(np.where(places >= 0, 1 << np.maximum(places, 0).astype(np.int32), 0).T, dtype=np.int32),
        offsets,
        allowed,
        np.searchsorted(table_of, np.arange(len(contexts) + 1)).astype(np.int64),
        _points(assignments, places[table_of]),
        data.labels[rows].astype(np.int8),
        counts,
        np.int64(neighbours),
    )
    sources = Sources(
        assignments, np.flatnonzero(~data.positive[rows]).astype(np.int64), _fixed_literals(data.contexts, variables)
    )
    return Problem(variables, cases, sources, blocked, rows, assignments)


def _distinct(data: Dataset) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The first of each group of equal examples, by context and then in the order of the data; and their numbers."""
    keys = np.column_stack([data.context_of, data.labels, np.packbits(data.assignments, axis=1)])
    _, first, counts = np.unique(keys, axis=0, return_index=True, return_counts=True)
    order = np.lexsort((first, data.context_of[first]))
    return first[order].astype(np.int64), counts[order].astype(np.int32)


def log_clause_counts(variables: int, longest: int) -> NDArray[np.float64]:
    """For each length up to ``longest``: the log of the number of clauses of that length."""
    return np.array([0.0] + [log(comb(variables, k)) + k * log(2) for k in range(1, longest + 1)])


def _affordable_neighbours(data: Dataset) -> int:
    points = int(np.sum(2.0 ** free_counts(data.contexts, len(data.variables))))
    fewest = min((len(context.literals) for context in data.contexts), default=0)
    return max(0, min(fewest, QUICK_POINTS // max(1, points) - 1))


def _neighbours(context: Context, count: int, rng: np.random.Generator) -> list[Context]:
    result = []
    for turned in rng.permutation(len(context.literals))[:count]:
        literals = tuple(-lit if i == turned else lit for i, lit in enumerate(context.literals))
        result.append(Context(literals, context.rest))
    return result


def _ruled_out(
    contexts: list[Context], variables: int, offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each context the number of completions it allows; and the points, of all tables, that are not allowed."""
    allowed = np.diff(offsets)
    blocked = [np.zeros(0, dtype=np.int64)]
    for t, context in enumerate(contexts):
        if context.rest is not None:
            words = np.flatnonzero(~allowed_words(context, variables))
            allowed[t] -= len(words)
            blocked.append(offsets[t] + words)
    return allowed, np.concatenate(blocked)


def _fixed_true(places: NDArray[np.int16]) -> NDArray[np.int8]:
    tables, variables = places.shape
    result = np.empty((2 * variables, tables), dtype=np.int8)
    result[0::2] = (places == -1).T
    result[1::2] = (places == -2).T
    return result


def _points(assignments: NDArray[np.uint8], places: NDArray[np.int16]) -> NDArray[np.int64]:
    """The word of each example in its own table."""
    bits = assignments.astype(np.int64) << np.maximum(places, 0).astype(np.int64)
    return np.asarray(np.where(places >= 0, bits, 0).sum(axis=1), dtype=np.int64)


def _fixed_literals(contexts: tuple[Context, ...], variables: int) -> NDArray[np.int16]:
    """The literals of each context, one row each, filled up with 0."""
    result = np.zeros((len(contexts), variables + 1), dtype=np.int16)
    for c, context in enumerate(contexts):
        result[c, : len(context.literals)] = context.literals
    return result
