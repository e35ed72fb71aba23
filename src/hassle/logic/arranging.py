"""Dimensions that show in the names of columns: ``ana_mon_night`` stands at nurse × day × shift.

Names are split at ``_`` (or at the brackets and commas of ``works[ana, mon]``). Where all names have the same number of
parts, and most combinations of the parts are there, they are arranged. Where all columns are choices among the same
values, these are a dimension too. Days, months and numbers are in order; all others keep the order of their
appearance. This is a guess from names alone: a schema that says more is better.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hassle.logic.columns import Choice, YesNo
from hassle.logic.schema import Arrangement, Dimension, Schema

# The share of all combinations that must be there.
NEARLY_ALL = 0.8

_ORDERS = {
    "day": (
        ("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ),
    "month": (
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
        (
            *("january", "february", "march", "april", "may", "june"),
            *("july", "august", "september", "october", "november", "december"),
        ),
    ),
}
_SHIFTS = frozenset({"early", "late", "night", "day", "evening", "morning", "off", "am", "pm"})


def arranged(schema: Schema) -> Schema:
    """The schema with the arrangement that its names show, or as it is where they show none or it has some."""
    if schema.arrangements or schema.dimensions or len(schema.columns) < 4:
        return schema
    for joint, split in (("_", lambda name: name.split("_")), ("", _bracketed)):
        parts = [split(name) for name in schema.column_names]
        if found := _arrangement(schema, parts, joint):
            return found
    return schema


def _arrangement(schema: Schema, parts: list[list[str]], joint: str) -> Schema | None:
    length = len(parts[0])
    if any(len(each) != length or not all(each) for each in parts):
        return None
    members = [tuple(dict.fromkeys(each[i] for each in parts)) for i in range(length)]
    combinations = 1
    for each in members:
        combinations *= len(each)
    if len(parts) < NEARLY_ALL * combinations:
        return None
    yes_or_no = all(isinstance(column, YesNo) for column in schema.columns)
    values = [column.values for column in schema.columns if isinstance(column, Choice)]
    if yes_or_no:
        if sum(len(each) > 1 for each in members) < 2:
            return None
    elif len(values) < len(parts) or len(set(values)) > 1:
        return None
    names = list(_names([*members, *values[:1]]))
    prefix = schema.column_names[0].partition("[")[0]
    pattern = joint.join(f"{{{name}}}" for name in names[:length])
    pattern = pattern if joint else f"{prefix}[{','.join(f'{{{name}}}' for name in names[:length])}]"
    if values:
        pattern += f"={{{names[-1]}}}"
    dimensions = tuple(_dimension(name, each) for name, each in zip(names, [*members, *values[:1]], strict=True))
    arrangement = Arrangement(prefix if not joint else "is", tuple(names), pattern)
    found = replace(schema, dimensions=dimensions, arrangements=(arrangement,))
    # Blanks and the like would make the pattern name variables that are not there.
    return found if (found.cells(arrangement) >= 0).any() else None


def _bracketed(name: str) -> list[str]:
    found = re.fullmatch(r"\w+\[([^\[\]]*)\]", name)
    return [part.strip() for part in found[1].split(",")] if found else [""]


def _names(members: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """A name for each dimension: what its members are known to be, or else ``item``."""
    used: set[str] = set()
    for each in members:
        name = _kind(each)
        number = 2
        while name in used:
            name = f"{_kind(each)}{number}"
            number += 1
        used.add(name)
        yield name


def _kind(members: tuple[str, ...]) -> str:
    lower = {member.lower() for member in members}
    for name, orders in _ORDERS.items():
        if any(lower <= set(order) for order in orders):
            return name
    if all(member.isdecimal() for member in members):
        return "number"
    return "shift" if lower <= _SHIFTS else "item"


def _dimension(name: str, members: tuple[str, ...]) -> Dimension:
    kind = _kind(members)
    if kind == "number":
        return Dimension(name, tuple(sorted(members, key=int)), ordered=True)
    for order in _ORDERS.get(kind, ()):
        if {member.lower() for member in members} <= set(order):
            return Dimension(name, tuple(sorted(members, key=lambda m: order.index(m.lower()))), ordered=True)
    return Dimension(name, members)
