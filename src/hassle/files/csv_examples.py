"""Examples as CSV: a header, then one example per row.

One column per variable (0 or 1, false or true), a ``label`` column (:data:`hassle.data.LABEL_WORDS`), an optional
``context`` column. Commas, semicolons or tabs separate; the header tells which. Blank lines, unnamed empty columns and
comments, which spreadsheets like to add, are skipped (:mod:`hassle.files.csv_layout`). Every other column is an error
unless it is ignored by name: a column that was meant to teach something must not vanish silently.

Cells are handled a column at a time, and each distinct cell is understood once, so large files read in seconds.
"""

from __future__ import annotations

import csv
import difflib
import io
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hassle.data import LABELS, Dataset, Label, as_label
from hassle.errors import DataWarning, InputError
from hassle.files.csv_layout import BITS, check_delimiter, has_column, table_in, without_comments
from hassle.files.decode import clipped
from hassle.logic import EMPTY, Context, as_schema, check_names
from hassle.logic.names import listing

LABEL, CONTEXT = "label", "context"


def read_csv(text: str, source: str | None = None, ignore: Iterable[str] = (), labels: bool = True) -> Dataset:
    """The examples in a CSV text; ``ignore`` names the columns to leave out.

    Without ``labels``, the column of that name is neither needed nor looked at, and all examples count as negative.
    """
    text, delimiters = table_in(text, (LABEL,))
    delimiter = delimiter_of(text, delimiters, (LABEL,))
    rows = list(csv_rows(text, delimiter))
    if not rows:
        raise InputError("there is nothing but empty cells", fix="start with a header")
    (header_line, header), *rows = rows
    ignored = {ignore} if isinstance(ignore, str) else set(ignore)
    rows = without_comments(header, rows, ignored)
    try:
        check_delimiter(header, rows, delimiter, (LABEL,))
        columns = _whatever_case(_without(_columns(header, rows), ignored), source)
        label, context = _label_column(columns) if labels else None, columns.get(CONTEXT)
        variables = [column for name, column in columns.items() if name not in (LABEL, CONTEXT)]
        names = check_names(column.name for column in variables)
        if not names:
            raise InputError("there is no column for a variable", fix="add one column per variable")
    except InputError as error:
        raise error.at(line=header_line) from None
    if not rows:
        raise InputError("there are no examples after the header", fix="add one row per example")
    bits = np.empty((len(rows), len(names)), dtype=np.uint8)
    for v, column in enumerate(variables):
        bits[:, v] = column.understood(_bit(column.name))
    codes = np.full(len(rows), Label.NEGATIVE.code, dtype=np.int8)
    if label:
        codes[:] = label.understood(lambda cell: as_label(cell).code)
    index: dict[Context, int] = {} if context else {EMPTY: 0}
    context_of = np.zeros(len(rows), dtype=np.int32)
    if context:
        context_of[:] = context.understood(lambda cell: index.setdefault(Context.parse(cell, names), len(index)))
    lines = np.array([line for line, _ in rows], dtype=np.int64)
    return Dataset(as_schema(names), tuple(index), context_of, bits, codes, source, lines)


def csv_text(data: Dataset, delimiter: str = ",") -> str:
    """The examples as CSV; the ``context`` column is left out where no example has a context."""
    for reserved in (LABEL, CONTEXT):
        if reserved in data.variables:
            raise InputError(
                f"a variable named {reserved!r} cannot be a CSV column, which has that name for another purpose",
                fix="rename it, or write JSONL",
            )
    header = [*data.variables, LABEL]
    columns: list[Sequence[object]] = [*data.assignments.T.tolist(), [LABELS[code].value for code in data.labels]]
    if any(context != EMPTY for context in data.contexts):
        texts = [context.text(data.variables) for context in data.contexts]
        header.insert(0, CONTEXT)
        columns.insert(0, [texts[c] for c in data.context_of])
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(*columns, strict=True))
    return out.getvalue()


@dataclass(frozen=True)
class _Column:
    """A column's name, its cells and the lines they stand on."""

    name: str
    cells: tuple[str, ...]
    lines: tuple[int, ...]

    def understood(self, meaning: Callable[[str], int]) -> NDArray[np.int64]:
        """What each cell means; each distinct cell is asked once, in the order of the rows."""
        known: dict[str, int] = {}
        for cell in dict.fromkeys(self.cells):
            try:
                known[cell] = meaning(cell)
            except InputError as error:
                line = self.lines[self.cells.index(cell)]
                # A context's message speaks of columns itself: the characters of its text.
                place = "" if self.name == CONTEXT else f"column {self.name!r}: "
                raise InputError(place + error.what, fix=error.fix, line=line) from None
        return np.fromiter(map(known.__getitem__, self.cells), np.int64, len(self.cells))


