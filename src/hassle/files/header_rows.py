"""Headers of two rows: ``Mon, , Tue`` above ``Ana, Ben, Ana`` are ``Mon_Ana``, ``Mon_Ben`` and ``Tue_Ana``.

There are two header rows where the column of labels is named in the second one, or in the first one with nothing
below (a row without a label would be none). Without labels, there are two where the first row leaves gaps or repeats
names, so that it cannot be the header by itself. A first row of one cell is a title, and no part of the names. An upper
name stands for the empty cells to its right as well: in Excel as far as its cell is merged, if any are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hassle.files.sheet import CONTEXT, JOINT, LABEL, WEIGHT, Row

RESERVED = (LABEL, CONTEXT, WEIGHT)
# Rows that tell where the header ends: a title, two rows of names, and one more.
HEADER_ROWS = 4

Span = tuple[int, int]


def header_of(
    rows: Sequence[Row], wanted: Collection[str], spans: Collection[Span] = ()
) -> tuple[int, list[str], list[Row]]:
    """The line of the last header row, the names, and the rows below; ``spans`` are merged cells of the first row.

    Names that a spreadsheet shows in several lines have blanks between them.
    """
    line, names, below = _header_of(rows, wanted, spans)
    return line, [" ".join(name.split()) if len(name.splitlines()) > 1 else name for name in names], below


def _header_of(
    rows: Sequence[Row], wanted: Collection[str], spans: Collection[Span] = ()
) -> tuple[int, list[str], list[Row]]:
    (line, upper), *below = rows
    if not below:
        return line, list(upper), below
    second, lower = below[0]
    if len(lower) != len(upper) or not _two(upper, lower, wanted):
        return line, list(upper), below
    if sum(bool(cell.strip()) for cell in upper) == 1 and _names(lower, wanted):
        return _header_of(below, wanted)
    return second, _joined(upper, lower, spans), below[1:]


def _two(upper: Sequence[str], lower: Sequence[str], wanted: Collection[str]) -> bool:
    names = [cell.strip() for cell in upper]
    gaps = [k for k, name in enumerate(names) if not name and lower[k].strip()]
    if _names(lower, wanted):
        return not _names(upper, wanted)
    if not _names(upper, wanted):
        return False
    place = next(k for k, name in enumerate(names) if name.lower() in wanted)
    return not lower[place].strip() and (bool(gaps) or len(set(names)) < len(names))


def _names(cells: Sequence[str], wanted: Collection[str]) -> bool:
    return any(cell.strip().lower() in wanted for cell in cells)


def _joined(upper: Sequence[str], lower: Sequence[str], spans: Collection[Span]) -> list[str]:
    result = []
    above = ""
    for k, (first, second) in enumerate(zip(upper, lower, strict=True)):
        inside = not spans or any(start < k <= end for start, end in spans)
        above = first.strip() or (above if inside else "")
        name = second.strip()
        if name.lower() in RESERVED or not above:
            result.append(name)
        else:
            result.append(f"{above}{JOINT}{name}" if name else first.strip())
    return result
