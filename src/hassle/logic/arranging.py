"""Dimensions that show in names and values: ``ana_mon_night`` stands at nurse × day × shift.

Names are split at ``_``, blanks and the like, or at the brackets and commas of ``works[ana, mon]``. Columns of one kind
whose names have the same number of parts are arranged where most combinations of the parts are there; what is the same
in all of them stays in the pattern. The values of choices are a dimension too, or several: slots such as ``mon_am`` are
day × half. Days, months, numbers, dates and some common words are in order; all others keep the order of their
appearance. This is a guess from names alone: a schema that says more is better.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from hassle.errors import InputError
from hassle.logic.columns import Choice, Number, YesNo
from hassle.logic.names import listing
from hassle.logic.schema import Arrangement, Dimension, Schema

# The share of all combinations of parts that must be there; of values with well-known parts, such as days, half do.
NEARLY_ALL, HALF = 0.8, 0.5
# Fewer yes-or-no columns, or choices, than these are not worth arranging.
FEWEST = {YesNo: 4, Choice: 2}

JOINTS = ("_", " ", "-", ".", "/", ":", "|")

# Words that come one after the other, and what they are.
ORDERS: tuple[tuple[str, str], ...] = (
    ("day", "mon tue wed thu fri sat sun"),
    ("day", "monday tuesday wednesday thursday friday saturday sunday"),
    ("day", "mo di mi do fr sa so"),
    ("day", "montag dienstag mittwoch donnerstag freitag samstag sonntag"),
    ("day", "lun mar mer jeu ven sam dim"),
    ("day", "lundi mardi mercredi jeudi vendredi samedi dimanche"),
    ("day", "ma di wo do vr za zo"),
    ("day", "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag"),
    ("day", "lun mar mié jue vie sáb dom"),
    ("day", "lunes martes miércoles jueves viernes sábado domingo"),
    ("month", "jan feb mar apr may jun jul aug sep oct nov dec"),
    ("month", "january february march april may june july august september october november december"),
    ("half", "am pm"),
    ("time", "morning noon afternoon evening night"),
    ("size", "small medium large"),
    ("level", "low medium high"),
    ("place", "first second third fourth fifth"),
)
# Shifts that have no order of their own.
SHIFTS = frozenset({"early", "late", "night", "day", "evening", "morning", "off", "am", "pm", "free"})

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBERED = re.compile(r"([^0-9]*)([0-9]+)")


@dataclass(frozen=True)
class _Parts:
    """Names that were split into as many parts: what stands before, between and after them, and the parts of each."""

    between: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]

    @property
    def members(self) -> list[tuple[str, ...]]:
        """The distinct parts at each place."""
        return [tuple(dict.fromkeys(each)) for each in zip(*self.parts, strict=True)]

    @property
    def share(self) -> float:
        """How many of all combinations are there."""
        return len(self.parts) / prod(map(len, self.members))


def arranged(schema: Schema) -> Schema:
    """The schema with the arrangement that its names show, or as it is where they show none or it has some."""
    if schema.arrangements or schema.dimensions:
        return schema
    found = [each for kind in (YesNo, Choice) for each in _candidates(schema, kind)]
    best = max(found, key=lambda each: (_arranged_variables(each), len(each.dimensions)), default=None)
    return schema if best is None else _with_numbers(best)


def _with_numbers(schema: Schema) -> Schema:
    """With the numbers arranged whose names have members of some dimensions: ``demand_mon_early``."""
    groups: dict[tuple[str, tuple[str, ...]], int] = defaultdict(int)
    for column in schema.columns:
        if isinstance(column, Number):
            for key in _patterns(column.name, schema.dimensions):
                groups[key] += 1
    found = list(schema.arrangements)
    for (pattern, names), count in groups.items():
        title = re.sub(r"\{[^}]*\}", "", pattern).strip("_ -./:|") or "number"
        size = prod(len(schema.dimension(name).members) for name in names)
        if count >= max(2, NEARLY_ALL * size) and title not in {each.name for each in found}:
            found.append(Arrangement(title, names, pattern))
    return replace(schema, arrangements=tuple(found))


def _patterns(name: str, dimensions: Sequence[Dimension]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The pattern of a name of which some parts are members, each of a dimension of its own, and those dimensions."""
    for between, parts in _ways(name):
        places, names = list[str](), list[str]()
        for part in parts:
            own = next((each.name for each in dimensions if part in each.members and each.name not in names), None)
            places.append(part if own is None else f"{{{own}}}")
            names += [] if own is None else [own]
        if names and len(names) < len(parts):
            yield "".join(_joined(between, places)), tuple(names)


