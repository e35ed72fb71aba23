"""How good a model is: on examples (``evaluation.score``) and against a known true model (:func:`evaluate`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hassle.evaluation.measures import Evaluation
    from hassle.model import Model

__all__ = ["METHODS", "evaluate"]

METHODS = ("auto", "table", "counting")
SAMPLES = 1000  # the paper's number of sampled optima
TIME_LIMIT = 60.0


def evaluate(
    model: Model,
    truth: Model,
    context: object = None,
    *,
    method: str = "auto",
    samples: int = SAMPLES,
    seed: int = 0,
    time_limit: float | None = TIME_LIMIT,
) -> Evaluation:
    """Accuracy, infeasibility, regret and more of ``model``, where ``truth`` is right, in a context or globally.

    Variables are matched by name, and shares are over the assignments in the domain of their schema. ``method`` is
    "table" (lists all assignments), "counting" (model counting, for any number of variables) or "auto", which takes a
    table up to about 26 free variables. Both are exact; the time limit, in seconds, holds for counting, which then
    estimates what it could not count and says so. Measures are defined in :mod:`hassle.evaluation.measures`; one that
    is undefined is None, with its reason in ``reasons``.
    """
    import numpy as np

    from hassle.errors import InputError
    from hassle.evaluation.by_table import counts_by_table, table_fits
    from hassle.evaluation.measures import evaluation_of
    from hassle.logic import as_context

    if method not in METHODS:
        raise InputError(f"there is no method {method!r}", fix=f"choose one of {', '.join(METHODS)}")
    if samples < 1:
        raise InputError(f"{samples} samples are too few", fix="take at least 1")
    model, truth = _matched(model, truth)
    where = as_context(context, model.schema).within(model.schema)
    rng = np.random.default_rng(seed)
    if method == "table" or (method == "auto" and table_fits(where, len(model.variables))):
        counts = counts_by_table(model, truth, where, samples, rng)
    else:
        from hassle.evaluation.by_counting import counts_by_counting

        counts = counts_by_counting(model, truth, where, samples, rng, time_limit)
    return evaluation_of(counts, truth.unit)


def _matched(model: Model, truth: Model) -> tuple[Model, Model]:
    """Both models over one schema: the true one's, or the model's where only that says more than names."""
    from hassle.errors import InputError
    from hassle.solve import aligned

    odd = sorted(set(model.variables) ^ set(truth.variables))
    if odd:
        owner = "the model" if odd[0] in model.variables else "the true model"
        raise InputError(
            f"the model and the true model speak of different variables: only {owner} has {odd[0]!r}",
            fix="use the same names in both",
        )
    schema = model.schema if truth.schema.plain else truth.schema
    return aligned(model, schema), aligned(truth, schema)
