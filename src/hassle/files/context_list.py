"""Contexts to plan for: one per line, or a CSV table with a ``context`` column whose other columns are kept.

Blank lines and comments (``#``) are skipped; ``true`` is the context that is always true, as is an empty cell.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike

from hassle.errors import InputError
from hassle.files.csv_examples import csv_rows, delimiter_of
from hassle.files.csv_layout import has_column, is_remark, table_in, without_comments
from hassle.files.decode import read_text, shown_name
from hassle.files.sheet import CONTEXT, Row
from hassle.logic import Context, Schema


@dataclass(frozen=True)
class ContextList:
    """The table as it was written, the place of its column of contexts, and what the context of each row means."""

    place: int
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    contexts: tuple[Context, ...]

    def text(self, added: Sequence[str], cells: Iterable[Sequence[str]], delimiter: str = ",") -> str:
        """The table as CSV with columns added."""
        out = io.StringIO(newline="")
        writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
        writer.writerow([*self.header, *added])
        writer.writerows([*row, *more] for row, more in zip(self.rows, cells, strict=True))
        return out.getvalue()


def read_contexts(path: str | PathLike[str], names: Schema | tuple[str, ...]) -> ContextList:
    """The contexts in a file, over the columns of a schema or over variables by name."""
    try:
        return contexts_in(read_text(path), names)
    except InputError as error:
        raise error.at(file=shown_name(path)) from None


def contexts_in(text: str, names: Schema | tuple[str, ...]) -> ContextList:
    header, rows = _table(text)
    if not rows:
        raise InputError("there are no contexts", fix="write one per line")
    place = next(i for i, name in enumerate(header) if name.lower() == CONTEXT)
    known: dict[str, Context] = {}
    for line, cells in rows:
        if cells[place] not in known:
            try:
                known[cells[place]] = Context.parse(cells[place], names)
            except InputError as error:
                raise error.at(line=line) from None
    return ContextList(
        place,
        header,
        tuple(tuple(cells) for _, cells in rows),
        tuple(line for line, _ in rows),
        tuple(known[cells[place]] for _, cells in rows),
    )


def _table(text: str) -> tuple[tuple[str, ...], list[Row]]:
    """The header and the rows of a table; those of a plain list too, as of a table with one column."""
    table, delimiters = table_in(text, (CONTEXT,))
    delimiter = delimiter_of(table, delimiters, (CONTEXT,))
    try:
        header_line, cells = next(csv_rows(table, delimiter))
    except (InputError, StopIteration):
        header_line, cells = 0, []
    if not has_column(cells, (CONTEXT,)):
        lines = enumerate((line.strip() for line in text.split("\n")), 1)
        return (CONTEXT,), [(number, [line]) for number, line in lines if line and not is_remark(line)]
    header = tuple(cell.strip() for cell in cells)
    repeated = [name for i, name in enumerate(header) if name in header[:i]]
    repeated += [name for name in header if name.lower() == CONTEXT][1:]
    if repeated:
        raise InputError(f"there are two columns {repeated[0]!r}", fix="rename or remove one", line=header_line)
    # Other columns may hold anything, so only what cannot be a row is a comment.
    rows = list(without_comments(header, list(csv_rows(table, delimiter))[1:], {header[0]} - {CONTEXT}))
    for line, row in rows:
        if len(row) != len(header):
            what = f"the row has {len(row)} cells where the header has {len(header)}"
            raise InputError(what, fix="fill or remove cells, or quote those that hold the delimiter", line=line)
    return header, rows
