"""Searches carried out elsewhere, leg by leg (:mod:`hassle.learners.places`): what is sent, what comes back.

All searches share the data, as the tables or the solver need it, and the options. Of a search only its model travels,
with its random numbers and what it remembers of its steps; where a leg begins, the model is scored anew, which takes as
long as a few steps. Of a run that is limited by steps the result is the same as in one process.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.kernels.scoring import Problem
from hassle.learners.budget import Budget
from hassle.learners.sls.learner import LocalSearch
from hassle.learners.sls.models import as_candidate
from hassle.learners.sls.parallel import Pursuit
from hassle.learners.sls.search import Search
from hassle.learners.sls.solver import SolverScorer
from hassle.learners.sls.tables import TableScorer

# A leg ends so long before the time is up, so that what it found comes back in time.
RETURN_SECONDS = 0.1


@dataclass(frozen=True)
class Task:
    """What the searches of a run have in common; without a ``problem``, for tables, the data are scored by a solver."""

    options: LocalSearch
    constraints: int
    variables: int
    examples: int
    seed: int
    problem: Problem | None
    data: Dataset | None

    def search(self, index: int, stop: NDArray[np.bool_], budget: Budget) -> Search:
        scorer: TableScorer | SolverScorer
        if self.problem is not None:
            scorer = TableScorer(self.problem, self.constraints, stop)
        else:
            assert self.data is not None
            scorer = SolverScorer(self.data, self.constraints, stop, budget)
        options, start = self.options, self.options.start
        return Search(
            scorer,
            options.make_strategy(self.examples),
            examples=self.examples,
            longest=min(options.max_literals or self.variables, self.variables),
            naive=options.neighbourhood == "naive",
            share=options.settled_share,
            focus=not options.paper if options.focus is None else options.focus,
            paper=options.paper,
            start=None if start is None else as_candidate(start, self.constraints, int(scorer.hard)),
            seed=(self.seed, index),
        )

    def pursuit(self, index: int, budget: Budget) -> Pursuit:
        return Pursuit(index, self.search, budget, self.examples, self.options.patience)

    def to_send(self) -> Task:
        """Without what holds this process only; tables stand for the data."""
        options = replace(self.options, place=None)
        return replace(self, options=options, data=self.data if self.problem is None else None)


@dataclass(frozen=True)
class Parcel:
    """Where a search stands, None before its first leg, and what it found in its last one."""

    index: int
    correct: int = -1
    over: bool = False
    steps: int = 0
    neighbours: int = 0
    last: float = 0.0
    finds: tuple[Any, ...] = ()
    memory: dict[str, Any] | None = None


def parcel_of(pursuit: Pursuit) -> Parcel:
    search = pursuit.search
    memory = None
    if search is not None:
        scorer = search.scorer
        memory = {
            "candidate": (scorer.signs.copy(), scorer.costs.copy()),
            "strategy": search.strategy,
            "rng": search.rng,
            "changed": search.changed,
        }
    own = (pursuit.index, pursuit.correct, pursuit.over, pursuit.steps, pursuit.neighbours, pursuit.last)
    return Parcel(*own, tuple(pursuit.finds), memory)


def advance(task: Task, parcel: Parcel, budget: Budget, seconds: float) -> Parcel:
    """A leg of so many seconds."""
    pursuit = task.pursuit(parcel.index, budget)
    if parcel.memory is not None:
        search = task.search(parcel.index, pursuit.stop, budget)
        search.scorer.begin(*parcel.memory["candidate"])
        search.strategy, search.rng = deepcopy(parcel.memory["strategy"]), deepcopy(parcel.memory["rng"])
        search.changed[:] = parcel.memory["changed"]
        search.steps, search.neighbours = parcel.steps, parcel.neighbours
        pursuit.go_on(search, parcel.correct, parcel.last)
    pursuit.advance(min(seconds, budget.seconds_left - RETURN_SECONDS))
    pursuit.over = pursuit.over or budget.seconds_left < RETURN_SECONDS
    return parcel_of(pursuit)


class PursuitAfar(Pursuit):
    """A search whose legs are done elsewhere."""

    def parcel(self) -> Parcel:
        return Parcel(self.index)

    def take(self, parcel: Parcel) -> None:
        self.steps, self.neighbours, self.over = parcel.steps, parcel.neighbours, parcel.over
        self.finds += parcel.finds
        self.correct = parcel.correct

    def finish(self) -> None:
        """Without a leg there is no model, and another search has one, or nobody has."""
