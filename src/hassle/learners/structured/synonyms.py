"""Candidates that are better said in another way, or that nobody would say.

Some say the same: of every assignment, up to a constant, they count the same broken instances. Where a course has
exactly one slot, "for every slot: at least 1 of these two courses" is the wish that the two are in different slots, and
so is "at most 1 of them". Only the second can be kept, and so become a rule; and what is said in one way only is
neither weighed twice nor split in two. Of those that say the same the one with the fewest broken instances is for sale;
of these the one with the fewest instances, of these the cheapest. And what no assignment keeps is not for sale at all.

Both are seen on assignments drawn at random. It is for columns that are choices; elsewhere hardly any say the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hassle.learners.structured.candidates import Candidates
from hassle.logic import Number, Schema

# Assignments drawn to tell candidates apart.
DRAWN = 1500
# Columns that are summed up at a time.
AT_A_TIME = 4096


def better_said(candidates: Candidates, rows: NDArray[np.uint8], rng: np.random.Generator) -> list[int]:
    """The candidates that are not to be for sale; assignments are drawn near the rows, and far from them."""
    schema = candidates.schema
    drawn = [rows, uniform(schema, rows[0]), scattered(schema, rows, DRAWN, rng)]
    broken = candidates.broken(np.concatenate(drawn))
    lowest, highest = broken.min(axis=0), broken.max(axis=0)
    whole = np.minimum(candidates.instances, 255).astype(np.uint8)
    least = _both(lowest, whole - highest).astype(np.int64)
    varies = np.repeat(lowest < highest, 2) & np.isfinite(candidates.prices)
    usable = np.flatnonzero(varies & (least == 0))
    # Of those that say the same, in a row, all but the first are better said; what can be kept has the constant 0.
    says, instances = _signatures(broken, lowest, highest, rng), np.repeat(candidates.instances, 2)
    order = usable[np.lexsort((usable, candidates.prices[usable], instances[usable], says[usable]))]
    repeated = order[1:][says[order][1:] == says[order][:-1]]
    return sorted({*repeated.tolist(), *np.flatnonzero(varies & (least > 0)).tolist()})


def uniform(schema: Schema, row: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Assignments that keep what is asked of everything alike: nothing done, all done, all choices the same."""
    sizes = [len(range(*ends)) for ends in zip(schema.starts, schema.starts[1:], strict=False)]
    result = np.repeat(row[None, :], max(2, *sizes), axis=0)
    for column, start, size in zip(schema.columns, schema.starts, sizes, strict=False):
        for i, bits in enumerate(result[:, start : start + size]):
            if isinstance(column, Number):
                continue
            bits[:] = i % 2 if size == 1 else np.arange(size) == i % size
    return result


def scattered(schema: Schema, rows: NDArray[np.uint8], count: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """So many assignments, some near the rows and some far from them, some with little done and some with much."""
    result = rows[rng.integers(len(rows), size=count)].copy()
    changed, density = rng.random((count, 1)), rng.random((count, 1))
    for column, start, end in zip(schema.columns, schema.starts, schema.starts[1:], strict=False):
        where = np.flatnonzero(rng.random((count, 1)) < changed)
        size = end - start
        if isinstance(column, Number):
            drawn = np.arange(size) < rng.integers(size + 1, size=(len(where), 1))
        elif size == 1:
            drawn = rng.random((len(where), 1)) < density[where]
        else:
            drawn = np.arange(size) == rng.integers(size, size=(len(where), 1))
        result[where, start:end] = drawn
    return result


def _both(columns: NDArray[np.uint8], opposites: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """What is known of columns and of their opposites, in the order of the candidates."""
    return np.stack([columns, opposites], axis=1).ravel()


def _signatures(
    broken: NDArray[np.uint8], lowest: NDArray[np.uint8], highest: NDArray[np.uint8], rng: np.random.Generator
) -> NDArray[np.uint64]:
    """For each candidate a number, the same for all that say the same: a sum of random multiples of what is broken."""
    multiples = rng.integers(1, 2**63, size=len(broken), dtype=np.uint64)
    sums = np.empty(broken.shape[1], dtype=np.uint64)
    for first in range(0, len(sums), AT_A_TIME):
        part = slice(first, first + AT_A_TIME)
        sums[part] = multiples @ broken[:, part].astype(np.uint64)  # modulo 2^64
    one = multiples.sum(dtype=np.uint64)
    return np.stack([sums - one * lowest, one * highest - sums], axis=1).ravel()
