"""The context language, written: reading the text again gives the same formula."""

from __future__ import annotations

from collections.abc import Iterable

from hassle.logic.constraint import Constraint
from hassle.logic.formula import And, AtLeast, Constant, Formula, Iff, Implies, Literal, Not, Or
from hassle.logic.names import quoted
from hassle.logic.schema import Schema, as_schema

_TIGHTNESS = {AtLeast: -1, Iff: 0, Implies: 1, Or: 2, And: 3, Not: 4, Literal: 5, Constant: 5}


def literal_text(lit: int, names: Schema | Iterable[str]) -> str:
    """``ana``, ``!ana``, ``shift = night``, ``shift != night``, ``staff >= 3``, ``staff < 3``."""
    schema, v = as_schema(names), abs(lit) - 1
    if not schema.plain:
        place = int(schema.column_of[v])
        compared = schema.columns[place].atom_text(v - schema.starts[place], lit > 0)
        if compared is not None:
            return f"{quoted(schema.columns[place].name)} {compared[0]} {quoted_value(compared[1])}"
    return ("" if lit > 0 else "!") + quoted(schema.variables[v])


def quoted_value(value: str) -> str:
    """A value as it stands in a comparison: a number needs no quotes."""
    return value if value.removeprefix("-").isdecimal() else quoted(value)


def count_text(constraint: Constraint, names: Schema | Iterable[str]) -> str:
    """``at least 2 of a, !b, c``, or ``at most 1 of a, b, c`` where all literals are negative."""
    literals, bound = constraint.literals, f"at least {constraint.need}"
    if literals and max(literals) < 0:
        literals, bound = tuple(-lit for lit in literals), f"at most {len(literals) - constraint.need}"
    return f"{bound} of {', '.join(literal_text(lit, names) for lit in literals)}"


def formula_text(formula: Formula, names: Schema | Iterable[str]) -> str:
    schema = as_schema(names)
    match formula:
        case Constant(value):
            return "true" if value else "false"
        case Literal(lit):
            return literal_text(lit, schema)
        case AtLeast(constraint):
            return count_text(constraint, schema)
        case Not(operand):
            return "!" + _inside(operand, 4, schema)
        case And(operands):
            return " & ".join(_inside(operand, 4, schema) for operand in operands)
        case Or(operands):
            return " | ".join(_inside(operand, 3, schema) for operand in operands)
        case Implies(premise, conclusion):
            return f"{_inside(premise, 2, schema)} -> {_inside(conclusion, 1, schema)}"
        case Iff(left, right):
            return f"{_inside(left, 1, schema)} <-> {_inside(right, 0, schema)}"
    raise AssertionError(formula)


def _inside(formula: Formula, tightness: int, schema: Schema) -> str:
    text = formula_text(formula, schema)
    return text if _TIGHTNESS[type(formula)] >= tightness else f"({text})"
