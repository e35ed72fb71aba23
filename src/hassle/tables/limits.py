"""What counts as small, each with its reason. Points are completions that a table lists; free variables are the atoms
that a context leaves open, which are as many as the bits of a word.
"""

from __future__ import annotations

from hassle.memory import allowed_memory

# Words are int32, because kernels then handle eight at a time; the sign is left alone.
WORD_BITS = 31

# One exact table (solve.table): 8 bytes a point for the losses, and as much for words and marks beside them.
BYTES_PER_POINT = 16
# Where more memory may be taken: larger tables are slower than solvers.
MEMORY_BUDGET = 2**30
# Free variables of a table that is too small to ask for its memory (16 MB).
SMALL_TABLE = 20

# One best assignment: a table of 2^20 points takes 3 ms (20 clauses of 3), about what a MaxSAT solver needs to start.
QUICK_TABLE = 20

# Contexts are handed to the exact kernels in batches of so many entries (constraints times contexts), 10 bytes each.
BATCH = 2**22

# All tables of the statistical learner together. A move looks at every point that its constraints may change: their
# number bounds the time of a move as well as memory. In each chain a point takes 4 bytes, and 4 for a change on trial.
MOST_POINTS = 2**25
CHAIN_BYTES = 8
# Up to here ``auto`` calls the statistical learner quick; beyond, a solver's cuts are.
QUICK_POINTS = 2**21
# What a move does for each table takes as long as looking at so many points more (50 ns, at 0.4 ns a point).
TABLE_POINTS = 128
# Up to here (an eighth of that) points for neighbouring contexts are worth their time.
NEIGHBOUR_POINTS = 2**18
# No single context of the statistical learner may be larger: it would be all that a chain looks at.
MOST_IN_A_CONTEXT = 2**20

# Listing is done in blocks, because evaluating a formula takes many times the memory of its result.
BLOCK = 2**16


def table_memory(free: int) -> int:
    """Bytes that a table of so many free variables takes, if all their values are points."""
    return BYTES_PER_POINT << free


def largest_table() -> int:
    """The most free variables whose table fits the memory allowed."""
    return max(0, (min(MEMORY_BUDGET, allowed_memory()) // table_memory(0)).bit_length() - 1)
