"""Assignments: a value for every column of a schema.

An :class:`Assignment` reads like a dictionary from column to value: 0 or 1 for yes-or-no, the value of a choice, a
whole number. :func:`as_bits` takes whatever a caller may have in hand and gives the 0/1 vector over the variables that
everything else works on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError
from hassle.logic.names import find, index_of, listing
from hassle.logic.schema import Schema, Value, as_schema


@dataclass(frozen=True, eq=False)
class Assignment(Mapping[str, Value]):
    """A full assignment: ``assignment["shift"]`` is a value; ``bits`` are the 0/1 of the variables, in their order."""

    schema: Schema
    bits: tuple[int, ...]

    def __getitem__(self, name: str) -> Value:
        place = index_of(self.schema.column_names).get(name)
        if place is None:
            raise KeyError(name)
        return self.schema.columns[place].decode(self.bits[self.schema.starts[place] : self.schema.starts[place + 1]])

    def __iter__(self) -> Iterator[str]:
        return iter(self.schema.column_names)

    def __len__(self) -> int:
        return len(self.schema.columns)

    def __hash__(self) -> int:
        return hash(frozenset(self.items()))  # as equality is a mapping's, which knows no order

    def __repr__(self) -> str:
        return f"Assignment({', '.join(f'{name}={value}' for name, value in self.items())})"

    def __str__(self) -> str:
        return "".join(map(str, self.bits))

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of all variables, in the schema's order."""
        return self.schema.variables

    @property
    def true_variables(self) -> tuple[str, ...]:
        """The names of the variables that are true."""
        return tuple(name for name, bit in zip(self.variables, self.bits, strict=True) if bit)

    @classmethod
    def of(cls, names: Schema | Iterable[str], bits: Sequence[int] | NDArray[np.uint8]) -> Assignment:
        """The assignment of these bits, one per variable; nothing is checked."""
        return cls(as_schema(names), tuple(int(bit) for bit in bits))


def as_bits(value: object, names: Schema | Iterable[str]) -> NDArray[np.uint8]:
    """The 0/1 vector of an assignment, in whatever form a caller has it.

    A mapping, a list or a tuple holds the *value* of each column; a text of 0 and 1, or an array of bytes or Booleans
    with an entry for each variable, holds the *bits*, which must be in the schema's domain. Other arrays are lists.
    """
    schema = as_schema(names)
    if isinstance(value, str):
        return _checked_bits(list(value), schema)
    if isinstance(value, np.ndarray) and value.dtype in (np.uint8, np.bool_) and value.size == len(schema.variables):
        return _checked_bits(value.ravel().tolist(), schema)
    return schema.encode(_values(value, schema))


def _checked_bits(items: Sequence[object], schema: Schema) -> NDArray[np.uint8]:
    _check_length(items, schema.variables, "give every variable 0 or 1")
    bits = as_schema(schema.variables).encode(items)
    if not schema.admits(bits[None, :])[0]:
        raise InputError(f"{''.join(map(str, bits))} means no values of the columns", fix="give every column its value")
    return bits


def _values(value: object, schema: Schema) -> Sequence[object]:
    columns = schema.column_names
    advice = "give every variable 0 or 1" if schema.plain else "give every column its value"
    if isinstance(value, Mapping):
        known = index_of(columns)
        for name in value:
            if name not in known:
                find(str(name), columns)
        missing = [name for name in columns if name not in value]
        if missing:
            raise InputError(f"the assignment says nothing of {listing(missing)}", fix=advice)
        return [value[name] for name in columns]
    if not isinstance(value, np.ndarray | list | tuple):
        raise InputError(f"{value!r} is not an assignment", fix="pass a mapping, a list or a text of 0 and 1")
    items = value.ravel().tolist() if isinstance(value, np.ndarray) else value
    _check_length(items, columns, advice)
    return items


def _check_length(items: Sequence[object], wanted: Sequence[str], advice: str) -> None:
    if len(items) != len(wanted):
        raise InputError(f"the assignment has {len(items)} values for {len(wanted)} variables", fix=advice)
