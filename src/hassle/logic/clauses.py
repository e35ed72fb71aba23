"""Literals and clauses, as in DIMACS.

The literal of variable ``v`` (an index from 0) is ``v + 1``, its negation ``-(v + 1)``. A clause is a tuple of literals
over distinct variables, in the order of the variables, so that equal clauses are equal tuples. The empty clause is
allowed: nothing satisfies it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError

Clause = tuple[int, ...]


def literal(variable: int, positive: bool = True) -> int:
    return variable + 1 if positive else -(variable + 1)


def variable_of(lit: int) -> int:
    return abs(lit) - 1


def make_clause(literals: Iterable[int]) -> Clause:
    """The clause of these literals: ordered, repeated literals merged, tautologies refused."""
    distinct = sorted(set(literals), key=abs)
    if 0 in distinct:
        raise InputError("0 is not a literal", fix="number variables from 1")
    for left, right in pairwise(distinct):
        if left == -right:
            raise InputError(
                f"the clause contains {abs(left)} and -{abs(left)}, so it always holds",
                fix="remove the clause",
            )
    return tuple(distinct)


def covers(clause: Clause, bits: Sequence[int] | NDArray[np.uint8]) -> bool:
    """Whether the full 0/1 vector ``bits`` satisfies the clause."""
    return any(bits[abs(lit) - 1] == (lit > 0) for lit in clause)


def satisfying(clause: Clause, assignments: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """For each assignment (row): whether it satisfies the clause."""
    result = np.zeros(len(assignments), dtype=np.bool_)
    for lit in clause:
        result |= assignments[:, abs(lit) - 1] == (lit > 0)
    return result


def all_satisfying(clauses: Iterable[Clause], assignments: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """For each assignment (row): whether it satisfies every clause."""
    result = np.ones(len(assignments), dtype=np.bool_)
    for clause in clauses:
        result &= satisfying(clause, assignments)
    return result


def coverage(clauses: Sequence[Clause], assignments: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """For each assignment (row) and clause (column): whether the assignment satisfies the clause."""
    result = np.zeros((len(assignments), len(clauses)), dtype=np.bool_)
    for j, clause in enumerate(clauses):
        result[:, j] = satisfying(clause, assignments)
    return result


def subsumes(clause: Clause, other: Clause) -> bool:
    """Whether ``clause`` implies ``other`` by being part of it."""
    return set(clause) <= set(other)
