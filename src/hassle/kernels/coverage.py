"""Which points of which tables a constraint leaves uncovered: the one answer that everything else builds on.

A constraint asks for at least `need` of its literals. In a table (`tables.completions`) the context has decided some of
them; of the others, those that are true in a word w are the bits of (w ^ value) & mask. So the constraint is uncovered
exactly where

    popcount((w ^ value) & mask) < left,        left = need less the literals that the context makes true.

It is covered everywhere if left <= 0, and nowhere if left exceeds the bits of the mask. Where left is 1, as for every
clause that the context does not decide, the test is w & mask == value: cheaper, and a subcube of a full cube.

Slow twins: `constraint_holds` in tests/naive.py, for all words of all tables (tests/test_tables.py).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.kernels.bundle import Bundle
from hassle.kernels.compiled import part


@dataclass(frozen=True, eq=False)
class Places(Bundle):
    """What the contexts fix, over all tables."""

    fixed_true: NDArray[np.int16]  # [2 v + s, t] is 1 where table t fixes variable v to s
    bits: NDArray[np.int32]  # [v, t] is variable v's bit in the words of table t, 0 where it is fixed


@dataclass(frozen=True, eq=False)
class Uncovered(Bundle):
    """For each table: what is left to need, and the mask and the values of its test."""

    left: NDArray[np.int16]
    masks: NDArray[np.int32]
    values: NDArray[np.int32]


@part
def find_uncovered(places, literals, need, left, masks, values):
    """Write the test of at least `need` of the literals (DIMACS-style, 0 ends them) for every table."""
    find_uncovered_among(places, literals, need, 0, left.size, left, masks, values)


@part
def find_uncovered_among(places, literals, need, first, last, left, masks, values):
    """The same for the tables from `first` to before `last`: for all of these at once, because then it vectorises."""
    left, masks, values = left[first:last], masks[first:last], values[first:last]
    for t in range(left.size):
        left[t] = np.int16(need)
        masks[t] = 0
        values[t] = 0
    for literal in literals:
        if literal == 0:
            break
        fixed = places.fixed_true[2 * abs(literal) - 2 + (literal > 0)][first:last]
        bits = places.bits[abs(literal) - 1][first:last]
        for t in range(left.size):
            left[t] = np.int16(left[t] - fixed[t])
            masks[t] |= bits[t]
        if literal < 0:
            for t in range(left.size):
                values[t] |= bits[t]


ONE, TWO, FOUR, LAST_BYTE = np.uint32(1), np.uint32(2), np.uint32(4), np.uint32(24)
PAIRS, QUADS, NIBBLES = np.uint32(0x55555555), np.uint32(0x33333333), np.uint32(0x0F0F0F0F)
BYTES = np.uint32(0x01010101)


@part
def bits_in(word):
    """The number of bits of a word that are 1 (Warren, Hacker's Delight, figure 5-2).

    Unsigned and in 32 bits throughout: so LLVM recognises it as the processor's own instruction, eight or sixteen
    words at a time; any other type makes it thirty times slower.
    """
    word = np.uint32(word)
    word = np.uint32(word - ((word >> ONE) & PAIRS))
    word = np.uint32((word & QUADS) + ((word >> TWO) & QUADS))
    word = np.uint32((word + (word >> FOUR)) & NIBBLES)
    return np.int32(np.uint32(word * BYTES) >> LAST_BYTE)
