"""What the columns of a table mean, told by their cells.

A column is yes-or-no where all its cells are written in one of the styles below, a number where they are whole numbers
in a small range, and a choice where they have a few distinct values. What can be none of these (an id, a date, free
text: nearly all values different) is no decision, and saying so beats guessing: the user ignores it by name. A column
whose cells never vary is kept, because a new context may vary it, but it teaches nothing. A cell that is unlike all
others of its column (a word among numbers, ``maybe`` among 0 and 1) is a slip, told with its line.

Each kind comes with the reason why it was recognised, for the user to agree or to object (with a schema).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from hassle.errors import InputError
from hassle.files.compact import Cells
from hassle.files.decode import clipped
from hassle.logic import Choice, Column, Number, YesNo
from hassle.logic.columns import without_decimals
from hassle.logic.names import listing

# A style is a word for yes and a word for no, in several languages; a column keeps to one of them.
STYLES = (
    ("1", "0"), ("true", "false"), ("yes", "no"), ("y", "n"), ("x", ""), ("✓", ""),
    ("ja", "nein"), ("j", "n"), ("wahr", "falsch"), ("oui", "non"), ("vrai", "faux"), ("ja", "nee"),
    ("waar", "onwaar"), ("sí", "no"), ("si", "no"), ("verdadero", "falso"), ("on", "off"),
)  # fmt: skip
# These may be mixed, as programs that write 0 and 1 here write False there.
BITS = {"0": 0, "1": 1, "false": 0, "true": 1}
YES_WORDS = frozenset(yes for yes, _ in STYLES)
NO_WORDS = frozenset(no for _, no in STYLES if no)

# A choice has at most so many values; and where there are that many rows or more, no more than this share of them may
# be different, or the column identifies rows rather than deciding anything.
MOST_VALUES = 40
# Longer cells, and such with line breaks, are free text.
LONGEST_VALUE = 80
ENOUGH_ROWS, MOST_DIFFERENT = 10, 0.6
# Cells unlike the others are a slip where they are this rare: one among a few, or a hundredth of many.
FEW_OTHERS, RARE = 4, 100
# A number spans at most so many steps: each is a variable.
WIDEST = 60

_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_DECIMAL = re.compile(r"-?[0-9]{1,18}([.,][0-9]{1,18})?")


@dataclass(frozen=True)
class Recognised:
    """What a column was taken for, and why; ``yes`` are the words that mean yes where it is yes-or-no."""

    column: Column
    why: str
    yes: frozenset[str] = frozenset()
    constant: bool = False

    def encode(self, cell: str) -> tuple[int, ...]:
        """The 0/1 values of the column's variables."""
        if isinstance(self.column, YesNo):
            return (int(without_decimals(cell.strip().lower()) in self.yes),)
        return self.column.encode(cell)


class Undecidable(InputError):
    """The column cannot be a decision; what it is must be said, or it must be left out."""


def recognise(name: str, cells: Sequence[str], lines: Sequence[int]) -> Recognised:
    """What the column means; InputError where it cannot be a decision, or where its cells do not go together."""
    counts = Counter[str]()
    for cell, count in (cells.counted() if isinstance(cells, Cells) else Counter(cells)).items():
        counts[cell.strip()] += count
    if any(map(_DECIMAL.fullmatch, counts)) and _mostly_whole(counts):
        cells = [without_decimals(cell.strip()) for cell in cells]
        counts = Counter(cells)
    folded = {word.lower() for word in counts}
    if folded == {""}:
        raise _undecidable(name, "all its cells are empty")
    if style := _style(folded):
        yes, why = style
        return Recognised(YesNo(name), why, yes, constant=len(folded) == 1)
    _refuse_slips(name, cells, lines, counts)
    if missing := counts.pop("", 0):
        raise _missing(name, cells, lines, missing)
    _refuse_mixed_styles(name, cells, lines, folded)
    if all(_WHOLE.fullmatch(word) for word in counts):
        return _recognise_number(name, counts, cells, lines)
    return _recognise_choice(name, counts)


