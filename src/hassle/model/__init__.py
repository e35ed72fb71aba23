"""Models and what can be said of them without solving."""

from hassle.model.families import Family
from hassle.model.model import VERDICTS, Model, Peers, Rule, SoftConstraint, Verdict, to_constraint
from hassle.model.rules import model_rules, parse_rules, rule_text
from hassle.model.weights import DEFAULT_UNIT, FINEST_UNIT, exact_weight
from hassle.model.words import constraint_words, model_formulas, model_words

__all__ = [
    "DEFAULT_UNIT",
    "FINEST_UNIT",
    "VERDICTS",
    "Family",
    "Model",
    "Peers",
    "Rule",
    "SoftConstraint",
    "Verdict",
    "constraint_words",
    "exact_weight",
    "model_formulas",
    "model_rules",
    "model_words",
    "parse_rules",
    "rule_text",
    "to_constraint",
]
