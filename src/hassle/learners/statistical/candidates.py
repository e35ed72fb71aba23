"""All clauses of up to three literals by number, in the order of :mod:`hassle.kernels.mining`."""

from __future__ import annotations

from math import comb

from hassle.logic import Clause


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