def _arranged_variables(schema: Schema) -> int:
    return int((schema.cells(schema.arrangements[0]) >= 0).sum())


def _candidates(schema: Schema, kind: type[YesNo] | type[Choice]) -> Iterator[Schema]:
    columns = {column.name: column for column in schema.columns if isinstance(column, kind)}
    for split in _splits(columns):
        own = {"".join(_joined(split.between, parts)): None for parts in split.parts}
        values = [column.values for name, column in columns.items() if name in own and isinstance(column, Choice)]
        if len(split.parts) < FEWEST[kind] or split.share < NEARLY_ALL or (values and not _alike(values)):
            continue
        several = [i for i, members in enumerate(split.members) if len(members) > 1]
        if len(several) + bool(values) < 2:
            continue
        if (found := _with_arrangement(schema, split, several, values)) is not None:
            yield found


def _splits(names: Iterable[str]) -> Iterator[_Parts]:
    """The ways to split some of the names into as many parts each."""
    groups: dict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)
    for name in names:
        for between, parts in _ways(name):
            groups[between].append(parts)
    return (_Parts(between, tuple(parts)) for between, parts in groups.items())


def _ways(name: str) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    if bracketed := re.fullmatch(r"(\w+\[)([^\[\]]+)(\])", name):
        parts = re.split(r"(, ?)", bracketed[2])
        yield (bracketed[1], *parts[1::2], bracketed[3]), tuple(parts[::2])
    yield ("", ""), (name,)
    for joint in JOINTS:
        parts = name.split(joint)
        if len(parts) > 1 and all(parts):
            yield ("", *[joint] * (len(parts) - 1), ""), tuple(parts)


def _joined(between: Sequence[str], parts: Sequence[str]) -> Iterator[str]:
    yield between[0]
    for part, after in zip(parts, between[1:], strict=True):
        yield part
        yield after


def _alike(values: Sequence[tuple[str, ...]]) -> bool:
    """Whether each choice has at least half of all values, and some of those of the largest choice."""
    union = {value for each in values for value in each}
    largest = max(values, key=len)
    return len(union) > 1 and all(2 * len(each) >= len(union) and {*largest} & {*each} for each in values)


def _with_arrangement(
    schema: Schema, split: _Parts, several: Sequence[int], values: Sequence[tuple[str, ...]]
) -> Schema | None:
    of_values = _value_parts(tuple(dict.fromkeys(value for each in values for value in each))) if values else None
    members = [split.members[i] for i in several] + (of_values.members if of_values else [])
    names = _names(members)
    places = [each[0] for each in split.members]  # parts that never vary stand in the pattern themselves
    for i, name in zip(several, names, strict=False):
        places[i] = f"{{{name}}}"
    pattern = "".join(_joined(split.between, places))
    if of_values:
        pattern += "=" + "".join(_joined(of_values.between, [f"{{{name}}}" for name in names[len(several) :]]))
    constant = [place for i, place in enumerate(places) if i not in several]
    title = split.between[0].removesuffix("[") or (constant[0] if constant else "is")
    found = replace(
        schema,
        dimensions=tuple(map(dimension_of, names, members)),
        arrangements=(Arrangement(title, tuple(names), pattern),),
    )
    # Members that look like the pattern itself would name variables that are not there.
    return found if _arranged_variables(found) else None


