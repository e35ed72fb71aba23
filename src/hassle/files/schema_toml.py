"""Schemas as TOML, to be written by the program, edited by hand, and read again.

The tables are those of :mod:`hassle.files.schema_data`. Text and schema are inverse to each other, comments aside.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from hassle.errors import InputError
from hassle.files.schema_data import schema_from_data, schema_to_data
from hassle.logic import Schema

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_PLACE = re.compile(r"(.*) \(at (?:line ([0-9]+), column ([0-9]+)|end of document)\)")

_COLUMNS = """\
# What the columns mean, in the order of the data. A column is one of
#   {kind = "yes-or-no"}
#   {kind = "choice", values = ["early", "late", "night"]}
#   {kind = "number", low = 0, high = 5}
[columns]"""
_DIMENSIONS = """\
# Index sets: their members, whether one comes after the other (ordered = true), and what is said of each member."""
_ARRANGEMENTS = """\
# Which variable stands where: the pattern names it, with a member of each dimension in its place."""


def schema_toml_text(schema: Schema, remarks: Mapping[str, str] = MappingProxyType({})) -> str:
    """The schema as TOML, with comments that say how to edit it, and ``remarks`` on columns by name."""
    data = schema_to_data(schema)
    columns = zip(data["columns"], _pairs(data["columns"]), strict=True)
    lines = [_COLUMNS, *(f"{pair}  # {remarks[name]}" if name in remarks else pair for name, pair in columns)]
    for section, remark in (("dimensions", _DIMENSIONS), ("arrangements", _ARRANGEMENTS)):
        if section in data:
            lines += ["", remark]
            for name, entry in data[section].items():
                lines += [f"[{section}.{_key(name)}]", *_pairs(entry), ""]
            lines.pop()
    return "\n".join(lines) + "\n"


def read_schema_toml(text: str) -> Schema:
    """The schema in a TOML text."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.fullmatch(str(error))
        what, line = (found[1], found[2]) if found else (str(error), None)
        raise InputError(
            f"is not TOML: {what}", fix="check quotation marks and brackets", line=int(line) if line else None
        ) from None
    except (RecursionError, ValueError) as error:  # nested too deeply; a number of thousands of digits
        raise InputError(f"is not TOML that can be read: {error}") from None

    def line_of(section: str, name: str) -> int | None:
        """The line of an entry, as it is usually written: a key under its section, or a table of its own."""
        keys = {_key(name), _text(name), f"'{name}'"}
        starts = {f"{key}{sign}" for key in keys for sign in (" ", "=")}
        starts |= {f"[{section}.{key}]" for key in keys} | ({f"[{section}]", f"{section} "} if not name else set())
        lines = enumerate(text.split("\n"), 1)
        return next((number for number, line in lines if line.lstrip().startswith(tuple(starts))), None)

    return schema_from_data(data, line_of)


def _pairs(table: dict[str, Any]) -> Iterable[str]:
    return (f"{_key(key)} = {_value(item)}" for key, item in table.items())


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(_pairs(value)) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return _text(value) if isinstance(value, str) else json.dumps(value)


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    # TOML's quoted texts are JSON's, but for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
