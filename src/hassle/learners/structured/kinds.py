"""Kinds of candidate families, one class each: what it says, how many there are, and who breaks it how often.

A kind is made for an arrangement and holds *columns*. A column stands for a family, and where the opposite family is
worth having too ("at least 3" and "at most 2") for that one as well. ``broken`` tells for many assignments at once how
many instances of each column's family they break; what breaks the opposite is every other instance.

To add a kind, write its class here, list it in :func:`kinds_of`, and it is tested with the others against the families'
own instances.

Everything is computed from ``cells``, an array with one axis for the assignments and one for each dimension, which is
1 where the cell is done and 0 where it is not or is not there.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hassle.logic import Arrangement, Constraint, Dimension, Schema
from hassle.model.families import (
    All,
    Cells,
    Every,
    Family,
    Having,
    Here,
    Members,
    Place,
    arrangement_of,
    cells_of,
)

Counts = NDArray[np.int16]


class Kind(Protocol):
    """Candidates that are counted together."""

    @property
    def arrangement(self) -> str:
        """The name of the arrangement that it speaks of; empty where it speaks of variables."""

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

    def broken(self, cells: NDArray[np.uint8]) -> Counts:
        """For each assignment (row) and column: how many instances of the column's family it breaks."""


@dataclass(frozen=True)
class Role:
    """What a count does with a dimension: ``each``, ``sum``, ``fixed``, ``having``, ``span`` or ``group``.

    Each index has its own count; all are summed; one member is chosen; only those with an attribute are summed; a
    stretch of ``length`` is summed from each index on; ``length`` members are chosen and summed.
    """

    name: str
    attribute: tuple[str, str] = ("", "")
    length: int = 0


EACH, SUM, FIXED = Role("each"), Role("sum"), Role("fixed")


