"""A sheet: named columns of text cells with their line numbers, whatever file or frame they came from.

CSV, Excel, data frames and long tables all become sheets, and one place (:mod:`hassle.files.sheet_examples`) makes
examples of them. Cells are handled a column at a time, and each distinct cell is understood once, so large files
read in seconds.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError
from hassle.files.compact import PIECE, Cells, GrowingCells, whole_numbers
from hassle.logic.names import listing
from hassle.memory import require_memory

LABEL, CONTEXT, WEIGHT = "label", "context", "weight"
JOINT = "_"  # between the parts of a name

Row = tuple[int, list[str]]

# Bytes of memory that a character of a distinct cell takes (contexts become formulas), and any cell.
WORDS, CELLS = 15, 3


@dataclass(frozen=True)
class SheetColumn:
    """A column's name, its cells (kept as ``Cells``, whatever they come as) and the lines they stand on."""

    name: str
    cells: Sequence[str]
    lines: Sequence[int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", Cells.of(self.cells))

    @property
    def distinct(self) -> tuple[str, ...]:
        """Each cell once, in the order of the rows."""
        assert isinstance(self.cells, Cells)
        return self.cells.words

    @property
    def empty(self) -> bool:
        return not "".join(self.distinct).strip()

    @property
    def filled(self) -> SheetColumn:
        """The column without its empty cells."""
        return self.at(self.places(is_filled))

    def places(self, wanted: Callable[[str], bool]) -> NDArray[np.int64]:
        """The places of the cells that are wanted."""
        assert isinstance(self.cells, Cells)
        return np.flatnonzero(np.array([*map(wanted, self.distinct)], dtype=np.bool_)[self.cells.codes])

    def at(self, places: NDArray[np.int64]) -> SheetColumn:
        """The column's cells at these places."""
        assert isinstance(self.cells, Cells)
        return replace(self, cells=self.cells.at(places), lines=lines_at(self.lines, places))

    def understood(
        self, meaning: Callable[[str], float | tuple[int, ...]], dtype: type[np.generic] = np.int64
    ) -> NDArray[Any]:
        """What each cell means; each distinct cell is asked once, in the order of the rows."""
        assert isinstance(self.cells, Cells)
        meanings = []
        for cell in self.distinct:
            try:
                meanings.append(meaning(cell))
            except InputError as error:
                line = self.lines[self.cells.index(cell)]
                # A context's message speaks of columns itself: the characters of its text.
                named = self.name == CONTEXT or error.what.startswith(f"column {self.name!r} ")
                raise InputError(
                    error.what if named else f"column {self.name!r}: {error.what}", fix=error.fix, line=line
                ) from None
        return np.array(meanings, dtype=dtype)[self.cells.codes]


@dataclass(frozen=True)
class Sheet:
    """Columns by name, all of them with a cell on each of ``lines``."""

    columns: dict[str, SheetColumn]
    lines: Sequence[int]
    source: str | None = None
    header_line: int | None = None

    @classmethod
    def of(
        cls, header: Sequence[str], rows: Iterable[Row], ignored: Collection[str], source: str | None, header_line: int
    ) -> Sheet:
        """A sheet from rows of cells, without the ignored columns and those without name and cells."""
        lines, growing = whole_numbers(), [GrowingCells() for _ in header]
        remaining = iter(rows)
        while piece := list(islice(remaining, PIECE)):
            for line, cells in piece:
                if len(cells) != len(header):
                    raise InputError(
                        f"the row has {len(cells)} cells where the header has {len(header)}",
                        fix="fill or remove cells, or quote those that hold the delimiter",
                        line=line,
                    )
            lines.extend(line for line, _ in piece)
            for column, own in zip(growing, zip(*(cells for _, cells in piece), strict=True), strict=True):
                column.add(own)
            needed = WORDS * sum(column.size for column in growing) + CELLS * len(lines) * len(header)
            require_memory(needed, "the table", "divide it")
        columns = [SheetColumn(name.strip(), each.cells(), lines) for name, each in zip(header, growing, strict=True)]
        return cls.of_columns(columns, lines, ignored, source, header_line)

    @classmethod
    def of_columns(
        cls,
        columns: Sequence[SheetColumn],
        lines: Sequence[int],
        ignored: Collection[str],
        source: str | None = None,
        header_line: int | None = None,
    ) -> Sheet:
        return cls(_without(columns, ignored), lines, source, header_line)

    def without_rows(self, left_out: Collection[int]) -> Sheet:
        """The sheet without the rows at these places."""
        kept = np.array([k for k in range(len(self.lines)) if k not in left_out], dtype=np.int64)
        columns = {name: column.at(kept) for name, column in self.columns.items()}
        return replace(self, columns=columns, lines=lines_at(self.lines, kept))


def is_filled(cell: str) -> bool:
    return bool(cell.strip())


def is_empty(cell: str) -> bool:
    return not cell.strip()


def lines_at(lines: Sequence[int], places: NDArray[np.int64]) -> Sequence[int]:
    return whole_numbers(map(lines.__getitem__, places.tolist()))


def _without(columns: Sequence[SheetColumn], ignored: Collection[str]) -> dict[str, SheetColumn]:
    """The columns by name, but for the ignored ones and the ones that are empty altogether."""
    check_ignored(ignored, [column.name for column in columns])
    kept: dict[str, SheetColumn] = {}
    for place, column in enumerate(columns, 1):
        if column.name in ignored or (not column.name and column.empty):
            continue
        if not column.name:
            raise InputError(f"column {place} has no name", fix="name it, or remove it")
        if column.name in kept:
            raise InputError(f"there are two columns {column.name!r}", fix="rename or remove one")
        kept[column.name] = column
    return kept


def check_ignored(ignored: Collection[str], names: Collection[str]) -> None:
    for name in sorted(set(ignored).difference(names)):
        raise InputError(f"there is no column {name!r} to ignore", fix=meant(name, names))


def said(source: str | None) -> str:
    """Where something is, at the beginning of a warning."""
    return "" if source is None else f"{source}: "


def meant(name: str, names: Iterable[str], what: str = "columns") -> str:
    """Which column may have been meant."""
    known = list(names)
    by_folded = {each.lower(): each for each in reversed(known)}
    near = difflib.get_close_matches(name.lower(), by_folded, n=1)
    return f"did you mean {by_folded[near[0]]!r}?" if near else f"the {what} are {listing(known)}"


def no_label(names: Iterable[str]) -> InputError:
    """What to say where no column is named as the one of labels."""
    fix = f"name it with --label ({meant(LABEL, names)}), or say --all-good if every row was a good decision"
    return InputError(f"there is no column {LABEL!r}", fix=fix)
