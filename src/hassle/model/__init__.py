"""Models and what can be said of them without solving."""

from hassle.model.model import VERDICTS, Model, SoftClause, Verdict, as_clause
from hassle.model.weights import DEFAULT_UNIT, FINEST_UNIT, exact_weight
from hassle.model.words import clause_words, model_clauses, model_words

__all__ = [
    "DEFAULT_UNIT",
    "FINEST_UNIT",
    "VERDICTS",
    "Model",
    "SoftClause",
    "Verdict",
    "as_clause",
    "clause_words",
    "exact_weight",
    "model_clauses",
    "model_words",
]