def _bit(name: str) -> Callable[[str], int]:
    def bit(cell: str) -> int:
        value = BITS.get(cell.strip().lower())
        if value is None:
            what = f"{clipped(cell)} is neither 0 nor 1" if cell.strip() else "the cell is empty"
            raise InputError(what, fix=f"write 0 or 1, or ignore the column (--ignore {name!r})")
        return value

    return bit


def delimiter_of(text: str, delimiters: Sequence[str], wanted: Sequence[str]) -> str:
    """The first delimiter that finds a wanted column; else the one that finds most columns."""
    headers = {}
    for delimiter in delimiters:
        try:
            row = next(csv_rows(text, delimiter), None)
        except InputError:
            continue
        if row is None:
            return delimiter  # there is nothing else in the text
        headers[delimiter] = row[1]
    for delimiter, header in headers.items():
        if has_column(header, wanted):
            return delimiter
    return max(headers, key=lambda delimiter: len(headers[delimiter]), default=delimiters[0])


def csv_rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Each row that is not blank, with the line it starts on; quoted cells may span lines."""
    # A context over thousands of variables is longer than the cells that Python expects.
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(f"the row cannot be read: {error}", fix="check its quotation marks", line=line) from None
        if "".join(cells).strip():
            yield line, cells


def _columns(header: list[str], rows: list[tuple[int, list[str]]]) -> list[_Column]:
    for line, cells in rows:
        if len(cells) != len(header):
            raise InputError(
                f"the row has {len(cells)} cells where the header has {len(header)}",
                fix="fill or remove cells, or quote those that hold the delimiter",
                line=line,
            )
    lines = tuple(line for line, _ in rows)
    cells_of = zip(*(cells for _, cells in rows), strict=True) if rows else iter([()] * len(header))
    return [_Column(name.strip(), cells, lines) for name, cells in zip(header, cells_of, strict=True)]


def _without(columns: list[_Column], ignored: set[str]) -> dict[str, _Column]:
    """The columns by name, but for the ignored ones and the ones that are empty altogether."""
    for name in sorted(ignored.difference(column.name for column in columns)):
        raise InputError(f"there is no column {name!r} to ignore", fix=_known(name, columns))
    kept: dict[str, _Column] = {}
    for place, column in enumerate(columns, 1):
        if column.name in ignored or (not column.name and not "".join(column.cells).strip()):
            continue
        if not column.name:
            raise InputError(f"column {place} has no name", fix="name it, or remove it")
        if column.name in kept:
            raise InputError(f"there are two columns {column.name!r}", fix="rename or remove one")
        kept[column.name] = column
    return kept


def _whatever_case(columns: dict[str, _Column], source: str | None) -> dict[str, _Column]:
    """The columns with ``Label`` and ``Context`` taken for what they are; a column of 0 and 1 is never a context."""
    for wanted in (LABEL, CONTEXT):
        found = [name for name in columns if name.lower() == wanted]
        if len(found) != 1 or wanted in found:
            continue
        if wanted == CONTEXT and all(cell.strip().lower() in BITS for cell in columns[found[0]].cells):
            continue
        warnings.warn(f"{source}: the column {found[0]!r} is taken for {wanted!r}", DataWarning, stacklevel=4)
        taken = (replace(column, name=wanted) if column.name == found[0] else column for column in columns.values())
        columns = {column.name: column for column in taken}
    return columns


def _label_column(columns: dict[str, _Column]) -> _Column:
    if LABEL not in columns:
        fix = _known(LABEL, columns.values())
        raise InputError(f"there is no column {LABEL!r}", fix=f"the header must name one ({fix})")
    return columns[LABEL]


def _known(name: str, columns: Iterable[_Column]) -> str:
    """Which column may have been meant."""
    names = [column.name for column in columns]
    by_folded = {known.lower(): known for known in reversed(names)}
    near = difflib.get_close_matches(name.lower(), by_folded, n=1)
    return f"did you mean {by_folded[near[0]]!r}?" if near else f"the columns are {listing(names)}"
