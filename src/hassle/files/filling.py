"""Sheets to fill in: what stands in a row is given, and its empty cells are to be planned.

The columns are those of a model, in any order; those that the sheet does not have are planned as well. A ``context``
column may say more of what holds, and all other columns (a date, a remark) are kept as they are. Yes-or-no cells are
filled in the style of their column; in one of ``x`` and nothing, nothing means yet to be planned before, and no after.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike

import numpy as np

from hassle.errors import InputError
from hassle.files.csv_examples import csv_sheet
from hassle.files.decode import read_bytes, read_text, shown_name
from hassle.files.excel import excel_sheet
from hassle.files.recognition import STYLES
from hassle.files.sheet import CONTEXT, Sheet, SheetColumn, is_filled, meant
from hassle.files.sheet_examples import Reading, encoding
from hassle.logic import Assignment, Column, Context, Schema, YesNo
from hassle.logic.columns import Value
from hassle.logic.formula import Literal, conjunction


@dataclass(frozen=True)
class ToFill:
    """A sheet, the columns to plan, and the context of each row: what stands in its cells."""

    sheet: Sheet
    schema: Schema
    contexts: tuple[Context, ...]

    def open_columns(self, k: int) -> list[str]:
        """The columns that row k leaves to be planned."""
        columns = self.sheet.columns
        return [name for name in self.schema.column_names if name not in columns or not columns[name].cells[k].strip()]

    def filled(
        self, assignments: Sequence[Assignment | None], added: Mapping[str, Sequence[str]]
    ) -> dict[str, list[str]]:
        """The columns of the sheet with its empty cells filled in, where there is an assignment, and others added."""
        result = {name: list(column.cells) for name, column in self.sheet.columns.items()}
        for column in self.schema.columns:
            cells = result.setdefault(column.name, [""] * len(self.sheet.lines))
            write = _writing(column, cells)
            for k, assignment in enumerate(assignments):
                if assignment is not None and not cells[k].strip():
                    cells[k] = write(assignment[column.name])
        return result | {name: list(cells) for name, cells in added.items()}


def read_to_fill(path: str | PathLike[str], schema: Schema, sheet: str | None = None) -> ToFill:
    """The sheet in a CSV or Excel file, whose columns are some of the schema's."""
    name = shown_name(path)
    wanted = tuple(column.lower() for column in schema.column_names)
    try:
        if os.path.splitext(os.fspath(path))[1].lower() == ".xlsx":
            found = excel_sheet(read_bytes(path), name, Reading(sheet=sheet))
        else:
            found = csv_sheet(read_text(path), name, Reading(), wanted)
        return to_fill(found, schema)
    except InputError as error:
        raise error.at(file=name) from None


def to_fill(sheet: Sheet, schema: Schema) -> ToFill:
    known = [name for name in schema.column_names if name in sheet.columns]
    if not known:
        fix = meant(schema.column_names[0], sheet.columns)
        raise InputError(f"there is none of the model's columns ({schema.column_names[0]!r}, …)", fix=fix)
    if not sheet.lines:
        raise InputError("there are no rows after the header", fix="add one row per plan")
    parts: list[list[Literal]] = [[] for _ in sheet.lines]
    for column, start in zip(schema.columns, schema.starts, strict=False):
        if column.name in sheet.columns:
            for k, bits in _given(column, sheet.columns[column.name]):
                parts[k] += [Literal(start + v + 1 if bit else -(start + v + 1)) for v, bit in enumerate(bits)]
    wheres = [Context()] * len(sheet.lines)
    if CONTEXT in sheet.columns and CONTEXT not in schema.column_names:
        index: dict[Context, int] = {}
        places = sheet.columns[CONTEXT].understood(
            lambda cell: index.setdefault(Context.parse(cell, schema), len(index))
        )
        wheres = [list(index)[place] for place in places]
    contexts = [Context.of(conjunction([*own, where.formula])) for own, where in zip(parts, wheres, strict=True)]
    return ToFill(sheet, schema, tuple(contexts))


def _given(column: Column, cells: SheetColumn) -> Iterable[tuple[int, tuple[int, ...]]]:
    """The rows that say what the column is, and the 0/1 of its variables there."""
    places = cells.places(is_filled)
    if not len(places):
        return []
    kept = cells.at(places)
    bits = np.array(kept.understood(encoding(column, kept))).reshape(len(places), -1)
    return zip(places.tolist(), map(tuple, bits.tolist()), strict=True)


def _writing(column: Column, cells: Sequence[str]) -> Callable[[Value], str]:
    """How a value of the column is written among these cells."""
    if not isinstance(column, YesNo):
        return str
    words = {cell.strip().lower() for cell in cells if cell.strip()}
    yes, no = next((style for style in STYLES if words and words <= set(style)), ("1", "0"))
    shown = next((cell.strip() for cell in cells if cell.strip().lower() == yes), yes)
    return lambda value: shown if value else no


def filled_text(columns: Mapping[str, Sequence[str]], delimiter: str = ",") -> str:
    """The filled sheet as CSV."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()
