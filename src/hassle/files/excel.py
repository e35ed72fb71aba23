"""Examples in Excel files (``.xlsx``): the first row that is not empty is the header, then one example per row.

Headers may have two rows, the first with merged cells (:mod:`hassle.files.header_rows`). Read by python-calamine (the
extra ``excel``). Cells become text as a spreadsheet shows them: ``3`` and not ``3.0``.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hassle.errors import InputError
from hassle.files.cells import cell_text
from hassle.files.header_rows import header_of
from hassle.files.sheet import Row, Sheet, meant
from hassle.files.sheet_examples import Reading

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook


def excel_sheet(data: bytes, source: str | None, how: Reading) -> Sheet:
    """The cells of the sheet that is asked for, or of the only one that is not empty."""
    book = _workbook(data)
    names = [name for name in book.sheet_names if how.sheet in (None, name)]
    if not names:
        raise InputError(f"there is no sheet {how.sheet!r}", fix=meant(how.sheet or "", book.sheet_names, "sheets"))
    tables = {name: book.get_sheet_by_name(name) for name in names}
    filled = {name: rows for name, table in tables.items() if (rows := _rows(table.to_python(skip_empty_area=False)))}
    if not filled:
        raise InputError("there is nothing but empty cells", fix="start with a header")
    if len(filled) > 1:
        fix = "name one with --sheet, or say --each-sheet if every sheet is an example"
        raise InputError(f"there are {len(filled)} sheets with cells: {', '.join(map(repr, filled))}", fix=fix)
    ((name, all_rows),) = filled.items()
    merged_ranges = tables[name].merged_cell_ranges or ()
    first = all_rows[0][0] - 1
    spans = [(start[1], end[1]) for start, end in merged_ranges if start[0] == end[0] == first]
    header_line, header, rows = header_of(all_rows, (how.label.lower(),), spans)
    width = max(k + 1 for _, cells in [(0, header), *rows] for k, cell in enumerate(cells) if cell.strip())
    header = header[:width]
    merged = {row for start, end in merged_ranges for row in range(start[0], end[0] + 1)}
    lines = {line for line, _ in rows}
    if header_line == first + 1:  # a single header row names each column by itself
        lines.add(header_line)
    if inside := sorted(row + 1 for row in merged if row + 1 in lines):
        raise InputError("cells are merged", fix="separate them, and give each its own content", line=inside[0])
    try:
        return Sheet.of(header, [(line, cells[:width]) for line, cells in rows], how.ignored, source, header_line)
    except InputError as error:
        raise error.at(line=header_line) from None


def excel_book(data: bytes) -> dict[str, list[Row]]:
    """The rows of every sheet that is not empty."""
    book = _workbook(data)
    cells = {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in book.sheet_names}
    return {name: rows for name, sheet in cells.items() if (rows := _rows(sheet))}


def _workbook(data: bytes) -> CalamineWorkbook:
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        fix = "install it with pip install 'hassle-learn[excel]', or save the sheet as CSV"
        raise InputError("reading Excel files takes python-calamine", fix=fix) from None
    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(data))
    except (CalamineError, OSError) as error:
        raise InputError(f"is no Excel file that can be read ({error})", fix="save it as .xlsx or CSV") from None


def _rows(cells: Sequence[Sequence[object]]) -> list[tuple[int, list[str]]]:
    """Each row that is not blank, with its number."""
    rows = [(number, [cell_text(cell) for cell in row]) for number, row in enumerate(cells, 1)]
    return [(number, row) for number, row in rows if "".join(row).strip()]
