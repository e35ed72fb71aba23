"""How decisions stand on the page: a table where they are arranged, a list where they are not.

What can be clicked is an *item*: "ana works mon early", "colour is red", "staff is 3". Items are numbered; the page
speaks of numbers only, so that no name that it sends is ever taken for anything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hassle.errors import InputError
from hassle.logic import Assignment, Context, Schema, YesNo, as_context
from hassle.logic.columns import Value
from hassle.logic.formula import conjunction

# A table with more cells would be too slow to look through; then columns are listed.
MOST_CELLS = 4000


@dataclass(frozen=True)
class Items:
    """The items of a schema: for each its column's place and its value, and each column's first item."""

    schema: Schema
    places: tuple[tuple[int, Value], ...]
    first: tuple[int, ...]

    @classmethod
    def of(cls, schema: Schema) -> Items:
        places: list[tuple[int, Value]] = []
        first = []
        for k, column in enumerate(schema.columns):
            first.append(len(places))
            places += [(k, 1)] if isinstance(column, YesNo) else [(k, value) for value in column.values]
        return cls(schema, tuple(places), tuple(first))

    def on(self, assignment: Assignment | Mapping[str, Value]) -> list[int]:
        """The items that hold in an assignment."""
        values = list(assignment.values())
        return [i for i, (k, value) in enumerate(self.places) if values[k] == value]

    def bits(self, on: Iterable[int]) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """The assignment in which these items hold and no others; each choice and number needs one."""
        values: list[Value | None] = [0 if isinstance(column, YesNo) else None for column in self.schema.columns]
        for item in on:
            k, value = self._place(item)
            values[k] = value
        for column, chosen in zip(self.schema.columns, values, strict=True):
            if chosen is None:
                raise InputError(f"{column.name!r} has no value", fix="choose one")
        return self.schema.encode(values)

    def context(self, yes: Collection[int], no: Collection[int], text: str = "") -> Context:
        """The situation in which some items hold, others do not, and what the text says besides."""
        said = as_context(text.strip() or None, self.schema)
        parts = [self._formula(item, "=") for item in yes] + [self._formula(item, "!=") for item in no]
        return Context.of(conjunction([said.formula, *parts]))

    def of_context(self, context: Context) -> tuple[list[int], list[int], str]:
        """The items that a context fixes, those that it rules out, and the rest of it as a text."""
        yes: list[int] = []
        no: list[int] = []
        left = Context((), context.rest)
        for literal in context.literals:
            k = int(self.schema.column_of[abs(literal) - 1])
            column, place = self.schema.columns[k], abs(literal) - 1 - self.schema.starts[k]
            if isinstance(column, YesNo) or column.kind == "choice":
                (yes if literal > 0 else no).append(self.first[k] + place)
            else:
                left = Context((*left.literals, literal), left.rest)
        return yes, no, left.text(self.schema)

    def _formula(self, item: int, sign: str) -> Any:
        k, value = self._place(item)
        return self.schema.columns[k].compare(sign, str(value), self.schema.starts[k])

    def _place(self, item: int) -> tuple[int, Value]:
        if not isinstance(item, int) or isinstance(item, bool) or not 0 <= item < len(self.places):
            raise InputError(f"there is no item {item!r}", fix="load the page again")
        return self.places[item]


def layout(schema: Schema, given: Collection[str] = ()) -> dict[str, Any]:
    """The table, if there is one, and the list of all other columns, as the page gets them."""
    items = Items.of(schema)
    table, arranged = _table(schema, items, given)
    return {"items": len(items.places), "table": table, "others": _others(schema, items, arranged, given)}


def _table(schema: Schema, items: Items, given: Collection[str]) -> tuple[dict[str, Any] | None, set[int]]:
    for arrangement in schema.arrangements:
        dimensions = [schema.dimension(name) for name in arrangement.dimensions]
        cells = schema.cells(arrangement)
        variables = cells[cells >= 0]
        columns = set(schema.column_of[variables].tolist())
        plain = all(schema.columns[k].kind in ("yes-or-no", "choice") for k in columns)
        if len(dimensions) not in (2, 3) or cells.size > MOST_CELLS or not plain:
            continue
        if len(dimensions) == 2 and any(schema.columns[k].kind == "choice" for k in columns):
            continue  # a value for each name: the list says it as well
        rows, across, *marks = (dimension.members for dimension in dimensions)
        names = marks[0] if marks else ("",)

        def item(variable: int) -> int:
            k = int(schema.column_of[variable])
            return items.first[k] + variable - schema.starts[k]

        body: list[list[list[Any]]] = [
            [
                [
                    [item(int(v)), names[m], schema.columns[int(schema.column_of[v])].name in given]
                    for m, v in enumerate(np.atleast_1d(cells[r, c]).tolist())
                    if v >= 0
                ]
                for c in range(len(across))
            ]
            for r in range(len(rows))
        ]
        single = all(schema.columns[k].kind == "choice" for k in columns) and all(
            len({items.places[mark[0]][0] for mark in cell}) <= 1 for row in body for cell in row
        )
        table = {
            "rows": list(rows),
            "columns": list(across),
            "of": [dimension.name for dimension in dimensions],
            "cells": body,
            "single": single,
        }
        return table, columns
    return None, set()


def _others(schema: Schema, items: Items, arranged: set[int], given: Collection[str]) -> list[dict[str, Any]]:
    found = []
    for k, column in enumerate(schema.columns):
        if k in arranged:
            continue
        first = items.first[k]
        values = ["yes"] if isinstance(column, YesNo) else [str(value) for value in column.values]
        found.append(
            {
                "name": column.name,
                "kind": column.kind,
                "given": column.name in given,
                "items": [[first + i, value] for i, value in enumerate(values)],
            }
        )
    return found


def groups(schema: Schema) -> list[list[int]]:
    """The items of each choice and number: of such a group exactly one holds."""
    items = Items.of(schema)
    ends = [*items.first[1:], len(items.places)]
    return [
        list(range(first, end))
        for column, first, end in zip(schema.columns, items.first, ends, strict=True)
        if not isinstance(column, YesNo)
    ]