@dataclass(frozen=True)
class Count:
    """At least ``k``, or the opposite: at most ``k - 1``, of the cells that the roles pick; ``low < k <= high``."""

    arrangement: str
    dimensions: tuple[Dimension, ...]
    roles: tuple[Role, ...]
    low: int
    high: int

    two_sided = True

    @cached_property
    def _choices(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """For each dimension what may be chosen in it: sets of places."""
        result: list[tuple[tuple[int, ...], ...]] = []
        for dimension, role in zip(self.dimensions, self.roles, strict=True):
            size = len(dimension.members)
            if role.name == "fixed":
                result.append(tuple((i,) for i in range(size)))
            elif role.name == "group":
                result.append(tuple(itertools.combinations(range(size), role.length)))
            else:
                result.append(((),))
        return tuple(result)

    @property
    def siblings(self) -> int:
        return math.prod(map(len, self._choices))

    @property
    def complexity(self) -> float:
        return 1.0 + 0.5 * sum(role.name in ("span", "group") for role in self.roles)

    @property
    def size(self) -> int:
        """How many cells each instance counts."""
        sizes = {"sum": lambda d, r: len(d.members), "having": lambda d, r: len(_having(d, r))}
        return math.prod(
            sizes[role.name](dimension, role) if role.name in sizes else max(1, role.length)
            for dimension, role in zip(self.dimensions, self.roles, strict=True)
        )

    @property
    def columns(self) -> int:
        return self.siblings * (self.high - self.low)

    @property
    def instances(self) -> int:
        sizes = {"each": lambda d, r: len(d.members), "span": lambda d, r: len(d.members) - r.length + 1}
        return math.prod(
            sizes[role.name](dimension, role)
            for dimension, role in zip(self.dimensions, self.roles, strict=True)
            if role.name in sizes
        )

    def family(self, column: int, opposite: bool = False) -> Family:
        chosen, step = divmod(column, self.high - self.low)
        picks = np.unravel_index(chosen, [len(choices) for choices in self._choices])
        every, places = [], list[Place]()
        for dimension, role, choices, pick in zip(self.dimensions, self.roles, self._choices, picks, strict=True):
            match role.name:
                case "each":
                    every.append(Every(dimension.name))
                    places.append(Here(dimension.name))
                case "span":
                    every.append(Every(dimension.name))
                    places.append(Here(dimension.name, 0, role.length - 1))
                case "sum":
                    places.append(All())
                case "having":
                    places.append(Having(*role.attribute))
                case _:
                    places.append(Members(tuple(dimension.members[i] for i in choices[int(pick)])))
        cells, bound = Cells(self.arrangement, tuple(places)), self.low + step + 1
        if not opposite:
            return Family(tuple(every), (cells,), bound)
        if self.size == 1:
            return Family(tuple(every), (Cells(self.arrangement, tuple(places), negated=True),))
        return Family(tuple(every), (cells,), bound - 1, most=True)

    def counts(self, cells: NDArray[np.uint8]) -> Counts:
        """The count at each index of each choice: axes assignment, choice per dimension, index per dimension."""
        found = cells.astype(np.int16)
        for axis, (dimension, role) in enumerate(zip(self.dimensions, self.roles, strict=True), 1):
            if role.name == "sum":
                found = found.sum(axis, keepdims=True, dtype=np.int16)
            elif role.name == "having":
                found = found[(slice(None),) * axis + (np.array(_having(dimension, role)),)]
                found = found.sum(axis, keepdims=True, dtype=np.int16)
            elif role.name == "span":
                windows = np.lib.stride_tricks.sliding_window_view(found, role.length, axis)
                found = windows.sum(-1, dtype=np.int16)
            elif role.name == "group":
                groups = np.array(self._choices[axis - 1])
                found = np.sum([np.take(found, groups[:, i], axis) for i in range(role.length)], axis=0, dtype=np.int16)
        return found

    def broken(self, cells: NDArray[np.uint8]) -> Counts:
        found = self.counts(cells)
        runs = tuple(axis for axis, role in enumerate(self.roles, 1) if role.name in ("each", "span"))
        below = [(found <= k).sum(runs, dtype=np.int16).reshape(len(cells), -1) for k in range(self.low, self.high)]
        return np.stack(below, -1).reshape(len(cells), -1)


def _having(dimension: Dimension, role: Role) -> list[int]:
    return [dimension.members.index(member) for member in dimension.group(*role.attribute)]


@dataclass(frozen=True)
class _Chosen:
    """What kinds with a fixed shape share: some dimensions run, in the others a member is chosen."""

    arrangement: str
    dimensions: tuple[Dimension, ...]
    chosen: tuple[int, ...]  # the axes (from 0) in which a member is chosen, one for all cells

    two_sided = False
    complexity = 1.25

    def _every(self, *without: int) -> tuple[Every, ...]:
        return tuple(
            Every(dimension.name)
            for axis, dimension in enumerate(self.dimensions)
            if axis not in self.chosen and axis not in without
        )

    def _places(self, members: Sequence[int], other: Mapping[int, Place] = MappingProxyType({})) -> tuple[Place, ...]:
        """The place in each dimension: as given by ``other`` under its axis, chosen, or running."""
        pick = dict(zip(self.chosen, members, strict=True))
        return tuple(
            other.get(axis) or (Members((dimension.members[pick[axis]],)) if axis in pick else Here(dimension.name))
            for axis, dimension in enumerate(self.dimensions)
        )

    def _sizes(self, axes: Sequence[int]) -> tuple[int, ...]:
        return tuple(len(self.dimensions[axis].members) for axis in axes)

    def _summed(self, hits: NDArray[np.uint8], moved: int | None = None) -> Counts:
        """Sums over the dimensions that run, as one column per choice; one dimension may have been moved to the end."""
        axes = [axis for axis in range(len(self.dimensions)) if axis != moved]
        runs = tuple(i + 1 for i, axis in enumerate(axes) if axis not in self.chosen)
        return np.asarray(hits.sum(runs, dtype=np.int16)).reshape(len(hits), -1)


@dataclass(frozen=True)
class Succession(_Chosen):
    """Along an ordered dimension: a now and b next never both; with ``needs`` a now asks for b next.

    a and b are different members of another dimension, ``value``; without one the same cell is meant, now and next.
    """

    order: int = 0
    value: int | None = None
    needs: bool = False

    @cached_property
    def _pairs(self) -> tuple[tuple[int, int], ...]:
        size = 1 if self.value is None else len(self.dimensions[self.value].members)
        return ((0, 0),) if self.value is None else tuple(itertools.permutations(range(size), 2))

    @property
    def siblings(self) -> int:
        return math.prod(self._sizes(self.chosen)) * len(self._pairs)

    columns = siblings

    @property
    def instances(self) -> int:
        running = [a for a in range(len(self.dimensions)) if a not in (*self.chosen, self.order, self.value)]
        return math.prod(self._sizes(running)) * (len(self.dimensions[self.order].members) - 1)

    def family(self, column: int, opposite: bool = False) -> Family:
        *members, pair = map(int, np.unravel_index(column, (*self._sizes(self.chosen), len(self._pairs))))
        a, b = self._pairs[pair]
        order = self.dimensions[self.order].name
        # What is asked for after the last day is asked in vain: a span of one takes the instance with it.
        later = Here(order, 1, 1 if self.needs else None)
        now, then = dict[int, Place](), dict[int, Place]({self.order: later})
        if self.value is not None:
            values = self.dimensions[self.value].members
            now[self.value], then[self.value] = Members((values[a],)), Members((values[b],))
        without = () if self.value is None else (self.value,)
        return Family(
            self._every(*without),
            (
                Cells(self.arrangement, self._places(members, now), negated=True),
                Cells(self.arrangement, self._places(members, then), negated=not self.needs),
            ),
        )

    def broken(self, cells: NDArray[np.uint8]) -> Counts:
        size = len(self.dimensions[self.order].members)
        now = np.take(cells, range(size - 1), self.order + 1)
        then = np.take(cells, range(1, size), self.order + 1)
        if self.needs:
            then = 1 - then
        if self.value is None:
            return self._summed(now & then)
        first, second = (np.array([pair[i] for pair in self._pairs], dtype=np.int64) for i in (0, 1))
        now, then = (np.moveaxis(each, self.value + 1, -1) for each in (now, then))
        hits = now[..., first] & then[..., second]
        return self._summed(hits, moved=self.value)


@dataclass(frozen=True)
class Lone(_Chosen):
    """Along an ordered dimension: what is done now is also done just before or just after.

    With ``value``, anything in that dimension before or after will do.
    """

    order: int = 0
    value: int | None = None

    @property
    def siblings(self) -> int:
        return math.prod(self._sizes(self.chosen))

    columns = siblings

    @property
    def instances(self) -> int:
        return math.prod(self._sizes([a for a in range(len(self.dimensions)) if a not in self.chosen]))

    def family(self, column: int, opposite: bool = False) -> Family:
        members = [int(i) for i in np.unravel_index(column, self._sizes(self.chosen))] if self.chosen else []
        order = self.dimensions[self.order].name
        anything: dict[int, Place] = {} if self.value is None else {self.value: All()}
        around = (
            Cells(self.arrangement, self._places(members, {**anything, self.order: Here(order, step)}))
            for step in (-1, 1)
        )
        return Family(self._every(), (Cells(self.arrangement, self._places(members), negated=True), *around))

    def broken(self, cells: NDArray[np.uint8]) -> Counts:
        around = cells if self.value is None else cells.max(self.value + 1, keepdims=True)
        size = len(self.dimensions[self.order].members)
        padding = [(0, 0)] * cells.ndim
        padding[self.order + 1] = (1, 1)
        padded = np.pad(around, padding)
        near = np.take(padded, range(size), self.order + 1) | np.take(padded, range(2, size + 2), self.order + 1)
        return self._summed(cells & (1 - near))


@dataclass(frozen=True)
class Together(_Chosen):
    """Of two members of a dimension: wherever the one is, the other is too."""

    pair: int = 0

    @property
    def siblings(self) -> int:
        return math.prod(self._sizes(self.chosen)) * len(self._pairs)

    columns = siblings

    @cached_property
    def _pairs(self) -> tuple[tuple[int, int], ...]:
        return tuple(itertools.permutations(range(len(self.dimensions[self.pair].members)), 2))

    @property
    def instances(self) -> int:
        return math.prod(
            self._sizes([a for a in range(len(self.dimensions)) if a not in self.chosen and a != self.pair])
        )

    def family(self, column: int, opposite: bool = False) -> Family:
        *members, pair = map(int, np.unravel_index(column, (*self._sizes(self.chosen), len(self._pairs))))
        dimension = self.dimensions[self.pair]
        one, other = (Members((dimension.members[i],)) for i in self._pairs[pair])
        return Family(
            self._every(self.pair),
            (
                Cells(self.arrangement, self._places(members, {self.pair: one}), negated=True),
                Cells(self.arrangement, self._places(members, {self.pair: other})),
            ),
        )

    def broken(self, cells: NDArray[np.uint8]) -> Counts:
        first, second = (np.array([pair[i] for pair in self._pairs]) for i in (0, 1))
        last = np.moveaxis(cells, self.pair + 1, -1)
        hits = last[..., first] & (1 - last[..., second])
        return self._summed(hits, moved=self.pair)


@dataclass(frozen=True)
class Pairs:
    """One of two literals over variables of different columns, wherever they stand; ``variables`` are in order."""

    schema: Schema

    arrangement = ""
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

    def broken(self, cells: NDArray[np.uint8]) -> Counts:
        one, other = cells[:, self._pairs[0]], cells[:, self._pairs[1]]
        signs = [(1 - one) & (1 - other), one & (1 - other), (1 - one) & other, one & other]
        return np.concatenate(signs, axis=1).astype(np.int16)


@dataclass(frozen=True)
class Single:
    """A single variable of a column that nothing arranges: it holds, or the opposite."""

    variables: tuple[int, ...]

    arrangement = ""
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

    def broken(self, cells: NDArray[np.uint8]) -> Counts:
        return (1 - cells[:, list(self.variables)]).astype(np.int16)


# What is looked for unless somebody asks for more: stretches and groups up to these lengths.
LONGEST_SPAN, LARGEST_GROUP = 7, 3
# Pairs of literals are looked at where there are at most so many variables.
MOST_FOR_PAIRS = 120


def cells_tensor(schema: Schema, arrangement: str, assignments: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The assignments as kinds take them: for an arrangement by its cells, else as they are."""
    if not arrangement:
        return assignments
    where = cells_of(schema, arrangement_of(schema, arrangement))
    padded = np.concatenate([assignments, np.zeros((len(assignments), 1), dtype=np.uint8)], axis=1)
    return padded[:, where]


def kinds_of(schema: Schema, positives: NDArray[np.uint8], most_columns: int | None = None) -> list[Kind]:
    """All kinds of candidates for the schema; bounds of counts are those that the positives come near to.

    With ``most_columns``, kinds with the fewest siblings come first and those that would exceed it are left out.
    """
    found: list[Kind] = []
    for arrangement in schema.arrangements:
        cells = cells_tensor(schema, arrangement.name, positives)
        dimensions = tuple(schema.dimension(name) for name in arrangement.dimensions)
        found += _counts(arrangement, dimensions, cells)
        found += _sequences(arrangement, dimensions)
        found += _togethers(arrangement, dimensions)
    arranged = {int(v) for arrangement in schema.arrangements for v in cells_of(schema, arrangement).ravel() if v >= 0}
    if alone := tuple(v for v in range(len(schema.variables)) if v not in arranged):
        found.append(Single(alone))
    if (alone or not schema.plain) and len(schema.variables) <= MOST_FOR_PAIRS:
        found.append(Pairs(schema))
    found = [kind for kind in found if kind.columns]
    if most_columns is None:
        return found
    found.sort(key=lambda kind: kind.siblings)
    totals = np.cumsum([kind.columns for kind in found])
    return [kind for kind, total in zip(found, totals, strict=True) if total <= most_columns]


def _counts(arrangement: Arrangement, dimensions: tuple[Dimension, ...], cells: NDArray[np.uint8]) -> Iterator[Kind]:
    for roles in itertools.product(*map(_roles, dimensions)):
        if sum(role.name in ("span", "group", "having") for role in roles) > 1:
            continue
        kind = Count(arrangement.name, dimensions, roles, 0, 1)
        most = kind.size
        counts = kind.counts(cells)
        if counts.size == 0:
            continue
        # At least k asks for a k that some positive reaches, at most k for one that some does not exceed.
        low, high = max(0, int(counts.min()) - 1), min(most, int(counts.max()) + 1)
        yield replace(kind, low=low, high=high)


def _roles(dimension: Dimension) -> list[Role]:
    size = len(dimension.members)
    roles = [EACH, SUM, FIXED] if size > 1 else [SUM]
    for attribute, values in dimension.attributes.items():
        roles += [Role("having", (attribute, value)) for value in dict.fromkeys(values)]
    if dimension.ordered:
        roles += [Role("span", length=length) for length in range(2, min(size, LONGEST_SPAN + 1))]
    else:
        roles += [Role("group", length=length) for length in range(2, min(size, LARGEST_GROUP + 1))]
    return roles


def _sequences(arrangement: Arrangement, dimensions: tuple[Dimension, ...]) -> Iterator[Kind]:
    axes = range(len(dimensions))
    for order in axes:
        if not dimensions[order].ordered or len(dimensions[order].members) < 3:
            continue
        others = [axis for axis in axes if axis != order]
        for value in (None, *others):
            rest = [axis for axis in others if axis != value]
            for chosen in _subsets(rest, 2 if value is None else 1):
                for needs in (False, True):
                    yield Succession(arrangement.name, dimensions, chosen, order, value, needs)
        for value in (None, *others):
            for chosen in _subsets(others):
                yield Lone(arrangement.name, dimensions, chosen, order, value)


def _togethers(arrangement: Arrangement, dimensions: tuple[Dimension, ...]) -> Iterator[Kind]:
    axes = range(len(dimensions))
    for pair in axes:
        if not dimensions[pair].ordered and len(dimensions[pair].members) > 2:
            for chosen in _subsets([axis for axis in axes if axis != pair]):
                yield Together(arrangement.name, dimensions, chosen, pair)


def _subsets(axes: Sequence[int], most: int = 1) -> Iterator[tuple[int, ...]]:
    """Where members may be chosen: nowhere, or in up to so many dimensions."""
    return itertools.chain.from_iterable(itertools.combinations(axes, size) for size in range(most + 1))
