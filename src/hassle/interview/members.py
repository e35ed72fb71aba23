"""Members of the committee where contexts leave few completions: states of chains of the statistical learner.

Many short chains start from the members there are, drawn by how much they are trusted (a particle filter whose
particles are moved by Metropolis steps), so that a further answer costs a fraction of a second and the members stay
different. What is new here is only where chains start, and that labels are never taken for certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.learners.budget import Budget
from hassle.learners.options import usable_cores
from hassle.learners.statistical.learner import LONGEST_COUNT, default_longest
from hassle.learners.statistical.problem import make_problem
from hassle.learners.statistical.sampler import Sample, Sampler, as_sample
from hassle.learners.threads import run_all
from hassle.learners.wishes import NO_WISHES, Wishes
from hassle.logic import Schema
from hassle.model import Model

# Chains that start from members, and their moves; the same for chains that start from nothing, which draw repeatedly.
# Moves are for each variable. Chains that move little stay near the few members that foresaw the last answers: with 8
# variables 200 for each left .50 of the decisions infeasible after 60 answers, and 1,500 left .19 (one problem).
WARM_CHAINS, WARM_MOVES, FEWEST_WARM_MOVES = 32, 200, 6400
COLD_CHAINS, COLD_MOVES, COLD_DRAWS = 8, 3_000, 4
FLAT = 0.1  # the sharpness at which a chain from nothing begins
# Draws that are less plausible than the best by so many nats are trusted less, by what is beyond.
MARGIN = 8.0

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Drawn:
    """Models, and how much each is trusted."""

    models: tuple[Model, ...]
    weights: Floats


def draw_members(
    data: Dataset,
    asked: NDArray[np.bool_],
    starts: Sequence[Model],
    wrong: float,
    seed: int,
    wishes: Wishes = NO_WISHES,
) -> Drawn:
    """Models that explain the data, where labels are wrong at this rate; ``asked`` are those that were asked for.

    They have the known wishes, and starts have.
    """
    variables = len(data.variables)
    problem = make_problem(data, np.random.default_rng(seed), asked, wishes)
    longest = min(default_longest(variables), variables)

    def sampler(own_seed: int) -> Sampler:
        made = Sampler(problem, longest, min(LONGEST_COUNT, variables), 10 + 4 * variables, own_seed)
        made.rates = replace(made.rates, wrong=wrong)
        return made

    count = WARM_CHAINS if starts else COLD_CHAINS
    seeds = np.random.SeedSequence(seed).generate_state(count, dtype=np.uint64).tolist()
    chains = [_ShortChain(sampler(int(each)), variables) for each in seeds]
    rests = [rest for model in starts if (rest := wishes.inside(model)) is not None]
    known = [model for model in rests if chains[0].sampler.takes(model)]
    for k, chain in enumerate(chains if known else []):
        chain.start = as_sample(known[k % len(known)])
    run_all(chains, usable_cores(), Budget(), lambda: None)
    draws = [draw for chain in chains for draw in chain.draws]
    levels = np.array([level for _, level in draws])
    weights = np.exp(np.minimum(0.0, levels - levels.max() + MARGIN))
    models = (wishes.around(_model(sample, data.schema)) for sample, _ in draws)
    return Drawn(tuple(models), weights / weights.sum())


class _ShortChain:
    """A chain that is cooled if it starts from nothing, and else goes on from where it is."""

    def __init__(self, sampler: Sampler, variables: int) -> None:
        self.sampler = sampler
        self.variables = variables
        self.start: Sample | None = None
        self.draws: list[tuple[Sample, float]] = []
        self.stop = False

    def call_off(self) -> None:
        self.stop = True

    def run(self) -> None:
        if self.start is not None:
            self.sampler.load(self.start)
            self._move(max(self.variables * WARM_MOVES, FEWEST_WARM_MOVES), 1.0)
            self._draw()
            return
        stretches = 8
        for i in range(stretches):
            if self.stop:
                break
            self._move(self.variables * COLD_MOVES // stretches // 2, FLAT ** (1 - i / stretches))
        for _ in range(COLD_DRAWS):
            if self.stop:
                break
            self._move(self.variables * COLD_MOVES // COLD_DRAWS // 2, 1.0)
            self._draw()

    def _move(self, moves: int, sharpness: float) -> None:
        self.sampler.refresh_pool()
        self.sampler.search(moves, sharpness)

    def _draw(self) -> None:
        self.draws.append((self.sampler.sample, self.sampler.log_posterior))


def _model(sample: Sample, schema: Schema) -> Model:
    return Model.from_units(schema, sample.hard, sample.soft)
