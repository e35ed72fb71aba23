"""A model as a linear programme over 0 and 1, in the files of MILP solvers: LP and MPS, written by OR-Tools.

Every Boolean variable is a column of the programme, a choice's values sum to one, and a number is a whole-number column
beside its steps. A soft constraint has a column that can be 1 only where it holds. Names are made into identifiers; the
comments at the head say what each of them is called in the model, and what each row demands.
"""

from __future__ import annotations

from typing import Any

from hassle.exits.identifiers import identifiers
from hassle.exits.statements import rewards, statements
from hassle.logic import Constraint, Number
from hassle.model import Model
from hassle.model.words import constraint_words

ALWAYS = "always_1"
# Words of the LP language.
RESERVED = (
    *("constant", "obj", "cost", "free", "inf", "infinity", "st", "bounds", "binaries", "binary", "generals"),
    *("general", "integer", "end", "rhs", "all_columns", ALWAYS),
)


def lp_text(model: Model) -> str:
    """The model as the text of an ``.lp`` file."""
    programme, value, remarks = _programme(model)
    programme.maximize(value)
    told = [f"hassle: the value in units of 1/{model.unit} is maximised", *remarks]
    return "".join(f"\\ {remark}\n" for remark in told) + _priced(programme.export_to_lp_string())


def mps_text(model: Model) -> str:
    """The model as the text of an ``.mps`` file (free format)."""
    programme, value, remarks = _programme(model)
    programme.minimize(-value)  # not every reader of MPS knows how to maximise
    told = [f"hassle: minus the value in units of 1/{model.unit} is minimised", *remarks]
    return "".join(f"* {remark}\n" for remark in told) + programme.export_to_mps_string()


def _priced(text: str) -> str:
    """The text with a price in its objective, which some readers insist on."""
    return text.replace("\n Obj: \n", f"\n Obj: 0 {ALWAYS}\n")


def _programme(model: Model) -> tuple[Any, Any, list[str]]:
    """The programme without its objective, the value in units, and what the comments say."""
    from ortools.linear_solver.python import model_builder

    programme = model_builder.Model()
    programme.name = "hassle"
    schema = model.schema
    numbers = [column for column in schema.columns if isinstance(column, Number)]
    names = identifiers((*schema.variables, *(column.name for column in numbers)), RESERVED)
    rows = _Rows(programme, [programme.new_bool_var(names[name]) for name in schema.variables])
    remarks = [f"{identifier} is {name}" for name, identifier in names.items() if identifier != name]
    for column in numbers:
        place = schema.columns.index(column)
        own = rows.variables[schema.starts[place] : schema.starts[place + 1]]
        whole = programme.new_int_var(column.low, column.high, names[column.name])
        programme.add(whole - sum(own) == column.low).name = f"number_{names[column.name]}"
    for number, constraint in enumerate(schema.domain, 1):
        rows.insist(constraint, f"domain_{number}")
    must = [each for each in statements(model) if each.units is None]
    for number, statement in enumerate(must, 1):
        remarks.append(f"rule_{number}: {statement.words}")
        for instance, constraint in enumerate(statement.instances, 1):
            rows.insist(constraint, f"rule_{number}" + (f"_{instance}" if len(statement.instances) > 1 else ""))
    wanted, total = rewards(model)
    terms = []
    for number, (constraint, units) in enumerate(wanted.items(), 1):
        literal, lit = rows.literal(constraint.literals[0]), constraint.literals[0]
        if len(constraint.literals) == 1 and lit < 0:
            literal, units, total = rows.literal(-lit), -units, total + units
        elif len(constraint.literals) > 1:
            remarks.append(f"wish_{number}, worth {units}: {constraint_words(constraint, schema)}")
            literal = programme.new_bool_var(f"wish_{number}")
            rows.insist(constraint, f"wish_{number}_met", literal)
        terms.append(units * literal)
    # Readers of MPS differ in the sign of an objective's constant, so it is the price of a column that is always 1.
    always = programme.new_int_var(1, 1, ALWAYS)
    terms.append(total * always)
    # A column without a row or a price would not be written, though its bounds are.
    programme.add(always + sum(rows.variables) >= 1).name = "all_columns"
    return programme, sum(terms), remarks


class _Rows:
    def __init__(self, programme: Any, variables: list[Any]) -> None:
        self.programme = programme
        self.variables = variables

    def literal(self, lit: int) -> Any:
        return self.variables[lit - 1] if lit > 0 else 1 - self.variables[-lit - 1]

    def insist(self, constraint: Constraint, name: str, only_if: Any = 1) -> None:
        if not constraint.literals:
            never = self.programme.new_bool_var(f"never_{name}")
            self.programme.add(never >= 2).name = name
            return
        counted = sum(self.literal(lit) for lit in constraint.literals)
        self.programme.add(counted - constraint.need * only_if >= 0).name = name
