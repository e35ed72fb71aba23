"""Constraints, schemas, assignments and the context language."""

from hassle.logic.assignment import Assignment, as_bits
from hassle.logic.clauses import Clause, literal, make_clause, variable_of
from hassle.logic.constraint import Constraint, all_held, as_constraint, clauses_of, coverage
from hassle.logic.context import EMPTY, Context, as_context
from hassle.logic.names import check_names, default_names
from hassle.logic.parser import parse_formula
from hassle.logic.printer import count_text, formula_text, literal_text
from hassle.logic.schema import Arrangement, Choice, Column, Dimension, Number, Schema, YesNo, as_schema

__all__ = [
    "EMPTY",
    "Arrangement",
    "Assignment",
    "Choice",
    "Clause",
    "Column",
    "Constraint",
    "Context",
    "Dimension",
    "Number",
    "Schema",
    "YesNo",
    "all_held",
    "as_bits",
    "as_constraint",
    "as_context",
    "as_schema",
    "check_names",
    "clauses_of",
    "count_text",
    "coverage",
    "default_names",
    "formula_text",
    "literal",
    "literal_text",
    "make_clause",
    "parse_formula",
    "variable_of",
]