def _mostly_whole(counts: Counter[str]) -> bool:
    """Whether the cells are whole numbers, some with decimals that say nothing (``1,0``), but for a slip."""
    whole = [word for word in counts if _WHOLE.fullmatch(without_decimals(word))]
    other = sum(counts.values()) - sum(counts[word] for word in whole)
    written = any(not _WHOLE.fullmatch(word) for word in whole)
    return written and other <= max(1, sum(counts.values()) // RARE)


def empty_means_no(cells: Iterable[str]) -> bool:
    """Whether empty cells are no gaps, because yes is marked and no is left empty."""
    folded = {cell.strip().lower() for cell in set(cells)}
    return any(folded == {yes, ""} for yes, no in STYLES if not no)


def _style(folded: Set[str]) -> tuple[frozenset[str], str] | None:
    """The words that mean yes, and the reason, where all cells are in one style."""
    if len(folded) == 1 and folded <= {"on", "off"}:
        return None  # of either alone nobody knows whether there are other values
    for yes, no in STYLES:
        if folded <= {yes, no}:
            return frozenset({yes}), f"every cell is {yes} or {no or 'empty'}"
    return (frozenset({"1", "true"}), f"every cell is {' or '.join(BITS)}") if folded <= BITS.keys() else None


def _refuse_slips(name: str, cells: Sequence[str], lines: Sequence[int], counts: Counter[str]) -> None:
    """Refuse a cell unlike all others: a word among 0 and 1 or among whole numbers."""
    styles = [BITS.keys(), *({yes, no} for yes, no in STYLES[1:])]
    whole = {word for word in counts if _WHOLE.fullmatch(word)}
    # Both words of a style must be there: of one alone nobody knows how many others there are.
    usual = [fit for fit in styles if len(fit & {word.lower() for word in counts}) > 1]
    for fit in [*usual, whole]:
        odd = [word for word in counts if word.lower() not in fit]
        number = sum(counts[word] for word in odd)
        if "" in odd or not 0 < number <= max(1, len(cells) // RARE) or len(cells) - number < FEW_OTHERS:
            continue
        if fit == BITS.keys() and odd == ["2"]:
            continue  # a number that is seldom above 1
        place = next(k for k, cell in enumerate(cells) if cell.strip() in odd)
        raise InputError(
            f"column {name!r}: {clipped(cells[place].strip())} is {_unlike(fit)}, as the other cells are",
            fix=f"correct the cell, say in a schema what the column is (--schema), or leave it out (--ignore {name!r})",
            line=lines[place],
        )


def _unlike(fit: Set[str]) -> str:
    """What a cell is that is none of these."""
    if fit == BITS.keys():
        return "neither 0 nor 1"
    style = next((each for each in STYLES if fit == set(each)), None)
    return f"neither {style[0]} nor {style[1] or 'empty'}" if style else "no whole number"


def _recognise_number(name: str, counts: Counter[str], cells: Sequence[str], lines: Sequence[int]) -> Recognised:
    values = sorted(map(int, counts))
    low, high = values[0], values[-1]
    if 0 <= low <= high <= 1:  # in another way: 00, 01
        return Recognised(YesNo(name), "every cell is 0 or 1", frozenset(w for w in counts if int(w)), low == high)
    if low == high:
        return Recognised(Number(name, low, high), f"every cell is {low}", constant=True)
    if high - low > WIDEST:
        _refuse_outlier(name, counts, cells, lines)
        if len(counts) <= MOST_VALUES and len(cells) >= ENOUGH_ROWS and 2 * len(counts) <= MOST_DIFFERENT * len(cells):
            return Recognised(
                Choice(name, tuple(sorted(counts, key=int))), f"{len(counts)} distinct numbers, far apart"
            )
        raise _undecidable(name, f"numbers from {low} to {high}: a measurement or an id, not a decision")
    if len(cells) > 2 and all(int(cell) == k for k, cell in enumerate(cells, int(cells[0]))):
        raise _undecidable(name, f"it counts the rows, from {low} to {high}")
    if _identifies(counts):
        raise _undecidable(name, f"{len(counts)} different numbers in {len(cells)} rows: an id?")
    return Recognised(Number(name, low, high), f"whole numbers from {low} to {high}")


def _refuse_outlier(name: str, counts: Counter[str], cells: Sequence[str], lines: Sequence[int]) -> None:
    """Refuse the one number that alone makes the range too wide."""
    for word, count in counts.items():
        others = [int(other) for other in counts if other != word]
        if count == 1 and max(others) - min(others) <= WIDEST and len(cells) > FEW_OTHERS:
            place = next(k for k, cell in enumerate(cells) if cell.strip() == word)
            raise InputError(
                f"column {name!r}: {clipped(word)} is far from the other cells, {min(others)} to {max(others)}",
                fix=f"correct the cell, or leave the column out (--ignore {name!r})",
                line=lines[place],
            )


def _recognise_choice(name: str, counts: Counter[str]) -> Recognised:
    rows = sum(counts.values())
    if any(len(word) > LONGEST_VALUE or not word.isprintable() for word in counts):
        raise _undecidable(name, "it holds free text")
    if all(_DATE.fullmatch(word) for word in counts) and len(counts) > 1 and _identifies(counts):
        raise _undecidable(name, "it holds dates")
    if len(counts) > MOST_VALUES or _identifies(counts):
        raise _undecidable(name, f"{len(counts)} different values in {rows} rows (such as {listing(counts, 2)})")
    shown = f"{len(counts)} distinct values" if len(counts) > 1 else f"every cell is {next(iter(counts))!r}"
    # Prices and the like are read in order, which the rows do not have them in.
    values = sorted(counts, key=_decimal) if all(map(_DECIMAL.fullmatch, counts)) else counts
    return Recognised(Choice(name, tuple(values)), shown, constant=len(counts) == 1)


def _decimal(word: str) -> float:
    return float(word.replace(",", "."))


def _identifies(counts: Counter[str]) -> bool:
    """Whether nearly all values are different."""
    rows = sum(counts.values())
    return rows >= ENOUGH_ROWS and len(counts) > MOST_DIFFERENT * rows


def _undecidable(name: str, what: str) -> Undecidable:
    return Undecidable(f"column {name!r} cannot be a decision: {what}", fix=f"leave it out with --ignore {name!r}")


def _missing(name: str, cells: Sequence[str], lines: Sequence[int], count: int) -> InputError:
    empty = [line for cell, line in zip(cells, lines, strict=True) if not cell.strip()]
    return InputError(
        f"column {name!r}: {count} of {len(cells)} cells {'are' if count > 1 else 'is'} empty "
        f"(line{'s' if count > 1 else ''} {listing(map(str, empty), 4)})",
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
