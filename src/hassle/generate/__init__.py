"""Synthetic problems: true models, contexts that matter, and honest examples of them."""

from hassle.generate.contexts import DrawnContexts, draw_contexts
from hassle.generate.examples import NEGATIVE_KINDS, Wanted, draw_examples
from hassle.generate.models import model_from_cnf, random_model
from hassle.generate.noise import flip_labels, without_reasons
from hassle.generate.problem import Generated, generate, generate_data, label_contexts
from hassle.generate.roster import roster_data, roster_model
from hassle.generate.satlib import satlib_like
from hassle.generate.ward import roster_problem

__all__ = [
    "NEGATIVE_KINDS",
    "DrawnContexts",
    "Generated",
    "Wanted",
    "draw_contexts",
    "draw_examples",
    "flip_labels",
    "generate",
    "generate_data",
    "label_contexts",
    "model_from_cnf",
    "random_model",
    "roster_data",
    "roster_model",
    "roster_problem",
    "satlib_like",
    "without_reasons",
]
