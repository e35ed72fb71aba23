"""Workbooks with a sheet per example: on each a grid, such as nurses × days, whose cells hold the values.

The first row names the columns and the first column the rows, so that a decision is called ``ana_mon``; the cell in the
corner, where there is one, names what the rows are. Below the grid (or above it) rows that begin with ``label``,
``context`` or ``weight`` say that of the whole sheet. Labels may also stand in a table of their own with a column
``sheet`` (``--labels-from``), or on a sheet of the workbook that is such a table.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from hassle.errors import DataWarning, InputError
from hassle.files.recognition import empty_means_no
from hassle.files.sheet import CONTEXT, LABEL, WEIGHT, Row, Sheet, SheetColumn, said

SHEET, ROW, COLUMN, VALUE = "sheet", "row", "column", "value"
NOTHING = "-"  # what an empty cell of a grid is: somebody who does nothing that day


def grids_in(book: Mapping[str, Sequence[Row]], source: str | None) -> tuple[Sheet, Sheet | None]:
    """The cells of all sheets as a long table, and what the sheets say of themselves, None where they say nothing."""
    places: list[tuple[str, str, str, str, int]] = []
    told: dict[str, dict[str, str]] = {}
    table, corner = None, ""
    for name, rows in book.items():
        if SHEET in [cell.strip().lower() for cell in rows[0][1]]:
            header = [cell.strip().lower() for cell in rows[0][1]]
            table = Sheet.of(header, list(rows[1:]), (), source, rows[0][0])
            continue
        about = {cells[0].strip().lower(): cells[1].strip() for _, cells in rows if len(cells) > 1 and _is_about(cells)}
        grid = [(line, cells) for line, cells in rows if not _is_about(cells)]
        if len(grid) < 2:
            raise InputError(f"the sheet {name!r} has no grid", fix="names in the first row and the first column")
        told[name] = about
        corner = corner or grid[0][1][0].strip()
        places += _cells(name, grid)
    if not told:
        raise InputError("there is no sheet with a grid", fix="name rows and columns on each sheet")
    return _long(places, corner or ROW, source), table or _labels(told, source)


def _is_about(cells: Sequence[str]) -> bool:
    return cells[0].strip().lower() in (LABEL, CONTEXT, WEIGHT)


def _cells(name: str, grid: Sequence[Row]) -> list[tuple[str, str, str, str, int]]:
    (_, header), *rows = grid
    columns = [(k, cell.strip()) for k, cell in enumerate(header) if k and cell.strip()]
    return [
        (name, cells[0].strip(), column, cells[k] if k < len(cells) else "", line)
        for line, cells in rows
        for k, column in columns
    ]


def _long(places: Sequence[tuple[str, str, str, str, int]], corner: str, source: str | None) -> Sheet:
    sheets, rows, columns, values, lines = zip(*places, strict=True)
    empty = sum(not value.strip() for value in values)
    if empty and not empty_means_no(values):
        warnings.warn(
            f"{said(source)}{empty} of {len(values)} cells are empty, which is taken for a value, {NOTHING!r}",
            DataWarning,
            stacklevel=6,
        )
        values = tuple(value if value.strip() else NOTHING for value in values)
    named = {SHEET: sheets, corner: rows, COLUMN: columns, VALUE: values}
    return Sheet({name: SheetColumn(name, cells, lines) for name, cells in named.items()}, lines, source)


def _labels(told: Mapping[str, Mapping[str, str]], source: str | None) -> Sheet | None:
    keys = [key for key in (LABEL, CONTEXT, WEIGHT) if any(key in about for about in told.values())]
    if not keys:
        return None
    lines = tuple(range(1, len(told) + 1))
    named = {SHEET: tuple(told), **{key: tuple(about.get(key, "") for about in told.values()) for key in keys}}
    return Sheet({name: SheetColumn(name, cells, lines) for name, cells in named.items()}, lines, source)


def only_sheets(cells: Sheet) -> Sheet:
    """The sheets alone, where nothing is said of them."""
    names = tuple(dict.fromkeys(cells.columns[SHEET].cells))
    lines = tuple(range(1, len(names) + 1))
    return Sheet({SHEET: SheetColumn(SHEET, names, lines)}, lines, cells.source)
