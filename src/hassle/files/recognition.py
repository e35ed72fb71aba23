"""What the columns of a table mean, told by their cells.

A column is yes-or-no where all its cells are written in one of the styles below, a number where they are whole numbers
in a small range, and a choice where they have a few distinct values. What can be none of these (an id, a date, free
text: nearly all values different) is no decision, and saying so beats guessing: the user ignores it by name. A column
whose cells never vary is kept, because a new context may vary it, but it teaches nothing.

Each kind comes with the reason why it was recognised, for the user to agree or to object (with a schema).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hassle.errors import InputError
from hassle.files.decode import clipped
from hassle.logic import Choice, Column, Number, YesNo
from hassle.logic.names import listing

# A style is a word for yes and a word for no, in several languages; a column keeps to one of them.
STYLES = (
    ("1", "0"), ("true", "false"), ("yes", "no"), ("y", "n"), ("x", ""), ("✓", ""),
    ("ja", "nein"), ("j", "n"), ("wahr", "falsch"), ("oui", "non"), ("vrai", "faux"), ("ja", "nee"),
    ("waar", "onwaar"), ("sí", "no"), ("si", "no"), ("verdadero", "falso"), ("on", "off"),
)  # fmt: skip
YES_WORDS = frozenset(yes for yes, _ in STYLES)
NO_WORDS = frozenset(no for _, no in STYLES if no)

# A choice has at most so many values; and where there are that many rows or more, no more than this share of them may
# be different, or the column identifies rows rather than deciding anything.
MOST_VALUES = 40
ENOUGH_ROWS, MOST_DIFFERENT = 10, 0.6
# A number spans at most so many steps: each is a variable.
WIDEST = 60

_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_WHOLE = re.compile(r"[+-]?\d{1,18}")


@dataclass(frozen=True)
class Recognised:
    """What a column was taken for, and why; ``style`` is how it writes yes and no."""

    column: Column
    why: str
    style: tuple[str, str] | None = None
    constant: bool = False

    def value(self, cell: str) -> str:
        """The cell as its column's :meth:`encode` understands it."""
        word = cell.strip()
        if self.style is None:
            return word
        return "1" if word.lower() == self.style[0] else "0"


def recognise(name: str, cells: Sequence[str], lines: Sequence[int]) -> Recognised:
    """What the column means; InputError where it cannot be a decision, or where its cells do not go together."""
    counts = Counter(cell.strip() for cell in cells)
    folded = {word.lower() for word in counts}
    style = next(((yes, no) for yes, no in STYLES if folded <= {yes, no} and folded != {""}), None)
    if style is not None:
        why = f"every cell is {style[0]!r} or {style[1]!r}" if style[1] else f"every cell is {style[0]!r} or empty"
        return Recognised(YesNo(name), why, style, constant=len(folded) == 1)
    if missing := counts.pop("", 0):
        raise _missing(name, cells, lines, missing)
    _refuse_mixed_styles(name, cells, lines, {word.lower() for word in counts})
    if all(_WHOLE.fullmatch(word) for word in counts):
        return _recognise_number(name, counts)
    return _recognise_choice(name, counts)


def _recognise_number(name: str, counts: Counter[str]) -> Recognised:
    values = sorted(map(int, counts))
    low, high = values[0], values[-1]
    if low == high:
        return Recognised(Number(name, low, high), f"every cell is {low}", constant=True)
    if high - low > WIDEST:
        rows = sum(counts.values())
        if len(counts) <= MOST_VALUES and rows >= ENOUGH_ROWS and len(counts) <= MOST_DIFFERENT * rows / 2:
            return Recognised(Choice(name, tuple(map(str, values))), f"{len(values)} distinct numbers, far apart")
        raise _undecidable(name, f"numbers from {low} to {high}: a measurement or an id, not a decision")
    if _identifies(counts):
        raise _undecidable(name, f"{len(counts)} different numbers in {sum(counts.values())} rows: an id?")
    return Recognised(Number(name, low, high), f"whole numbers from {low} to {high}")


def _recognise_choice(name: str, counts: Counter[str]) -> Recognised:
    rows = sum(counts.values())
    if all(_DATE.fullmatch(word) for word in counts) and len(counts) > 1 and _identifies(counts):
        raise _undecidable(name, "it holds dates")
    if len(counts) > MOST_VALUES or _identifies(counts):
        raise _undecidable(name, f"{len(counts)} different values in {rows} rows (such as {listing(counts, 2)})")
    shown = f"{len(counts)} distinct values" if len(counts) > 1 else f"every cell is {next(iter(counts))!r}"
    return Recognised(Choice(name, tuple(counts)), shown, constant=len(counts) == 1)


def _identifies(counts: Counter[str]) -> bool:
    """Whether nearly all values are different."""
    rows = sum(counts.values())
    return rows >= ENOUGH_ROWS and len(counts) > MOST_DIFFERENT * rows


def _undecidable(name: str, what: str) -> InputError:
    return InputError(f"column {name!r} cannot be a decision: {what}", fix=f"leave it out with --ignore {name!r}")


def _missing(name: str, cells: Sequence[str], lines: Sequence[int], count: int) -> InputError:
    empty = [line for cell, line in zip(cells, lines, strict=True) if not cell.strip()]
    return InputError(
        f"column {name!r}: {count} of {len(cells)} cells are empty (lines {listing(map(str, empty), 4)})",
        fix="fill them in, or take them as unknown with --missing unknown",
        line=empty[0],
    )


def _refuse_mixed_styles(name: str, cells: Sequence[str], lines: Sequence[int], folded: set[str]) -> None:
    """Two ways of writing yes and no in one column are a slip, and not two values of a choice."""
    if len(folded) > 2 and folded <= YES_WORDS | NO_WORDS and not all(_WHOLE.fullmatch(word) for word in folded):
        first = cells[0].strip()
        usual = next((style for style in STYLES if first.lower() in style), None)
        other = next(k for k, cell in enumerate(cells) if usual is None or cell.strip().lower() not in usual)
        raise InputError(
            f"column {name!r} writes yes and no in two ways: {clipped(first)} and {clipped(cells[other].strip())}",
            fix="use one of them all over",
            line=lines[other],
        )
