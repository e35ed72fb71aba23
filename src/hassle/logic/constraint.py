"""The constraint: at least so many of these literals hold.

A clause needs one of its literals. "At most k of n" is "at least n - k of the negations", so one form serves all
counts, and its negation is of the same form: at least n - need + 1 of the negations hold. Literals stand over distinct
variables, in the order of the variables, so that equal constraints are equal objects.

Two constraints need no literals: ``TRUE`` needs none of none, and the empty clause ``FALSE`` needs one of none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError
from hassle.logic.clauses import Clause, make_clause


@dataclass(frozen=True, slots=True, order=True)
class Constraint:
    """At least ``need`` of ``literals``; use :meth:`of` for what a user wrote."""

    literals: Clause
    need: int = 1

    @classmethod
    def of(cls, literals: Iterable[int], need: int = 1) -> Constraint:
        """The constraint in normal form; one that always holds, or never can, is refused (the empty clause is not)."""
        given = tuple(literals)
        if need == 1:
            return cls(make_clause(given))
        if len(set(map(abs, given))) < len(given):
            twice = next(lit for lit in given if sum(abs(other) == abs(lit) for other in given) > 1)
            raise InputError(f"the count names variable {abs(twice)} twice", fix="name each variable once")
        if need < 1:
            raise InputError(f"at least {need} of {len(given)} always holds", fix="count from 1")
        if need > len(given):
            raise InputError(f"at least {need} of {len(given)} can never hold", fix=f"ask for at most {len(given)}")
        return cls(make_clause(given), need)

    @classmethod
    def at_most(cls, most: int, literals: Iterable[int]) -> Constraint:
        """At most so many of these literals hold."""
        given = tuple(literals)
        if most < 0:
            raise InputError(f"at most {most} of {len(given)} can never hold", fix="count from 0")
        if most >= len(given):
            raise InputError(
                f"at most {most} of {len(given)} always holds", fix=f"ask for at most {max(0, len(given) - 1)}"
            )
        return cls.of((-lit for lit in given), len(given) - most)

    @property
    def is_clause(self) -> bool:
        """Whether one true literal is enough."""
        return self.need == 1

    @property
    def variables(self) -> tuple[int, ...]:
        """The indices of the variables it speaks of, in order."""
        return tuple(abs(lit) - 1 for lit in self.literals)

    @property
    def negation(self) -> Constraint:
        """What holds exactly where this one is broken."""
        return Constraint(tuple(-lit for lit in self.literals), len(self.literals) - self.need + 1)

    def holds(self, bits: Sequence[int] | NDArray[np.uint8]) -> bool:
        """Whether the full 0/1 vector satisfies it."""
        return sum(bits[abs(lit) - 1] == (lit > 0) for lit in self.literals) >= self.need

    def held_by(self, assignments: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """For each row of 0/1 values: whether it satisfies the constraint."""
        true = np.zeros(len(assignments), dtype=np.int32)
        for lit in self.literals:
            true += assignments[:, abs(lit) - 1] == (lit > 0)
        return true >= self.need

    def given(self, true: Set[int]) -> Constraint:
        """What is left to ask once these literals are true: ``TRUE``, ``FALSE``, or a constraint over the others."""
        left = tuple(lit for lit in self.literals if lit not in true and -lit not in true)
        need = self.need - sum(lit in true for lit in self.literals)
        if need <= 0:
            return TRUE
        return Constraint(left, need) if need <= len(left) else FALSE

    def mapped(self, number: Sequence[int]) -> Constraint:
        """The same over other variables: variable v becomes ``number[v]``."""
        moved = ((number[abs(lit) - 1] + 1) * (1 if lit > 0 else -1) for lit in self.literals)
        return Constraint(tuple(sorted(moved, key=abs)), self.need)


TRUE = Constraint((), 0)
FALSE = Constraint(())


def as_constraint(value: Constraint | Clause) -> Constraint:
    """A constraint as it is, or the clause of these literals (in normal form)."""
    return value if isinstance(value, Constraint) else Constraint(value)


def clauses_of(constraints: Iterable[Constraint]) -> list[Clause]:
    """The literals of constraints that are all clauses; a count among them is an InputError."""
    found = list(constraints)
    if counts := sum(not constraint.is_clause for constraint in found):
        raise InputError(f"{counts} of the {len(found)} constraints are counts, not clauses", fix="this takes clauses")
    return [constraint.literals for constraint in found]


def all_held(constraints: Iterable[Constraint | Clause], assignments: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """For each assignment (row): whether it satisfies every constraint."""
    result = np.ones(len(assignments), dtype=np.bool_)
    for constraint in constraints:
        result &= as_constraint(constraint).held_by(assignments)
    return result


def coverage(constraints: Sequence[Constraint | Clause], assignments: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """For each assignment (row) and constraint (column): whether the assignment satisfies the constraint."""
    result = np.zeros((len(assignments), len(constraints)), dtype=np.bool_)
    for j, constraint in enumerate(constraints):
        result[:, j] = as_constraint(constraint).held_by(assignments)
    return result
