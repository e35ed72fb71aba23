"""The learned model scored anew, from scratch, and the count that the learner reported insisted on.

Where contexts are many or large there may be no time to solve them all; then as many as there is time for are solved,
in random order, and what was checked is said. A share of the time limit is kept for it where it is not done at once,
and it may go a little beyond the limit: what is promised is to end within a tenth of it and a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hassle.errors import SolverError

if TYPE_CHECKING:
    from hassle.data import Dataset
    from hassle.learners.budget import Budget
    from hassle.learners.result import LearnResult

RESERVED = 0.1  # share of the time limit
# Completions of all contexts together, and examples, that are checked at once.
QUICK = 2**24
# How far beyond the limit: a share of it, and seconds.
BEYOND = (0.05, 0.4)
LEAST_SECONDS = 0.1


def time_to_learn(data: Dataset, time_limit: float | None) -> float | None:
    """What a learner gets of the time limit."""
    from hassle.tables.completions import total_points

    if time_limit is None or total_points(data.contexts, data.schema) + len(data) <= QUICK:
        return time_limit
    return (1 - RESERVED) * time_limit


def confirm(result: LearnResult, data: Dataset, budget: Budget, seed: int) -> tuple[str, ...]:
    """Solve the contexts that the learner's score is about; what the user should know of how far that got."""
    from hassle.solve import verdicts_in_time

    judged = np.arange(len(data.contexts)) if result.judged is None else np.array(result.judged, dtype=np.int64)
    order = np.random.default_rng(seed).permutation(judged).tolist()
    deadline = np.inf
    if budget.time_limit is not None:
        deadline = max((1 + BEYOND[0]) * budget.time_limit + BEYOND[1], budget.seconds + LEAST_SECONDS)
    checked, agreed = verdicts_in_time(result.model, data, order, lambda: deadline - budget.seconds)
    correct, unchecked = int(agreed.sum()), result.examples - len(agreed)
    if not correct <= result.correct <= correct + unchecked:
        raise SolverError(
            f"the learner {result.learner!r} counted {result.correct} correct examples, the solver {correct}"
            + (f" and at most {unchecked} more" if unchecked else "")
            + "; please report this with the data, the options and the seed"
        )
    return _told(len(checked), len(judged), len(data.contexts), result)


def _told(checked: int, judged: int, contexts: int, result: LearnResult) -> tuple[str, ...]:
    notes = []
    if not judged:
        notes.append("there was no time to judge the model on any example, so it has no score")
    elif judged < contexts:
        notes.append(
            f"there was time to judge the model in {judged:,} of the {contexts:,} contexts: the score is about the "
            f"{result.examples:,} examples there"
        )
    if checked < judged:
        notes.append(f"the score was checked anew in {checked:,} of {judged:,} contexts; there was no time for more")
    return tuple(notes)
