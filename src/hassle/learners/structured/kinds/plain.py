"""Plain constraints over variables, where nothing is arranged: one literal, or one of two."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hassle.learners.structured.kinds.kind import Counts, Rows
from hassle.logic import Constraint, Schema


@dataclass(frozen=True)
class Pairs:
    """One of two literals over variables of different columns, wherever they stand."""

    schema: Schema

    two_sided = False
    complexity = 1.0
    instances = 1

    @cached_property
    def _pairs(self) -> NDArray[np.int64]:
        one, other = np.triu_indices(len(self.schema.variables), 1)
        apart = self.schema.column_of[one] != self.schema.column_of[other]
        return np.stack([one[apart], other[apart]])

    @property
    def siblings(self) -> int:
        return 4 * self._pairs.shape[1]

    columns = siblings

    def family(self, column: int, opposite: bool = False) -> Constraint:
        signs, pair = divmod(column, self._pairs.shape[1])
        one, other = (int(v) + 1 for v in self._pairs[:, pair])
        return Constraint((-one if signs & 1 else one, -other if signs & 2 else other))

    def broken(self, rows: Rows) -> Counts:
        one, other = (rows.assignments[:, which] for which in self._pairs)
        signs = [(1 - one) & (1 - other), one & (1 - other), (1 - one) & other, one & other]
        return np.concatenate(signs, axis=1).astype(np.int16)


@dataclass(frozen=True)
class Single:
    """A single variable of a column that nothing arranges: it holds, or the opposite."""

    variables: tuple[int, ...]

    two_sided = True
    complexity = 1.0
    instances = 1

    @property
    def siblings(self) -> int:
        return len(self.variables)

    columns = siblings

    def family(self, column: int, opposite: bool = False) -> Constraint:
        number = self.variables[column] + 1
        return Constraint((-number if opposite else number,))

    def broken(self, rows: Rows) -> Counts:
        return (1 - rows.assignments[:, list(self.variables)]).astype(np.int16)
