"""Counts: at least, or at most, so many of some cells; and bounds that come from a given number."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from hassle.learners.structured.kinds.kind import Counts, Rows
from hassle.learners.structured.kinds.roles import (
    EACH,
    FIXED,
    LARGEST_GROUP,
    LONGEST_SPAN,
    SUM,
    Role,
    Roles,
    attribute_roles,
    dimensions_of,
    picked,
    summed,
)
from hassle.logic import Arrangement, Dimension, Number, Schema
from hassle.model.families import Cells, Family, Here, numbers_at

# With this many dimensions or more, groups and stretches name at most so many other things.
MANY_DIMENSIONS, MOST_NAMED = 4, 1


@dataclass(frozen=True)
class Count:
    """At least ``k``, or the opposite: at most ``k - 1``, of the cells that the roles pick; ``low < k <= high``.

    ``k`` is counted from ``number`` on where there is one.
    """

    roles: Roles
    low: int = 0
    high: int = 1
    number: Cells | None = None

    two_sided = True

    @property
    def siblings(self) -> int:
        return self.roles.siblings

    @property
    def complexity(self) -> float:
        return 1.0 + 0.5 * sum(role.name in ("span", "group") for role in self.roles.roles)

    @property
    def columns(self) -> int:
        return self.siblings * (self.high - self.low)

    @property
    def instances(self) -> int:
        return self.roles.instances

    def family(self, column: int, opposite: bool = False) -> Family:
        chosen, step = divmod(column, self.high - self.low)
        picks = picked(chosen, self.roles.sizes)
        every, cells, bound = self.roles.every(), self.roles.cells(picks), self.low + step + 1
        than = () if self.number is None else (self._number_at(picks),)
        if not opposite:
            return Family(every, (cells,), bound, than=than)
        if self.roles.size == 1 and not than:
            return Family(every, (replace(cells, negated=True),))
        return Family(every, (cells,), bound - 1, most=True, than=than)

    def _number_at(self, picks: list[int]) -> Cells:
        """The number at the same index, or at the same choice."""
        assert self.number is not None
        own = self.roles.cells(picks).places
        by_name = dict(zip((dimension.name for dimension in self.roles.dimensions), own, strict=True))
        return replace(self.number, places=tuple(by_name[name] for name in self._number_dimensions))

    @property
    def _number_dimensions(self) -> tuple[str, ...]:
        assert self.number is not None
        return tuple(place.dimension for place in self.number.places)  # type: ignore[union-attr]

    def counts(self, rows: Rows) -> Counts:
        """The count at each index of each choice, beyond the number where there is one."""
        found = self.roles.counts(rows.cells(self.roles.arrangement))
        if self.number is None:
            return found
        numbers = rows.numbers(self.number.arrangement, bool(self.number.places))
        names = [dimension.name for dimension in self.roles.dimensions]
        axes = [names.index(name) for name in self._number_dimensions]
        shape = [len(rows), *(1 for _ in names)]
        for axis, size in zip(axes, numbers.shape[1:], strict=True):
            shape[axis + 1] = size
        ordered = numbers.transpose(0, *(1 + i for i in np.argsort(axes)))
        return np.asarray(found - ordered.reshape(shape), dtype=np.int16)

    def broken(self, rows: Rows) -> Counts:
        found = self.counts(rows)
        below = [summed(found <= k, self.roles.running) for k in range(self.low, self.high)]
        return np.stack(below, -1).reshape(len(rows), -1)


def counts(
    schema: Schema, arrangement: Arrangement, positives: Rows, most_siblings: float = math.inf
) -> Iterator[Count]:
    """Counts of all roles with few enough siblings; bounds are those that the positives come near to."""
    dimensions = dimensions_of(schema, arrangement)
    for picked_roles in itertools.product(*(_roles(each, pairs=len(dimensions) == 2) for each in dimensions)):
        special = sum(role.name in ("span", "group", "having") for role in picked_roles)
        restricted = sum(role.name == "each" and bool(role.attribute) for role in picked_roles)
        fixed = sum(role.name == "fixed" for role in picked_roles)
        many = len(dimensions) >= MANY_DIMENSIONS and fixed > MOST_NAMED
        if special > 1 or restricted > 1 or (many and (special or restricted)):
            continue
        roles = Roles(arrangement.name, dimensions, picked_roles)
        if roles.siblings <= most_siblings and (kind := _bounded(Count(roles), positives)) is not None:
            yield kind


def bounds(schema: Schema, arrangement: Arrangement, positives: Rows) -> Iterator[Count]:
    """Counts with a bound that is a number, arranged along dimensions of the same names or standing for itself.

    A dimension of the number runs or is named; the others run, are summed or are restricted to an attribute.
    """
    dimensions = dimensions_of(schema, arrangement)
    for number, names in _numbers(schema):
        if not set(names) <= set(arrangement.dimensions):
            continue
        options = [
            [EACH, FIXED] if dimension.name in names else [EACH, SUM, *attribute_roles(dimension, "having")]
            for dimension in dimensions
        ]
        for picked_roles in itertools.product(*options):
            if sum(role == FIXED for role in picked_roles) > 1:
                continue
            roles = Roles(arrangement.name, dimensions, picked_roles)
            if (kind := _bounded(Count(roles, number=number), positives)) is not None:
                yield kind


def _bounded(kind: Count, positives: Rows) -> Count | None:
    """With the bounds that positives come near to: at least k asks for a k that some positive reaches."""
    found = kind.counts(positives)
    if not found.size:
        return None
    low, high = int(found.min()) - 1, int(found.max()) + 1
    if kind.number is None:
        low, high = max(0, low), min(kind.roles.size, high)
    return replace(kind, low=low, high=high)


def _roles(dimension: Dimension, pairs: bool) -> list[Role]:
    """With ``pairs``, two members of an ordered dimension are looked at, too."""
    size = len(dimension.members)
    roles = [EACH, SUM, FIXED] if size > 1 else [SUM]
    roles += [*attribute_roles(dimension, "having"), *(attribute_roles(dimension, "each") if size > 1 else ())]
    if dimension.ordered:
        roles += [Role("span", length=length) for length in range(2, min(size, LONGEST_SPAN + 1))]
        roles += [Role("group", length=2)] if pairs and size > 2 else []
    else:
        roles += [Role("group", length=length) for length in range(2, min(size, LARGEST_GROUP + 1))]
    return roles


def _numbers(schema: Schema) -> Iterator[tuple[Cells, tuple[str, ...]]]:
    """Arranged numbers, then those that stand for themselves; the cells are where all dimensions run."""
    arranged = set[int]()
    for arrangement in schema.arrangements:
        where = numbers_at(schema, arrangement)
        if where is not None:
            arranged |= set(where.ravel().tolist())
            yield Cells(arrangement.name, tuple(map(Here, arrangement.dimensions))), arrangement.dimensions
    for c, column in enumerate(schema.columns):
        if isinstance(column, Number) and c not in arranged:
            yield Cells(column.name, ()), ()
