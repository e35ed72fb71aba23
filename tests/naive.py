"""Slow twins, written from the definitions: the judges of everything fast.

Everything here enumerates all assignments of few variables and uses nothing of the code under test but the plain data
(constraints as literals and a need, weights as exact decimals, formulas as trees).
"""

from __future__ import annotations

import itertools
from decimal import Decimal

from hassle.logic import formula as f


def all_assignments(variables):
    return list(itertools.product((0, 1), repeat=variables))


def clause_holds(clause, bits):
    return any((bits[abs(lit) - 1] == 1) == (lit > 0) for lit in clause)


def constraint_holds(constraint, bits):
    return sum((bits[abs(lit) - 1] == 1) == (lit > 0) for lit in constraint.literals) >= constraint.need


def in_domain(schema, bits):
    """Whether the bits mean a value for every column."""
    at = 0
    for column in schema.columns:
        width = len(column.atoms)
        own = list(bits[at : at + width])
        at += width
        if column.kind == "choice" and own.count(1) != 1:
            return False
        if column.kind == "number" and own != sorted(own, reverse=True):
            return False
    return True


def formula_holds(formula, bits):
    match formula:
        case f.Constant(value):
            return value
        case f.Literal(lit):
            return (bits[abs(lit) - 1] == 1) == (lit > 0)
        case f.Not(operand):
            return not formula_holds(operand, bits)
        case f.And(operands):
            return all(formula_holds(operand, bits) for operand in operands)
        case f.Or(operands):
            return any(formula_holds(operand, bits) for operand in operands)
        case f.Implies(premise, conclusion):
            return not formula_holds(premise, bits) or formula_holds(conclusion, bits)
        case f.Iff(left, right):
            return formula_holds(left, bits) == formula_holds(right, bits)
        case f.AtLeast(constraint):
            return constraint_holds(constraint, bits)


def context_holds(context, bits):
    return formula_holds(context.formula, bits)


def value(model, bits):
    return sum((soft.weight for soft in model.soft if constraint_holds(soft.constraint, bits)), Decimal(0))


def feasible(model, context, bits):
    return (
        in_domain(model.schema, bits)
        and context_holds(context, bits)
        and all(constraint_holds(constraint, bits) for constraint in model.hard)
    )


def optima(model, context):
    """The best assignments in the context, as a set of tuples, and their value (None where there is none)."""
    candidates = [bits for bits in all_assignments(len(model.variables)) if feasible(model, context, bits)]
    if not candidates:
        return set(), None
    best = max(value(model, bits) for bits in candidates)
    return {bits for bits in candidates if value(model, bits) == best}, best


def verdict(model, context, bits):
    if not feasible(model, context, bits):
        return "infeasible"
    return "optimal" if tuple(bits) in optima(model, context)[0] else "suboptimal"
