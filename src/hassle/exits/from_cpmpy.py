"""The way in from CPMpy: a ``cpmpy.Model`` of clauses, counts and a weighted sum, as a model.

Boolean variables are yes-or-no columns. An integer variable is a choice where it is only ever asked whether it equals
something, else a number. A comparison of sums becomes a count, which takes coefficients of one size; an objective
becomes soft constraints, one for each term. Anything else is refused by name. The constant of an objective, which
changes no optimum, is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from hassle.errors import InputError
from hassle.exits.cpmpy_model import cpmpy
from hassle.logic import Choice, Column, Constraint, Number, Schema, YesNo
from hassle.logic.formula import (
    TRUE,
    And,
    AtLeast,
    Constant,
    Formula,
    Literal,
    Or,
    at_least,
    conjunction,
    disjunction,
    equivalence,
    implication,
    negation,
)
from hassle.model import Model
from hassle.model.given import required

SIGNS = {"==": "=", "!=": "!=", "<=": "<=", "<": "<", ">=": ">=", ">": ">"}
# The same comparison seen from the other side.
MIRRORED = {"==": "==", "!=": "!=", "<=": ">=", "<": ">", ">=": "<=", ">": "<"}

Term = tuple[int, Formula]


def from_cpmpy(model: Any, unit: int) -> Model:
    """The model that a ``cpmpy.Model`` says."""
    cp = cpmpy()
    if not isinstance(model, cp.Model):
        raise InputError(f"{type(model).__name__} is no CPMpy model", fix="pass a cpmpy.Model")
    reader = _Reader(model)
    hard = [rule for said in _flat(model.constraints) for rule in reader.rules(said)]
    soft: list[tuple[Constraint, int]] = []
    if model.objective_ is not None:
        terms, _ = reader.sum(model.objective_)
        sign = -1 if model.objective_is_min else 1
        soft = [(_constraint(what), sign * weight) for weight, what in terms if weight and what != TRUE]
    return Model.from_units(reader.schema, hard, soft, unit)


def _flat(constraints: Iterable[Any]) -> Iterator[Any]:
    for each in constraints:
        if isinstance(each, list | tuple):
            yield from _flat(each)
        else:
            yield each


def _constraint(formula: Formula) -> Constraint:
    """The one constraint that a term of the objective is."""
    match formula:
        case Constant(value):
            assert not value
            return Constraint(())
        case Literal(lit):
            return Constraint((lit,))
        case AtLeast(constraint):
            return constraint
        case Or(operands) | And(operands) if all(isinstance(each, Literal) for each in operands):
            literals = [each.literal for each in operands if isinstance(each, Literal)]
            return Constraint.of(literals, 1 if isinstance(formula, Or) else len(literals))
    raise InputError("a term of the objective is no clause and no count", fix="name it by a Boolean variable")


def _is_constant(said: Any) -> bool:
    return not hasattr(said, "name") or type(said).__name__ == "BoolVal"


class _Reader:
    def __init__(self, model: Any) -> None:
        from cpmpy.transformations.get_variables import get_variables_model

        found = {variable.name: variable for variable in get_variables_model(model)}
        ordered = set(_ordered(model))
        self.schema = Schema(tuple(_column(variable, name in ordered) for name, variable in found.items()))

    def rules(self, said: Any) -> list[Constraint]:
        """What must hold, as constraints."""
        return required(self.formula(said))

    def formula(self, said: Any) -> Formula:
        """A Boolean expression."""
        kind = type(said).__name__
        if _is_constant(said):
            return Constant(bool(said))
        if kind == "NegBoolView":
            return negation(self.formula(said._bv))
        if kind == "_BoolVarImpl":
            return self._atom(said.name, "=", 1)
        if kind == "Operator":
            match said.name:
                case "and":
                    return conjunction(map(self.formula, said.args))
                case "or":
                    return disjunction(map(self.formula, said.args))
                case "not":
                    return negation(self.formula(said.args[0]))
                case "->":
                    return implication(*map(self.formula, said.args))
        if kind == "Comparison":
            return self._comparison(said.name, *said.args)
        raise InputError(f"{said} cannot be taken from CPMpy", fix="use clauses, counts and comparisons with a number")

    def _comparison(self, sign: str, left: Any, right: Any) -> Formula:
        if _is_constant(left) and not _is_constant(right):
            sign, left, right = MIRRORED[sign], right, left
        if type(left).__name__ == "_IntVarImpl" and _is_constant(right):
            return self._atom(left.name, SIGNS[sign], int(right))
        if sign in ("==", "!=") and left.is_bool() and (_is_constant(right) or right.is_bool()):
            both = equivalence(self.formula(left), self.formula(bool(right) if _is_constant(right) else right))
            return both if sign == "==" else negation(both)
        terms, constant = self.sum(left)
        others, other = self.sum(right)
        return _linear([*terms, *((-weight, what) for weight, what in others)], sign, other - constant)

    def _atom(self, name: str, sign: str, value: int) -> Formula:
        column, start = self.schema.column(name)
        if isinstance(column, Choice) and str(value) not in column.values:
            return Constant(sign == "!=")
        return column.compare(sign, str(value), start)

    def sum(self, said: Any) -> tuple[list[Term], int]:
        """An expression as weighted formulas and a constant."""
        kind = type(said).__name__
        if _is_constant(said):
            return [], int(said)
        if kind == "_IntVarImpl":
            column, start = self.schema.column(said.name)
            assert isinstance(column, Number)
            return [(1, Literal(start + 1 + i)) for i in range(len(column.atoms))], column.low
        if kind in ("Operator", "Multiplication") and said.name in ("sum", "wsum", "sub", "-", "mul"):
            parts = self._parts(said)
            terms: list[Term] = []
            total = 0
            for weight, part in parts:
                inner, constant = self.sum(part)
                terms += [(weight * each, what) for each, what in inner]
                total += weight * constant
            return terms, total
        if said.is_bool():
            what = self.formula(said)
            return ([], int(what.value)) if isinstance(what, Constant) else ([(1, what)], 0)
        raise InputError(f"{said} cannot be taken from CPMpy", fix="use sums of variables with whole weights")

    def _parts(self, said: Any) -> list[tuple[int, Any]]:
        match said.name:
            case "sum":
                return [(1, each) for each in said.args]
            case "wsum":
                return [(int(weight), each) for weight, each in zip(*said.args, strict=True)]
            case "sub":
                return [(1, said.args[0]), (-1, said.args[1])]
            case "-":
                return [(-1, said.args[0])]
        left, right = said.args
        if _is_constant(left):
            return [(int(left), right)]
        if _is_constant(right):
            return [(int(right), left)]
        raise InputError(f"{said} is a product of variables", fix="use sums of variables with whole weights")


def _column(variable: Any, ordered: bool) -> Column:
    if variable.is_bool():
        return YesNo(variable.name)
    low, high = variable.get_bounds()
    return Number(variable.name, low, high) if ordered else Choice(variable.name, tuple(map(str, range(low, high + 1))))


def _ordered(model: Any) -> Iterator[str]:
    """The integer variables that are more than compared with = or != to numbers, by name."""
    waiting = [*_flat(model.constraints), *([] if model.objective_ is None else [model.objective_])]
    while waiting:
        said = waiting.pop()
        if isinstance(said, list | tuple):
            waiting += said
        elif type(said).__name__ == "_IntVarImpl":
            yield said.name
        elif hasattr(said, "args"):
            plain = type(said).__name__ == "Comparison" and said.name in ("==", "!=")
            if not (plain and any(map(_is_constant, said.args))):
                waiting += said.args
            else:
                # A variable that stands there by itself is only asked whether it equals something.
                waiting += [each for each in said.args if type(each).__name__ != "_IntVarImpl"]


def _linear(terms: list[Term], sign: str, bound: int) -> Formula:
    """The weighted literals compared with a bound."""
    weights: dict[int, int] = {}
    for weight, what in terms:
        if not isinstance(what, Literal):
            raise InputError("a sum counts something that is no variable", fix="name it by a Boolean variable")
        # A negated literal is one minus its variable.
        bound -= weight if what.literal < 0 else 0
        signed = weight if what.literal > 0 else -weight
        weights[abs(what.literal)] = weights.get(abs(what.literal), 0) + signed
    present = {variable: weight for variable, weight in weights.items() if weight}
    if len(set(map(abs, present.values()))) > 1:
        raise InputError("a sum has weights of different sizes, and is no count", fix="use weights of one size")
    match sign:
        case ">=":
            return _at_least(present, bound)
        case ">":
            return _at_least(present, bound + 1)
        case "<=":
            return negation(_at_least(present, bound + 1))
        case "<":
            return negation(_at_least(present, bound))
    equal = conjunction([_at_least(present, bound), negation(_at_least(present, bound + 1))])
    return equal if sign == "==" else negation(equal)


def _at_least(weights: dict[int, int], bound: int) -> Formula:
    size = max(map(abs, weights.values()), default=1)
    literals = tuple(sorted((v if weight > 0 else -v for v, weight in weights.items()), key=abs))
    bound += sum(size for lit in literals if lit < 0)
    return at_least(Constraint(literals, -(-bound // size)))
