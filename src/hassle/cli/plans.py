"""Assignments for people: columns and their values, in a table where the names show dimensions."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
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


def plan_lines(assignment: Assignment) -> list[str]:
    """The assignment with the first two dimensions as rows and columns, where there are two or three; else in a line.

    A cell holds the third dimension's members that are true there, or a mark. Other columns follow.
    """
    import numpy as np

    from hassle.logic import YesNo
    from hassle.logic.arranging import arranged

    schema = arranged(assignment.schema)
    if len(schema.arrangements) != 1 or len(schema.arrangements[0].dimensions) not in (2, 3):
        return [plan_line(assignment)]
    dimensions = [schema.dimension(name) for name in schema.arrangements[0].dimensions]
    cells = schema.cells(schema.arrangements[0])
    arranged_columns = set(schema.column_of[cells[cells >= 0]].tolist())
    if len(dimensions) == 2 and not all(isinstance(schema.columns[k], YesNo) for k in arranged_columns):
        return [plan_line(assignment)]  # a value for each name, which a line says as well
    true = (cells >= 0) & (np.array(assignment.bits, dtype=np.uint8)[cells] == 1)
    rows, columns, *marks = (dimension.members for dimension in dimensions)

    def cell(r: int, c: int) -> str:
        here = true[r, c].reshape(-1)
        return (
            " ".join(mark for mark, is_true in zip(marks[0] if marks else ("x",), here, strict=True) if is_true) or "-"
        )

    paint = _painter(marks[0] if marks else ("x",))
    table = [["", *columns], *([row, *(cell(r, c) for c in range(len(columns)))] for r, row in enumerate(rows))]
    widths = [max(len(row[c]) for row in table) for c in range(len(columns) + 1)]
    if sum(widths) + 2 * len(widths) > WIDEST:
        return [plan_line(assignment)]
    lines = [
        "  ".join(paint(text.ljust(width), text) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    others = [
        f"{column.name} = {('no', 'yes')[int(value)] if isinstance(column, YesNo) else value}"
        for k, (column, value) in enumerate(zip(schema.columns, assignment.values(), strict=True))
        if k not in arranged_columns
    ]
    return lines + ([", ".join(others)] if others else [])
