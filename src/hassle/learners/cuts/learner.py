"""The learner for large contexts: rules from the positives, preferences from comparisons, cuts from the solver.

1. Hard clauses are what no positive violates against all odds (:mod:`rules`).
2. Positives are compared with completions near them (:mod:`comparisons`), and weights are sampled that respect the
   comparisons with few clauses (:mod:`chain`). Two models come of it: the average of the samples of all rounds, and a
   simpler one of the clauses that most samples of this round use.
3. A MaxSAT solver finds what beats the positives under these models. That makes new comparisons, and the next round.

The result is the model with the best exact score on the examples; of equals the later one, of a round the simpler one.
Where there is no time to solve all contexts, models are judged in a random part of them, and the result says in which.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hassle.data import Dataset
from hassle.errors import InputError
from hassle.learners.budget import Budget, Listener
from hassle.learners.options import check_counts
from hassle.learners.result import LearnResult

LONGEST = 3


@dataclass(frozen=True)
class CutsLearner:
    """Options: ``max_literals`` (1 to 3) per clause, at most so many ``rounds`` of cuts, ``sweeps`` of the sampler
    in each.
    """

    max_literals: int = 2
    rounds: int = 6
    sweeps: int = 300

    def __post_init__(self) -> None:
        if not 1 <= self.max_literals <= LONGEST:
            raise InputError(f"max_literals is {self.max_literals}", fix=f"give a number from 1 to {LONGEST}")
        check_counts(self, "rounds", "sweeps")

    def learn(self, data: Dataset, budget: Budget, seed: int, listener: Listener) -> LearnResult:
        from hassle.learners.cuts.room import check_room
        from hassle.learners.cuts.run import Run

        check_room(data, self.max_literals)
        run = Run(data, budget, listener, self.max_literals, self.rounds, self.sweeps, np.random.default_rng(seed))
        run.work()
        return run.result(seed)
