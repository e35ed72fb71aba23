"""Data frames in and out: pandas, Polars, or whatever narwhals knows, none of which need be installed."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import narwhals.stable.v1 as nw
from narwhals.exceptions import DuplicateError

from hassle.data import Dataset
from hassle.errors import InputError
from hassle.exits.frame import frame_of
from hassle.files.cells import cell_text
from hassle.files.sheet import JOINT, Sheet, SheetColumn
from hassle.files.sheet_examples import Reading, Table, columns_of, examples_in

# What pandas calls an empty cell of two header rows.
_EMPTY_HEADER = re.compile(r"Unnamed: \d+_level_\d+$")


def is_frame(value: object) -> bool:
    return bool(nw.dependencies.is_into_dataframe(value))


def holds_bits(frame: Any) -> bool:
    """Whether all that a frame holds is 0 and 1, as numbers or truth values."""
    table = nw.from_native(frame, eager_only=True)
    return all(
        (each.dtype.is_numeric() or each.dtype == nw.Boolean) and set(each.unique().to_list()) <= {0, 1}
        for each in map(table.get_column, table.columns)
    )


def read_frame_table(frame: Any, how: Reading) -> Table:
    """The examples that a frame holds, one per row; errors count the rows from 1."""
    try:
        return examples_in(frame_sheet(frame, how), how)
    except InputError as error:
        place = f"row {error.line}: " if error.line else ""
        raise InputError(f"{place}{error.what}", fix=error.fix) from None


def frame_sheet(frame: Any, how: Reading) -> Sheet:
    if not is_frame(frame):
        raise InputError(f"{type(frame).__name__} is no data frame", fix="pass one of pandas or Polars")
    try:
        table = nw.from_native(frame, eager_only=True)
    except DuplicateError:
        twice = next(name for name, count in Counter(frame.columns).items() if count > 1)
        raise InputError(f"there are two columns {_name(twice)!r}", fix="rename or remove one") from None
    lines = range(1, len(table) + 1)
    found = map(table.get_column, table.columns)
    columns = [SheetColumn(_name(each.name), _texts(each), lines) for each in found]
    return Sheet.of_columns(columns, lines, how.ignored)


def _name(name: object) -> str:
    """A column's name; what pandas read from two header rows is joined, as it is in a file."""
    parts = map(str, name) if isinstance(name, tuple) else [str(name)]
    return JOINT.join(part.strip() for part in parts if part.strip() and not _EMPTY_HEADER.match(part))


def _texts(series: nw.Series[Any]) -> tuple[str, ...]:
    return tuple(map(cell_text, series.to_list()))


def to_frame(data: Dataset, backend: str | None = None) -> Any:
    """The examples as a frame: the columns of a CSV file, with their values; what is not known is missing."""
    columns: dict[str, list[Any]] = dict(columns_of(data))
    for name in data.schema.column_names if data.partial else ():
        columns[name] = [None if value == "" else value for value in columns[name]]
    return frame_of(columns, backend)
