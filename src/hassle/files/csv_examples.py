"""Examples as CSV: a header, then one example per row.

One column per decision, a ``label`` column (:data:`hassle.data.LABEL_WORDS`), an optional ``context`` column. Commas,
semicolons or tabs separate; the header tells which. Blank lines, unnamed empty columns and comments, which spreadsheets
like to add, are skipped (:mod:`hassle.files.csv_layout`). What remains is a sheet (:mod:`hassle.files.sheet_examples`).
"""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from hassle.data import Dataset
from hassle.errors import DataWarning, InputError
from hassle.files.csv_layout import Row, check_delimiter, has_column, is_remark, table_in, without_comments
from hassle.files.decode import lines_of
from hassle.files.header_rows import HEADER_ROWS, header_of
from hassle.files.recognition import BITS
from hassle.files.sheet import Sheet, no_label, said
from hassle.files.sheet_examples import Reading, columns_of, examples_in
from hassle.logic import Choice


def read_csv(text: str, source: str | None = None, **options: Any) -> Dataset:
    """The examples in a CSV text; the options are those of :class:`Reading`."""
    how = Reading(**options)
    return examples_in(csv_sheet(text, source, how, (how.label.lower(),)), how).data


def csv_sheet(text: str, source: str | None, how: Reading, wanted: Sequence[str], rest: Iterable[str] = ()) -> Sheet:
    """The cells of a CSV text, which has one of the wanted columns; ``rest`` is what follows of a long one."""
    text, delimiters = table_in(text, wanted)
    delimiter = delimiter_of(text, delimiters, wanted)
    rows = csv_rows(text, delimiter, rest)
    first = list(islice(rows, HEADER_ROWS))
    if not first:
        raise InputError("there is nothing but empty cells", fix="start with a header")
    header_line, header, below = header_of(first, wanted)
    hashed = {column.name for column in how.known if isinstance(column, Choice) and any(map(is_remark, column.values))}
    comments: list[Row] = []
    kept = without_comments(header, chain(below, rows), how.ignored | hashed, comments)
    try:
        beginning = list(islice(kept, 1))
        check_delimiter(header, beginning, delimiter, wanted)
        sheet = Sheet.of(header, chain(beginning, kept), how.ignored, source, header_line)
    except InputError as error:
        names = [cell.strip() for cell in header if cell.strip()]
        unlabelled = wanted == (how.label.lower(),) and how.labels and not how.all_good
        if unlabelled and 1 < len(names) < len(header) and not has_column(header, wanted):
            raise no_label(names).at(line=header_line) from None  # which is why the header was not understood
        raise error.at(line=header_line) from None
    if header[0].strip() not in how.ignored:
        _warn_of_comments(header, comments, sheet)
    return sheet


def _warn_of_comments(header: Sequence[str], comments: Sequence[Row], sheet: Sheet) -> None:
    """Say it if comments look like rows whose first cells begin with ``#``; where cells are 0 and 1, they do not."""
    first = sheet.columns.get(header[0].strip())
    if not comments or (first is not None and all(cell.strip().lower() in BITS for cell in first.distinct)):
        return
    taken = [line for line, cells in comments if len(cells) == len(header) and all(cells)]
    if taken:
        warnings.warn(
            f"{said(sheet.source)}{len(taken)} rows that begin with '#' are taken for comments, on line {taken[0]} "
            "first",
            DataWarning,
            stacklevel=5,
        )


def csv_text(data: Dataset, delimiter: str = ",") -> str:
    """The examples as CSV; the ``context`` column is left out where no example has a context."""
    columns = columns_of(data)
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()


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
        headers[delimiter] = [cell for cell in row[1] if not cell.startswith("\t")]  # which may be what separates
    for delimiter, header in headers.items():
        if has_column(header, wanted):
            return delimiter
    return max(headers, key=lambda delimiter: len(headers[delimiter]), default=delimiters[0])


def csv_rows(text: str, delimiter: str, rest: Iterable[str] = ()) -> Iterator[Row]:
    """Each row that is not blank, with the line it starts on; quoted cells may span lines."""
    # A context over thousands of variables is longer than the cells that Python expects.
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(lines_of(text, rest), delimiter=delimiter, strict=True, skipinitialspace=True)
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
