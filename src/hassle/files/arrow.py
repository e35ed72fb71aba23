"""Examples in Parquet and Arrow files: the columns of a CSV file, one example per row.

Read by pyarrow (the extra ``arrow``). A cell is what it would be in CSV: ``3`` and not ``3.0``, nothing for a null.
"""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

from hassle.errors import InputError
from hassle.files.sheet import Sheet
from hassle.files.sheet_examples import Reading

if TYPE_CHECKING:
    import pyarrow

PARQUET, ARROW = ".parquet", (".arrow", ".feather")


def arrow_sheet(data: bytes, extension: str, source: str | None, how: Reading) -> Sheet:
    """The cells of a file; rows are counted from 1."""
    from hassle.files.frames import frame_sheet

    return replace(frame_sheet(_table(data, extension), how), source=source)


def _table(data: bytes, extension: str) -> pyarrow.Table:
    try:
        import pyarrow
        from pyarrow import feather, parquet
    except ImportError:
        fix = "install it with pip install 'hassle-learn[arrow]', or save the table as CSV"
        raise InputError("reading Parquet and Arrow files takes pyarrow", fix=fix) from None
    try:
        if extension == PARQUET:
            return parquet.read_table(io.BytesIO(data))
        return feather.read_table(pyarrow.BufferReader(data))
    except (pyarrow.ArrowException, OSError) as error:
        what = str(error).split("\n")[0].rstrip(".")
        raise InputError(f"is no {extension} file that can be read ({what})", fix="write it anew, or as CSV") from None
