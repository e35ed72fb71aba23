"""Random numbers for kernels: SplitMix64 (Steele, Lea and Flood, 2014) on an explicit state.

The state is an array of one uint64 that belongs to one search, so a search draws the same numbers whatever runs beside
it, and however its steps are divided into calls.
"""

import numpy as np

from hassle.kernels.compiled import part

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


@part
def next_word(state):
    """The next 64 random bits."""
    state[0] += STEP
    word = state[0]
    word = (word ^ (word >> np.uint64(30))) * FIRST
    word = (word ^ (word >> np.uint64(27))) * SECOND
    return word ^ (word >> np.uint64(31))


@part
def fraction(state):
    """A random number in [0, 1)."""
    return np.float64(next_word(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@part
def coin(state):
    """Yes as often as no."""
    return fraction(state) < 0.5


@part
def below(state, count):
    """A random whole number in 0..count-1; count must be positive, and far below 2^53."""
    return np.int64(fraction(state) * count)
