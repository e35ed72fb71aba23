"""Better assignments, found fast: tabu search over weighted constraints in a context, from a given assignment.

Any assignment that beats a positive is a cut, so nothing need be proved. Of a context only the literals are known here:
the caller hands over what all contexts ask for besides, and looks whether the rest holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hassle.logic import Choice, Constraint, Context, Schema

Bits = NDArray[np.uint8]

# What no weight outweighs: what all contexts ask for, and the domain of numbers, whose values change step by step.
FORBIDDING = 1e6


@dataclass(frozen=True)
class Search:
    """Constraints with weights (a cost for breaking them) over a schema, as the arrays of the kernel.

    For each variable its literals, from ``owned[v]`` on: the constraint (``rows``) and the sign of each. For each
    constraint its need and its weight. ``choices``: for each variable the first one and the one behind the last of its
    column where that is a choice.
    """

    rows: NDArray[np.int32]
    signs: NDArray[np.int8]
    owned: NDArray[np.int64]
    needs: NDArray[np.int32]
    weights: NDArray[np.float64]
    choices: tuple[NDArray[np.int64], NDArray[np.int64]]

    @classmethod
    def of(cls, schema: Schema, constraints: Sequence[Constraint], weights: Sequence[float]) -> Search:
        numbers = [
            constraint
            for column, start in zip(schema.columns, schema.starts, strict=False)
            if not isinstance(column, Choice)
            for constraint in column.domain(start)
        ]
        all_of = [*constraints, *numbers]
        rows = np.repeat(np.arange(len(all_of)), [len(each.literals) for each in all_of]).astype(np.int32)
        literals = np.array([lit for each in all_of for lit in each.literals], dtype=np.int64)
        order = np.argsort(np.abs(literals), kind="stable")
        owned = np.searchsorted(np.abs(literals[order]) - 1, np.arange(len(schema.variables) + 1))
        return cls(
            rows[order],
            np.sign(literals[order]).astype(np.int8),
            owned.astype(np.int64),
            np.array([each.need for each in all_of], dtype=np.int32),
            np.array([*weights, *[FORBIDDING] * len(numbers)], dtype=np.float64),
            _choices(schema),
        )

    def cost(self, row: Bits) -> float:
        """The weight that an assignment breaks."""
        held = np.repeat(row, np.diff(self.owned)) == (self.signs > 0)
        true = np.bincount(self.rows, held, minlength=len(self.needs))
        return float(self.weights[true < self.needs].sum())

    def improved(
        self, row: Bits, free: NDArray[np.int64], steps: int, seed: int, most: int = 1
    ) -> tuple[NDArray[np.uint8], float]:
        """The best assignments found from this one by changing free variables, and the weight that they break.

        They are equally good, and ``most`` of them at most.
        """
        from hassle.kernels.tabu import tabu_search

        best = np.empty((most, len(row)), dtype=np.uint8)
        state = np.array([seed], dtype=np.uint64)
        arrays = (self.rows, self.signs, self.owned, self.needs, self.weights)
        cost, found = tabu_search(row.copy(), free, *self.choices, *self._by_constraint, *arrays, steps, state, best)
        return best[:found], float(cost)

    @cached_property
    def _by_constraint(self) -> tuple[NDArray[np.int32], NDArray[np.int8], NDArray[np.int64]]:
        """For each constraint its variables and their signs, and where they begin."""
        order = np.argsort(self.rows, kind="stable")
        variables = np.repeat(np.arange(len(self.owned) - 1, dtype=np.int32), np.diff(self.owned))
        starts = np.searchsorted(self.rows[order], np.arange(len(self.needs) + 1))
        return variables[order], self.signs[order], starts.astype(np.int64)


def _choices(schema: Schema) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    start = np.arange(len(schema.variables))
    end = start.copy()
    for column, first, last in zip(schema.columns, schema.starts, schema.starts[1:], strict=False):
        if isinstance(column, Choice):
            start[first:last], end[first:last] = first, last
    return start, end


def free_variables(context: Context, schema: Schema) -> NDArray[np.int64]:
    """The variables that a context leaves open."""
    open_ = np.ones(len(schema.variables), dtype=np.bool_)
    open_[[abs(lit) - 1 for lit in context.within(schema).literals]] = False
    return np.flatnonzero(open_)
