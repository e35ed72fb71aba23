"""A formula as constraints over the same variables: what a context asks for, said as rules.

Unlike :mod:`hassle.logic.cnf` it makes no fresh variables, so what comes out is part of a model and reads like one.
Disjunctions of conjunctions are multiplied out, which a long enough formula makes too much of; that is an error.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from hassle.errors import InputError
from hassle.logic import Clause, Constraint
from hassle.logic.constraint import FALSE
from hassle.logic.formula import And, AtLeast, Constant, Formula, Iff, Implies, Literal, Not, Or, negation

MOST_CLAUSES = 2000

Clauses = list[frozenset[int]]


def required(formula: Formula) -> list[Constraint]:
    """Constraints that hold, all of them, exactly where the formula does."""
    match formula:
        case Constant(value):
            return [] if value else [FALSE]
        case And(operands):
            return list(dict.fromkeys(each for operand in operands for each in required(operand)))
        case AtLeast(constraint):
            return [constraint]
    return [Constraint(_ordered(clause)) for clause in _clauses(formula)]


def _ordered(clause: Iterable[int]) -> Clause:
    return tuple(sorted(clause, key=abs))


def _clauses(formula: Formula) -> Clauses:
    """The formula multiplied out."""
    match formula:
        case Constant(value):
            return [] if value else [frozenset()]
        case Literal(lit):
            return [frozenset({lit})]
        case And(operands):
            return _shortest(clause for operand in operands for clause in _clauses(operand))
        case Or(operands):
            result: Clauses = [frozenset()]
            for operand in operands:
                factor = _clauses(operand)
                if len(result) * len(factor) > MOST_CLAUSES:
                    raise InputError(
                        f"the context takes more than {MOST_CLAUSES} clauses to say as rules",
                        fix="say it as a conjunction of shorter ones",
                    )
                result = _shortest(left | right for left in result for right in factor)
            return result
        case Implies(premise, conclusion):
            return _clauses(Or((negation(premise), conclusion)))
        case Iff(left, right):
            return _clauses(And((Or((negation(left), right)), Or((left, negation(right))))))
        case Not(operand):
            return _clauses(_negated(operand))
        case AtLeast(constraint):
            spare = len(constraint.literals) - constraint.need + 1
            return [frozenset(chosen) for chosen in combinations(constraint.literals, spare)]
    raise AssertionError(formula)


def _negated(formula: Formula) -> Formula:
    """The negation with its sign one step further in; of simple formulas there are none with a sign before them."""
    match formula:
        case And(operands):
            return Or(tuple(map(negation, operands)))
        case Or(operands):
            return And(tuple(map(negation, operands)))
        case Implies(premise, conclusion):
            return And((premise, negation(conclusion)))
        case Iff(left, right):
            return Iff(left, negation(right))
    return negation(formula)


def _shortest(clauses: Iterable[frozenset[int]]) -> Clauses:
    """Without clauses that always hold, and without those that a shorter one implies."""
    distinct = {clause for clause in clauses if not any(-lit in clause for lit in clause)}
    result: Clauses = []
    for clause in sorted(distinct, key=lambda each: (len(each), _ordered(each))):
        if not any(kept <= clause for kept in result):
            result.append(clause)
    return result
