"""Which of many models that explain the data to return: the one expected to do best if any draw may be the truth.

A chain at rest draws models in proportion to their plausibility, so the draws stand for what the truth may be.
Candidates are they and what they have taught (:mod:`hassle.learners.statistical.teaching`). Each candidate is measured
against each draw, accuracy less infeasibility (which counts more) less regret: by its answers in contexts like those of
the data (:mod:`hassle.learners.statistical.probing`), and, where all assignments can be listed, in the global context,
too, as :mod:`hassle.evaluation` would.

Rules of the draws that promised to spare more infeasible answers than they cost good ones used to be added to what was
chosen. With models that were taught, that did harm: answers in fresh contexts over 8 variables were .92 instead of .95
optimal from positives alone, .72 instead of .76 from comparisons (8 to 16 problems), over 15 variables .85 instead of
.90, and no fewer of them were feasible.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.learners.statistical.probing import CAUTION, MOST_GLOBAL, Opinion, probes_like
from hassle.logic import EMPTY, Context
from hassle.model import Model
from hassle.tables.completions import completions

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
    seconds: float = math.inf,
) -> int:
    """The place of the candidate expected to do best, less its ``handicap``.

    It may take about so many ``seconds``, and takes a few in any case where there is much to list.
    """
    opinion = Opinion(probes_like(data, rng, seconds), truths)
    merit = opinion.merits(candidates) - handicap
    if completions(EMPTY, data.schema).fits(MOST_GLOBAL):
        merit += expected_quality(candidates, truths).merit
    return int(np.argmax(merit))


def expected_quality(candidates: Sequence[Model], truths: Sequence[Model]) -> Expected:
    """What to expect of each candidate in the global context if each of the ``truths`` is as likely to be the truth."""
    return Expected(*_measure(candidates, truths, EMPTY).astype(np.float64))


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
