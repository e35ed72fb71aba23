"""Members of one dimension beside each other: where the one is the other is, and who gets how much more than whom."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hassle.learners.structured.kinds.kind import Counts, Rows
from hassle.learners.structured.kinds.roles import (
    EACH,
    FIXED,
    OWN,
    SUM,
    OneSided,
    Roles,
    attribute_roles,
    dimensions_of,
    member,
    picked,
    summed,
)
from hassle.logic import Arrangement, Schema
from hassle.model.families import Cells, Every, Family, Here

# How much more one may get than the other, at most; and the members of a dimension up to which pairs are looked at.
LARGEST_GAP, MOST_PAIRED = 2, 14


@dataclass(frozen=True)
class _OfTwo:
    """Two members of the dimension ``pair``, one after the other."""

    roles: Roles
    pair: int

    two_sided = False

    @cached_property
    def _pairs(self) -> tuple[tuple[int, int], ...]:
        return tuple(itertools.permutations(range(len(self.roles.dimensions[self.pair].members)), 2))

    @property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(len(self._pairs) if i == self.pair else size for i, size in enumerate(self.roles.sizes))

    @property
    def siblings(self) -> int:
        return int(np.prod(self._sizes))

    columns = siblings

    @property
    def instances(self) -> int:
        return self.roles.instances

    def _cells(self, column: int) -> tuple[Cells, Cells]:
        picks = picked(column, self._sizes)
        one, other = (member(self.roles.dimensions[self.pair], i) for i in self._pairs[picks[self.pair]])
        return self.roles.cells(picks, {self.pair: one}), self.roles.cells(picks, {self.pair: other})

    def _more(self, rows: Rows) -> Counts:
        """How much more the one has than the other."""
        found = self.roles.counts(rows.cells(self.roles.arrangement))
        one, other = (np.take(found, [pair[i] for pair in self._pairs], self.pair + 1) for i in (0, 1))
        return np.asarray(one - other, dtype=np.int16)


@dataclass(frozen=True)
class Together(_OfTwo):
    """Of two members of a dimension: wherever the one is, the other is too."""

    complexity = 1.25

    def family(self, column: int, opposite: bool = False) -> Family:
        one, other = self._cells(column)
        return Family(self.roles.every(), (replace(one, negated=True), other))

    def broken(self, rows: Rows) -> Counts:
        return summed(self._more(rows) > 0, self.roles.running)


@dataclass(frozen=True)
class Gap(_OfTwo):
    """Of two members of a dimension: the one has at most ``gap`` more than the other."""

    gap: int

    complexity = 1.5

    def family(self, column: int, opposite: bool = False) -> Family:
        one, other = self._cells(column)
        return Family(self.roles.every(), (one,), self.gap, most=True, than=(other,))

    def broken(self, rows: Rows) -> Counts:
        return summed(self._more(rows) > self.gap, self.roles.running)


@dataclass(frozen=True)
class Alike(OneSided):
    """Equal treatment: of any two members of a dimension the one has at most ``gap`` more than the other."""

    pair: int
    gap: int

    complexity = 2.5  # where somebody has none it says nearly the same as a count, which is what people mean then

    @property
    def instances(self) -> int:
        size = len(self.roles.dimensions[self.pair].members)
        return self.roles.instances * size * (size - 1)

    def family(self, column: int, opposite: bool = False) -> Family:
        picks = picked(column, self.roles.sizes)
        name = self.roles.dimensions[self.pair].name
        one, other = (self.roles.cells(picks, {self.pair: Here(name, other=i)}) for i in (False, True))
        every = (Every(name), Every(name, other=True), *self.roles.every())
        return Family(every, (one,), self.gap, most=True, than=(other,))

    def broken(self, rows: Rows) -> Counts:
        found = np.moveaxis(self.roles.counts(rows.cells(self.roles.arrangement)), self.pair + 1, 1)
        # The pair's axis now stands first, so that what stood before it has moved up by one.
        running = [axis + 1 if axis <= self.pair else axis for axis in self.roles.running]
        hits = found[:, :, None] - found[:, None, :] > self.gap
        return summed(hits, (1, 2, *(axis + 1 for axis in running)))


def together(schema: Schema, arrangement: Arrangement) -> Iterator[Together]:
    dimensions = dimensions_of(schema, arrangement)
    for pair, dimension in enumerate(dimensions):
        if dimension.ordered or not 2 < len(dimension.members) <= MOST_PAIRED:
            continue
        others = [axis for axis in range(len(dimensions)) if axis != pair]
        for fixed in (None, *others):
            picked_roles = tuple(
                OWN if axis == pair else FIXED if axis == fixed else EACH for axis in range(len(dimensions))
            )
            yield Together(Roles(arrangement.name, dimensions, picked_roles), pair)


def gaps(schema: Schema, arrangement: Arrangement) -> Iterator[Gap | Alike]:
    """Totals of members compared: of two of them, and, where they have no order, of any two.

    In the other dimensions all are summed but for one, which runs, or, of any two, in which a member is named. A gap
    that only all against nothing exceeds is not looked for: that is "at most so many", in words that nobody would use.
    """
    dimensions = dimensions_of(schema, arrangement)
    axes = range(len(dimensions))
    for pair, dimension in enumerate(dimensions):
        size = len(dimension.members)
        others = [axis for axis in axes if axis != pair]
        for special in (None, *others):
            options = [SUM] if special is None else [EACH, FIXED, *attribute_roles(dimensions[special], "each")]
            for role in options:
                own = tuple(OWN if axis == pair else role if axis == special else SUM for axis in axes)
                roles = Roles(arrangement.name, dimensions, own)
                for gap in range(min(LARGEST_GAP + 1, max(1, roles.size - 1))):
                    if role != FIXED and 1 < size <= MOST_PAIRED and any(each.name == "sum" for each in own):
                        yield Gap(roles, pair, gap)
                    if not dimension.ordered and size > 2:
                        yield Alike(roles, pair, gap)
