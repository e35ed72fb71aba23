"""Families: one constraint for every index of some dimensions.

``for every day: at least 2 of works[*, day, early]`` is a family over the arrangement ``works`` of a schema. It names
dimensions and members, never variables, so that it means the same on another ward with the same dimensions. Written
down it looks as above (:mod:`hassle.model.rules` reads and prints it).

A place in the brackets is one of

- ``*``: all members of the dimension; ``ana``, ``{ana, ben}``: these; ``senior=yes``: those with this attribute;
- ``day``: the member that "for every day" has come to; ``day+1``: the one after it; ``day..day+2``: these three;
- ``other nurse``: the one that "for every nurse, other nurse" has come to beside the first.

**The bound** may depend on what is counted elsewhere: ``at least demand[day] of works[*, day]``, or ``at most
works[ben, *] + 2 of works[ana, *]``. What stands there is a number of the schema, arranged or not, or cells, which are
counted. That is one constraint still: "at least n of these cells", with n from low to high, is "at least high of the
cells and of the atoms n>=k that do not hold".

**At the edges.** A single cell outside (``day+1`` on the last day), or one for which the schema has no variable, counts
as *not done*: it cannot help to reach "at least", and ``!works[nurse, day+1, early]`` holds of itself. A span that
reaches outside (``day..day+2`` on the last day but one) takes its whole instance with it. So exclusions end with the
week, windows are whole, and "no lone working day" binds on the first and the last day too.

An instance that always holds is no constraint and pays nothing; so is one without any cell.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError
from hassle.logic import Constraint, Number, Schema
from hassle.logic.names import find
from hassle.logic.schema import Arrangement, Dimension


@dataclass(frozen=True, slots=True)
class Every:
    """``for every nurse``, perhaps ``with senior=yes``, perhaps ``but dan``; ``other``: beside the first one."""

    dimension: str
    having: tuple[str, str] | None = None
    but: tuple[str, ...] = ()
    other: bool = False

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
    """``day``, ``day+1`` (``first`` = 1), or with ``last`` the span ``day..day+2``; with ``other`` ``other day``."""

    dimension: str
    first: int = 0
    last: int | None = None
    other: bool = False

    def places(self, dimension: Dimension, now: int | None) -> range | None:
        """None where a span reaches outside; nothing where a single cell does."""
        assert now is not None
        low, high = now + self.first, now + (self.first if self.last is None else self.last)
        if low >= 0 and high < len(dimension.members):
            return range(low, high + 1)
        return range(0) if self.last is None else None


Place = All | Members | Having | Here
# The member that each dimension of "for every" has come to; True for the other one.
Index = Mapping[tuple[str, bool], int]


@dataclass(frozen=True, slots=True)
class Cells:
    """``works[nurse, day, *]``: the variables at these places, or with ``negated`` their negations.

    Where numbers are arranged, or ``arrangement`` is a number itself (and there are no places), its atoms.
    """

    arrangement: str
    places: tuple[Place, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Family:
    """For ``every`` index: at least (or with ``most`` at most) ``bound``, and as many as are counted in ``than``, of
    the cells listed hold.
    """

    every: tuple[Every, ...]
    cells: tuple[Cells, ...]
    bound: int = 1
    most: bool = False
    than: tuple[Cells, ...] = ()

    def check(self, schema: Schema) -> None:
        """Insist that the schema knows everything this speaks of."""
        running = {(every.dimension, every.other) for every in self.every}
        if len(running) < len(self.every):
            raise InputError("a dimension is named twice after 'for every'", fix="name it once, or with 'other'")
        for every in self.every:
            if every.other and (every.dimension, False) not in running:
                raise InputError(
                    f"'other {every.dimension}' is beside nobody",
                    fix=f"write: for every {every.dimension}, other {every.dimension}",
                )
            every.places(schema.dimension(every.dimension))
        for cells in (*self.cells, *self.than):
            _check_cells(cells, running, schema)

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


def _check_cells(cells: Cells, running: set[tuple[str, bool]], schema: Schema) -> None:
    if not cells.places:
        number_of(schema, cells.arrangement)
        return
    arrangement = arrangement_of(schema, cells.arrangement)
    if len(cells.places) != len(arrangement.dimensions):
        raise InputError(
            f"{cells.arrangement!r} has {len(arrangement.dimensions)} places, not {len(cells.places)}",
            fix=f"write {arrangement.name}[{', '.join(arrangement.dimensions)}]",
        )
    for place, name in zip(cells.places, arrangement.dimensions, strict=True):
        dimension = schema.dimension(name)
        if isinstance(place, Here):
            said = f"other {name}" if place.other else name
            if place.dimension != name:
                raise InputError(f"{place.dimension!r} stands where a {name} is asked for", fix=f"write {name}")
            if (name, place.other) not in running:
                raise InputError(f"{said!r} stands for no member here", fix=f"begin with: for every {said}")
            if (place.first or place.last) and not dimension.ordered:
                raise InputError(f"dimension {name!r} has no order", fix="use + and - with ordered ones only")
            if place.last is not None and place.last < place.first:
                raise InputError("a span ends before it begins", fix="write the earlier end first")
        else:
            place.places(dimension, None)
    if cells.negated and numbers_at(schema, arrangement) is not None:
        raise InputError(f"{cells.arrangement!r} is a number, and has no negation", fix="write it without !")


def number_of(schema: Schema, name: str) -> int:
    """The column of a number that stands for itself."""
    names = tuple(column.name for column in schema.columns if isinstance(column, Number))
    if not names:
        raise InputError(f"a whole number is missing, and no column {name!r} is one", fix="write 2, or demand[day]")
    return schema.column_names.index(names[find(name, names, "number")])


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


@lru_cache(maxsize=64)
def _numbers(arrangement: Arrangement, key: _Same) -> NDArray[np.int32] | None:
    found = key.schema.numbers(arrangement)
    return found if (found >= 0).any() else None


def numbers_at(schema: Schema, arrangement: Arrangement) -> NDArray[np.int32] | None:
    """The number column at each index, -1 where there is none; None where no numbers are arranged."""
    return _numbers(arrangement, _Same(schema))


@lru_cache(maxsize=4096)
def _instances(family: Family, key: _Same) -> tuple[Constraint, ...]:
    schema = key.schema
    family.check(schema)
    return tuple(filter(None, (_instance(family, schema, now) for now in _indices(family, schema))))


def instance_names(family: Family, schema: Schema) -> tuple[str, ...]:
    """Where each instance stands, in their order: the members that run, such as ``ana, mon``."""
    return tuple(
        ", ".join(schema.dimension(name).members[place] for (name, _), place in now.items())
        for now in _indices(family, schema)
        if _instance(family, schema, now) is not None
    )


def _indices(family: Family, schema: Schema) -> Iterator[Index]:
    keys = [(every.dimension, every.other) for every in family.every]
    places = [every.places(schema.dimension(every.dimension)) for every in family.every]
    for index in itertools.product(*places):
        now = dict(zip(keys, index, strict=True))
        if not any(other and now[name, False] == place for (name, other), place in now.items()):
            yield now


def _instance(family: Family, schema: Schema, now: Index) -> Constraint | None:
    """The constraint at one index; None where it always holds, or speaks of nothing."""
    counted, against = _summed(family.cells, schema, now), _summed(family.than, schema, now)
    if counted is None or against is None:
        return None
    (literals, true), (others, more) = counted, against
    bound = family.bound + more - true
    if family.most:  # at least so many do not hold, or hold on the other side
        literals, others, bound = others, literals, -bound
    literals = [*literals, *(-lit for lit in others)]
    return _at_least(literals, bound + len(others)) if literals else None


def _summed(listed: Sequence[Cells], schema: Schema, now: Index) -> tuple[list[int], int] | None:
    """What is counted: literals, and how many more hold anyway; None where a span reaches outside."""
    literals: list[int] = []
    true = 0
    for cells in listed:
        places, numbers = _places(cells, schema, now)
        if places is None:
            return None
        there = places[places >= 0].tolist()
        if numbers:
            for column, start, end in ((schema.columns[c], *schema.starts[c : c + 2]) for c in there):
                literals += range(start + 1, end + 1)
                true += column.low if isinstance(column, Number) else 0
        else:
            literals += [-(v + 1) if cells.negated else v + 1 for v in there]
            true += places.size - len(there) if cells.negated else 0
    return literals, true


def _places(cells: Cells, schema: Schema, now: Index) -> tuple[NDArray[np.int32] | None, bool]:
    """The variables that cells stand for, -1 where there is none, or (True) the columns of numbers."""
    if not cells.places:
        return np.array([number_of(schema, cells.arrangement)], dtype=np.int32), True
    arrangement = arrangement_of(schema, cells.arrangement)
    numbers = numbers_at(schema, arrangement)
    spread: list[Sequence[int]] = []
    for place, name in zip(cells.places, arrangement.dimensions, strict=True):
        reached = place.places(schema.dimension(name), now.get((name, isinstance(place, Here) and place.other)))
        if reached is None:
            return None, False
        # A single cell outside is one that is not there.
        spread.append(reached if len(reached) or not isinstance(place, Here) else [-1])
    if any(-1 in each for each in spread):
        return np.full([len(each) for each in spread], -1, dtype=np.int32), numbers is not None
    return (cells_of(schema, arrangement) if numbers is None else numbers)[np.ix_(*spread)], numbers is not None


def _at_least(literals: list[int], bound: int) -> Constraint | None:
    own = Counter(literals)
    for lit in [lit for lit in own if lit > 0 and -lit in own]:  # of the two, one holds
        both = min(own[lit], own[-lit])
        own[lit] -= both
        own[-lit] -= both
        bound -= both
    if bound <= 0:
        return None
    literals = list(own.elements())
    if max(own.values(), default=0) > 1:
        if bound > 1:
            raise InputError("the count names a cell twice", fix="list every cell once")
        literals = list(set(literals))
    if bound > len(literals):
        return Constraint(())
    return Constraint(tuple(sorted(literals, key=abs)), bound)
