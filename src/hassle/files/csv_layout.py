"""How a spreadsheet laid out a CSV table: what stands before the header, what separates cells, which rows are comments.

Excel begins a file with ``sep=;`` to say what separates its cells. Lines that begin with ``#`` are comments wherever
that is possible: a header may name its first column ``#x`` (if no later line can be the header: it has the wanted
column, or stands right before a line of 0 and 1), and an ignored first column may hold ``#12``.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence

from hassle.errors import InputError
from hassle.files.recognition import BITS
from hassle.files.sheet import Row

DELIMITERS = (",", ";", "\t")

_SEP = re.compile(r'\s*"?sep=([^\w\s"]|\t)"?[^\S\n]*(\n|$)', re.IGNORECASE)
_LINE = re.compile(r"[^\n]*(\n|$)")


def table_in(text: str, wanted: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """The text with blank lines for all that stands before the header, and the delimiters it may have."""
    sep = _SEP.match(text)
    delimiters = (sep[1],) if sep else DELIMITERS
    start = _header_start(text, sep.end() if sep else 0, delimiters, wanted)
    return ("\n" * text.count("\n", 0, start) + text[start:]) if start else text, delimiters


def _header_start(text: str, start: int, delimiters: Sequence[str], wanted: Collection[str]) -> int:
    """Where the first line that is no comment begins, or the comment that turns out to be its header."""
    remarks: deque[tuple[int, str]] = deque()  # the last one first
    first = None
    position = start
    while position < len(text) and first is None:
        found = _LINE.match(text, position)
        assert found is not None
        line = found[0].strip()
        if line and is_remark(line):
            remarks.appendleft((position, line))
        elif line:
            first = position, line
        position = found.end()
    if first is not None and (not remarks or _names(first[1], delimiters, wanted)):
        return first[0]
    for place, line in remarks:
        if _names(line, delimiters, wanted):
            return place
    if first is None:
        return start
    return remarks[0][0] if any(_heads(remarks[0][1], first[1], delimiter) for delimiter in delimiters) else first[0]


def _names(line: str, delimiters: Sequence[str], wanted: Collection[str]) -> bool:
    return any(has_column(_cells(line, delimiter), wanted) for delimiter in delimiters)


def is_remark(line: str) -> bool:
    return line.startswith(("#", '"#'))


def has_column(header: Sequence[str], wanted: Collection[str]) -> bool:
    """Whether the header has one of the wanted columns, in whatever case."""
    return any(cell.strip().lower() in wanted for cell in header)


def _heads(header: str, line: str, delimiter: str) -> bool:
    """Whether one line can be the header of the other, which begins with a 0 or 1."""
    cells = _cells(line, delimiter)
    return cells[0].strip().lower() in BITS and len(cells) == len(_cells(header, delimiter))


def _cells(line: str, delimiter: str) -> list[str]:
    csv.field_size_limit(max(csv.field_size_limit(), len(line)))
    return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True))


def without_comments(
    header: Sequence[str], rows: Iterable[Row], ignored: Collection[str], comments: list[Row] | None = None
) -> Iterator[Row]:
    """The rows that are no comments, which are added to ``comments``.

    Of the columns that mean something, none has cells that begin with ``#``.
    """
    free = header[0].strip() in ignored
    seen = kept = False
    for line, cells in rows:
        seen = True
        if not cells[0].startswith("#") or (free and len(cells) == len(header) and "".join(cells[1:]).strip()):
            kept = True
            yield line, cells
        elif any("\n" in cell for cell in cells[1:]):
            what = "the comment opens a quotation that ends on a later line"
            raise InputError(what, fix="remove the quotation mark", line=line)
        elif comments is not None:
            comments.append((line, cells))
    if seen and not kept:
        what = "every row begins with '#', so that all are taken for comments"
        raise InputError(what, fix=f"if that is no variable, ignore the column (--ignore {header[0].strip()!r})")


def check_delimiter(header: Sequence[str], rows: Sequence[Row], delimiter: str, wanted: Collection[str]) -> None:
    """Refuse a table of a single column that looks like several, separated by something unusual."""
    if len(header) > 1:
        return
    first = delimiter.join(rows[0][1]) if rows else ""
    odd = [c for c in dict.fromkeys(header[0]) if not c.isalnum() and c not in "_'\""]
    named = [c for c in odd if has_column(header[0].split(c), wanted)]
    matching = [c for c in odd if header[0].count(c) == first.count(c)]
    for found in (*named, *matching):
        fix = "separate them by commas, semicolons or tabs"
        if not found.isspace():
            fix += f", or write 'sep={found}' into a line before the header"
        raise InputError(f"the cells seem to be separated by {found!r}", fix=fix)
