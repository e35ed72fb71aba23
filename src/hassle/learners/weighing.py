"""Weights and comparisons, for learners that know of examples alone.

A comparison becomes two examples in a context of their own (:meth:`hassle.data.Dataset.paired`): every learner takes
those. Weights are taken by the statistical learner; for the paper's learners an example of weight 3 stands three times,
so weights must be whole numbers there; the others say that weights make no difference to them. Whatever a learner was
shown, the score is the share of the examples that were given, each counted once, and comparisons are told beside it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hassle.errors import InputError
from hassle.learners.result import Agreement, LearnResult

if TYPE_CHECKING:
    from hassle.data import Dataset
    from hassle.model import Model

# Learners to which an example of weight 3 is shown three times, and those that make nothing of weights.
REPEATING = ("sls", "milp")
IGNORING = ("cuts",)
# So many examples at most are made of repeated ones.
MOST_EXAMPLES = 1_000_000


def shown_to(learner: str, data: Dataset) -> tuple[Dataset, tuple[str, ...]]:
    """The data as the learner takes it, and what the user should know of that."""
    paired = data.paired()
    if not paired.weighted:
        return paired, ()
    if learner in REPEATING:
        return _repeated(paired, learner), ()
    return paired, (weights_note(learner),) if learner in IGNORING else ()


def weights_note(learner: str) -> str:
    return f"the learner {learner!r} makes no use of weights: every example counts the same"


def _repeated(data: Dataset, learner: str) -> Dataset:
    """Each example as often as its weight says."""
    whole = data.weights.astype(np.int64)
    odd = np.flatnonzero(whole != data.weights)
    if len(odd):
        k = int(odd[0])
        raise InputError(
            f"the learner {learner!r} takes whole numbers as weights, and {data.weights[k]:g} is none",
            fix="use --learner auto or statistical, or weigh by whole numbers",
            file=data.source,
            line=data.line(k),
        )
    if whole.sum() > MOST_EXAMPLES:
        raise InputError(
            f"the weights stand for {whole.sum():,} examples, too many for the learner {learner!r}",
            fix="use --learner auto or statistical, or smaller weights",
            file=data.source,
        )
    return replace(
        data,
        context_of=np.repeat(data.context_of, whole),
        assignments=np.repeat(data.assignments, whole, axis=0),
        labels=np.repeat(data.labels, whole),
        lines=None if data.lines is None else np.repeat(data.lines, whole),
        weights=np.ones(whole.sum()),
        compared=np.repeat(data.compared, whole),
    )


def agreement(model: Model, data: Dataset) -> Agreement | None:
    """How many of the comparisons the model agrees with; None where there are none."""
    from hassle.evaluation.score import comparisons_agreed

    if not len(data.comparisons):
        return None
    return Agreement(len(data.comparisons), int(comparisons_agreed(model, data).sum()))


def counted_over(data: Dataset, result: LearnResult) -> LearnResult:
    """The result with its count about the examples that were given, whatever the learner was shown of them."""
    from hassle.solve import agrees, verdicts

    judged = range(len(data.contexts)) if result.judged is None else result.judged
    seen = data.subset(np.flatnonzero(np.isin(data.context_of, judged)))
    correct = int(agrees(verdicts(result.model, seen), seen).sum())
    own = None if result.judged is None else tuple(c for c in result.judged if c < len(data.contexts))
    told = agreement(result.model, data)
    return replace(result, correct=correct, examples=len(seen), judged=own, comparisons=told)
