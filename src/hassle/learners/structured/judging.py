"""How many examples a model gets right, by exact optima found with CP-SAT on all cores."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from hassle.data import Dataset
from hassle.learners.structured.cp import Planner
from hassle.model import Model


def correct_examples(model: Model, data: Dataset, jobs: int) -> int:
    values, feasible = model.values(data.assignments), model.feasible(data.assignments)
    planner = Planner.of(model)

    def right(c: int) -> int:
        rows = data.rows_by_context[c]
        able = rows[feasible[rows]]
        hint = data.assignments[able[np.argmax(values[able])]] if len(able) else None
        best = planner.solve(data.contexts[c], hint=hint, seconds=60).bits
        worth = None if best is None else int(model.values(best[None, :])[0])
        optimal = feasible[rows] & (values[rows] == worth)
        return int((optimal == data.positive[rows]).sum())

    with ThreadPoolExecutor(jobs) as threads:
        return sum(threads.map(right, range(len(data.contexts))))
