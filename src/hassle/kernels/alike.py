"""Which literals stand together in one constraint, where columns have values: what somebody would say of them.

Literals are *alike* if they say the same of several columns (`maths = mon`, `art = mon`; or that neither is), or if
they are several values of one choice. A constraint is *sensible* if none of its literals follows from the others or
makes it trivial: of a choice a clause names some of the values, or excludes one; of a number it may say that it is
small or large. A count is about alike literals of several columns. Where all columns are yes-or-no, everything is
sensible and nothing is alike: there the prior and the proposals know of lengths alone.

Slow twins: `is_sensible` and `are_alike` in tests/naive_evidence.py (tests/test_statistical_alike.py).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.kernels.bundle import Bundle
from hassle.kernels.chance import below, coin
from hassle.kernels.compiled import part

YES_NO, CHOICE, NUMBER = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Atoms(Bundle):
    """For each variable: its column, the kind and the number of values of that, and what it says (its label)."""

    plain: bool  # whether all columns are yes-or-no
    columns: NDArray[np.int32]
    kinds: NDArray[np.int8]
    values: NDArray[np.int32]
    labels: NDArray[np.int32]
    starts: NDArray[np.int32]  # the variables with label l are starts[l] to starts[l + 1] of the following
    members: NDArray[np.int32]
    log_alike: NDArray[np.float64]  # of the number of sets of k alike literals of several columns,
    log_alike_clauses: NDArray[np.float64]  # and of these and the sets of k values of a choice


@part
def same_said(row, atoms):
    """Whether the literals, of which there are some, say the same of several columns."""
    first = row[1]
    for i in range(2, row.size):
        if row[i] == 0:
            break
        if (row[i] > 0) != (first > 0) or atoms.labels[abs(row[i]) - 1] != atoms.labels[abs(first) - 1]:
            return False
    return True


@part
def are_alike(row, atoms):
    """Whether a clause has at least two literals, and alike ones."""
    if atoms.plain or row.size < 3 or row[2] == 0:
        return False
    if same_said(row, atoms):
        return True
    first = row[1]
    if atoms.kinds[abs(first) - 1] != CHOICE:
        return False
    for i in range(1, row.size):
        if row[i] == 0:
            break
        if row[i] < 0 or atoms.columns[row[i] - 1] != atoms.columns[abs(first) - 1]:
            return False
    return True


@part
def is_sensible(row, atoms):
    """Whether nobody would say it in another way; literals are sorted by variable."""
    if atoms.plain:
        return True
    if row[0] > 1:
        return same_said(row, atoms)
    named = 0  # values of the column at hand
    for i in range(1, row.size):
        if row[i] == 0:
            break
        v = abs(row[i]) - 1
        follows = i > 1 and atoms.columns[abs(row[i - 1]) - 1] == atoms.columns[v]
        named = named + 1 if follows else 1
        if not follows:
            continue
        if atoms.kinds[v] == CHOICE:
            # All values but one are named by excluding that one.
            if row[i] < 0 or row[i - 1] < 0 or named > max(1, atoms.values[v] - 2):
                return False
        elif named > 2 or row[i - 1] > 0 or row[i] < 0:  # less than this, or at least that much more
            return False
    return True


@part
def draw_alike(random, longest, atoms, literals):
    """Random literals that say the same of two to `longest` columns, or of one if no other can: how many they are."""
    label = atoms.labels[below(random, atoms.labels.size)]
    sign = 1 if coin(random) else -1
    most = min(longest, size_of(label, atoms))
    length = 2 + below(random, most - 1) if most >= 2 else 1
    for i in range(length):
        literals[i] = sign * new_alike(random, literals, label, atoms)
    return length


@part
def chance_of_alike(row, length, longest, atoms):
    """The chance that `draw_alike` gives these literals in some order."""
    label = atoms.labels[abs(row[1]) - 1]
    size = size_of(label, atoms)
    chance = size / (2.0 * atoms.labels.size)
    if length > 1:
        chance /= min(longest, size) - 1.0
    for i in range(length):
        chance *= (i + 1.0) / (size - i)
    return chance


@part
def size_of(label, atoms):
    """How many columns can say it."""
    return np.int64(atoms.starts[label + 1] - atoms.starts[label])


@part
def new_alike(random, literals, label, atoms):
    """A variable, numbered from 1, that says this and that the literals do not mention; there must be one."""
    while True:
        variable = 1 + atoms.members[atoms.starts[label] + below(random, size_of(label, atoms))]
        new = True
        for literal in literals:
            new &= abs(literal) != variable
        if new:
            return variable