def _value_parts(values: tuple[str, ...]) -> _Parts:
    """The values split into parts where these are well known or nearly all combinations are there; else as they are."""
    for split in _splits(values):
        if len(split.parts) < len(values) or len(split.between) < 3:
            continue
        known = all(_kind(members) != "item" for members in split.members)
        if split.share >= (HALF if known else NEARLY_ALL) and all(len(members) > 1 for members in split.members):
            return split
    return _Parts(("", ""), tuple((value,) for value in values))


def _names(members: Sequence[tuple[str, ...]]) -> list[str]:
    """A name for each dimension: what its members are known to be, or else ``item``."""
    names: list[str] = []
    for each in members:
        kind = _kind(each)
        numbered = (kind, *(f"{kind}{number}" for number in range(2, len(members) + 2)))
        names.append(next(name for name in numbered if name not in names))
    return names


def _kind(members: tuple[str, ...]) -> str:
    lower = {member.lower() for member in members}
    for kind, words in ORDERS:
        if lower <= set(words.split()):
            return kind
    if all(_DATE.fullmatch(member) for member in members):
        return "date"
    if (numbered := _numbered(members)) is not None:
        return numbered.lower() if numbered.isidentifier() else "number"
    return "shift" if lower <= SHIFTS else "item"


def _numbered(members: tuple[str, ...]) -> str | None:
    """What stands before the number in each member, ``week`` of ``week1`` and ``week2``; None where that differs."""
    found = [_NUMBERED.fullmatch(member) for member in members]
    stems = {each[1] for each in found if each}
    return stems.pop().rstrip("_ -") if all(found) and len(stems) == 1 else None


def dimension_of(name: str, members: tuple[str, ...]) -> Dimension:
    """The dimension of these members, in their own order where they are known to have one."""
    for _, words in ORDERS:
        order = words.split()
        if {member.lower() for member in members} <= set(order):
            return Dimension(name, tuple(sorted(members, key=lambda m: order.index(m.lower()))), ordered=True)
    if all(_DATE.fullmatch(member) for member in members):
        return Dimension(name, tuple(sorted(members)), ordered=True)
    if _numbered(members) is not None:
        return Dimension(name, tuple(sorted(members, key=lambda m: int(re.sub("[^0-9]", "", m)))), ordered=True)
    return Dimension(name, members)


def with_attributes(schema: Schema, name: str, attributes: Mapping[str, Mapping[str, str]]) -> Schema:
    """The schema with what is said of each member, by attribute, of the dimension that has these members.

    A dimension that only was called ``item`` takes the ``name`` over.
    """
    schema = arranged(schema)
    members = {member: None for of_member in attributes.values() for member in of_member}
    known = {dimension.name: dimension for dimension in schema.dimensions}
    found = known.get(name) or max(
        (each for each in schema.dimensions if members.keys() & set(each.members)),
        key=lambda each: len(members.keys() & set(each.members)),
        default=None,
    )
    if found is None:
        fix = (
            f"known are {listing(known)}" if known else "name columns like ana_mon, or describe dimensions in a schema"
        )
        raise InputError(f"no dimension has members such as {listing(members, 2)}", fix=fix)
    for member in members:
        if member not in found.members:
            raise InputError(f"unknown {name} {member!r}", fix=f"known are {listing(found.members)}")
    if missing := [member for member in found.members if member not in members]:
        raise InputError(f"nothing is said of the {name} {missing[0]!r}", fix="add a row for it")
    values = {key: tuple(of_member[m] for m in found.members) for key, of_member in attributes.items()}
    called = name if found.name.rstrip("0123456789") == "item" and name not in known else found.name
    return _renamed(schema, found, replace(found, name=called, attributes={**found.attributes, **values}))


def _renamed(schema: Schema, old: Dimension, new: Dimension) -> Schema:
    return replace(
        schema,
        dimensions=tuple(new if each == old else each for each in schema.dimensions),
        arrangements=tuple(
            replace(
                each,
                dimensions=tuple(new.name if name == old.name else name for name in each.dimensions),
                pattern=each.pattern.replace(f"{{{old.name}}}", f"{{{new.name}}}"),
            )
            for each in schema.arrangements
        ),
    )
