"""Chains from an empty model to samples of good ones, several at a time.

A chain is first cooled: its target is sharpened from nearly flat to the posterior itself, so that it settles where the
data is explained best. Then it goes on at rest and its states are collected. Chains run in threads; almost all their
time is spent in kernels, which release the interpreter's lock.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hassle.learners.budget import Budget
from hassle.learners.ranking import MOST_VARIABLES
from hassle.learners.starting import WARM_SHARE
from hassle.learners.statistical.sampler import Sample, Sampler

# Sharpness at the start. Much below it all models are alike: with 0.05 instead, 9 of 12 chains of 800,000 moves left
# labels of 12-variable problems unexplained, with 0.2 one of 12 (seeds 410 to 415, 16 + 16 clauses).
FLAT = 0.2
WARM = 0.5  # the same for a chain that goes on from a good model: it is melted a little, not evaporated
COOLING = 0.6  # share of the run for cooling, of which the last fifth is at rest already
SETTLED = 0.7  # share of the cooling after which all rates are estimated
STRETCH = 2000  # moves between estimates of the rates
STRETCH_SECONDS = 0.25  # the same for a run limited by time, if that is shorter
# In such a run nobody knows yet what a move takes: the first stretch is so short, each later one so many times longer.
FIRST_STRETCH, LONGER = 20, 10
POOL_EVERY = 5  # stretches between two listings of promising clauses
SAMPLES = 100  # per chain
# Chains of so many moves each have seen enough to tell wrong labels from a search that is not over, if of the examples
# that any of them leaves unexplained so large a share is left by all; a chain alone needs more moves.
# Measured on 8 variables, 10 + 10 clauses, 100 contexts: with 10 % wrong labels the share is .49 to 1, without any at
# most .43 where three examples or more are left.
SETTLED_MOVES, SETTLED_ALONE, AGREEMENT = 30_000, 100_000, 0.6
# Per chain and for up to so many variables; more changed nothing in any experiment. Of more variables there are more
# moves to try: with 12 to 20, chains still came to better models later.
MOST_MOVES, FEW_VARIABLES = 3_000_000, 8


@dataclass(frozen=True)
class Draw:
    """A state of a chain at rest."""

    sample: Sample
    log_posterior: float
    correct: int

    def merit(self, only_positives: bool) -> tuple[float, float]:
        """What it is worth, in the order of what counts: explaining most, unless no rules at all would explain all."""
        return (0 if only_positives else self.correct, self.log_posterior)


class Chain:
    """One Markov chain: a sampler from its start to the end of the budget, and what was drawn at rest.

    ``best`` is the state that explained most examples, of those between stretches (the most plausible one where there
    are positives only); it is what a run that is interrupted returns. ``failure`` says what makes the chain of no use,
    if anything does.
    """

    def __init__(self, sampler: Sampler, budget: Budget, share: float, *, warm: bool = False) -> None:
        self.sampler = sampler
        self.warm = warm
        self.examples = sampler.problem.examples
        self.budget = budget
        self.time_limit = None if budget.time_limit is None else budget.time_limit * share
        self.draws: list[Draw] = []
        self.most_draws: float = 2 * SAMPLES
        self.best: Draw | None = None
        self.misses = np.zeros(len(sampler.problem.rows), dtype=np.int64)
        self.failure: str | None = None
        self.moves = 0
        self.made = 0
        self.rests = 0
        self.stretches = 0
        self.over = False
        self.stop = False
        self._stretch = FIRST_STRETCH if budget.steps is None else STRETCH
        self._began = budget.seconds
        self._blind = sampler.problem.only_positives

    @property
    def most_moves(self) -> int:
        if self.budget.steps is not None:
            return self.budget.steps
        most = MOST_MOVES * max(1.0, self.sampler.problem.variables / FEW_VARIABLES) ** 2
        return int(WARM_SHARE * most if self.warm else most)

    @property
    def out_of_moves(self) -> bool:
        return self.moves >= self.most_moves

    @property
    def correct(self) -> int:
        """The most examples that any state between stretches explained."""
        return 0 if self.best is None else self.best.correct

    @property
    def unexplained(self) -> NDArray[np.bool_]:
        """The distinct examples that most of the states at rest get wrong."""
        return 2 * self.misses > max(1, self.rests)

    @property
    def good_enough(self) -> bool:
        """Whether the score asked for is reached.

        A score of 1 is no reason to stop: of the models that reach it some are much better than others.
        """
        if self.sampler.problem.only_positives:
            return False
        return self.budget.target_score < 1 and self.correct >= self.budget.enough(self.examples)

    @property
    def progress(self) -> float:
        """Share of the run that is over."""
        if self.out_of_moves:
            return 1.0
        by_moves = self.moves / self.most_moves
        if self.time_limit is None:
            return by_moves
        left = self.time_limit - self._began
        by_time = (self.budget.seconds - self._began) / left if left > 0 else math.inf
        return max(by_moves, by_time)

    def call_off(self) -> None:
        self.stop = True

    def run(self) -> None:
        self.advance(math.inf)
        self.finish()

    def advance(self, seconds: float) -> None:
        """Go on for so many seconds at most."""
        began = time.monotonic()
        while not (self.stop or self.budget.interrupted or self.over):
            progress = self.progress
            if progress < 1:
                self._stretch_on(min(1.0, progress / COOLING))
            self.over = progress >= 1 or self.failure is not None or self.good_enough
            if time.monotonic() - began >= seconds:
                break

    def _stretch_on(self, cooled: float) -> None:
        if self.stretches % POOL_EVERY == 0:
            self.sampler.refresh_pool()
            if not self.sampler.pool_is_sound:
                self.failure = "the price of a clause is not a number"
                return
        self.sampler.update_rates(settled=cooled >= SETTLED)
        self._search((WARM if self.warm else FLAT) ** max(0.0, 1 - 1.25 * cooled))
        self.stretches += 1
        state = self._state()
        if cooled == 1.0 and self.failure is None:
            self._keep(state)

    def finish(self) -> None:
        """Whatever became of it, it has a state to show; that of a chain whose score is good enough is its last."""
        if not self.rests or self.good_enough:
            self._keep(self._state())

    def _search(self, sharpness: float) -> None:
        moves = min(self._stretch, self.most_moves - self.moves)
        began = time.monotonic()
        self.made += self.sampler.search(moves, sharpness)
        self.moves += moves
        if self.budget.steps is None:  # keep the time limit, even where a move takes long
            pace = moves / max(1e-6, time.monotonic() - began)
            self._stretch = int(min(STRETCH, LONGER * moves, max(FIRST_STRETCH, pace * STRETCH_SECONDS)))

    def _state(self) -> Draw:
        """Where the chain is; remembered if it explains more than any state before."""
        state = Draw(self.sampler.sample, self.sampler.log_posterior, self.sampler.correct)
        if not math.isfinite(state.log_posterior):
            self.failure = f"the likelihood of a chain became {state.log_posterior}"
        elif self.best is None or state.merit(self._blind) > self.best.merit(self._blind):
            self.best = state
        if self.moves >= STRETCH and not self.made:
            self.failure = f"a chain accepted none of {self.moves} moves"
        return state

    def weighed(self, draw: Draw) -> Draw:
        """A state of earlier, as plausible as it is by the rates of now."""
        now = self.sampler.sample
        self.sampler.load(draw.sample)
        result = replace(draw, log_posterior=self.sampler.log_posterior)
        self.sampler.load(now)
        return result

    def _keep(self, state: Draw) -> None:
        self.add(state)
        self.misses += ~self.sampler.agreed
        self.rests += 1

    def add(self, state: Draw) -> None:
        """One more of the states at rest, of which every other one is forgotten when there are many."""
        self.draws.append(state)
        if len(self.draws) > self.most_draws:
            self.draws = self.draws[1::2]


def settled_draws(chains: list[Chain], margin: float = 5.0) -> list[Draw]:
    """The states of the chains that settled about as well as the best; the others are stuck at worse ones.

    Where a chain ended because its score is good enough, that is its last state. A state on the way that explained
    more than any at rest is among them if it is as plausible as one of them.
    """
    ended = [chain.draws[-1] for chain in chains if chain.good_enough]
    if ended:
        return ended
    draws = [draw for chain in settled_chains(chains, margin) for draw in chain.draws[-SAMPLES:]]
    if chains[0].sampler.problem.only_positives:  # on its way from nothing every chain explained everything
        return draws
    most, least = max(draw.correct for draw in draws), min(draw.log_posterior for draw in draws)
    ahead = [chain.weighed(chain.best) for chain in chains if chain.best is not None and chain.best.correct > most]
    return draws + [draw for draw in ahead if draw.log_posterior >= least]


def settled_chains(chains: list[Chain], margin: float = 5.0) -> list[Chain]:
    """The chains that settled about as well as the best, of those that did not fail unless all did."""
    sound = [chain for chain in chains if chain.failure is None] or chains
    levels = [float(np.mean([draw.log_posterior for draw in chain.draws])) for chain in sound]
    best = max(levels)
    return [chain for chain, level in zip(sound, levels, strict=True) if not level < best - margin]


def agree_on_wrong_labels(chains: list[Chain]) -> bool:
    """Whether the chains have seen enough, and leave the same examples unexplained.

    A search that is not over leaves examples unexplained too, but each chain its own. A single chain cannot be
    compared, so it must have seen more.
    """
    fewest = min(chain.moves for chain in chains)
    if any(chain.failure is not None for chain in chains) or fewest < SETTLED_MOVES:
        return False
    if len(chains) == 1:
        return fewest >= SETTLED_ALONE
    masks = [chain.unexplained for chain in chains]
    common, either = np.logical_and.reduce(masks).sum(), np.logical_or.reduce(masks).sum()
    return bool(common >= AGREEMENT * either)


def are_stuck(chains: list[Chain], budget: Budget) -> bool:
    """Whether examples are left unexplained that the chains do not take for wrong labels.

    Over few variables it can be proved that labels are wrong, so that nobody need rely on the chains.
    """
    problem = chains[0].sampler.problem
    if problem.only_positives or max(chain.correct for chain in chains) >= budget.enough(problem.examples):
        return False
    return problem.variables <= MOST_VARIABLES or not agree_on_wrong_labels(chains)
