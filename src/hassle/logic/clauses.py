"""Literals and clauses, as in DIMACS: the language of solvers.

The literal of variable ``v`` (an index from 0) is ``v + 1``, its negation ``-(v + 1)``. A clause is a tuple of literals
over distinct variables, in the order of the variables, so that equal clauses are equal tuples. The empty clause is
allowed: nothing satisfies it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

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
