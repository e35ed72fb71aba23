"""A family as the loop that a programmer would write for it.

``for every day: at least 2 of works[*, day, early]`` becomes::

    for day in DAY:
        model.add(sum(works[nurse, day, 'early'] for nurse in NURSE) >= 2)

Only where the loop says exactly what the family means: what happens at the edges of a week, or where a cell is missing,
is easier to list than to loop over. So the loop is followed here, too, and compared with the family's instances; where
they differ there is no loop, and the caller lists.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from hassle.logic import Constraint, Schema
from hassle.logic.schema import Dimension
from hassle.model import Family
from hassle.model.families import All, Cells, Every, Here, Members, Place, arrangement_of, cells_of, numbers_at


@dataclass(frozen=True)
class Loop:
    """``heads`` such as ``for day in DAY``, and for every cell the literals it lists, as an expression each."""

    heads: tuple[str, ...]
    singles: tuple[str, ...]
    many: tuple[str, ...]


def loop_of(family: Family, schema: Schema, names: Mapping[str, str], tables: Mapping[str, str]) -> Loop | None:
    """The loop of a family; ``names`` are the identifiers of dimensions, ``tables`` those of arrangements.

    None where no loop says the same.
    """
    if not _says_the_same(family, schema):
        return None
    shifted = {
        place.dimension
        for cells in family.cells
        for place in cells.places
        if isinstance(place, Here) and (place.first or place.last is not None)
    }
    heads = []
    for every in family.every:
        name = names[every.dimension]
        if every.dimension in shifted:
            start, stop = _reach(family, every, schema)
            short = len(schema.dimension(every.dimension).members) - stop
            last = f"len({name.upper()})" + (f" - {short}" if short else "")
            bounds = f"{start}, {last}" if start else last
            heads.append(f"for {name}_at in range({bounds})")
        else:
            heads.append(f"for {name} in {_members(schema.dimension(every.dimension), every, name)}")
    singles: list[str] = []
    many: list[str] = []
    for cells in family.cells:
        text, runs = _cell(cells, schema, names, tables, shifted)
        (many if runs else singles).append(f"{text} {runs}".strip())
    return Loop(tuple(heads), tuple(singles), tuple(many))


def loopable(family: Family, schema: Schema) -> bool:
    """Whether the family only counts yes-or-no cells against a fixed bound, with one index in every dimension."""
    return not (
        family.than
        or any(every.other for every in family.every)
        or not all(cells.places for cells in family.cells)
        or any(numbers_at(schema, arrangement_of(schema, cells.arrangement)) is not None for cells in family.cells)
    )


def _members(dimension: Dimension, every: Every, name: str) -> str:
    places = every.places(dimension)
    if len(places) == len(dimension.members):
        return name.upper()
    return repr([dimension.members[i] for i in places])


def _reach(family: Family, every: Every, schema: Schema) -> tuple[int, int]:
    """From where to where an index runs so that every place it speaks of is there."""
    offsets = [
        offset
        for cells in family.cells
        for place in cells.places
        if isinstance(place, Here) and place.dimension == every.dimension
        for offset in (place.first, place.first if place.last is None else place.last)
    ]
    size = len(schema.dimension(every.dimension).members)
    return max(0, -min(offsets)), size - max(0, max(offsets))


def _cell(
    cells: Cells, schema: Schema, names: Mapping[str, str], tables: Mapping[str, str], shifted: set[str]
) -> tuple[str, str]:
    """The literal at a place, and what it runs over (empty where it is a single one)."""
    arrangement = arrangement_of(schema, cells.arrangement)
    index, runs = [], []
    for place, dimension in zip(cells.places, arrangement.dimensions, strict=True):
        name = names[dimension]
        match place:
            case Here(_, first, None):
                index.append(f"{name.upper()}[{_at(name, first)}]" if dimension in shifted else name)
            case Here(_, first, last):
                assert last is not None
                index.append(name)
                runs.append(f"for {name} in {name.upper()}[{_at(name, first)}:{_at(name, last + 1)}]")
            case Members((single,)):
                index.append(repr(single))
            case _:
                members = schema.dimension(dimension).members
                places = place.places(schema.dimension(dimension), None) or ()
                listed = name.upper() if isinstance(place, All) else repr([members[i] for i in places])
                index.append(name)
                runs.append(f"for {name} in {listed}")
    return f"{'~' if cells.negated else ''}{tables[arrangement.name]}[{', '.join(index)}]", " ".join(runs)


def _at(name: str, offset: int) -> str:
    return f"{name}_at" + (f" {'+' if offset > 0 else '-'} {abs(offset)}" if offset else "")


def _says_the_same(family: Family, schema: Schema) -> bool:
    """Whether following the loop, with nothing missing anywhere, gives the family's own constraints."""
    if not loopable(family, schema):
        return False
    ranges = []
    for every in family.every:
        dimension = schema.dimension(every.dimension)
        places = every.places(dimension)
        if any(_shifts(place, every.dimension) for cells in family.cells for place in cells.places):
            if len(places) < len(dimension.members):
                return False
            places = list(range(*_reach(family, every, schema)))
        ranges.append(places)
    found = []
    for index in itertools.product(*ranges):
        now = dict(zip((every.dimension for every in family.every), index, strict=True))
        literals: list[int] = []
        for cells in family.cells:
            arrangement = arrangement_of(schema, cells.arrangement)
            spread = [
                list(_reached(place, schema.dimension(name), now.get(name)))
                for place, name in zip(cells.places, arrangement.dimensions, strict=True)
            ]
            table = cells_of(schema, arrangement)
            there = [int(table[at]) for at in itertools.product(*spread)]
            if not there or min(there) < 0:
                return False
            literals += [-(v + 1) if cells.negated else v + 1 for v in there]
        if len(set(map(abs, literals))) < len(literals):
            return False
        need = len(literals) - family.bound if family.most else family.bound
        signed = [-lit for lit in literals] if family.most else literals
        if not 0 < need <= len(literals):
            return False
        found.append(Constraint(tuple(sorted(signed, key=abs)), need))
    return tuple(found) == family.instances(schema)


def _shifts(place: Place, dimension: str) -> bool:
    return isinstance(place, Here) and place.dimension == dimension and bool(place.first or place.last is not None)


def _reached(place: Place, dimension: Dimension, now: int | None) -> list[int]:
    return list(place.places(dimension, now) or ())
