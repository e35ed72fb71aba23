"""Which of many models that explain the data to return: the one expected to do best if any of them may be the truth.

A chain at rest visits models in proportion to their plausibility, so the others stand for what the truth may be. Each
candidate is measured against each of them as :mod:`hassle.evaluate` would, accuracy less infeasibility (which counts
more) less regret, in *probe* contexts: the global one where all assignments can be listed, else random contexts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.logic import EMPTY, Context
from hassle.model import Model

MOST_GLOBAL = 16  # variables whose assignments are all listed
PROBES = 12
CAUTION = 2.0  # an infeasible answer is of no use, a missed one of little harm
PROBE_FREE = 10

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


def expected_quality(candidates: Sequence[Model], truths: Sequence[Model], rng: np.random.Generator) -> Expected:
    """What to expect of each candidate if each of the ``truths`` is as likely to be the truth."""
    measures = [_measure(candidates, truths, context) for context in probe_contexts(len(truths[0].variables), rng)]
    accuracy, infeasibility, regret = np.mean(measures, axis=0)
    return Expected(accuracy, infeasibility, regret)


def probe_contexts(variables: int, rng: np.random.Generator) -> list[Context]:
    """The global context if it is small, else random ones that leave few variables open."""
    if variables <= MOST_GLOBAL:
        return [EMPTY]
    contexts = []
    for _ in range(PROBES):
        fixed = np.sort(rng.permutation(variables)[PROBE_FREE:])
        contexts.append(Context(tuple(int(v + 1 if rng.integers(2) else -(v + 1)) for v in fixed)))
    return contexts


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
    from hassle.kernels.table import INFEASIBLE
    from hassle.solve.table import losses_in

    losses = losses_in(model, context)
    infeasible = losses == INFEASIBLE
    least = int(losses.min())
    value = max(1, int(model.weights.sum()) - (0 if infeasible.all() else least))
    lost = np.where(infeasible, 0.0, (losses - least) / value).astype(np.float32)
    return (losses == least) & ~infeasible, infeasible, lost
