"""Literals, clauses, assignments and the context language."""

from hassle.logic.assignment import Assignment, as_bits
from hassle.logic.clauses import Clause, coverage, covers, literal, make_clause, subsumes, variable_of
from hassle.logic.context import EMPTY, Context, as_context
from hassle.logic.names import check_names, default_names
from hassle.logic.parser import parse_formula
from hassle.logic.printer import formula_text, literal_text

__all__ = [
    "EMPTY",
    "Assignment",
    "Clause",
    "Context",
    "as_bits",
    "as_context",
    "check_names",
    "coverage",
    "covers",
    "default_names",
    "formula_text",
    "literal",
    "literal_text",
    "make_clause",
    "parse_formula",
    "subsumes",
    "variable_of",
]
