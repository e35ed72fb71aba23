"""The learner for arranged decisions: families of constraints over the dimensions of a schema.

1. Candidates are all families of a few kinds (:mod:`kinds`), each with a price (:mod:`candidates`).
2. In each context the positives are to beat alternatives (:mod:`pool`): a convex fit (:mod:`fit`) and a selection
   (:mod:`selection`) find few families that make them.
3. A search finds what beats the positives under these weights (:mod:`search`). That makes new alternatives, and the
   next round, until nothing beats them any more.
4. What no believed positive breaks and is heavy is hard (:mod:`models`); labels may be wrong (:mod:`trusting`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hassle.data import Dataset
from hassle.errors import InputError
from hassle.learners.budget import Budget, Listener
from hassle.learners.options import check_counts
from hassle.learners.places import Place, place_for
from hassle.learners.result import LearnResult
from hassle.learners.starting import Start, models_of
from hassle.model import Model


@dataclass(frozen=True)
class StructuredLearner:
    """Options: ``jobs`` threads at a time, ``known`` rules, kept as they are, at most so many ``candidates``.

    ``start`` is an earlier result, or a model, to go on from. ``place`` is where cuts are looked for, if not in this
    process. ``forbidden`` is a model of rules that are not learned. ``committee`` asks for so many models that explain
    the examples about as well as the one that is returned, which speaks for them.
    """

    jobs: int | None = None
    known: Model | None = None
    candidates: int | None = None
    start: Start | None = None
    place: Place | None = None
    forbidden: Model | None = None
    committee: int | None = None

    def __post_init__(self) -> None:
        check_counts(self, "jobs", "candidates", "committee")

    def learn(self, data: Dataset, budget: Budget, seed: int, listener: Listener) -> LearnResult:
        from threadpoolctl import threadpool_limits

        from hassle.learners.structured.run import Run

        if not len(data):
            raise InputError("there are no examples to learn from")
        place = place_for(self.place, self.jobs)
        start = () if self.start is None else models_of(self.start, data)
        rng = np.random.default_rng(seed)
        run = Run(
            *(data, budget, listener, place, self.known, self.candidates, rng, start, self.forbidden, self.committee)
        )
        # Matrices are small: more threads would only wait for each other.
        with threadpool_limits(1):
            run.work()
        return run.result(seed)
