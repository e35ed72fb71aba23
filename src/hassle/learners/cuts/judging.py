"""Exact judgement of a model on the examples, context by context, and the completions by which it beats positives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.errors import ResourceError
from hassle.learners.cuts.comparisons import TIED, Comparisons, comparisons_of
from hassle.model import Model
from hassle.solve import solver_for
from hassle.solve.table import example_values


@dataclass(frozen=True)
class Judgement:
    """How many examples of each context the model gets right, as far as there was time, and its own best assignments
    where they differ from the positives.
    """

    correct: NDArray[np.int64]
    cuts: Comparisons


def judge(
    model: Model,
    data: Dataset,
    believed: NDArray[np.bool_],
    contexts: Sequence[int],
    seconds_left: Callable[[int], float | None],
) -> Judgement:
    """Solve these contexts in order until ``seconds_left``, told how many are done, says 0; None is no limit."""
    values, feasible = example_values(model, data.assignments)
    correct: list[int] = []
    better, worse, owner = [], [], []
    for c in contexts:
        context, rows = data.contexts[c], data.rows_by_context[c]
        left = seconds_left(len(correct))
        if left == 0:
            break
        try:
            best = solver_for(model, context, time_limit=left).best(model, context)
        except ResourceError:
            break
        optimal = np.zeros(len(rows), dtype=np.bool_) if best is None else feasible[rows] & (values[rows] == best.value)
        correct.append(int((optimal == data.positive[rows]).sum()))
        if best is None:
            continue
        good = rows[believed[rows] & feasible[rows]]
        if (data.assignments[good] == best.bits).all(axis=1).any():
            continue
        better += list(data.assignments[good])
        worse += [best.bits] * len(good)
        owner += good.tolist()
    return Judgement(np.array(correct, dtype=np.int64), comparisons_of(better, worse, owner, TIED, len(data.variables)))
