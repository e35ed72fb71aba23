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
    """Constraints with weights (a cost for breaking them) over a schema."""

    schema: Schema
    constraints: Sequence[Constraint]
    weights: Sequence[float]

    @cached_property
    def _arrays(
        self,
    ) -> tuple[NDArray[np.int32], NDArray[np.int8], NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        numbers = [
            constraint
            for column, start in zip(self.schema.columns, self.schema.starts, strict=False)
            if not isinstance(column, Choice)
            for constraint in column.domain(start)
        ]
        all_of = [*self.constraints, *numbers]
        rows = np.repeat(np.arange(len(all_of)), [len(each.literals) for each in all_of]).astype(np.int32)
        literals = np.array([lit for each in all_of for lit in each.literals], dtype=np.int64)
        order = np.argsort(np.abs(literals), kind="stable")
        owned = np.searchsorted(np.abs(literals[order]) - 1, np.arange(len(self.schema.variables) + 1))
        weights = np.array([*self.weights, *[FORBIDDING] * len(numbers)], dtype=np.float64)
        needs = np.array([each.need for each in all_of], dtype=np.int32)
        return rows[order], np.sign(literals[order]).astype(np.int8), owned.astype(np.int64), needs, weights

    @cached_property
    def _choices(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        start = np.arange(len(self.schema.variables))
        end = start.copy()
        for column, first, last in zip(self.schema.columns, self.schema.starts, self.schema.starts[1:], strict=False):
            if isinstance(column, Choice):
                start[first:last], end[first:last] = first, last
        return start, end

    def cost(self, row: Bits) -> float:
        """The weight that an assignment breaks."""
        rows, signs, owned, needs, weights = self._arrays
        true = np.bincount(rows, np.repeat(row, np.diff(owned)) == (signs > 0), minlength=len(needs))
        return float(weights[true < needs].sum())

    def improved(self, row: Bits, context: Context, steps: int, seed: int) -> tuple[Bits, float]:
        """The best assignment found from this one, and the weight that it breaks."""
        from hassle.kernels.tabu import tabu_search

        fixed = {abs(lit) - 1 for lit in context.within(self.schema).literals}
        free = np.array([v for v in range(len(row)) if v not in fixed], dtype=np.int64)
        best = row.copy()
        state = np.array([seed], dtype=np.uint64)
        cost = tabu_search(row.copy(), free, *self._choices, *self._arrays, steps, state, best)
        return best, float(cost)
