"""Families in words a planner can read: "for every day: at least 2 nurses on early".

What runs is said once, at the beginning. Of what is summed, the first dimension without an order is the noun ("2
nurses", "4 shifts"), and the others say where ("over all days"); members that are named stand after "on", or before
everything where they belong to the first dimension ("ana: at least 2 days on early").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hassle.logic import Dimension, Schema
from hassle.model.families import All, Cells, Family, Having, Here, Members, Place, arrangement_of
from hassle.model.sweeping_words import never_words


def family_words(family: Family, schema: Schema) -> str:
    """What the family demands, as a sentence without a full stop."""
    head = f"for every {listed([_every(each) for each in family.every], 'and')}: " if family.every else ""
    if family.than:
        return head + _compared(family, schema)
    if len(family.cells) == 1 and (family.most or family.bound > 1 or _many(family.cells[0])):
        return head + _count(family, family.cells[0], schema)
    wanted = [_cell(cells, schema) for cells in family.cells if not cells.negated]
    barred = [_cell(cells, schema) for cells in family.cells if cells.negated]
    if family.most or family.bound > 1:
        bound = f"at {'most' if family.most else 'least'} {family.bound} of "
        return head + bound + listed([*wanted, *(f"not {each}" for each in barred)], "and")
    if not barred:
        return head + (wanted[0] if len(wanted) == 1 else f"at least one of {listed(wanted, 'or')}")
    if not wanted:
        both = "not both " if len(barred) == 2 else "not all of " if len(barred) > 2 else "not "
        return head + both + listed(barred, "and")
    return f"{head}if {listed(barred, 'and')} then {listed(wanted, 'or')}"


def _compared(family: Family, schema: Schema) -> str:
    """``at least as many nurses as demand``, ``ana: at most 2 more shifts over all days than ben``."""
    if run := _run(family, schema):
        return run
    wanted = [
        _count(family, cells, schema, bound="") if _many(cells) else _cell(cells, schema) for cells in family.cells
    ]
    others = [_cell(cells, schema, any_of=False) if cells.places else cells.arrangement for cells in family.than]
    if family.most and not family.bound and not _many(family.cells[0]):
        return f"if {listed(wanted, 'or')} then {listed(others, 'or')}"
    subject, colon, what = listed(wanted, "and").rpartition(": ")
    other, most = listed(others, "and"), "most" if family.most else "least"
    if family.bound > 0:
        return f"{subject}{colon}at {most} {family.bound} more {what} than {other}"
    return f"{subject}{colon}at {most} as many {what} as {other}" + (f" less {-family.bound}" if family.bound else "")


def _run(family: Family, schema: Schema) -> str:
    """A run of a length that is not allowed, done or not done; empty where it is none."""
    done = len(family.cells) == 1
    inside, around = (family.cells, family.than) if done else (family.than, family.cells)
    if not family.most or len(inside) != 1 or len(around) != 2:
        return ""
    places = [(i, each) for i, each in enumerate(inside[0].places) if isinstance(each, Here) and each.last is not None]
    if len(places) != 1:
        return ""
    axis, span = places[0]
    first, last = span.first, span.last or 0
    edges = [cells.places[axis] for cells in around]
    before, after = (edge.first if isinstance(edge, Here) else None for edge in edges)
    length = last - first + 1
    if (before, after, family.bound) != (first - 1, last + 1, length - 1 if done else 1):
        return ""
    at = tuple(Here(span.dimension) if i == axis else place for i, place in enumerate(inside[0].places))
    where = _cell(replace(inside[0], places=at), schema)
    days = span.dimension if length == 1 else plural(span.dimension)
    return f"never exactly {length} {days} in a row {'' if done else 'without '}{where}"


def listed(names: Sequence[str], last: str) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def _every(every: object) -> str:
    name, having, but = every.dimension, every.having, every.but  # type: ignore[attr-defined]
    name = f"other {name}" if every.other else name  # type: ignore[attr-defined]
    return name + (f" with {having[0]} = {having[1]}" if having else "") + (f" but {listed(but, 'and')}" if but else "")


def _many(cells: Cells) -> bool:
    return any(_is_summed(place) for place in cells.places)


def _is_summed(place: Place) -> bool:
    match place:
        case Here(_, _, last):
            return last is not None
        case Members(names):
            return len(names) > 1
    return True


def _count(family: Family, cells: Cells, schema: Schema, bound: str | None = None) -> str:
    """A count with its bound, or with another word for it."""
    arrangement = arrangement_of(schema, cells.arrangement)
    dimensions = [schema.dimension(name) for name in arrangement.dimensions]
    rows = list(zip(dimensions, cells.places, strict=True))
    summed = [i for i, (_, place) in enumerate(rows) if _is_summed(place)]
    noun = next((i for i in summed if not rows[i][0].ordered), summed[0] if summed else None)
    number = family.bound
    if bound is None:
        bound = f"at {'most' if family.most else 'least'} {number}" if number or not family.most else "no"
    subject, counted, where = "", cells.arrangement, []
    for i, (dimension, place) in enumerate(rows):
        if i == noun:
            counted = _counted(dimension, place, number)
        elif i in summed:
            where.append(_over(dimension, place))
        elif isinstance(place, Members) and i == 0:
            subject = f"{place.names[0]}: "
        elif said := _said(dimension, place):
            where.append(said)
    if subject and not number and bound == "no" and not cells.negated and noun is not None and rows[noun][0].ordered:
        named = [place.names for i, (_, place) in enumerate(rows) if i and isinstance(place, Members)]
        members = [names[0] for names in named if len(names) == 1]
        if len(members) == len(rows) - 2:  # who and what are named, and the days are all that is counted
            return never_words(subject.removesuffix(": "), cells.arrangement, members)
    negation = "without " if cells.negated else ""
    if bound == "no" and not negation and counted.startswith("of "):
        bound = "none"
    return subject + " ".join(filter(None, [bound, negation + counted, *where]))


def _counted(dimension: Dimension, place: Place, number: int) -> str:
    name = dimension.name if number == 1 else plural(dimension.name)
    match place:
        case Having(attribute, value):
            return f"{name} with {attribute} = {value}"
        case Members(names):
            return f"of {listed(names, 'and')}"
        case Here():
            return f"of {_over(dimension, place).removeprefix('in ')}"
    return name


def _over(dimension: Dimension, place: Place) -> str:
    match place:
        case Having(attribute, value):
            return f"over all {plural(dimension.name)} with {attribute} = {value}"
        case Members(names):
            return f"over {listed(names, 'and')}"
        case Here(name, first, last):
            return f"in any {(last or 0) - first + 1} {plural(name)} in a row"
    return f"over all {plural(dimension.name)}"


def _said(dimension: Dimension, place: Place, any_of: bool = True) -> str:
    """A single place of a cell, as it stands after what is done; empty where it only runs."""
    match place:
        case Members(names):
            return f"on {names[0]}"
        case Here(name, other=True):
            return f"of the other {name}"
        case Here(name, first, last) if first and (last is None or last == first):
            steps = f"{abs(first)} {plural(name)}" if abs(first) > 1 else f"the {name}"
            return f"{steps} {'after' if first > 0 else 'before'}"
        case All():
            return f"on any {dimension.name}" if any_of else ""
        case Having(attribute, value):
            return f"of those with {attribute} = {value}"
    return _over(dimension, place) if _is_summed(place) else ""


def _cell(cells: Cells, schema: Schema, any_of: bool = True) -> str:
    """A cell of a clause: ``ana on night the day after``; what is summed there is "any"."""
    arrangement = arrangement_of(schema, cells.arrangement)
    parts = []
    for i, (name, place) in enumerate(zip(arrangement.dimensions, cells.places, strict=True)):
        said = _said(schema.dimension(name), place, any_of)
        if i == 0 and isinstance(place, Members) and len(place.names) == 1:
            said = place.names[0]
        elif isinstance(place, Members) and len(place.names) > 1:
            said = f"any of {listed(place.names, 'and')}"
        parts.append(said)
    order = {part: "after" in part or "before" in part for part in parts}
    said = " ".join(sorted(filter(None, parts), key=lambda part: order[part]))
    # Where nothing but time is named, what is done is named by the arrangement.
    return said if said and not all(order[part] for part in parts if part) else f"{cells.arrangement} {said}".strip()


def plural(name: str) -> str:
    if name.endswith("y") and name[-2:-1] not in ("a", "e", "i", "o", "u", ""):
        return name[:-1] + "ies"
    if name.endswith("lf"):  # half, shelf
        return name[:-1] + "ves"
    return name + ("es" if name.endswith(("s", "x", "ch", "sh")) else "s")
