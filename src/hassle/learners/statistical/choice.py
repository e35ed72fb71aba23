"""Which of many models that explain the data to return: the one expected to do best if any draw may be the truth.

A chain at rest draws models in proportion to their plausibility, so the draws stand for what the truth may be.
Candidates are they and what they have taught (:mod:`hassle.learners.statistical.teaching`). Each candidate is measured
against each draw, accuracy less infeasibility (which counts more) less regret: by its answers in contexts like those of
the data (:mod:`hassle.learners.statistical.probing`), and, where all assignments can be listed, in the global context,
too, as :mod:`hassle.evaluation` would.

No visited model need be the best answer to what they say together. So rules of the others are added to the chosen one
as a hedge, as long as that promises to do better there and there.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.learners.statistical import probing
from hassle.learners.statistical.probing import CAUTION, HEDGE, Opinion, probes_like
from hassle.logic import EMPTY, Context
from hassle.model import Model
from hassle.tables.completions import completions

MOST_GLOBAL = 2**16  # assignments that are all listed
LEAST_GAIN = 0.005
MOST_RULES = 300

Matrix = NDArray[np.float32]


@dataclass(frozen=True)
class Expected:
    """Means over what the truth may be, one entry per candidate."""

    accuracy: NDArray[np.float64]
    infeasibility: NDArray[np.float64]
    regret: NDArray[np.float64]

    @property
    def merit(self) -> NDArray[np.float64]:
        return self.accuracy - CAUTION * self.infeasibility - self.regret


def most_expected(
    candidates: Sequence[Model],
    truths: Sequence[Model],
    data: Dataset,
    rng: np.random.Generator,
    handicap: NDArray[np.float64],
    acceptable: Callable[[Model, int], bool],
    seconds: float = math.inf,
) -> Model:
    """The candidate expected to do best, less its ``handicap``, with rules of the ``truths`` added as far as they help.

    It may take about so many ``seconds``, and takes a few in any case where there is much to list. A model with more
    rules than the i-th had must be ``acceptable`` in place of it.
    """
    opinion = Opinion(probes_like(data, rng, seconds), truths)
    merit = opinion.merits(candidates) - handicap
    if small := completions(EMPTY, data.schema).fits(MOST_GLOBAL):
        merit += expected_quality(candidates, truths).merit
    best = int(np.argmax(merit))
    chosen = probing.with_rules_of_others(candidates[best], truths, opinion, lambda model: acceptable(model, best))
    return with_rules_of_others(chosen, truths, lambda model: acceptable(model, best)) if small else chosen


def expected_quality(candidates: Sequence[Model], truths: Sequence[Model]) -> Expected:
    """What to expect of each candidate in the global context if each of the ``truths`` is as likely to be the truth."""
    return Expected(*_measure(candidates, truths, EMPTY).astype(np.float64))


def with_rules_of_others(model: Model, truths: Sequence[Model], acceptable: Callable[[Model], bool]) -> Model:
    """The model with hard clauses of the truths added, best first, while each promises to do better and is acceptable.

    What to expect of a set of optima follows from two numbers per assignment: in how many of the truths it is optimal,
    and in how many infeasible. Cost: assignments times rules for each clause that is added.
    """
    judged = [_optima(truth, EMPTY) for truth in truths]
    optimal = np.mean([row for row, _, _ in judged], axis=0)
    infeasible = np.mean([row for _, row, _ in judged], axis=0)

    def merit(chosen: NDArray[np.bool_]) -> float:
        if not chosen.any():
            return -np.inf
        return float(np.where(chosen, optimal, 1 - optimal).mean() - HEDGE * infeasible[chosen].mean())

    common = Counter(clause for truth in truths for clause in truth.hard)
    rules = [clause for clause, _ in common.most_common(MOST_RULES) if clause not in model.hard]
    broken = {clause: _optima(Model.from_units(model.schema, [clause]), EMPTY)[1] for clause in rules}
    chosen = _optima(model, EMPTY)[0]
    best = merit(chosen)
    while broken:
        gains = {clause: merit(chosen & ~cut) for clause, cut in broken.items()}
        clause = max(gains, key=lambda clause: gains[clause])
        if gains[clause] < best + LEAST_GAIN:
            break
        cut = broken.pop(clause)
        more = model.with_hard(clause)
        if acceptable(more):
            model, chosen, best = more, chosen & ~cut, gains[clause]
    return model


def _measure(candidates: Sequence[Model], truths: Sequence[Model], context: Context) -> Matrix:
    """Accuracy, infeasibility and regret of each candidate in a context, each a mean over the truths."""
    optimal = np.array([_optima(model, context)[0] for model in candidates], dtype=np.float32)
    judged = [_optima(model, context) for model in truths]
    best = np.array([row for row, _, _ in judged], dtype=np.float32)
    infeasible = np.array([row for _, row, _ in judged], dtype=np.float32)
    lost = np.array([row for _, _, row in judged], dtype=np.float32)
    points = optimal.shape[1]
    both = optimal @ best.T
    agreed = points - optimal.sum(axis=1)[:, None] - best.sum(axis=1)[None, :] + 2 * both
    sizes = np.maximum(1, optimal.sum(axis=1))[:, None]
    broken = optimal @ infeasible.T
    # A candidate without optima in the context is no better than one with infeasible ones.
    infeasibility = np.where(optimal.sum(axis=1)[:, None] == 0, 1.0, broken / sizes)
    regret = (optimal @ lost.T) / np.maximum(1, sizes - broken)
    return np.array([(agreed / points).mean(axis=1), infeasibility.mean(axis=1), regret.mean(axis=1)])


def _optima(model: Model, context: Context) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Matrix]:
    """For every completion: whether it is optimal, whether infeasible, and the share of the best value it loses."""
    from hassle.kernels.codes import INFEASIBLE_LOSS
    from hassle.solve.table import losses_in

    losses = losses_in(model, context)
    infeasible = losses == INFEASIBLE_LOSS
    least = int(losses.min())
    value = max(1, int(model.weights.sum()) - (0 if infeasible.all() else least))
    lost = np.where(infeasible, 0.0, (losses - least) / value).astype(np.float32)
    return (losses == least) & ~infeasible, infeasible, lost
