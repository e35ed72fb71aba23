"""Assignments for people: columns and their values, in a table where the names show dimensions."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hassle.logic import Assignment

# A wider table would be broken by most terminals.
WIDEST = 120


# Colours that can be read on light and on dark ground, one after the other for what stands in the cells.
COLOURS = (36, 35, 33, 32, 34, 31)


def _painter(marks: Sequence[str]) -> Callable[[str, str], str]:
    """How a cell is shown: on a terminal in the colour of the first mark in it, unless NO_COLOR is set."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return lambda shown, text: shown
    colour = {mark: COLOURS[k % len(COLOURS)] for k, mark in enumerate(marks)}

    def paint(shown: str, text: str) -> str:
        code = colour.get(text.split(" ")[0])
        return shown if code is None else f"\x1b[{code}m{shown}\x1b[0m"

    return paint


def plan_line(assignment: Assignment) -> str:
    """The assignment in one line: what is true of yes-or-no decisions alone, else each column and its value."""
    if assignment.schema.plain:
        return f"{assignment}  true: {', '.join(assignment.true_variables) or 'none'}"
    return ", ".join(f"{name} = {value}" for name, value in assignment.items())


@dataclass(frozen=True)
class PlanTable:
    """An assignment with its first two dimensions as rows and columns; what stands elsewhere follows as ``others``."""

    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[str]]  # what is true there, or a dash
    marks: Sequence[str]  # whatever may stand in a cell
    others: Sequence[str]


def plan_table(assignment: Assignment) -> PlanTable | None:
    """The assignment as a table, where its schema or its names show two or three dimensions; else None.

    A cell holds the third dimension's members that are true there, or a mark.
    """
    import numpy as np

    from hassle.logic import YesNo
    from hassle.logic.arranging import arranged

    schema = arranged(assignment.schema)
    if len(schema.arrangements) != 1 or len(schema.arrangements[0].dimensions) not in (2, 3):
        return None
    dimensions = [schema.dimension(name) for name in schema.arrangements[0].dimensions]
    cells = schema.cells(schema.arrangements[0])
    arranged_columns = set(schema.column_of[cells[cells >= 0]].tolist())
    if len(dimensions) == 2 and not all(isinstance(schema.columns[k], YesNo) for k in arranged_columns):
        return None  # a value for each name, which a line says as well
    true = (cells >= 0) & (np.array(assignment.bits, dtype=np.uint8)[cells] == 1)
    rows, columns, *third = (dimension.members for dimension in dimensions)
    marks = third[0] if third else ("x",)

    def cell(r: int, c: int) -> str:
        return " ".join(mark for mark, is_true in zip(marks, true[r, c].reshape(-1), strict=True) if is_true) or "-"

    others = [
        f"{column.name} = {('no', 'yes')[int(value)] if isinstance(column, YesNo) else value}"
        for k, (column, value) in enumerate(zip(schema.columns, assignment.values(), strict=True))
        if k not in arranged_columns
    ]
    filled = [[cell(r, c) for c in range(len(columns))] for r in range(len(rows))]
    return PlanTable(rows, columns, filled, marks, others)


def plan_lines(assignment: Assignment) -> list[str]:
    """The assignment as a table, where there is one that a terminal can hold; else in a line."""
    found = plan_table(assignment)
    if found is None:
        return [plan_line(assignment)]
    paint = _painter(found.marks)
    table = [["", *found.columns], *([row, *cells] for row, cells in zip(found.rows, found.cells, strict=True))]
    widths = [max(len(row[c]) for row in table) for c in range(len(table[0]))]
    if sum(widths) + 2 * len(widths) > WIDEST:
        return [plan_line(assignment)]
    lines = [
        "  ".join(paint(text.ljust(width), text) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    return lines + ([", ".join(found.others)] if found.others else [])
