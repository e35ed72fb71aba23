"""Boolean formulas: the general form of contexts.

Formulas are immutable and built only through the functions below, which keep them in a simple normal form: negation
stands only in literals or before a compound, conjunctions and disjunctions are flat, constants occur only alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hassle.logic.constraint import Constraint


@dataclass(frozen=True, slots=True)
class Constant:
    value: bool


@dataclass(frozen=True, slots=True)
class Literal:
    literal: int


@dataclass(frozen=True, slots=True)
class Not:
    operand: Formula


@dataclass(frozen=True, slots=True)
class And:
    operands: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    operands: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Implies:
    premise: Formula
    conclusion: Formula


@dataclass(frozen=True, slots=True)
class Iff:
    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class AtLeast:
    """A count that no other formula says: it needs more than one of its literals, and not all of them."""

    constraint: Constraint


Formula = Constant | Literal | Not | And | Or | Implies | Iff | AtLeast

TRUE = Constant(True)
FALSE = Constant(False)


def negation(operand: Formula) -> Formula:
    match operand:
        case Constant(value):
            return Constant(not value)
        case Literal(lit):
            return Literal(-lit)
        case Not(inner):
            return inner
        case AtLeast(constraint):
            return at_least(constraint.negation)
    return Not(operand)


def at_least(constraint: Constraint) -> Formula:
    """The formula of a constraint: a disjunction or a conjunction where that is what it says."""
    if not 0 < constraint.need <= len(constraint.literals):
        return Constant(constraint.need <= 0)
    if constraint.need == 1:
        return disjunction(Literal(lit) for lit in constraint.literals)
    if constraint.need == len(constraint.literals):
        return conjunction(Literal(lit) for lit in constraint.literals)
    return AtLeast(constraint)


def conjunction(operands: Iterable[Formula]) -> Formula:
    return _flat(And, operands, neutral=TRUE, absorbing=FALSE)


def disjunction(operands: Iterable[Formula]) -> Formula:
    return _flat(Or, operands, neutral=FALSE, absorbing=TRUE)


def _flat(kind: type[And] | type[Or], operands: Iterable[Formula], neutral: Constant, absorbing: Constant) -> Formula:
    parts: dict[Formula, None] = {}
    for operand in operands:
        inner = operand.operands if isinstance(operand, kind) else (operand,)
        parts.update(dict.fromkeys(inner))
    parts.pop(neutral, None)
    if absorbing in parts:
        return absorbing
    if not parts:
        return neutral
    if len(parts) == 1:
        return next(iter(parts))
    return kind(tuple(parts))


def implication(premise: Formula, conclusion: Formula) -> Formula:
    if isinstance(premise, Constant):
        return conclusion if premise.value else TRUE
    if isinstance(conclusion, Constant):
        return TRUE if conclusion.value else negation(premise)
    return Implies(premise, conclusion)


def equivalence(left: Formula, right: Formula) -> Formula:
    if isinstance(left, Constant):
        return right if left.value else negation(right)
    if isinstance(right, Constant):
        return left if right.value else negation(left)
    return Iff(left, right)


def without_arrows(formula: Formula) -> Formula:
    """The same with ``->`` and negations of compounds written out, as far as that takes no part twice."""
    match formula:
        case And(operands):
            return conjunction(map(without_arrows, operands))
        case Or(operands):
            return disjunction(map(without_arrows, operands))
        case Implies(premise, conclusion):
            return disjunction(map(without_arrows, (negation(premise), conclusion)))
        case Not(Implies(premise, conclusion)):
            return conjunction(map(without_arrows, (premise, negation(conclusion))))
        case Not(And(operands)):
            return disjunction(map(without_arrows, map(negation, operands)))
        case Not(Or(operands)):
            return conjunction(map(without_arrows, map(negation, operands)))
    return formula


def evaluate(formula: Formula, value_of: Callable[[int], Any]) -> Any:
    """The truth of the formula, where ``value_of(v)`` is NumPy's truth value (or an array of them) of variable v."""
    match formula:
        case Constant(value):
            # A constant formula never occurs inside another one, so the caller alone must broadcast it.
            return value
        case Literal(lit):
            return value_of(lit - 1) if lit > 0 else ~value_of(-lit - 1)
        case Not(operand):
            return ~evaluate(operand, value_of)
        case Implies(premise, conclusion):
            return ~evaluate(premise, value_of) | evaluate(conclusion, value_of)
        case Iff(left, right):
            return evaluate(left, value_of) == evaluate(right, value_of)
        case And(operands):
            result = evaluate(operands[0], value_of)
            for operand in operands[1:]:
                result = result & evaluate(operand, value_of)
            return result
        case Or(operands):
            result = evaluate(operands[0], value_of)
            for operand in operands[1:]:
                result = result | evaluate(operand, value_of)
            return result
        case AtLeast(constraint):
            literals = [evaluate(Literal(lit), value_of) for lit in constraint.literals]
            return sum(each.astype(np.int32) for each in literals) >= constraint.need
    raise AssertionError(formula)


def variables_in(formula: Formula) -> frozenset[int]:
    """The indices of the variables that occur in the formula."""
    if isinstance(formula, Literal):
        return frozenset({abs(formula.literal) - 1})
    return frozenset().union(*map(variables_in, operands_of(formula)))


def depth(formula: Formula, limit: int) -> int:
    """How many operators stand within each other, counted up to one more than the limit; without recursion."""
    level, found = [formula], 0
    while level and found <= limit:
        level = [operand for part in level for operand in operands_of(part)]
        found += bool(level)
    return found


def operands_of(formula: Formula) -> tuple[Formula, ...]:
    match formula:
        case Not(operand):
            return (operand,)
        case Implies(left, right) | Iff(left, right):
            return (left, right)
        case And(operands) | Or(operands):
            return operands
        case AtLeast(constraint):
            return tuple(Literal(lit) for lit in constraint.literals)
    return ()
