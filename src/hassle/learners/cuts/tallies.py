"""Weighted counts of violations for every clause of up to three literals, as products of matrices.

With one column per literal that says where it is false, the rows that violate ``a | b`` are counted by the product of
two columns, and all pairs by one matrix product; triples are the pairs among the rows where a third literal is false.
No matrix of all clauses is ever held: the counts come in blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.logic import Clause

Floats = NDArray[np.float32]

# Pairs of literals that are counted at a time; each takes some 50 bytes meanwhile.
PAIRS = 2**20


def false_literals(rows: NDArray[np.uint8]) -> Floats:
    """For each row: which literals are false; first the positive literals in the variables' order, then the others."""
    return np.concatenate([rows == 0, rows == 1], axis=1).astype(np.float32)


@dataclass(frozen=True)
class Block:
    """Clauses of one length: the literals of column ``prefix`` (if any), ``left`` and ``right``, as column numbers."""

    variables: int
    prefix: int | None
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    counts: Floats

    def clause(self, place: int) -> Clause:
        columns = {int(self.left[place]), int(self.right[place])}
        if self.prefix is not None:
            columns.add(self.prefix)
        literals = (c + 1 if c < self.variables else self.variables - c - 1 for c in columns)
        return tuple(sorted(literals, key=abs))

    @property
    def length(self) -> int:
        if self.prefix is not None:
            return 3
        return 1 if np.array_equal(self.left, self.right) else 2

    @property
    def positive_literals(self) -> NDArray[np.int64]:
        """For each clause: how many of its literals are positive."""
        distinct = self.left != self.right
        count = (self.left < self.variables).astype(np.int64) + ((self.right < self.variables) & distinct)
        return count if self.prefix is None else count + (self.prefix < self.variables)

    def product(self, marginals: Floats) -> Floats:
        """For each clause: the product of a number for each of its literals."""
        result = marginals[self.left] * np.where(self.left == self.right, 1, marginals[self.right])
        return result if self.prefix is None else result * marginals[self.prefix]


def tallies(false: Floats, weights: Floats, max_literals: int) -> Iterator[Block]:
    """For every clause of up to ``max_literals`` (at most 3) literals: the summed weight of the rows violating it."""
    variables = false.shape[1] // 2
    everything = np.arange(2 * variables)
    yield Block(variables, None, everything, everything, np.asarray(weights @ false, dtype=np.float32))
    if max_literals >= 2 and variables >= 2:
        yield from _pairs(false, weights, variables, None)
    if max_literals >= 3:
        for prefix in range(2 * variables):
            if prefix % variables < variables - 2:
                chosen = false[:, prefix] > 0
                yield from _pairs(false[chosen], weights[chosen], variables, prefix)


def _pairs(false: Floats, weights: Floats, variables: int, prefix: int | None) -> Iterator[Block]:
    """Pairs of literals of later variables than the prefix's, the second of a later variable than the first."""
    first = 0 if prefix is None else prefix % variables + 1
    later = np.concatenate([np.arange(first, variables), np.arange(first, variables) + variables])
    among = false[:, later]
    step = max(1, PAIRS // len(later))
    for start in range(0, len(later), step):
        left = later[start : start + step]
        place, other = np.nonzero((left % variables)[:, None] < (later % variables)[None, :])
        if len(place):
            counts = np.asarray((among[:, start : start + step] * weights[:, None]).T @ among, dtype=np.float32)
            yield Block(variables, prefix, left[place], later[other], counts[place, other])
