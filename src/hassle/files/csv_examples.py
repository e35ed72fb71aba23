"""Examples as CSV: a header, then one example per row.

One column per variable (0 or 1, false or true), a ``label`` column (:data:`hassle.data.LABEL_WORDS`), an optional
``context`` column. With a schema, cells are values of its columns, which may stand in any order: ``night``, ``3``, and
for yes-or-no 1 and 0, true and false, yes and no, or x and nothing, one style per column.

Commas, semicolons or tabs separate; the header tells which. Blank lines, unnamed empty columns and comments, which
spreadsheets like to add, are skipped (:mod:`hassle.files.csv_layout`). Every other column is an error unless it is
ignored by name: a column that was meant to teach something must not vanish silently.

Cells are handled a column at a time, and each distinct cell is understood once, so large files read in seconds.
"""

from __future__ import annotations

import csv
import difflib
import io
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hassle.data import LABELS, Dataset, Label, as_label
from hassle.errors import DataWarning, InputError
from hassle.files.csv_layout import BITS, check_delimiter, has_column, is_remark, table_in, without_comments
from hassle.files.decode import clipped
from hassle.files.recognition import STYLES
from hassle.logic import EMPTY, Choice, Column, Context, Schema, YesNo, as_schema, check_names
from hassle.logic.names import listing

LABEL, CONTEXT = "label", "context"


def read_csv(
    text: str,
    source: str | None = None,
    ignore: Iterable[str] = (),
    labels: bool = True,
    schema: Schema | None = None,
) -> Dataset:
    """The examples in a CSV text; ``ignore`` names the columns to leave out, ``schema`` says what the others mean.

    Without ``labels``, the column of that name is neither needed nor looked at, and all examples count as negative.
    """
    text, delimiters = table_in(text, (LABEL,))
    delimiter = delimiter_of(text, delimiters, (LABEL,))
    rows = list(csv_rows(text, delimiter))
    if not rows:
        raise InputError("there is nothing but empty cells", fix="start with a header")
    (header_line, header), *rows = rows
    ignored = {ignore} if isinstance(ignore, str) else set(ignore)
    known = () if schema is None else schema.columns
    hashed = {column.name for column in known if isinstance(column, Choice) and any(map(is_remark, column.values))}
    rows = without_comments(header, rows, ignored | hashed)
    try:
        check_delimiter(header, rows, delimiter, (LABEL,))
        columns = _whatever_case(_without(_columns(header, rows), ignored), source, {column.name for column in known})
        label, context = _label_column(columns) if labels else None, columns.get(CONTEXT)
        decisions = {name: column for name, column in columns.items() if name not in (LABEL, CONTEXT)}
        told = schema is not None
        schema = schema if schema is not None else as_schema(check_names(decisions))
        cells_of = _in_order_of(schema, decisions)
    except InputError as error:
        raise error.at(line=header_line) from None
    if not rows:
        raise InputError("there are no examples after the header", fix="add one row per example")
    bits = np.empty((len(rows), len(schema.variables)), dtype=np.uint8)
    for start, end, column, cells in zip(schema.starts, schema.starts[1:], schema.columns, cells_of, strict=False):
        bits[:, start:end] = cells.understood(_value(column, cells) if told else _bit(column.name))
    codes = np.full(len(rows), Label.NEGATIVE.code, dtype=np.int8)
    if label:
        codes[:] = label.understood(lambda cell: as_label(cell).code)
    index: dict[Context, int] = {} if context else {EMPTY: 0}
    context_of = np.zeros(len(rows), dtype=np.int32)
    if context:
        context_of[:] = context.understood(lambda cell: index.setdefault(Context.parse(cell, schema), len(index)))
    lines = np.array([line for line, _ in rows], dtype=np.int64)
    return Dataset(schema, tuple(index), context_of, bits, codes, source, lines)


def csv_text(data: Dataset, delimiter: str = ",") -> str:
    """The examples as CSV; the ``context`` column is left out where no example has a context."""
    for reserved in (LABEL, CONTEXT):
        if reserved in data.schema.column_names:
            raise InputError(
                f"a column named {reserved!r} cannot stand in CSV, which has that name for another purpose",
                fix="rename it, or write JSONL",
            )
    schema = data.schema
    header = [*schema.column_names, LABEL]
    columns: list[Sequence[object]] = data.assignments.T.tolist() if schema.plain else _decoded(data)
    columns.append([LABELS[code].value for code in data.labels])
    if any(context != EMPTY for context in data.contexts):
        texts = [context.text(schema) for context in data.contexts]
        header.insert(0, CONTEXT)
        columns.insert(0, [texts[c] for c in data.context_of])
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(*columns, strict=True))
    return out.getvalue()


