"""A dataset as the arrays that the evidence kernels read: a table of completions per context and per neighbour of it.

A neighbour of a context differs from it in one circumstance (:mod:`~hassle.learners.statistical.neighbours`); comparing
the two shows which circumstances make a difference. There are as many per context as the memory for points allows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import comb, log

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.kernels.codes import POSITIVE
from hassle.kernels.coverage import Places
from hassle.kernels.evidence import Cases, rebuild
from hassle.kernels.proposals import Sources
from hassle.learners.options import usable_cores
from hassle.learners.statistical.neighbours import circumstances, draw_neighbours
from hassle.learners.statistical.rooms import new_state, new_trial, row_of
from hassle.learners.wishes import NO_WISHES, Wishes
from hassle.logic import EMPTY, Context, Schema
from hassle.logic.formula import FALSE
from hassle.memory import allowed_memory
from hassle.tables.completions import list_tables, listable, total_points
from hassle.tables.limits import CHAIN_BYTES, MOST_IN_A_CONTEXT, MOST_POINTS, NEIGHBOUR_POINTS

# A context without completions.
NOWHERE = Context((), FALSE)


def fits_tables(data: Dataset) -> bool:
    """Whether every context leaves few enough completions for them to be listed."""
    listed = listable(data.contexts, data.schema, MOST_IN_A_CONTEXT)
    most = min(MOST_POINTS, allowed_memory() // (CHAIN_BYTES * usable_cores()))
    return bool(listed.all()) and total_points(data.contexts, data.schema) <= most


@dataclass(frozen=True)
class Problem:
    """What the data fixes. ``rows[e]`` is the first place in the dataset of the e-th example of ``cases``.

    Equal examples are one entry; ``numbers[e]`` is how many they are. Half of a comparison is an example like any other
    in a context that nobody recorded for its impact, which therefore has neighbours without points.
    """

    schema: Schema
    cases: Cases
    sources: Sources
    rows: NDArray[np.int64]
    numbers: NDArray[np.int64]
    assignments: NDArray[np.uint8]
    wishes: Wishes = NO_WISHES

    @property
    def variables(self) -> int:
        return len(self.schema.variables)

    @property
    def examples(self) -> int:
        """How many examples there are, repetitions counted."""
        return int(self.numbers.sum())

    @property
    def chain_bytes(self) -> int:
        """What a chain needs, about."""
        return CHAIN_BYTES * max(1, int(self.cases.offsets[-1]))

    @cached_property
    def only_positives(self) -> bool:
        """Whether nothing is said of what is bad: then a model without any rules explains everything."""
        return bool((self.cases.labels == POSITIVE).all())

    @cached_property
    def table_of(self) -> NDArray[np.int64]:
        """The table of each example of ``cases``."""
        return np.repeat(np.arange(self.tables), np.diff(self.cases.starts))

    @property
    def tables(self) -> int:
        return len(self.cases.places)

    @property
    def largest_table(self) -> int:
        return int(np.diff(self.cases.offsets).max(initial=0))


def make_problem(
    data: Dataset,
    rng: np.random.Generator,
    asked: NDArray[np.bool_] | None = None,
    wishes: Wishes = NO_WISHES,
    lessons: Dataset | None = None,
) -> Problem:
    """The arrays for a dataset whose contexts fit tables.

    ``asked``: which examples somebody was asked about. They were not drawn by the truth, so only their labels are
    evidence; and where contexts were chosen to be asked about, none has neighbours, as impact is no reason any more.
    ``wishes``: what is known, and costs something before anything is learned. ``lessons``: more
    examples, drawn like the others, in contexts that nobody recorded (:mod:`~hassle.learners.statistical.teaching`);
    then no context has neighbours.
    """
    neighbours = _affordable_neighbours(data) if asked is None and lessons is None else 0
    asked = np.zeros(len(data), dtype=np.bool_) if asked is None else asked
    # Of what is compared nobody drew the worse one as a bad example: it does not tell how many of those break rules.
    by_chance = ~asked & ~data.compared
    unrecorded = data.compared
    if lessons is not None:
        every = np.ones(len(lessons), dtype=np.bool_)
        by_chance, unrecorded = np.concatenate([by_chance, every]), np.concatenate([unrecorded, every])
        data = data.extended(lessons)
    recorded = np.ones(len(data.contexts), dtype=np.bool_)
    recorded[data.context_of[unrecorded]] = False
    contexts: list[Context] = []
    for context, own in zip(data.contexts, recorded.tolist(), strict=True):
        near = draw_neighbours(context, data.schema, neighbours, rng) if own else [NOWHERE] * neighbours
        contexts += [context, *near]
    tables = list_tables(contexts, data.schema)
    rows, numbers, weights, drawn = _distinct(data, by_chance)
    table_of = data.context_of[rows].astype(np.int64) * (1 + neighbours)
    assignments = np.ascontiguousarray(data.assignments[rows])
    cases = Cases(
        places=tables.places,
        settled=Places(fixed_true=tables.fixed_true, bits=tables.bits),
        words=tables.words,
        word_starts=tables.starts,
        offsets=tables.offsets,
        starts=np.searchsorted(table_of, np.arange(len(contexts) + 1)).astype(np.int64),
        points=tables.points(assignments, table_of),
        labels=data.labels[rows].astype(np.int8),
        weights=weights,
        drawn=drawn,
        base=np.zeros(0, dtype=np.int32),
        neighbours=neighbours,
        distinct=_all_distinct(data),
        fewest=_fewest_positives(data, recorded),
    )
    sources = Sources(
        assignments=assignments,
        negatives=np.flatnonzero(~data.positive[rows]).astype(np.int64),
        context_literals=_fixed_literals(_own_contexts(data) or (EMPTY,), len(data.variables)),
    )
    if wishes:
        cases = replace(cases, base=_losses(cases, wishes))
    return Problem(data.schema, cases, sources, rows, numbers, assignments, wishes)


def _losses(cases: Cases, wishes: Wishes) -> NDArray[np.int32]:
    """What the wishes cost at every point, by the kernel that charges for a model's constraints."""
    width = 1 + max(len(constraint.literals) for constraint, _ in wishes.costs) + 1 if wishes.costs else 2
    state = new_state(cases, len(wishes.costs), width, 1)
    for j, (constraint, cost) in enumerate(wishes.costs):
        state.rows[j], state.costs[j] = row_of(constraint, width), cost
    state.count[0] = len(wishes.costs)
    rebuild(cases, state, new_trial(cases, width))
    return state.losses


