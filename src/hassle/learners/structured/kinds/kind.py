"""What every kind of candidate has, and how the assignments look to it.

A kind holds *columns*. A column stands for a family, and where the opposite family is worth having too ("at least 3"
and "at most 2") for that one as well. ``broken`` tells for many assignments at once how many instances of each column's
family they break; what breaks the opposite is every other instance.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hassle.logic import Constraint, Number, Schema
from hassle.model.families import Family, arrangement_of, cells_of, number_of, numbers_at

Counts = NDArray[np.int16]


@dataclass(frozen=True)
class Rows:
    """Assignments as kinds look at them: by their cells, by their numbers, or as they are."""

    schema: Schema
    assignments: NDArray[np.uint8]
    _seen: dict[str, NDArray[np.uint8]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.assignments)

    def cells(self, arrangement: str) -> NDArray[np.uint8]:
        """One axis for the assignments, one for each dimension: 1 where the cell is done, 0 where not or not there."""
        if arrangement not in self._seen:
            where = cells_of(self.schema, arrangement_of(self.schema, arrangement))
            padded = np.concatenate([self.assignments, np.zeros((len(self), 1), dtype=np.uint8)], axis=1)
            self._seen[arrangement] = padded[:, where]
        return self._seen[arrangement]

    def numbers(self, name: str, arranged: bool) -> NDArray[np.int16]:
        """The values of arranged numbers, one axis per dimension, or of a single number; 0 where there is none."""
        if not arranged:
            return self._value(number_of(self.schema, name))
        where = numbers_at(self.schema, arrangement_of(self.schema, name))
        assert where is not None
        result = np.zeros((len(self), *where.shape), dtype=np.int16)
        for place in zip(*np.nonzero(where >= 0), strict=True):
            result[(slice(None), *place)] = self._value(int(where[place]))
        return result

    def _value(self, column: int) -> NDArray[np.int16]:
        number, start, end = self.schema.columns[column], *self.schema.starts[column : column + 2]
        assert isinstance(number, Number)
        return number.low + self.assignments[:, start:end].sum(1, dtype=np.int16)


class Kind(Protocol):
    """Candidates that are counted together."""

    @property
    def columns(self) -> int:
        """How many columns there are."""

    @property
    def two_sided(self) -> bool:
        """Whether the opposite of each column's family is a candidate too."""

    @property
    def siblings(self) -> int:
        """Among how many families of its shape one is chosen: naming it takes so much more."""

    @property
    def complexity(self) -> float:
        """How much it takes to say its shape; 1 for the plainest."""

    @property
    def instances(self) -> int:
        """How many instances each family has."""

    def family(self, column: int, opposite: bool = False) -> Constraint | Family:
        """What a column stands for."""

    def broken(self, rows: Rows) -> Counts:
        """For each assignment (row) and column: how many instances of the column's family it breaks."""
