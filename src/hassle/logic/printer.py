"""The context language, written: reading the text again gives the same formula."""

from __future__ import annotations

from hassle.logic.formula import And, Constant, Formula, Iff, Implies, Literal, Not, Or
from hassle.logic.names import quoted

_TIGHTNESS = {Iff: 0, Implies: 1, Or: 2, And: 3, Not: 4, Literal: 5, Constant: 5}


def literal_text(lit: int, names: tuple[str, ...]) -> str:
    return ("" if lit > 0 else "!") + quoted(names[abs(lit) - 1])


def formula_text(formula: Formula, names: tuple[str, ...]) -> str:
    match formula:
        case Constant(value):
            return "true" if value else "false"
        case Literal(lit):
            return literal_text(lit, names)
        case Not(operand):
            return "!" + _inside(operand, 4, names)
        case And(operands):
            return " & ".join(_inside(operand, 4, names) for operand in operands)
        case Or(operands):
            return " | ".join(_inside(operand, 3, names) for operand in operands)
        case Implies(premise, conclusion):
            return f"{_inside(premise, 2, names)} -> {_inside(conclusion, 1, names)}"
        case Iff(left, right):
            return f"{_inside(left, 1, names)} <-> {_inside(right, 0, names)}"
    raise AssertionError(formula)


def _inside(formula: Formula, tightness: int, names: tuple[str, ...]) -> str:
    text = formula_text(formula, names)
    return text if _TIGHTNESS[type(formula)] >= tightness else f"({text})"