def _decoded(data: Dataset) -> list[Sequence[object]]:
    """The values of each column."""
    starts = data.schema.starts
    return [
        [column.decode(bits) for bits in data.assignments[:, start:end].tolist()]
        for column, start, end in zip(data.schema.columns, starts, starts[1:], strict=False)
    ]


@dataclass(frozen=True)
class _Column:
    """A column's name, its cells and the lines they stand on."""

    name: str
    cells: tuple[str, ...]
    lines: tuple[int, ...]

    def understood(self, meaning: Callable[[str], int | tuple[int, ...]]) -> NDArray[np.int64]:
        """What each cell means; each distinct cell is asked once, in the order of the rows."""
        place: dict[str, int] = {}
        meanings = []
        for cell in dict.fromkeys(self.cells):
            place[cell] = len(place)
            try:
                meanings.append(meaning(cell))
            except InputError as error:
                line = self.lines[self.cells.index(cell)]
                # A context's message speaks of columns itself: the characters of its text.
                named = self.name == CONTEXT or error.what.startswith(f"column {self.name!r} ")
                raise InputError(
                    error.what if named else f"column {self.name!r}: {error.what}", fix=error.fix, line=line
                ) from None
        return np.array(meanings, dtype=np.int64)[np.fromiter(map(place.__getitem__, self.cells), np.int64)]


def _in_order_of(schema: Schema, columns: dict[str, _Column]) -> list[_Column]:
    """The file's columns in the order of the schema's, which are the same."""
    if not schema.columns:
        raise InputError("there is no column for a variable", fix="add one column per variable")
    for name in schema.column_names:
        if name not in columns:
            raise InputError(f"there is no column {name!r}, which the schema has", fix=_known(name, columns.values()))
    for name in columns:
        if name not in schema.column_names:
            raise InputError(
                f"column {name!r} is not in the schema", fix=f"describe it there, or ignore it (--ignore {name!r})"
            )
    return [columns[name] for name in schema.column_names]


def _bit(name: str) -> Callable[[str], tuple[int, ...]]:
    """What cells of 0 and 1 mean, where no schema tells."""

    def bit(cell: str) -> tuple[int, ...]:
        value = BITS.get(cell.strip().lower())
        if value is None:
            what = f"{clipped(cell)} is neither 0 nor 1" if cell.strip() else "the cell is empty"
            raise InputError(what, fix=f"write 0 or 1, or ignore the column (--ignore {name!r})")
        return (value,)

    return bit


def _value(column: Column, cells: _Column) -> Callable[[str], tuple[int, ...]]:
    """What cells mean as values of a schema's column; yes-or-no is written in one style throughout."""
    if not isinstance(column, YesNo):
        return column.encode
    words = dict.fromkeys(cell.strip().lower() for cell in cells.cells)
    # Where no style fits, the first cell that is not empty shows the one that was meant.
    shown = next(filter(None, words), "")
    fitting = [style for style in STYLES if words.keys() <= set(style)] + [style for style in STYLES if shown in style]
    yes, no = (*fitting, STYLES[0])[0]

    def bit(cell: str) -> tuple[int, ...]:
        word = cell.strip().lower()
        if word not in (yes, no):
            what = f"{clipped(cell)} is neither {yes} nor {no or 'empty'}" if word else "the cell is empty"
            raise InputError(what, fix="write yes-or-no in one way: 1 and 0, true and false, yes and no, x and nothing")
        return (int(word == yes),)

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
        headers[delimiter] = [cell for cell in row[1] if not cell.startswith("\t")]  # which may be what separates
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


def _whatever_case(columns: dict[str, _Column], source: str | None, known: Set[str]) -> dict[str, _Column]:
    """The columns with ``Label`` and ``Context`` taken for what they are, unless a schema says that they are known.

    A column of 0 and 1 is never a context.
    """
    for wanted in (LABEL, CONTEXT):
        found = [name for name in columns if name.lower() == wanted and name not in known]
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
