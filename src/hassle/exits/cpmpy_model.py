"""A model as a :class:`cpmpy.Model`: Boolean and integer variables by name, described constraints, an objective."""

from __future__ import annotations

from typing import Any

from hassle.errors import InputError
from hassle.exits.statements import constant, statements
from hassle.logic import Choice, Column, Constraint, Number, Schema
from hassle.model import Model

# CPMpy tells some expressions by their names alone, so that a variable of such a name is taken for one of them.
OPERATORS = (
    *("and", "or", "not", "->", "xor", "sum", "wsum", "sub", "mul", "div"),
    *("mod", "pow", "abs", "-", "+", "*", "==", "!=", "<", "<="),
    *(">", ">=", "min", "max", "element", "count", "among", "nvalue", "alldifferent", "boolval"),
)


def cpmpy() -> Any:
    """The library, which need not be installed."""
    try:
        import cpmpy
    except ImportError:
        raise InputError("CPMpy is not installed", fix="pip install 'hassle-learn[cpmpy]'") from None
    return cpmpy


def to_cpmpy(model: Model) -> Any:
    """The model for CPMpy; ``columns`` of what is returned maps every column's name to its variable."""
    cp = cpmpy()
    columns = {column.name: _variable(cp, column) for column in model.schema.columns}
    atoms = _atoms(model.schema, columns)
    result = cp.Model()
    worth = []
    for statement in statements(model):
        parts = [_expression(cp, each, atoms) for each in statement.instances]
        if statement.units is None:
            # A group of its own even where it is a single literal: a description would stay with the variable.
            group = cp.all(parts)
            group.set_description(statement.words)
            result += group
        else:
            worth += [statement.units * part for part in parts]
    if worth:
        result.maximize(cp.sum([*worth, constant(model)]))
    result.columns = columns
    return result


def _variable(cp: Any, column: Column) -> Any:
    name = f"{column.name}_" if column.name.lower() in OPERATORS else column.name
    if isinstance(column, Choice):
        return cp.intvar(0, len(column.values) - 1, name=name)
    if isinstance(column, Number):
        return cp.intvar(column.low, column.high, name=name)
    return cp.boolvar(name=name)


def _atoms(schema: Schema, columns: dict[str, Any]) -> list[Any]:
    """What each Boolean variable of the schema says of its column."""
    result = []
    for column in schema.columns:
        variable = columns[column.name]
        if isinstance(column, Choice):
            result += [variable == i for i in range(len(column.values))]
        elif isinstance(column, Number):
            result += [variable >= k for k in range(column.low + 1, column.high + 1)]
        else:
            result.append(variable)
    return result


def _expression(cp: Any, constraint: Constraint, atoms: list[Any]) -> Any:
    if not constraint.literals:
        return cp.BoolVal(False)
    literals = [atoms[lit - 1] if lit > 0 else ~atoms[-lit - 1] for lit in constraint.literals]
    if constraint.is_clause:
        return cp.any(literals)
    if constraint.need == len(literals):
        return cp.all(literals)
    if max(constraint.literals) < 0:
        return cp.sum([atoms[-lit - 1] for lit in constraint.literals]) <= len(literals) - constraint.need
    return cp.sum(literals) >= constraint.need
