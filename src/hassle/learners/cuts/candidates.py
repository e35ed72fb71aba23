"""Which clauses the sampler may give a weight: all of them where they are few, else those that speak for the data most.

A clause speaks for a comparison if the worse assignment violates it and the better one does not. Its evidence is how
often it speaks for minus how often it speaks against, in standard deviations, over the comparisons that the current
weights leave in need. Clauses that the weights in use already include stay.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import combinations, islice, product
from math import comb

import numpy as np
from numpy.typing import NDArray

from hassle.learners.cuts.comparisons import PIECE, Comparisons, padded
from hassle.learners.cuts.tallies import Floats, false_literals
from hassle.logic import Clause

POOL = 25_000
BLOCK = 500  # clauses between two looks at the clock


@dataclass(frozen=True)
class Columns:
    """For each clause, the comparisons it takes part in: ``rows`` and ``signs`` from ``starts[j]`` to ``starts[j+1]``.

    The sign is 1 where the clause speaks for the better assignment, -1 where it speaks against it.
    """

    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    signs: NDArray[np.int8]

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int8]]:
        return self.starts, self.rows, self.signs

    def slacks(self, weights: NDArray[np.int64], comparisons: int) -> NDArray[np.int64]:
        """How much more the better assignment of each comparison is worth."""
        result = np.zeros(comparisons, dtype=np.int64)
        for j in np.flatnonzero(weights).tolist():
            part = slice(self.starts[j], self.starts[j + 1])
            result[self.rows[part]] += self.signs[part] * weights[j]
        return result


def clause_number(variables: int, length: int, positive: int | None = None) -> int:
    """How many clauses have that length, and that number of positive literals.

    A unit counts once, with a positive literal, as its weight may have either sign.
    """
    if length == 1:
        return variables
    return comb(variables, length) * (2**length if positive is None else comb(length, positive))


def candidate_clauses(
    comparisons: Comparisons,
    need: NDArray[np.float64],
    kept: Collection[Clause],
    barred: Collection[Clause],
    max_literals: int,
    checkpoint: Callable[[], None],
    pool: int = POOL,
) -> list[Clause]:
    """The clauses in use, every unit, and the others: all of them, or the ``pool`` with the most evidence."""
    variables = comparisons.better.shape[1]
    chosen: dict[Clause, None] = {(v + 1,): None for v in range(variables)}
    chosen.update(dict.fromkeys(kept))
    lengths = range(2, min(max_literals, variables) + 1)
    if sum(clause_number(variables, length) for length in lengths) <= pool:
        chosen.update(dict.fromkeys(clause for length in lengths for clause in _all_clauses(variables, length)))
    else:
        chosen.update(dict.fromkeys(_worthy(comparisons, need, lengths, checkpoint, pool)))
    out = set(barred)
    return [clause for clause in chosen if clause not in out]


def _all_clauses(variables: int, length: int) -> Iterator[Clause]:
    for chosen in combinations(range(1, variables + 1), length):
        for signs in product((1, -1), repeat=length):
            yield tuple(v * sign for v, sign in zip(chosen, signs, strict=True))


def _worthy(
    comparisons: Comparisons, need: NDArray[np.float64], lengths: range, checkpoint: Callable[[], None], pool: int
) -> Iterator[Clause]:
    """The ``pool`` clauses with the most evidence, seen from the literal that the comparisons change.

    A clause speaks for a comparison if a literal of it is true on the better side only and the others are false on the
    worse side. So the comparisons that change a literal say everything about the clauses with it.
    """
    variables = comparisons.better.shape[1]
    starts, changes = comparisons.changes()
    weights = need.astype(np.float32)[:, None]
    best = np.zeros((0, 4))
    for lit in range(2 * variables):
        checkpoint()
        v, positive = lit % variables, lit < variables
        changed = changes[starts[v] : starts[v + 1]]
        gained = (comparisons.better[changed, v] == 1) == positive
        speaks, opposes = changed[gained], changed[~gained]
        for length in lengths:
            pro, con = (
                _others(side, rows, weights, length)
                for side, rows in ((comparisons.worse, speaks), (comparisons.better, opposes))
            )
            evidence = (pro - con) / np.sqrt(1 + pro + con)
            _blank(evidence, lit % variables, variables)
            first, second = np.nonzero(np.atleast_2d(evidence) > 0)
            scores = np.atleast_2d(evidence)[first, second]
            columns = [scores, np.full(len(scores), lit), second, second if length == 2 else first]
            best = np.concatenate([best, np.column_stack(columns)])
            # Every clause may be seen from each of its literals.
            if len(best) > 6 * pool:
                best = best[np.argsort(-best[:, 0], kind="stable")[: 3 * pool]]
    ranked = best[np.argsort(-best[:, 0], kind="stable"), 1:].astype(np.int64)
    seen = dict.fromkeys(_clause(set(columns), variables) for columns in ranked.tolist())
    return islice(seen, pool)


def _others(side: NDArray[np.uint8], rows: NDArray[np.int64], weights: Floats, length: int) -> Floats:
    """The summed weight of rows in which one other literal is false, or for clauses of three each two others."""
    literals = 2 * side.shape[1]
    result = np.zeros(literals if length == 2 else (literals, literals), dtype=np.float32)
    step = max(1, PIECE // (4 * literals))
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        false = false_literals(side[part])
        weighted = false * weights[part]
        result += weighted.sum(axis=0) if length == 2 else weighted.T @ false
    return result


def _blank(evidence: Floats, variable: int, variables: int) -> None:
    """Leave out what is no clause: a variable twice, and for pairs of others each pair but once."""
    evidence[..., [variable, variable + variables]] = 0
    if evidence.ndim == 2:
        evidence[[variable, variable + variables], :] = 0
        evidence[np.tril_indices(2 * variables)] = 0
        both = np.arange(variables)
        evidence[both, both + variables] = 0


def _clause(columns: set[int], variables: int) -> Clause:
    return tuple(sorted((c + 1 if c < variables else variables - c - 1 for c in columns), key=abs))


def columns_of(
    clauses: list[Clause],
    comparisons: Comparisons,
    most: int | None = None,
    checkpoint: Callable[[], None] = lambda: None,
) -> Columns:
    """The columns; only comparisons that change a variable of a clause can concern it.

    Where they have more than ``most`` entries together, those of the last clauses are left out.
    """
    from hassle.kernels.preferences import fill_columns

    starts, changes = comparisons.changes()
    better, worse = (np.ascontiguousarray(rows.T) for rows in (comparisons.better, comparisons.worse))
    table = padded(clauses)
    counts = np.zeros(len(clauses), dtype=np.int64)
    empty = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int8)
    parts, entries = [empty], 0
    for first in range(0, len(clauses), BLOCK):
        checkpoint()
        block, found = table[first : first + BLOCK], counts[first : first + BLOCK]
        fill_columns(block, better, worse, starts, changes, found, *empty)
        if most is not None and entries + int(found.sum()) > most:
            kept = int(np.searchsorted(entries + np.cumsum(found), most, side="right"))
            block, counts = block[:kept], counts[: first + kept]
            found = counts[first:]
        rows, signs = np.zeros(int(found.sum()), dtype=np.int32), np.zeros(int(found.sum()), dtype=np.int8)
        if len(rows):
            fill_columns(block, better, worse, starts, changes, found, rows, signs)
        parts.append((rows, signs))
        entries += len(rows)
        if len(counts) < first + BLOCK:
            break
    rows, signs = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Columns(np.concatenate([[0], np.cumsum(counts)]), rows, signs)
