"""Two arrangements beside each other: what is asked for here is done there, or is not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hassle.learners.structured.kinds.kind import Counts, Rows
from hassle.learners.structured.kinds.roles import (
    EACH,
    FIXED,
    SUM,
    OneSided,
    Roles,
    attribute_roles,
    dimensions_of,
    picked,
    summed,
)
from hassle.logic import Arrangement, Schema
from hassle.model.families import Cells, Family, numbers_at


@dataclass(frozen=True)
class Across(OneSided):
    """Where ``other`` is done (or, unless ``when``, is not), the cell is done (``then``) or is not.

    ``other`` is arranged along some of the dimensions; along those that it does not have any cell will do.
    """

    other: str
    names: tuple[str, ...]  # its dimensions
    when: bool
    then: bool

    complexity = 1.25

    def family(self, column: int, opposite: bool = False) -> Family:
        cells = self.roles.cells(picked(column, self.roles.sizes), negated=not self.then)
        by_name = dict(zip((each.name for each in self.roles.dimensions), cells.places, strict=True))
        asked = Cells(self.other, tuple(by_name[name] for name in self.names), negated=self.when)
        return Family(self.roles.every(), (asked, cells))

    def broken(self, rows: Rows) -> Counts:
        found = self.roles.counts(rows.cells(self.roles.arrangement))
        asked = rows.cells(self.other)
        names = [dimension.name for dimension in self.roles.dimensions]
        axes = [names.index(name) for name in self.names]
        shape = [len(rows), *(1 for _ in names)]
        for axis, size in zip(axes, asked.shape[1:], strict=True):
            shape[axis + 1] = size
        where = self.roles.restricted(asked.transpose(0, *(1 + i for i in np.argsort(axes))).reshape(shape))
        return summed((where == self.when) & ((found > 0) != self.then), self.roles.running)


def across(schema: Schema, arrangement: Arrangement) -> Iterator[Across]:
    """A dimension that both have runs, or a member is named in one; one that only this has runs or is summed."""
    dimensions = dimensions_of(schema, arrangement)
    for other in schema.arrangements:
        names = other.dimensions
        if (
            other == arrangement
            or not set(names) <= set(arrangement.dimensions)
            or numbers_at(schema, other) is not None
        ):
            continue
        for when, then in itertools.product((True, False), repeat=2):
            options = [
                [EACH, FIXED, *attribute_roles(each, "each")] if each.name in names else [SUM if then else EACH]
                for each in dimensions
            ]
            for picked_roles in itertools.product(*options):
                if sum(role not in (EACH, SUM) for role in picked_roles) <= 1:
                    yield Across(Roles(arrangement.name, dimensions, picked_roles), other.name, names, when, then)
