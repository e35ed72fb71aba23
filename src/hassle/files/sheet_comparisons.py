"""Comparisons in a table: two rows one below the other, labelled ``better`` and ``worse``, in the same context."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hassle.data import LABELS, Comparisons, as_label
from hassle.errors import InputError
from hassle.logic import Context, Schema

BETTER, WORSE = "better", "worse"
# Their codes go on where those of the labels end.
PAIR_CODES = {BETTER: len(LABELS), WORSE: len(LABELS) + 1}


def label_code(cell: str) -> int:
    """The code of a label, or of one of the two words of a comparison."""
    return PAIR_CODES.get(cell.strip().lower()) or as_label(cell).code


def is_example(codes: NDArray[np.int8]) -> NDArray[np.bool_]:
    """For each row: whether it is an example, and not half of a comparison."""
    return codes < len(LABELS)


def comparisons_in(
    schema: Schema,
    contexts: Sequence[Context],
    bits: NDArray[np.uint8],
    codes: NDArray[np.int8],
    weights: NDArray[np.float64],
    source: str | None,
    lines: NDArray[np.int64],
) -> Comparisons:
    """The comparisons among the rows of a table; all that is given is one entry per row."""
    pairs = list(_pairs(codes, lines))
    for first, second in pairs:
        if contexts[first] != contexts[second] or weights[first] != weights[second]:
            what = "contexts" if contexts[first] != contexts[second] else "weights"
            raise InputError(
                f"the two rows of a comparison have different {what}",
                fix=f"lines {lines[first]} and {lines[second]} must say the same",
                line=int(lines[second]),
            )
    better = [a if codes[a] == PAIR_CODES[BETTER] else b for a, b in pairs]
    worse = [a + b - c for (a, b), c in zip(pairs, better, strict=True)]
    where = [contexts[k] for k in better]
    return Comparisons.from_arrays(schema, where, bits[better], bits[worse], weights[better], source, lines[better])


def _pairs(codes: NDArray[np.int8], lines: NDArray[np.int64]) -> list[tuple[int, int]]:
    """The places of the two rows of each comparison."""
    rows = np.flatnonzero(~is_example(codes)).tolist()
    pairs = list(zip(rows[0::2], rows[1::2], strict=False))
    for first, second in pairs:
        if second != first + 1 or codes[first] == codes[second]:
            raise _alone(codes[first], lines[first])
    if len(rows) % 2:
        raise _alone(codes[rows[-1]], lines[rows[-1]])
    return pairs


def _alone(code: int, line: int) -> InputError:
    word, other = (BETTER, WORSE) if code == PAIR_CODES[BETTER] else (WORSE, BETTER)
    return InputError(
        f"the row is {word!r}, but the next one is not {other!r}",
        fix="put the two rows of a comparison one below the other",
        line=int(line),
    )
