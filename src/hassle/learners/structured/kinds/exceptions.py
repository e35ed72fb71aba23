"""Exceptions: what holds for every nurse but Dan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from hassle.learners.structured.kinds.counts import Count
from hassle.learners.structured.kinds.kind import Counts, Rows
from hassle.learners.structured.kinds.roles import EACH, FIXED, Roles
from hassle.model.families import Every, Family

# Only what names nothing else has exceptions, and only where so many are left.
FEWEST_MEMBERS = 4


@dataclass(frozen=True)
class Excepting:
    """A count for every member of a dimension but one: a column for each member, and each of the count's own."""

    count: Count  # with a member chosen at ``axis``
    axis: int

    two_sided = True

    @property
    def complexity(self) -> float:
        return self.count.complexity + 0.5

    @property
    def siblings(self) -> int:
        return self.count.siblings

    @property
    def columns(self) -> int:
        return self.count.columns

    @property
    def _members(self) -> tuple[str, ...]:
        return self.count.roles.dimensions[self.axis].members

    @property
    def instances(self) -> int:
        return self.count.instances * (len(self._members) - 1)

    def family(self, column: int, opposite: bool = False) -> Family:
        bounds = self.count.high - self.count.low
        place, bound = divmod(column, bounds)
        roles = _with(self.count.roles, self.axis, EACH)
        family = replace(self.count, roles=roles).family(bound, opposite)
        name = self.count.roles.dimensions[self.axis].name
        every = tuple(
            Every(each.dimension, each.having, (self._members[place],)) if each.dimension == name else each
            for each in family.every
        )
        return replace(family, every=every)

    def broken(self, rows: Rows) -> Counts:
        own = self.count.broken(rows).reshape(len(rows), len(self._members), -1)
        return np.asarray(own.sum(1, keepdims=True) - own, dtype=np.int16).reshape(len(rows), -1)


def exceptions(kinds: Iterable[Count]) -> Iterator[Excepting]:
    """For each count that runs along a dimension without an order and names nothing: everybody but one."""
    for kind in kinds:
        roles = kind.roles
        if any(role.name not in ("each", "sum") or role.attribute for role in roles.roles):
            continue
        for axis, (dimension, role) in enumerate(zip(roles.dimensions, roles.roles, strict=True)):
            if role == EACH and not dimension.ordered and len(dimension.members) >= FEWEST_MEMBERS:
                yield Excepting(replace(kind, roles=_with(roles, axis, FIXED)), axis)


def _with(roles: Roles, axis: int, role: object) -> Roles:
    return replace(roles, roles=tuple(role if i == axis else each for i, each in enumerate(roles.roles)))  # type: ignore[misc]
