"""Members of the committee where contexts leave few completions: states of chains of the statistical learner.

:func:`taught_models` are models that were taught what the members say by votes (``learners.statistical.teaching``).

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
from hassle.learners.statistical.problem import Problem, make_problem
from hassle.learners.statistical.sampler import Sample, Sampler, as_sample
from hassle.learners.statistical.teaching import Pupil
from hassle.learners.threads import run_all
from hassle.learners.wishes import NO_WISHES, Wishes
from hassle.logic import Schema
from hassle.model import Model

# Chains that start from members, and their moves; the same for chains that start from nothing, which draw repeatedly.
# Moves are for each variable. Chains that move little stay near the few members that foresaw the last answers.
WARM_CHAINS, WARM_MOVES, FEWEST_WARM_MOVES = 32, 800, 6400
COLD_CHAINS, COLD_MOVES, COLD_DRAWS = 8, 3_000, 4
# So many rules and wishes for each variable are expected, each likelier than not by so many nats: with few examples,
# models that lack the same rules would else agree on what none of them knows.
EXPECTED_RULES, EXPECTED_NATS = 2, 2.0
# Chains that are taught by the votes, and their moves for each variable.
PUPILS, PUPIL_MOVES = 2, 8_000
# A chain that starts from a member is melted a little and cooled again, or members would only differ in details.
MELTING = (0.4, 0.7, 1.0, 1.0)
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
    chains = [
        _ShortChain(each, variables) for each in _samplers(problem, WARM_CHAINS if starts else COLD_CHAINS, wrong, seed)
    ]
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


def taught_models(
    start: Model, lessons: Dataset, data: Dataset, asked: NDArray[np.bool_], wrong: float, seed: int, wishes: Wishes
) -> list[Model]:
    """Models on the way from ``start`` to one that says what the lessons do, and explains the data."""
    problem = make_problem(data, np.random.default_rng(seed), asked, wishes, lessons)
    samplers = _samplers(problem, PUPILS, wrong, seed)
    inside = wishes.inside(start)
    if inside is None or not samplers[0].takes(inside):
        return []
    moves = len(data.variables) * PUPIL_MOVES
    pupils = [Pupil(each, each.rates, as_sample(inside), moves) for each in samplers]
    run_all(pupils, usable_cores(), Budget(), lambda: None)
    return [wishes.around(_model(state, data.schema)) for pupil in pupils for state in pupil.states]


def _samplers(problem: Problem, count: int, wrong: float, seed: int) -> list[Sampler]:
    """So many chains of the same problem, whose labels are wrong at this rate."""
    variables = problem.variables
    longest = min(default_longest(variables), variables)
    seeds = np.random.SeedSequence(seed).generate_state(count, dtype=np.uint64).tolist()
    result = []
    for own in seeds:
        made = Sampler(problem, longest, min(LONGEST_COUNT, variables), 10 + 4 * variables, int(own))
        made.rates = replace(made.rates, wrong=wrong)
        made.expect(EXPECTED_RULES * variables, EXPECTED_NATS)
        result.append(made)
    return result


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
            moves = max(self.variables * WARM_MOVES, FEWEST_WARM_MOVES)
            for sharpness in MELTING:
                if not self.stop:
                    self._move(moves // len(MELTING), sharpness)
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
