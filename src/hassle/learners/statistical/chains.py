"""Chains from an empty model to samples of good ones, several at a time.

A chain is first cooled: its target is sharpened from nearly flat to the posterior itself, so that it settles where the
data is explained best. Then it goes on at rest and its states are collected. Chains run in threads; almost all their
time is spent in kernels, which release the interpreter's lock.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np

from hassle.learners.budget import Budget
from hassle.learners.statistical.posterior import Posterior, Sample

FLAT = 0.05  # sharpness at the start
COOLING = 0.6  # share of the run for cooling, of which the last fifth is at rest already
SETTLED = 0.7  # share of the cooling after which all rates are estimated
STRETCH = 2000  # moves between estimates of the rates
STRETCH_SECONDS = 0.25  # the same for a run limited by time, if that is shorter
POOL_EVERY = 2  # stretches between two listings of promising clauses
SAMPLES = 100  # per chain
MOST_MOVES = 1_500_000  # per chain; more changed nothing in any experiment


@dataclass(frozen=True)
class Visit:
    """A state of a chain at rest."""

    sample: Sample
    log_posterior: float
    correct: int


class Run:
    """One chain from its start to the end of the budget, and what it visited."""

    def __init__(self, posterior: Posterior, budget: Budget, share: float) -> None:
        self.posterior = posterior
        self.examples = len(posterior.problem.rows)
        self.budget = budget
        self.time_limit = None if budget.time_limit is None else budget.time_limit * share
        self.visits: list[Visit] = []
        self.moves = 0
        self.made = 0
        self.correct = 0
        self.stop = False
        self._stretch = STRETCH
        self._began = budget.seconds

    @property
    def most_moves(self) -> int:
        return MOST_MOVES if self.budget.steps is None else self.budget.steps

    @property
    def out_of_moves(self) -> bool:
        return self.moves >= self.most_moves

    @property
    def good_enough(self) -> bool:
        """Whether the score asked for is reached.

        A score of 1 is no reason to stop: of the models that reach it some are much better than others.
        """
        return self.budget.target_score < 1 and self.correct >= self.budget.enough(self.examples)

    @property
    def progress(self) -> float:
        """Share of the run that is over."""
        by_moves = self.moves / max(1, self.most_moves)
        if self.time_limit is None:
            return by_moves
        left = self.time_limit - self._began
        by_time = (self.budget.seconds - self._began) / left if left > 0 else math.inf
        return max(by_moves, by_time)

    def run(self) -> None:
        stretches = 0
        while not (self.stop or self.budget.interrupted) and self.progress < 1:
            cooled = min(1.0, self.progress / COOLING)
            if stretches % POOL_EVERY == 0:
                self.posterior.refresh_pool()
            self.posterior.update_rates(settled=cooled >= SETTLED)
            self._search(FLAT ** max(0.0, 1 - 1.25 * cooled))
            stretches += 1
            self.correct = self.posterior.correct
            if cooled == 1.0:
                self._visit()
            if self.good_enough:
                break
        if not self.visits or self.good_enough:
            self._visit()

    def _search(self, sharpness: float) -> None:
        moves = min(self._stretch, self.most_moves - self.moves)
        began = time.monotonic()
        self.made += self.posterior.search(moves, sharpness)
        self.moves += moves
        if self.budget.steps is None:  # keep the time limit, even where a move takes long
            pace = moves / max(1e-6, time.monotonic() - began)
            self._stretch = int(min(STRETCH, max(20, pace * STRETCH_SECONDS)))

    def _visit(self) -> None:
        self.visits.append(Visit(self.posterior.sample, self.posterior.log_posterior, self.posterior.correct))
        if len(self.visits) > 2 * SAMPLES:
            self.visits = self.visits[1::2]


def run_all(runs: list[Run], at_once: int, budget: Budget, report: Callable[[], None]) -> None:
    """Run the chains, so many at once; Ctrl-C ends them early."""
    with ThreadPoolExecutor(at_once) as pool:
        pending = {pool.submit(run.run) for run in runs}
        while pending:
            try:
                done, pending = wait(pending, 0.2, FIRST_COMPLETED)
                for future in done:
                    future.result()
                report()
                if any(run.good_enough for run in runs):
                    _stop(runs)
            except KeyboardInterrupt:
                budget.interrupt.set()
            except BaseException:
                _stop(runs)
                raise


def _stop(runs: list[Run]) -> None:
    for run in runs:
        run.stop = True


def settled_visits(runs: list[Run], margin: float = 5.0) -> list[Visit]:
    """The states of the chains that settled about as well as the best; the others are stuck at worse ones.

    Where a chain ended because its score is good enough, that is its last state.
    """
    ended = [run.visits[-1] for run in runs if run.good_enough]
    if ended:
        return ended
    levels = [float(np.mean([visit.log_posterior for visit in run.visits])) for run in runs]
    kept = [run for run, level in zip(runs, levels, strict=True) if level >= max(levels) - margin]
    return [visit for run in kept for visit in run.visits[-SAMPLES:]]
