"""Schemas in the types that JSON and TOML share: what a schema file, a model file and a line of examples hold.

    {"columns": {"ana": {"kind": "yes-or-no"},
                 "shift": {"kind": "choice", "values": ["early", "night"]},
                 "staff": {"kind": "number", "low": 0, "high": 5}},
     "dimensions": {"day": {"members": ["mon", "tue"], "ordered": true,
                            "attributes": {"busy": {"mon": "yes", "tue": "no"}}}},
     "arrangements": {"works": {"dimensions": ["day"], "pattern": "ana_{day}"}}}

Columns stand in the order of the data. Only ``columns`` must be there. What a kind of column holds beside its name are
the fields of its class, so a new kind (:mod:`hassle.logic.columns`) is read and written as it stands.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, get_args

from hassle.errors import InputError
from hassle.files.decode import clipped
from hassle.logic import Arrangement, Column, Dimension, Schema, as_schema
from hassle.logic.names import listing

KINDS = {kind.kind: kind for kind in get_args(Column)}
# What a type is called in messages, and its test.
_TYPES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "str": ("a text", lambda value: isinstance(value, str) and value.isprintable()),
    "int": ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "dict": ("a table of names", lambda value: isinstance(value, dict)),
    "tuple[str, ...]": (
        "a list of texts",
        lambda value: isinstance(value, list) and all(isinstance(each, str) and each.isprintable() for each in value),
    ),
}

# The line on which the entry of this section and name stands, where it is known.
LineOf = Callable[[str, str], int | None]


def is_bare(schema: Schema) -> bool:
    """Whether the names of its variables say all of a schema."""
    return schema.plain and not schema.dimensions and not schema.arrangements


def schema_text(schema: Schema) -> str:
    """The schema as one line of JSON."""
    return json.dumps(schema_to_data(schema), ensure_ascii=False)


def schema_to_data(schema: Schema) -> dict[str, Any]:
    """The schema in JSON's own types."""
    data: dict[str, Any] = {"columns": {column.name: column_data(column) for column in schema.columns}}
    if schema.dimensions:
        data["dimensions"] = {dimension.name: _dimension_data(dimension) for dimension in schema.dimensions}
    if schema.arrangements:
        data["arrangements"] = {
            each.name: {"dimensions": list(each.dimensions), "pattern": each.pattern} for each in schema.arrangements
        }
    return data


def column_data(column: Column) -> dict[str, Any]:
    own = {each.name: getattr(column, each.name) for each in fields(column) if each.name != "name"}
    return {"kind": column.kind, **{key: list(item) if isinstance(item, tuple) else item for key, item in own.items()}}


def _dimension_data(dimension: Dimension) -> dict[str, Any]:
    data: dict[str, Any] = {"members": list(dimension.members)}
    if dimension.ordered:
        data["ordered"] = True
    if dimension.attributes:
        data["attributes"] = {
            name: dict(zip(dimension.members, values, strict=True)) for name, values in dimension.attributes.items()
        }
    return data


def schema_from_data(value: object, line_of: LineOf = lambda section, name: None) -> Schema:
    """The schema that JSON's own types describe; a bare one is the same object as that of its names."""
    schema = Schema(
        tuple(_entries(value, "columns", _column, line_of)),
        tuple(_entries(value, "dimensions", _dimension, line_of)),
        tuple(_entries(value, "arrangements", _arrangement, line_of)),
    )
    return as_schema(schema.variables) if is_bare(schema) else schema


def _entries(value: object, section: str, read: Callable[[str, dict[str, Any]], Any], line_of: LineOf) -> Iterable[Any]:
    if not isinstance(value, dict) or "columns" not in value:
        raise InputError(f"{clipped(value)} is not a schema", fix="describe the columns under 'columns'")
    for key in value:
        if key not in ("columns", "dimensions", "arrangements"):
            raise InputError(
                f"unknown key {clipped(key)} in the schema",
                fix="known are columns, dimensions and arrangements",
                line=line_of(key, ""),
            )
    for name, entry in _typed(value, section, "dict", {}).items():
        try:
            if not isinstance(entry, dict):
                raise InputError(f"is {clipped(entry)}", fix="write a table such as {kind = 'yes-or-no'}")
            yield read(name, entry)
        except InputError as error:
            raise InputError(
                f"{section} {clipped(name)}: {error.what}", fix=error.fix, line=line_of(section, name)
            ) from None


def _column(name: str, entry: dict[str, Any]) -> Column:
    kind = KINDS.get(_typed(entry, "kind", "str"))
    if kind is None:
        raise InputError(f"there is no kind {clipped(entry['kind'])}", fix=f"use {', '.join(KINDS)}")
    own = {each.name: each.type for each in fields(kind) if each.name != "name"}
    _check_keys(entry, ("kind", *own))
    found = {key: _typed(entry, key, str(wanted)) for key, wanted in own.items()}
    return kind(name, **{key: tuple(item) if isinstance(item, list) else item for key, item in found.items()})


def _dimension(name: str, entry: dict[str, Any]) -> Dimension:
    _check_keys(entry, ("members", "ordered", "attributes"))
    members = tuple(_typed(entry, "members", "tuple[str, ...]"))
    attributes = {
        attribute: _attribute(attribute, of_member, members)
        for attribute, of_member in _typed(entry, "attributes", "dict", {}).items()
    }
    return Dimension(name, members, _typed(entry, "ordered", "bool", False), attributes)


def _attribute(attribute: str, of_member: object, members: tuple[str, ...]) -> tuple[str, ...]:
    """The attribute's value for each member."""
    if not isinstance(of_member, dict) or of_member.keys() != set(members):
        raise InputError(
            f"attribute {clipped(attribute)} is {clipped(of_member)}",
            fix=f"give a value for each of {listing(members)} and nothing else",
        )
    return tuple(_typed(of_member, member, "str") for member in members)


def _arrangement(name: str, entry: dict[str, Any]) -> Arrangement:
    _check_keys(entry, ("dimensions", "pattern"))
    return Arrangement(name, tuple(_typed(entry, "dimensions", "tuple[str, ...]")), _typed(entry, "pattern", "str"))


def _check_keys(entry: dict[str, Any], known: Iterable[str]) -> None:
    for key in entry:
        if key not in known:
            raise InputError(f"unknown key {clipped(key)}", fix=f"known are {', '.join(known)}")


def _typed(entry: dict[str, Any], key: str, wanted: str, default: object = None) -> Any:
    found = entry.get(key, default)
    what, fits = _TYPES[wanted]
    if not fits(found):
        is_what = f"is {clipped(found)}" if key in entry else "is missing"
        raise InputError(f"{key!r} {is_what}", fix=f"write {what}")
    return found
