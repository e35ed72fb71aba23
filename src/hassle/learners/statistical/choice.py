"""Which of many models that explain the data to return: the one expected to do best if any of them may be the truth.

A chain at rest draws models in proportion to their plausibility, so the others stand for what the truth may be. Each
candidate is measured against each of them as :mod:`hassle.evaluation` would, accuracy less infeasibility (which counts
more) less regret, in *probe* contexts: the global one where all assignments can be listed, else random contexts.

No visited model need be the best answer to what they say together. Where all assignments can be listed, rules of the
others are added to the chosen one as a hedge, as long as that promises to do better (:func:`with_rules_of_others`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.logic import EMPTY, Context, Schema
from hassle.model import Model
from hassle.tables.completions import completions

MOST_GLOBAL = 2**16  # assignments that are all listed
PROBES = 12
CAUTION = 2.0  # an infeasible answer is of no use, a missed one of little harm
PROBE_POINTS = 2**10
HEDGE = 3.0  # the same for a rule that is added: it must spare more infeasible answers than it costs good ones
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


def expected_quality(candidates: Sequence[Model], truths: Sequence[Model], rng: np.random.Generator) -> Expected:
    """What to expect of each candidate if each of the ``truths`` is as likely to be the truth."""
    measures = [_measure(candidates, truths, context) for context in probe_contexts(truths[0].schema, rng)]
    accuracy, infeasibility, regret = np.mean(measures, axis=0)
    return Expected(accuracy, infeasibility, regret)


def with_rules_of_others(model: Model, truths: Sequence[Model], acceptable: Callable[[Model], bool]) -> Model:
    """The model with hard clauses of the truths added, best first, while each promises to do better and is acceptable.

    What to expect of a set of optima follows from two numbers per assignment: in how many of the truths it is optimal,
    and in how many infeasible. Cost: assignments times rules for each clause that is added.
    """
    if not completions(EMPTY, model.schema).fits(MOST_GLOBAL):
        return model
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


def probe_contexts(schema: Schema, rng: np.random.Generator) -> list[Context]:
    """The global context if it is small, else random ones that leave few columns open."""
    if completions(EMPTY, schema).fits(MOST_GLOBAL):
        return [EMPTY]
    contexts = []
    for _ in range(PROBES):
        order = rng.permutation(len(schema.columns)).tolist()
        sizes = np.cumprod([float(len(schema.columns[i].values)) for i in order])
        literals: list[int] = []
        for i in order[int(np.searchsorted(sizes, PROBE_POINTS, side="right")) :]:
            column, start = schema.columns[i], schema.starts[i]
            code = column.encode(column.values[int(rng.integers(len(column.values)))])
            literals += [v + 1 if bit else -(v + 1) for v, bit in enumerate(code, start)]
        contexts.append(Context(tuple(sorted(literals, key=abs))))
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
    from hassle.kernels.codes import INFEASIBLE_LOSS
    from hassle.solve.table import losses_in

    losses = losses_in(model, context)
    infeasible = losses == INFEASIBLE_LOSS
    least = int(losses.min())
    value = max(1, int(model.weights.sum()) - (0 if infeasible.all() else least))
    lost = np.where(infeasible, 0.0, (losses - least) / value).astype(np.float32)
    return (losses == least) & ~infeasible, infeasible, lost
