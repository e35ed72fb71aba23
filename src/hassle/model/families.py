"""Families: one constraint for every index of some dimensions.

``for every day: at least 2 of works[*, day, early]`` is a family over the arrangement ``works`` of a schema. It names
dimensions and members, never variables, so that it means the same on another ward with the same dimensions. Written
down it looks as above (:mod:`hassle.model.rules` reads and prints it).

A place in the brackets is one of

- ``*``: all members of the dimension; ``ana``, ``{ana, ben}``: these; ``senior=yes``: those with this attribute;
- ``day``: the member that "for every day" has come to; ``day+1``: the one after it; ``day..day+2``: these three.

**At the edges.** A single cell outside (``day+1`` on the last day), or one for which the schema has no variable, counts
as *not done*: it cannot help to reach "at least", and ``!works[nurse, day+1, early]`` holds of itself. A span that
reaches outside (``day..day+2`` on the last day but one) takes its whole instance with it. So exclusions end with the
week, windows are whole, and "no lone working day" binds on the first and the last day too.

An instance that always holds is no constraint and pays nothing; so is one without any cell.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError
from hassle.logic import Constraint, Schema
from hassle.logic.names import find
from hassle.logic.schema import Arrangement, Dimension


@dataclass(frozen=True, slots=True)
class Every:
    """``for every nurse``, perhaps ``with senior=yes``, perhaps ``but dan``."""

    dimension: str
    having: tuple[str, str] | None = None
    but: tuple[str, ...] = ()

    def places(self, dimension: Dimension) -> list[int]:
        members = dimension.members if self.having is None else group(dimension, *self.having)
        excepted = {find(member, dimension.members, dimension.name) for member in self.but}
        index = {member: i for i, member in enumerate(dimension.members)}
        return [index[member] for member in members if index[member] not in excepted]


@dataclass(frozen=True, slots=True)
class All:
    """``*``: every member."""

    def places(self, dimension: Dimension, now: int | None) -> range | None:
        return range(len(dimension.members))


@dataclass(frozen=True, slots=True)
class Members:
    """``ana`` or ``{ana, ben}``."""

    names: tuple[str, ...]

    def places(self, dimension: Dimension, now: int | None) -> list[int] | None:
        return [find(name, dimension.members, dimension.name) for name in self.names]


@dataclass(frozen=True, slots=True)
class Having:
    """``senior=yes``: the members with this value of the attribute."""

    attribute: str
    value: str

    def places(self, dimension: Dimension, now: int | None) -> list[int] | None:
        return [dimension.members.index(member) for member in group(dimension, self.attribute, self.value)]


@dataclass(frozen=True, slots=True)
class Here:
    """``day``, ``day+1`` (``first`` = 1), or with ``last`` the span ``day..day+2``."""

    dimension: str
    first: int = 0
    last: int | None = None

    def places(self, dimension: Dimension, now: int | None) -> range | None:
        """None where a span reaches outside; nothing where a single cell does."""
        assert now is not None
        low, high = now + self.first, now + (self.first if self.last is None else self.last)
        if low >= 0 and high < len(dimension.members):
            return range(low, high + 1)
        return range(0) if self.last is None else None


Place = All | Members | Having | Here


@dataclass(frozen=True, slots=True)
class Cells:
    """``works[nurse, day, *]``: the variables at these places, or with ``negated`` their negations."""

    arrangement: str
    places: tuple[Place, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Family:
    """For ``every`` index: at least (or with ``most`` at most) ``bound`` of the cells listed hold."""

    every: tuple[Every, ...]
    cells: tuple[Cells, ...]
    bound: int = 1
    most: bool = False

    def check(self, schema: Schema) -> None:
        """Insist that the schema knows everything this speaks of."""
        running = {every.dimension for every in self.every}
        if len(running) < len(self.every):
            raise InputError("a dimension is named twice after 'for every'", fix="name it once")
        for every in self.every:
            every.places(schema.dimension(every.dimension))
        for cells in self.cells:
            arrangement = arrangement_of(schema, cells.arrangement)
            if len(cells.places) != len(arrangement.dimensions):
                raise InputError(
                    f"{cells.arrangement!r} has {len(arrangement.dimensions)} places, not {len(cells.places)}",
                    fix=f"write {arrangement.name}[{', '.join(arrangement.dimensions)}]",
                )
            for place, name in zip(cells.places, arrangement.dimensions, strict=True):
                dimension = schema.dimension(name)
                if isinstance(place, Here):
                    if place.dimension != name:
                        raise InputError(f"{place.dimension!r} stands where a {name} is asked for", fix=f"write {name}")
                    if name not in running:
                        raise InputError(f"{name!r} stands for no member here", fix=f"begin with: for every {name}")
                    if (place.first or place.last) and not dimension.ordered:
                        raise InputError(f"dimension {name!r} has no order", fix="use + and - with ordered ones only")
                    if place.last is not None and place.last < place.first:
                        raise InputError("a span ends before it begins", fix="write the earlier end first")
                else:
                    place.places(dimension, None)

    def instances(self, schema: Schema) -> tuple[Constraint, ...]:
        """The constraints it stands for, made once for each schema."""
        return _instances(self, _Same(schema))

    def transferable(self, schema: Schema) -> bool:
        """Whether it can be said of this schema."""
        try:
            self.check(schema)
        except InputError:
            return False
        return True


def arrangement_of(schema: Schema, name: str) -> Arrangement:
    names = tuple(arrangement.name for arrangement in schema.arrangements)
    if not names:
        raise InputError(f"unknown arrangement {name!r}", fix="the schema arranges nothing: describe its dimensions")
    return schema.arrangements[find(name, names, "arrangement")]


def group(dimension: Dimension, attribute: str, value: str) -> tuple[str, ...]:
    """The members with this value of the attribute; both must be known."""
    names = tuple(dimension.attributes)
    if not names:
        raise InputError(f"dimension {dimension.name!r} has no attributes", fix="describe them in the schema")
    find(attribute, names, "attribute")
    return dimension.group(attribute, value)


class _Same:
    """A schema as a key that is equal only to itself: comparing all its columns at every look would cost more."""

    __slots__ = ("schema",)

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.schema is other.schema


@lru_cache(maxsize=64)
def _cells(arrangement: Arrangement, key: _Same) -> NDArray[np.int32]:
    return key.schema.cells(arrangement)


def cells_of(schema: Schema, arrangement: Arrangement) -> NDArray[np.int32]:
    """``schema.cells(arrangement)``, made once."""
    return _cells(arrangement, _Same(schema))


@lru_cache(maxsize=4096)
def _instances(family: Family, key: _Same) -> tuple[Constraint, ...]:
    schema = key.schema
    family.check(schema)
    return tuple(filter(None, (_instance(family, schema, now) for now in _indices(family, schema))))


def _indices(family: Family, schema: Schema) -> Iterator[Mapping[str, int]]:
    names = [every.dimension for every in family.every]
    places = [every.places(schema.dimension(every.dimension)) for every in family.every]
    return (dict(zip(names, index, strict=True)) for index in itertools.product(*places))


def _instance(family: Family, schema: Schema, now: Mapping[str, int]) -> Constraint | None:
    """The constraint at one index; None where it always holds, or speaks of nothing."""
    literals: list[int] = []
    true = 0  # negations of cells that are not there
    for cells in family.cells:
        arrangement = arrangement_of(schema, cells.arrangement)
        spread: list[Sequence[int]] = []
        for place, name in zip(cells.places, arrangement.dimensions, strict=True):
            reached = place.places(schema.dimension(name), now.get(name))
            if reached is None:
                return None
            # A single cell outside is one that is not there.
            spread.append(reached if len(reached) or not isinstance(place, Here) else [-1])
        missing = any(-1 in each for each in spread)
        found = np.full([len(each) for each in spread], -1) if missing else None
        variables = cells_of(schema, arrangement)[np.ix_(*spread)] if found is None else found
        there = variables[variables >= 0].tolist()
        literals += [-(v + 1) if cells.negated else v + 1 for v in there]
        true += variables.size - len(there) if cells.negated else 0
    return _counted(literals, family.bound - true, family.most) if literals else None


def _counted(literals: list[int], bound: int, most: bool) -> Constraint | None:
    if most:
        if bound < 0:
            return Constraint(())
        literals, bound = [-lit for lit in literals], len(literals) - bound
    if bound <= 0:
        return None
    if len(set(map(abs, literals))) < len(literals):
        if bound > 1:
            raise InputError("the count names a cell twice", fix="list every cell once")
        literals = list(set(literals))
        if any(-lit in literals for lit in literals):
            return None
    if bound > len(literals):
        return Constraint(())
    return Constraint(tuple(sorted(literals, key=abs)), bound)
