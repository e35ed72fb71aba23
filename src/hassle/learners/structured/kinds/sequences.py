"""Sequences along an ordered dimension: what excludes or asks for what comes next, what is done alone, and runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hassle.learners.structured.kinds.kind import Counts, Rows
from hassle.learners.structured.kinds.roles import (
    EACH,
    FIXED,
    OWN,
    SUM,
    OneSided,
    Role,
    Roles,
    attribute_roles,
    dimensions_of,
    member,
    picked,
    summed,
)
from hassle.logic import Arrangement, Dimension, Schema
from hassle.model.families import All, Cells, Every, Family, Here, Place

# Runs up to this length are looked at, and an ordered dimension must be so long for any sequence.
LONGEST_RUN, SHORTEST_ORDER = 4, 3


def _every(roles: Roles, order: int) -> tuple[Every, ...]:
    """What runs by role, and the ordered dimension in its place."""
    shown = Roles(
        roles.arrangement, roles.dimensions, tuple(EACH if i == order else r for i, r in enumerate(roles.roles))
    )
    return shown.every()


@dataclass(frozen=True)
class Succession:
    """Along an ordered dimension: a now and b next never both; with ``needs`` a now asks for b next.

    a and b are different members of another dimension, ``value``; there either may be "any", where another dimension
    is summed too. Without ``value`` the same cell is meant, now and next.
    """

    roles: Roles
    order: int
    value: int | None = None
    needs: bool = False

    two_sided = False
    complexity = 1.25

    @cached_property
    def _pairs(self) -> tuple[tuple[int, int], ...]:
        if self.value is None:
            return ((0, 0),)
        size = len(self.roles.dimensions[self.value].members)
        pairs = tuple(itertools.permutations(range(size), 2))
        # "Any" is the last one; where several cells stand for one there is no other way to say it.
        return (
            pairs + tuple((a, size) for a in range(size)) + tuple((size, b) for b in range(size)) if size > 2 else pairs
        )

    @property
    def _sizes(self) -> tuple[int, ...]:
        sizes = list(self.roles.sizes)
        if self.value is not None:
            sizes[self.value] = len(self._pairs)
        return tuple(sizes)

    @property
    def siblings(self) -> int:
        return int(np.prod(self._sizes))

    columns = siblings

    @property
    def instances(self) -> int:
        return self.roles.instances * (len(self.roles.dimensions[self.order].members) - 1)

    def family(self, column: int, opposite: bool = False) -> Family:
        picks = picked(column, self._sizes)
        order = self.roles.dimensions[self.order].name
        now, later = dict[int, Place]({self.order: Here(order)}), dict[int, Place]({self.order: Here(order, 1)})
        if self.value is not None:
            a, b = self._pairs[picks[self.value]]
            now[self.value], later[self.value] = self._place(a), self._place(b)
        first, then = self.roles.cells(picks, now), self.roles.cells(picks, later)
        every = _every(self.roles, self.order)
        single = not any(isinstance(place, All) for place in (*first.places, *then.places))
        if single and not self.needs:
            return Family(every, (_negated(first), _negated(then)))
        # After the last day nothing is asked for or counted: a span of one takes the instance with it.
        then = self.roles.cells(picks, {**later, self.order: Here(order, 1, 1)})
        if single:
            return Family(every, (_negated(first), then))
        if self.needs:
            return Family(every, (first,), 0, most=True, than=(then,))
        return Family(every, (first, then), 1, most=True)

    def _place(self, value: int) -> Place:
        assert self.value is not None
        dimension = self.roles.dimensions[self.value]
        return All() if value == len(dimension.members) else member(dimension, value)

    def broken(self, rows: Rows) -> Counts:
        found = self.roles.counts(rows.cells(self.roles.arrangement))
        axis = self.order + 1
        size = found.shape[axis]
        first, then = (_at(found, axis, part) for part in (range(size - 1), range(1, size)))
        if self.value is not None:
            first, then = (self._paired(each, i) for i, each in enumerate((first, then)))
        hits = first > then if self.needs else first + then > 1
        return summed(hits, (*self.roles.running, axis))

    def _paired(self, found: Counts, side: int) -> Counts:
        assert self.value is not None
        axis = self.value + 1
        with_any = np.concatenate([found, found.sum(axis, keepdims=True, dtype=np.int16)], axis)
        return _at(with_any, axis, [pair[side] for pair in self._pairs])


@dataclass(frozen=True)
class Lone(OneSided):
    """Along an ordered dimension: what is done now is also done just before or just after.

    With ``value``, anything in that dimension before or after will do.
    """

    order: int
    value: int | None = None

    complexity = 1.25

    def family(self, column: int, opposite: bool = False) -> Family:
        picks = picked(column, self.roles.sizes)
        order = self.roles.dimensions[self.order].name
        anything: dict[int, Place] = {} if self.value is None else {self.value: All()}
        around = (self.roles.cells(picks, {**anything, self.order: Here(order, step)}) for step in (-1, 1))
        return Family(self.roles.every(), (_negated(self.roles.cells(picks)), *around))

    def broken(self, rows: Rows) -> Counts:
        cells = rows.cells(self.roles.arrangement)
        around = cells if self.value is None else cells.max(self.value + 1, keepdims=True)
        axis = self.order + 1
        padded = _padded(around, axis)
        size = cells.shape[axis]
        near = _at(padded, axis, range(size)) | _at(padded, axis, range(2, size + 2))
        return summed(self.roles.counts(cells & (1 - near)) > 0, self.roles.running)


@dataclass(frozen=True)
class Run(OneSided):
    """Never exactly ``length`` in a row, done or (with ``off``) not done.

    What reaches the first or the last index may go on outside: such a run is not looked at, unless the ends are
    ``closed``. So "at least 3 in a row" is never exactly 1 and never exactly 2. "At most 3" is a count in a stretch.
    """

    order: int
    length: int
    off: bool = False
    closed: bool = False

    complexity = 1.5

    @property
    def instances(self) -> int:
        size = len(self.roles.dimensions[self.order].members)
        return self.roles.instances * (size - self.length + 1 - (0 if self.closed else 2))

    def family(self, column: int, opposite: bool = False) -> Family:
        picks = picked(column, self.roles.sizes)
        order = self.roles.dimensions[self.order].name

        def at(first: int, last: int | None) -> Cells:
            return self.roles.cells(picks, {self.order: Here(order, first, last)})

        every = _every(self.roles, self.order)
        inside = at(0, self.length - 1)
        around = tuple(at(edge, None if self.closed else edge) for edge in (-1, self.length))
        if self.off:
            return Family(every, around, 1, most=True, than=(inside,))
        return Family(every, (inside,), self.length - 1, most=True, than=around)

    def broken(self, rows: Rows) -> Counts:
        found = self.roles.counts(rows.cells(self.roles.arrangement))
        axis = self.order + 1
        if self.closed:
            found = _padded(found, axis)
        starts = range(1, found.shape[axis] - self.length)
        inside = sum(_at(found, axis, [start + i for start in starts]) for i in range(self.length))
        around = _at(found, axis, [start - 1 for start in starts]) + _at(
            found, axis, [start + self.length for start in starts]
        )
        hits = around - inside > 1 if self.off else inside - around > self.length - 1
        return summed(hits, (*self.roles.running, axis))


def _negated(cells: Cells) -> Cells:
    return Cells(cells.arrangement, cells.places, negated=True)


def _at(found: NDArray, axis: int, places: Sequence[int] | range) -> NDArray:
    return np.take(found, np.asarray(places, dtype=np.int64), axis)


def _padded(found: NDArray, axis: int) -> NDArray:
    """With nothing done before the first and after the last index."""
    padding = [(0, 0)] * found.ndim
    padding[axis] = (1, 1)
    return np.pad(found, padding)


def sequences(schema: Schema, arrangement: Arrangement) -> Iterator[Succession | Lone | Run]:
    dimensions = dimensions_of(schema, arrangement)
    for order, dimension in enumerate(dimensions):
        if dimension.ordered and len(dimension.members) >= SHORTEST_ORDER:
            yield from _successions(arrangement, dimensions, order)
            yield from _lones(arrangement, dimensions, order)
            yield from _runs(arrangement, dimensions, order)


def _successions(arrangement: Arrangement, dimensions: tuple[Dimension, ...], order: int) -> Iterator[Succession]:
    others = [axis for axis in range(len(dimensions)) if axis != order]
    for value in (None, *others):
        # What is neither running nor compared is summed only where a third dimension is left for it.
        options = [
            [OWN]
            if axis in (order, value)
            else [EACH, FIXED, *([SUM] if len(dimensions) > 3 and value is not None else [])]
            for axis in range(len(dimensions))
        ]
        for picked_roles in itertools.product(*options):
            if sum(role == FIXED for role in picked_roles) <= (2 if value is None else 1):
                for needs in (False, True):
                    yield Succession(Roles(arrangement.name, dimensions, picked_roles), order, value, needs)


def _lones(arrangement: Arrangement, dimensions: tuple[Dimension, ...], order: int) -> Iterator[Lone]:
    others = [axis for axis in range(len(dimensions)) if axis != order]
    for value in (None, *others):
        for fixed in (None, *others):
            picked_roles = tuple(FIXED if axis == fixed else EACH for axis in range(len(dimensions)))
            yield Lone(Roles(arrangement.name, dimensions, picked_roles), order, value)


def _runs(arrangement: Arrangement, dimensions: tuple[Dimension, ...], order: int) -> Iterator[Run]:
    """Of the dimensions without an order the first is whose runs they are; in others something is named, or summed."""
    others = [axis for axis in range(len(dimensions)) if axis != order]

    def options(axis: int) -> list[Role]:
        if axis == order:
            return [OWN]
        if axis == others[0]:
            return [EACH, FIXED, *attribute_roles(dimensions[axis], "each")]
        return [SUM, FIXED]

    size = len(dimensions[order].members)
    for picked_roles in itertools.product(*map(options, range(len(dimensions)))):
        if sum(role == FIXED for role in picked_roles) > 1:
            continue
        roles = Roles(arrangement.name, dimensions, picked_roles)
        for length in range(1, min(LONGEST_RUN, size - 2) + 1):
            yield Run(roles, order, length)
            yield Run(roles, order, length, off=True)
            yield Run(roles, order, length, closed=True)
