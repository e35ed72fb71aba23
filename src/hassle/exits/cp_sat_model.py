"""A model as OR-Tools' ``CpModel``, with names, and the variable of every column."""

from __future__ import annotations

from typing import Any, NamedTuple

from hassle.exits.statements import rewards, statements
from hassle.logic import Assignment, Choice, Constraint, Number, Schema
from hassle.model import Model


class CpSatModel(NamedTuple):
    """``model`` is the ``CpModel``, which maximises the value in units of ``1/unit``.

    ``columns`` maps every column's name to its variable: a Boolean one, or an integer one, which is the number itself
    or the place of a choice's value. ``schema`` says what the columns mean.
    """

    model: Any
    columns: dict[str, Any]
    schema: Schema

    def assignment(self, solver: Any) -> Assignment:
        """What a ``CpSolver`` has found, by columns and values."""
        values: list[object] = []
        for column in self.schema.columns:
            found = solver.value(self.columns[column.name])
            values.append(column.values[found] if isinstance(column, Choice) else found)
        return Assignment.of(self.schema, self.schema.encode(values))


def to_cp_sat(model: Model) -> CpSatModel:
    """The model for CP-SAT; every constraint has its rule's words for a name."""
    from ortools.sat.python import cp_model

    programme = cp_model.CpModel()
    columns: dict[str, Any] = {}
    atoms: list[Any] = []
    for column in model.schema.columns:
        own = [programme.new_bool_var(name) for name in column.atoms]
        atoms += own
        if isinstance(column, Choice):
            programme.add_exactly_one(own)
            variable = programme.new_int_var(0, len(own) - 1, column.name)
            programme.add(variable == cp_model.LinearExpr.weighted_sum(own, range(len(own))))
        elif isinstance(column, Number):
            for higher, lower in zip(own[1:], own, strict=False):
                programme.add_implication(higher, lower)
            variable = programme.new_int_var(column.low, column.high, column.name)
            programme.add(variable == column.low + sum(own))
        else:
            (variable,) = own
        columns[column.name] = variable
    for statement in statements(model):
        if statement.units is None:
            for each in statement.instances:
                _insist(programme, each, atoms).with_name(statement.words)
    wanted, total = rewards(model)
    if model.soft:
        literals = [_rewarded(programme, each, atoms) for each in wanted]
        programme.maximize(cp_model.LinearExpr.weighted_sum(literals, list(wanted.values())) + total)
    return CpSatModel(programme, columns, model.schema)


def _insist(programme: Any, constraint: Constraint, atoms: list[Any]) -> Any:
    literals = [_literal(lit, atoms) for lit in constraint.literals]
    if constraint.is_clause:
        return programme.add_bool_or(literals)
    if constraint.need == len(literals):
        return programme.add_bool_and(literals)
    return programme.add(sum(literals) >= constraint.need)


def _rewarded(programme: Any, constraint: Constraint, atoms: list[Any]) -> Any:
    """A literal that is true exactly where the constraint holds."""
    if constraint.need == len(constraint.literals) == 1:
        return _literal(constraint.literals[0], atoms)
    met = programme.new_bool_var("")
    _insist(programme, constraint, atoms).only_enforce_if(met)
    _insist(programme, constraint.negation, atoms).only_enforce_if(~met)
    return met


def _literal(lit: int, atoms: list[Any]) -> Any:
    return atoms[lit - 1] if lit > 0 else ~atoms[-lit - 1]
