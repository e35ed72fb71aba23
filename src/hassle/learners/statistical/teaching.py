"""One model that decides as all the models that chains drew would decide together.

By votes, the draws answer better than any one of them: what one has wrong, most others have right. But what is wanted
is a model, not a crowd. So the votes are taught: in contexts like those of the data, which nobody has decided in, and
where nothing is given, what most draws call best becomes a *lesson*, an example that counts less than a real one, and
so does what some call best and most do not. A decision that even a few draws take to break a rule is no good example:
the draws come from few chains, so they agree more than they should. Of what all of 150 draws allowed 2 to 6 % was
forbidden, of what one in twenty did not, 15 % (12 variables, 16 + 16 clauses). A chain goes on from the best draw with
examples and lessons, at rest; its states are candidates for the choice (:mod:`hassle.learners.statistical.choice`) as
the draws are, and must explain the real examples as well.

Measured with 8 variables, 10 + 10 clauses and 100 contexts (seeds 9403 to 9406, one core, 9 s in all), answers in fresh
contexts: .975 optimal instead of .950; from positives alone .962 instead of .932; from 400 comparisons .733 instead of
.565, with a regret of .020 instead of .031. Lessons of weight .1 or 1 instead of .3, or 500 instead of 200, did not
differ clearly.

Cost: models times points times literals for the votes, and the moves of a chain whose tables are those of the data and
of the lessons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hassle.data import Dataset
from hassle.kernels.codes import NEGATIVE, POSITIVE
from hassle.learners.budget import Budget, Progress
from hassle.learners.statistical.probing import MOST_GLOBAL, Opinion, Probes, contexts_like
from hassle.learners.statistical.problem import make_problem
from hassle.learners.statistical.sampler import Rates, Sample, Sampler
from hassle.learners.threads import run_all
from hassle.logic import EMPTY, Context, Schema
from hassle.model import Model
from hassle.tables.completions import completions

if TYPE_CHECKING:
    from hassle.learners.statistical.learner import Explored

# In how many contexts, with how many completions altogether, there are lessons; how much one counts at most.
LESSONS, LESSON_POINTS = 300, 2**17
WEIGHT = 0.3
# What at least this share as many call best as the decision with most votes is best, too; what hardly any model calls
# best needs no lesson. A context in which most draws allow nothing gives none. A vote that a decision breaks a rule
# counts as much as so many that it is best.
AS_GOOD, DISPUTED, ANSWERED, CAREFUL = 0.75, 0.02, 0.5, 10.0
# A pupil takes labels for wrong at this rate at least: lessons may contradict each other.
MISTAKES = 0.005
# Moves for each variable, those between two states that are kept, and those between two listings of promising clauses.
MOVES, STRETCH, POOL_EVERY = 100_000, 5_000, 4


def lessons(models: Sequence[Model], contexts: Sequence[Context], schema: Schema) -> Dataset:
    """What most of the models call best in these contexts, and what only some of them do."""
    probes = Probes.of(contexts, schema)
    opinion = Opinion(probes, models)
    worth = opinion.optimal - CAREFUL * opinion.infeasible
    most = np.repeat(np.maximum.reduceat(worth, probes.first), probes.sizes) if probes.contexts else np.zeros(0)
    answered = np.repeat(opinion.answered >= ANSWERED, probes.sizes)
    good = answered & (worth > 0) & (worth >= AS_GOOD * most)
    bad = answered & ~good & (opinion.optimal > DISPUTED)
    chosen = np.flatnonzero(good | bad)
    where = np.repeat(np.arange(len(probes.contexts)), probes.sizes)
    sure = np.where(good, opinion.optimal, 1 - opinion.optimal)
    return Dataset.from_arrays(
        schema,
        [probes.contexts[c] for c in where[chosen]],
        probes.assignments(chosen),
        np.where(good, POSITIVE, NEGATIVE).astype(np.int8)[chosen],
        weights=WEIGHT * sure[chosen],
    )


def new_contexts(data: Dataset, rng: np.random.Generator) -> list[Context]:
    """Contexts like those of the data, which it has not, as long as they have few enough completions; and the global
    context if that can be listed.
    """
    seen, found, points = set(data.contexts), list[Context](), 0
    while len(found) < LESSONS and points < LESSON_POINTS:
        more = [context for context in dict.fromkeys(contexts_like(data, rng)) if context not in seen]
        if not more:  # there are no others of that kind
            break
        for context in more:
            if len(found) < LESSONS and points < LESSON_POINTS:
                found.append(context)
                points += completions(context, data.schema).points
        seen.update(more)
    if EMPTY not in seen and completions(EMPTY, data.schema).fits(MOST_GLOBAL):
        found.append(EMPTY)
    return found


def taught(
    start: Sample, models: Sequence[Model], data: Dataset, explored: Explored, budget: Budget, seed: int
) -> list[Sample]:
    """States of chains that go on from ``start`` with the lessons of the models, as long as the budget lasts."""
    like = explored.chains[0].sampler
    rng = np.random.default_rng([seed, 1])
    more = lessons(models, new_contexts(data, rng), data.schema)
    if not len(more):
        return []
    problem = make_problem(data, rng, wishes=like.problem.wishes, lessons=more)
    seeds = np.random.SeedSequence([seed, 2]).generate_state(explored.each_round, dtype=np.uint64).tolist()
    moves = MOVES * len(data.variables)
    most = moves if budget.steps is None else min(moves, budget.steps)
    pupils = [
        Pupil(Sampler(problem, like.longest, like.longest_count, like.most_constraints, own), like.rates, start, most)
        for own in seeds
    ]

    def report() -> None:
        moves = sum(pupil.moves for pupil in pupils)
        correct = max(chain.correct for chain in explored.chains)
        note = "teaching one model what all of them say"
        left = budget.seconds_left
        explored.listener(
            Progress(budget.seconds, left, correct, len(data), neighbours=moves, tried="moves", note=note)
        )

    run_all(pupils, explored.at_once, budget, report)
    return [state for pupil in pupils for state in pupil.states]


class Pupil:
    """A chain at rest whose data has lessons, and the states that it passed through in so many moves."""

    def __init__(self, sampler: Sampler, rates: Rates, start: Sample, most_moves: int) -> None:
        sampler.rates = replace(rates, wrong=max(MISTAKES, rates.wrong))
        sampler.load(start)
        self.sampler = sampler
        self.most_moves = most_moves
        self.moves = 0
        self.states: list[Sample] = []
        self.stop = False

    def call_off(self) -> None:
        self.stop = True

    def run(self) -> None:
        while self.moves < self.most_moves and not self.stop:
            if len(self.states) % POOL_EVERY == 0:
                self.sampler.refresh_pool()
            moves = min(STRETCH, self.most_moves - self.moves)
            self.sampler.search(moves, 1.0)
            self.moves += moves
            self.states.append(self.sampler.sample)
