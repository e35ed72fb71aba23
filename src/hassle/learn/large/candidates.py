"""Which clauses the sampler may give a weight: all of them where they are few, else those that speak for the data most.

A clause speaks for a comparison if the worse assignment violates it and the better one does not. Its evidence is how
often it speaks for minus how often it speaks against, in standard deviations, over the comparisons that the current
weights leave in need. Clauses that the weights in use already include stay.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from hassle.learn.large.comparisons import Comparisons
from hassle.learn.large.tallies import false_literals, tallies
from hassle.logic import Clause

POOL = 25_000


@dataclass(frozen=True)
class Columns:
    """For each clause, the comparisons it takes part in: ``rows`` and ``signs`` from ``starts[j]`` to ``starts[j+1]``.

    The sign is 1 where the clause speaks for the better assignment, -1 where it speaks against it.
    """

    starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    signs: NDArray[np.int64]

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        return self.starts, self.rows, self.signs

    def slacks(self, weights: NDArray[np.int64], comparisons: int) -> NDArray[np.int64]:
        """How much more the better assignment of each comparison is worth."""
        result = np.zeros(comparisons, dtype=np.int64)
        for j in np.flatnonzero(weights).tolist():
            part = slice(self.starts[j], self.starts[j + 1])
            result[self.rows[part]] += self.signs[part] * weights[j]
        return result


def clause_number(variables: int, length: int) -> int:
    """How many clauses of that length there are; a unit counts once, as its weight may have either sign."""
    return variables if length == 1 else comb(variables, length) << length


def candidate_clauses(
    comparisons: Comparisons,
    need: NDArray[np.float64],
    kept: Collection[Clause],
    barred: Collection[Clause],
    max_literals: int,
    checkpoint: Callable[[], None],
    pool: int = POOL,
) -> list[Clause]:
    """The clauses in use, every unit, and the others with the most evidence up to ``pool`` clauses in all."""
    variables = comparisons.better.shape[1]
    chosen: dict[Clause, None] = {(v + 1,): None for v in range(variables)}
    chosen.update(dict.fromkeys(kept))
    found: list[tuple[float, Clause]] = []
    least = -np.inf
    total = sum(clause_number(variables, length) for length in range(1, max_literals + 1))
    sides = [false_literals(rows) for rows in (comparisons.worse, comparisons.better)]
    sides.append(sides[0] * sides[1])
    weights = need.astype(np.float32)
    for worse, better, both in zip(*(tallies(side, weights, max_literals) for side in sides), strict=True):
        checkpoint()
        if np.array_equal(worse.left, worse.right):
            continue
        evidence = (worse.counts - better.counts) / np.sqrt(1 + worse.counts + better.counts - 2 * both.counts)
        worthy = np.flatnonzero(evidence > least) if total > pool else np.arange(len(evidence))
        found += [(float(evidence[place]), worse.clause(int(place))) for place in worthy]
        if total > pool and len(found) > 2 * pool:
            found = sorted(found, reverse=True)[:pool]
            least = found[-1][0]
    out = set(barred)
    chosen.update(dict.fromkeys(clause for _, clause in sorted(found, reverse=True)[:pool] if clause not in out))
    return [clause for clause in chosen if clause not in out]


def columns_of(clauses: list[Clause], comparisons: Comparisons, chunk: int = 1000) -> Columns:
    """The columns, from rows of bits: a clause's violations are the conjunction of its false literals' bits."""
    worse, better = (
        np.packbits(false_literals(rows).astype(np.bool_), axis=0).T for rows in (comparisons.worse, comparisons.better)
    )
    counts, rows, signs = [np.zeros(1, dtype=np.int64)], [], []
    for start in range(0, len(clauses), chunk):
        part = clauses[start : start + chunk]
        lost, won = _violations(part, worse), _violations(part, better)
        differs = np.unpackbits(lost ^ won, axis=1, count=len(comparisons))
        place, row = np.nonzero(differs)
        counts.append(differs.sum(axis=1, dtype=np.int64))
        rows.append(row)
        signs.append(np.where(np.unpackbits(lost, axis=1, count=len(comparisons))[place, row], 1, -1))
    empty = np.zeros(0, dtype=np.int64)
    return Columns(
        np.cumsum(np.concatenate(counts)),
        np.concatenate(rows or [empty]).astype(np.int64),
        np.concatenate(signs or [empty]).astype(np.int64),
    )


def _violations(clauses: list[Clause], false_bits: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """For each clause: the packed bits of the rows that violate it."""
    variables = len(false_bits) // 2
    width = max(len(clause) for clause in clauses)
    # A clause shorter than the longest repeats its first literal.
    literals = np.array([clause + clause[:1] * (width - len(clause)) for clause in clauses])
    places = np.where(literals > 0, literals - 1, variables - literals - 1)
    return np.bitwise_and.reduce(false_bits[places], axis=1)
