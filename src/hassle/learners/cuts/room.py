"""What the learner does with the memory allowed: how many comparisons it makes, and for how many clauses.

Half of it is for comparisons, a quarter each for the columns of the round under way and of the one before.
"""

from __future__ import annotations

from hassle.data import Dataset
from hassle.memory import allowed_memory, require_memory

# Bytes for each variable of an example while rules are mined: three matrices of a number for each literal.
MINING = 26
# Bytes for each variable of a comparison: two sides, which are copied when cuts are added and when columns are made.
COMPARING = 8
# Bytes for each comparison that a clause takes part in.
ENTRY = 5
# Bytes for each pair of literals while clauses of three are weighed up.
TRIPLE = 60


def check_room(data: Dataset, max_literals: int) -> None:
    """An error with the numbers where not even the examples themselves can be compared."""
    cells = len(data) * len(data.variables)
    triples = TRIPLE * (2 * len(data.variables)) ** 2 if max_literals >= 3 else 0
    needed = max(MINING * cells, 2 * COMPARING * _at_least(data) * len(data.variables)) + triples
    fix = "learn from fewer examples or variables (--ignore)" + (" or with --max-literals 2" if triples else "")
    require_memory(needed, f"learning from {len(data)} examples of {len(data.variables)} variables", fix)


def most_comparisons(data: Dataset) -> int:
    """How many completions near positives may be compared with them, beside what the examples say of each other."""
    return max(0, allowed_memory() // 2 // (COMPARING * max(1, len(data.variables))) - _at_least(data))


def most_entries() -> int:
    """How many comparisons all clauses may take part in together."""
    return allowed_memory() // 4 // ENTRY


def _at_least(data: Dataset) -> int:
    """The most comparisons of examples with examples: of two positives there are two."""
    return 2 * len(data)
