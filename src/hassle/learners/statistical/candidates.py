"""What is priced, in the order of :mod:`hassle.kernels.mining`: short clauses by number, and counts over given sets."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from hassle.logic import Clause, Constraint

NO_VARIABLE = -1  # fills up the rows of sets


def clause_count(variables: int, longest: int) -> int:
    """The number of clauses of up to ``longest`` literals."""
    return sum(comb(variables, k) << k for k in range(1, longest + 1))


def numbered_clause(number: int, variables: int) -> Clause:
    """The clause with this number: shorter ones first, then by variables, then by signs, the positive first."""
    length = 1
    while number >= comb(variables, length) << length:
        number -= comb(variables, length) << length
        length += 1
    place, signs = number >> length, number & ((1 << length) - 1)
    chosen = _combination(place, variables, length)
    return tuple(-(v + 1) if signs >> (length - 1 - i) & 1 else v + 1 for i, v in enumerate(chosen))


def _combination(place: int, variables: int, length: int) -> tuple[int, ...]:
    """The set of variables at this place in lexicographic order."""
    result: list[int] = []
    first = 0
    for left in range(length, 0, -1):
        while place >= comb(variables - first - 1, left - 1):
            place -= comb(variables - first - 1, left - 1)
            first += 1
        result.append(first)
        first += 1
    return tuple(result)


def counts_over(sets: NDArray[np.int16]) -> list[Constraint]:
    """For each set of variables: at least 2, 3, ... of them, and at least 2, 3, ... of their negations."""
    result = []
    for row in sets.tolist():
        literals = tuple(v + 1 for v in row if v != NO_VARIABLE)
        for signed in (literals, tuple(-lit for lit in literals)):
            result += [Constraint(signed, need) for need in range(2, len(literals) + 1)]
    return result
