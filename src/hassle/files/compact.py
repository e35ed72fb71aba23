"""The cells of a column in little memory: each distinct one once, and for each row a small number that says which.

A file of a million rows has few distinct cells in a column. As text each would take fifty bytes or more; like this it
takes one (two or four where there are more than 256 or 65,536 distinct ones), and what a cell means is asked once for
each distinct one.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.unsignedinteger[Any]]

# Cells that are text at a time.
PIECE = 8192


class Cells(Sequence[str]):
    """A sequence of texts: cell k is ``words[codes[k]]``. The words are distinct, in the order in which they appear."""

    __slots__ = ("codes", "words")

    def __init__(self, words: Sequence[str], codes: Codes) -> None:
        self.words, self.codes = tuple(words), codes

    @classmethod
    def of(cls, cells: Iterable[str]) -> Cells:
        if isinstance(cells, Cells):
            return cells
        growing = GrowingCells()
        growing.add(tuple(cells))
        return growing.cells()

    def at(self, places: Sequence[int] | NDArray[np.int64]) -> Cells:
        """The cells at these places."""
        codes = self.codes[np.asarray(places, dtype=np.int64)]
        seen, first = np.unique(codes, return_index=True)
        order = seen[np.argsort(first)]
        place = np.zeros(len(self.words), dtype=np.uint32)
        place[order] = np.arange(len(order))
        return Cells([self.words[code] for code in order.tolist()], place[codes].astype(_codes_of(len(order))))

    def counted(self) -> Counter[str]:
        """How often each distinct cell is there, in the order in which they appear."""
        counts = np.bincount(self.codes, minlength=len(self.words))
        return Counter(dict(zip(self.words, counts.tolist(), strict=True)))

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self.codes), PIECE):
            yield from map(self.words.__getitem__, self.codes[first : first + PIECE].tolist())

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...

    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        if isinstance(place, slice):
            return tuple(map(self.words.__getitem__, self.codes[place].tolist()))
        return self.words[self.codes[place]]

    def __contains__(self, cell: object) -> bool:
        return cell in self.words

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(str.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]

    def index(self, cell: str, start: int = 0, stop: int | None = None) -> int:
        found = np.flatnonzero(self.codes[start:stop] == self.words.index(cell))
        if not len(found):
            raise ValueError(f"{cell!r} is not there")
        return start + int(found[0])

    def __repr__(self) -> str:
        return f"Cells({len(self)} cells, {len(self.words)} distinct)"


class GrowingCells:
    """Cells that are still being read."""

    def __init__(self) -> None:
        self._places = _Places()
        self._pieces: list[Codes] = []

    def add(self, cells: Sequence[str]) -> None:
        codes = np.fromiter(map(self._places.__getitem__, cells), np.uint32, len(cells))
        self._pieces.append(codes.astype(_codes_of(len(self._places))))

    @property
    def size(self) -> int:
        """The characters of all distinct cells so far."""
        return self._places.size

    def cells(self) -> Cells:
        codes = np.concatenate([np.zeros(0, dtype=np.uint8), *self._pieces]).astype(_codes_of(len(self._places)))
        return Cells(tuple(self._places), codes)


class _Places(dict[str, int]):
    """For each word its place; one that was not there yet comes last."""

    size = 0

    def __missing__(self, word: str) -> int:
        self.size += len(word)
        place = self[word] = len(self)
        return place


def _codes_of(words: int) -> type[np.unsignedinteger[Any]]:
    """The smallest numbers that tell so many words apart."""
    return np.uint8 if words <= 2**8 else np.uint16 if words <= 2**16 else np.uint32


def whole_numbers(values: Iterable[int] = ()) -> array[int]:
    """Line numbers in eight bytes each."""
    return array("q", values)
