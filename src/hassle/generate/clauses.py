"""Clauses drawn uniformly from all clauses of up to so many literals, without enumerating them.

Over n variables there are ``C(n, k) * 2^k`` clauses of k literals. Drawing the length with probability proportional to
that count, then the variables, then the signs, makes every clause equally likely. The counts outgrow machine integers
soon, so they stay Python's.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from math import comb

import numpy as np

from hassle.errors import InputError
from hassle.logic import Clause, literal


def clause_counts(variables: int, max_literals: int) -> list[int]:
    """How many clauses there are of 1, 2, … ``max_literals`` literals."""
    return [comb(variables, k) << k for k in range(1, max_literals + 1)]


def longest_clause(variables: int, max_literals: int | None) -> int:
    """The limit on a clause's length: as given, or n/2 as in the paper, and at least 1."""
    if max_literals is None:
        return max(1, variables // 2)
    if not 1 <= max_literals <= variables:
        raise InputError(
            f"clauses of up to {max_literals} literals over {variables} variables make no sense",
            fix=f"choose from 1 to {variables}",
        )
    return max_literals


def uniform_clauses(variables: int, max_literals: int, rng: np.random.Generator) -> Iterator[Clause]:
    """An endless stream of independent clauses, every clause of 1 to ``max_literals`` literals equally likely."""
    bounds = list(accumulate(clause_counts(variables, max_literals)))
    while True:
        ticket = uniform_below(bounds[-1], rng)
        length = next(k for k, bound in enumerate(bounds, start=1) if ticket < bound)
        yield uniform_clause(variables, length, rng)


def uniform_clause(variables: int, length: int, rng: np.random.Generator) -> Clause:
    """One of the clauses of exactly ``length`` literals."""
    chosen = np.sort(rng.choice(variables, size=length, replace=False))
    signs = rng.integers(0, 2, size=length)
    return tuple(literal(int(v), bool(sign)) for v, sign in zip(chosen, signs, strict=True))


def uniform_below(bound: int, rng: np.random.Generator) -> int:
    """A uniform integer from 0 to ``bound - 1``, however large; NumPy's own stops at 64 bits."""
    bits = bound.bit_length()
    size = (bits + 7) // 8
    while True:
        ticket = int.from_bytes(rng.bytes(size), "little") >> (8 * size - bits)
        if ticket < bound:
            return ticket
