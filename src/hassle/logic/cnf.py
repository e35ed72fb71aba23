"""Any formula as clauses, for solvers and counters.

Compound parts get a fresh variable that is defined in both directions (Tseitin), so every satisfying assignment of the
original variables extends in exactly one way: model counts are kept, not only satisfiability.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

from hassle.logic.clauses import Clause
from hassle.logic.constraint import Constraint
from hassle.logic.formula import And, AtLeast, Constant, Formula, Iff, Implies, Literal, Not, Or, at_least

# Literals in the clauses of a cell of a counter: two definitions of a disjunction of two.
COUNTER_CELL = 14


def constraint_clauses(constraint: Constraint, first_fresh: int) -> tuple[list[Clause], int]:
    """Clauses that hold exactly when the constraint does, and the next unused DIMACS number.

    One of every n - need + 1 literals must hold: those clauses need no fresh variables, and are taken unless a counter
    takes less.
    """
    literals, need = constraint.literals, constraint.need
    if constraint.is_clause:
        return [literals], first_fresh
    size = len(literals) - need + 1
    if need > 0 and size > 0 and comb(len(literals), size) * size <= COUNTER_CELL * len(literals) * min(need, size):
        return list(combinations(literals, size)), first_fresh
    return to_clauses(at_least(constraint), first_fresh)


def definition(constraint: Constraint, first_fresh: int) -> tuple[int, list[Clause], int]:
    """A literal that is true exactly when the constraint holds, its clauses, and the next unused DIMACS number."""
    encoder = _Encoder(first_fresh)
    return encoder.name(at_least(constraint)), encoder.clauses, encoder.fresh


def to_clauses(formula: Formula, first_fresh: int) -> tuple[list[Clause], int]:
    """Clauses for the formula, and the next unused DIMACS number; fresh variables are numbered from ``first_fresh``."""
    encoder = _Encoder(first_fresh)
    encoder.require(formula)
    return encoder.clauses, encoder.fresh


class _Encoder:
    def __init__(self, first_fresh: int) -> None:
        self.clauses: list[Clause] = []
        self.fresh = first_fresh
        self.defined: dict[Formula, int] = {}

    def require(self, formula: Formula) -> None:
        """Clauses that hold exactly when the formula does."""
        match formula:
            case Constant(value):
                if not value:
                    self.clauses.append(())
            case And(operands):
                for operand in operands:
                    self.require(operand)
            case Or(operands):
                self._add([self.name(operand) for operand in operands])
            case Implies(premise, conclusion):
                self._add([-self.name(premise), self.name(conclusion)])
            case Not(And(operands)):
                self._add([-self.name(operand) for operand in operands])
            case Not(Or(operands)):
                for operand in operands:
                    self._add([-self.name(operand)])
            case _:
                self._add([self.name(formula)])

    def name(self, formula: Formula) -> int:
        """A literal that is true exactly when the formula is."""
        match formula:
            case Constant(value):
                name = self._new()
                self._add([name if value else -name])
                return name
            case Literal(lit):
                return lit
            case Not(operand):
                return -self.name(operand)
            case Implies(premise, conclusion):
                return self._disjunction(formula, [-self.name(premise), self.name(conclusion)])
            case Or(operands):
                return self._disjunction(formula, [self.name(operand) for operand in operands])
            case And(operands):
                return -self._disjunction(formula, [-self.name(operand) for operand in operands])
            case Iff(left, right):
                return self._equivalence(formula, self.name(left), self.name(right))
            case AtLeast(constraint):
                return self._count(constraint)
        raise AssertionError(formula)

    def _disjunction(self, formula: Formula, literals: list[int]) -> int:
        if formula not in self.defined:
            name = self.defined[formula] = self._new()
            self._add([-name, *literals])
            for lit in literals:
                self._add([name, -lit])
        return self.defined[formula]

    def _count(self, constraint: Constraint) -> int:
        """A literal that is true exactly when the constraint holds.

        A counter over the literals, one by one: ``row[j - 1]`` is true exactly when at least j of those so far are. It
        takes literals times need fresh variables, so a count that needs most of its literals is named by its negation.
        """
        opposite = constraint.negation
        if opposite.need < constraint.need:
            return -self._count(opposite)
        row: list[int] = []
        for i, lit in enumerate(constraint.literals, 1):
            more = []
            for j in range(1, min(i, constraint.need) + 1):
                one_less = [row[j - 2]] if j > 1 else []
                enough = self._named_conjunction([lit, *one_less])
                more.append(enough if j == i else self._named_disjunction([row[j - 1], enough]))
            row = more
        return row[constraint.need - 1]

    def _named_conjunction(self, literals: list[int]) -> int:
        return literals[0] if len(literals) == 1 else -self._named_disjunction([-lit for lit in literals])

    def _named_disjunction(self, literals: list[int]) -> int:
        key = Or(tuple(Literal(lit) for lit in sorted(literals, key=abs)))
        return self._disjunction(key, literals)

    def _equivalence(self, formula: Formula, left: int, right: int) -> int:
        if formula not in self.defined:
            name = self.defined[formula] = self._new()
            for signs in ((-1, -1, 1), (-1, 1, -1), (1, 1, 1), (1, -1, -1)):
                self._add([signs[0] * name, signs[1] * left, signs[2] * right])
        return self.defined[formula]

    def _new(self) -> int:
        self.fresh += 1
        return self.fresh - 1

    def _add(self, literals: list[int]) -> None:
        distinct = set(literals)
        if not any(-lit in distinct for lit in distinct):
            self.clauses.append(tuple(sorted(distinct, key=abs)))
