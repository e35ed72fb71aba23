"""Any formula as clauses, for solvers and counters.

Compound parts get a fresh variable that is defined in both directions (Tseitin), so every satisfying assignment of the
original variables extends in exactly one way: model counts are kept, not only satisfiability.
"""

from __future__ import annotations

from hassle.logic.clauses import Clause
from hassle.logic.formula import And, Constant, Formula, Iff, Implies, Literal, Not, Or


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
        raise AssertionError(formula)

    def _disjunction(self, formula: Formula, literals: list[int]) -> int:
        if formula not in self.defined:
            name = self.defined[formula] = self._new()
            self._add([-name, *literals])
            for lit in literals:
                self._add([name, -lit])
        return self.defined[formula]

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
