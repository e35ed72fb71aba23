"""Exact judgement of a model on the examples, context by context, and the completions by which it beats positives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.learners.cuts.comparisons import TIED, Comparisons, comparisons_of
from hassle.model import Model
from hassle.solve import solver_for


@dataclass(frozen=True)
class Judgement:
    """How many examples the model gets right, and its own best assignments where they differ from the positives."""

    correct: int
    cuts: Comparisons


def judge(
    model: Model, data: Dataset, believed: NDArray[np.bool_], seconds_left: Callable[[], float | None]
) -> Judgement:
    """Solve every context; ``seconds_left`` raises when the time is up, and bounds each call of the solver."""
    values, feasible = model.values(data.assignments), model.feasible(data.assignments)
    correct = 0
    better, worse, owner = [], [], []
    for context, rows in zip(data.contexts, data.rows_by_context, strict=True):
        best = solver_for(model, context, time_limit=seconds_left()).best(model, context)
        optimal = np.zeros(len(rows), dtype=np.bool_) if best is None else feasible[rows] & (values[rows] == best.value)
        correct += int((optimal == data.positive[rows]).sum())
        if best is None:
            continue
        good = rows[believed[rows] & feasible[rows]]
        if any((data.assignments[k] == best.bits).all() for k in good):
            continue
        for k in good.tolist():
            better.append(data.assignments[k])
            worse.append(best.bits)
            owner.append(k)
    return Judgement(correct, comparisons_of(better, worse, owner, TIED, len(data.variables)))