def _own_contexts(data: Dataset) -> tuple[Context, ...]:
    """Those in which decisions were made, rather than compared."""
    compared = np.zeros(len(data.contexts), dtype=np.bool_)
    compared[data.context_of[data.compared]] = True
    return tuple(data.contexts[c] for c in np.flatnonzero(~compared))


def _distinct(
    data: Dataset, by_chance: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """The first of each group of equal examples, by context and then in the order of the data; how many they are, the
    sum of their weights, and of the weights of those that were drawn by chance.
    """
    keys = np.column_stack([data.context_of, data.labels, np.packbits(data.assignments, axis=1)])
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    numbers = np.bincount(group.ravel())
    weights = np.bincount(group.ravel(), weights=data.weights).astype(np.float64)
    drawn = np.bincount(group.ravel(), weights=data.weights * by_chance).astype(np.float64)
    order = np.lexsort((first, data.context_of[first]))
    return first[order].astype(np.int64), numbers[order].astype(np.int64), weights[order], drawn[order]


def _all_distinct(data: Dataset) -> bool:
    """Whether no assignment occurs twice in a context."""
    keys = np.column_stack([data.context_of, np.packbits(data.assignments, axis=1)])
    return len(np.unique(keys, axis=0)) == len(data)


def _fewest_positives(data: Dataset, recorded: NDArray[np.bool_]) -> int:
    """How many different positives every context has in which decisions were made."""
    good = np.column_stack([data.context_of, np.packbits(data.assignments, axis=1)])[data.positive]
    each = np.bincount(np.unique(good, axis=0)[:, 0].astype(np.int64), minlength=len(data.contexts))
    return int(each[recorded].min(initial=len(data)))


def log_set_counts(variables: int, longest: int) -> NDArray[np.float64]:
    """For each length up to ``longest``: the log of the number of sets of so many literals."""
    return np.array([0.0] + [log(comb(variables, k)) + k * log(2) for k in range(1, longest + 1)])


def _affordable_neighbours(data: Dataset) -> int:
    """How many neighbours each context gets, as far as their points are worth their time.

    A neighbour is taken to have as many points as its context, which holds where columns are given rather than bounded.
    """
    own = _own_contexts(data)
    points = int(total_points(own, data.schema))
    fewest = min((len(circumstances(context, data.schema)) for context in own), default=0)
    return max(0, min(fewest, int(NEIGHBOUR_POINTS // max(1, points)) - 1))


def _fixed_literals(contexts: tuple[Context, ...], variables: int) -> NDArray[np.int32]:
    """For each context: how many literals it fixes, and which, filled up with 0."""
    result = np.zeros((len(contexts), variables + 1), dtype=np.int32)
    for c, context in enumerate(contexts):
        result[c, 0] = len(context.literals)
        result[c, 1 : 1 + len(context.literals)] = context.literals
    return result
