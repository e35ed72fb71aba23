"""Several searches at a time, one budget, one result.

Searches run in threads (:mod:`hassle.learners.threads`). A run limited
by steps gives the same model whatever the number of threads: each search depends on its own seed alone, and when one
reaches the target, only those after it are called off, so that the first in order that reaches it wins, as if they had
run one after another.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hassle.learners.budget import Budget, Progress
from hassle.learners.result import Improvement, LearnResult
from hassle.learners.sls.models import as_model
from hassle.model import Model

if TYPE_CHECKING:
    from hassle.data import Dataset
    from hassle.learners.sls.search import Search


@dataclass(frozen=True)
class Find:
    """A candidate that was better than all before it in its search."""

    seconds: float
    steps: int
    neighbours: int
    correct: int
    signs: NDArray[np.int8]
    costs: NDArray[np.int32]
    hard: int


class Pursuit:
    """One search from its first random model to the end of the budget, and what it found on the way."""

    def __init__(
        self,
        index: int,
        make_search: Callable[[int, NDArray[np.bool_], Budget], Search],
        budget: Budget,
        examples: int,
        patience: float,
    ) -> None:
        """``patience``: the share of the time, or of the steps, without improvement after which it restarts."""
        self.index = index
        self.share_to_wait = patience
        self.make_search = make_search
        self.budget = budget
        self.examples = examples
        self.enough = budget.enough(examples)
        self.stop = np.zeros(1, dtype=np.bool_)
        self.finds: list[Find] = []
        self.correct = -1
        self.steps = 0
        self.neighbours = 0
        self.over = False
        self.search: Search | None = None
        self.last = 0.0

    @property
    def reached(self) -> bool:
        return self.correct >= self.enough

    def run(self) -> None:
        """Search until the target is reached, the steps are used up, or somebody raises the flag."""
        if self.stop[0] and self.index > 0:  # the first makes a model in any case, if that is done at once
            return
        self.advance(math.inf)

    def advance(self, seconds: float) -> None:
        """The same for so many seconds, or a step."""
        began = time.monotonic()
        by_steps = self.budget.steps is not None
        limit = self.budget.steps if self.budget.steps is not None else math.inf
        patience = self.share_to_wait * (limit if by_steps else self.budget.time_limit or math.inf)
        search = self.search or self._begun()
        while not (self.stop[0] or self.reached or search.steps >= limit or search.scorer.correct < 0):
            now = search.steps if by_steps else self.budget.seconds
            if now - self.last > patience:
                search.restart()
                self.last = now
            else:
                search.step()
            if self.keep_if_better(search):
                self.last = now
            self.steps, self.neighbours = search.steps, search.neighbours
            if time.monotonic() - began >= seconds:
                return
        self.over = True

    def _begun(self) -> Search:
        """A search at its first model, which is kept if it could be scored in time."""
        self.search = self.make_search(self.index, self.stop, self.budget)
        self.search.restart()
        self.keep_if_better(self.search)
        self.last = 0.0 if self.budget.steps is not None else self.budget.seconds
        return self.search

    def go_on(self, search: Search, correct: int, last: float) -> None:
        """Take up a search that has explained so many examples, the last time that this grew at ``last``."""
        self.search, self.correct, self.last = search, correct, last
        self.steps, self.neighbours = search.steps, search.neighbours

    def call_off(self) -> None:
        self.stop[0] = True

    def keep_if_better(self, search: Search) -> bool:
        scorer = search.scorer
        if scorer.correct <= self.correct:
            return False
        found = Find(
            self.budget.seconds,
            search.steps,
            search.neighbours,
            scorer.correct,
            scorer.signs.copy(),
            scorer.costs.copy(),
            int(scorer.hard),
        )
        self.finds.append(found)
        self.correct = found.correct
        return True


def superseded(pursuits: list[Pursuit], budget: Budget) -> list[Pursuit]:
    """The searches that cannot change the result any more because another has reached the target."""
    reached = [pursuit.index for pursuit in pursuits if pursuit.reached]
    if not reached:
        return []
    return [pursuit for pursuit in pursuits if budget.steps is None or pursuit.index > min(reached)]


def progress(pursuits: list[Pursuit], budget: Budget) -> Progress:
    """Where the searches stand together."""
    best = max(pursuits, key=lambda pursuit: pursuit.correct)
    return Progress(
        budget.seconds,
        budget.seconds_left,
        max(0, best.correct),
        best.examples,
        sum(pursuit.steps for pursuit in pursuits),
        sum(pursuit.neighbours for pursuit in pursuits),
    )


def summary(
    pursuits: list[Pursuit],
    data: Dataset,
    budget: Budget,
    *,
    seed: int,
    constraints: int,
    notes: tuple[str, ...],
    about: Mapping[str, object],
) -> LearnResult:
    """The result of the searches: that of the first to reach the target, else the best, the first among equals.

    Where not even one model could be scored in time, it is the empty one, whose score needs no solver.
    """
    winner = next((p for p in pursuits if p.reached), None) or max(pursuits, key=lambda p: (p.correct, -p.index))
    # After an early end by steps, only the searches that a run one after another would have made are counted.
    counted = pursuits[: winner.index + 1] if winner.reached and budget.steps is not None else pursuits
    seconds = budget.seconds

    def model_of(found: Find):  # type: ignore[no-untyped-def]
        share = found.correct / len(data)
        return as_model(data.schema, found.signs, found.costs, found.hard, {**about, "seed": seed, "score": share})

    trace = tuple(
        Improvement(find.seconds, find.steps, find.neighbours, find.correct, model_of(find))
        for find in merged_finds(pursuits, winner)
    )
    model, correct = (trace[-1].model, winner.correct) if trace else (Model(data.schema), int(data.positive.sum()))
    if not trace:
        notes += ("the time was up before a single model was scored, so this one has no rules; give it more time",)
    return LearnResult(
        model=model,
        learner="sls",
        correct=correct,
        examples=len(data),
        stopped=budget.ending(correct, len(data), out_of_steps=budget.seconds_left > 0),
        seconds=seconds,
        seed=seed,
        constraints=constraints,
        steps=sum(pursuit.steps for pursuit in counted),
        neighbours=sum(pursuit.neighbours for pursuit in counted),
        trace=trace,
        notes=notes,
    )


def merged_finds(pursuits: list[Pursuit], winner: Pursuit) -> list[Find]:
    """The finds that were better than all before them in any search, in time; the last is the winner's best."""
    if not winner.finds:
        return []
    last = winner.finds[-1]
    others = [find for pursuit in pursuits for find in pursuit.finds if find.correct < last.correct]
    merged: list[Find] = []
    for find in sorted(others, key=lambda find: find.seconds):
        if find.seconds <= last.seconds and (not merged or find.correct > merged[-1].correct):
            merged.append(find)
    return [*merged, last]
