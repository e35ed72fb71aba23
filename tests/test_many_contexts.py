"""Very many tiny contexts: some of them are learned from, and chains look at the clock from their first moves on."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from hassle.data import Dataset
from hassle.learners.auto import FEWEST_SAMPLED, AutoLearner, quick_sample, work_in
from hassle.learners.budget import Budget, silent
from hassle.learners.result import LearnResult
from hassle.learners.statistical.chains import STRETCH, STRETCH_SECONDS, Chain
from hassle.learners.statistical.sampler import Sample
from hassle.logic import Context
from hassle.model import Model
from hassle.solve import verdicts_in_time
from hassle.tables.limits import QUICK_POINTS


class SlowSampler:
    """A sampler of which every move takes so many seconds of a clock of its own."""

    def __init__(self, seconds_per_move, examples=3):
        self.now = 100.0
        self.pace = seconds_per_move
        self.problem = SimpleNamespace(variables=20, examples=examples, rows=np.arange(examples), only_positives=False)
        self.sample, self.log_posterior, self.correct = Sample(()), 0.0, 0
        self.agreed = np.zeros(examples, dtype=np.bool_)
        self.pool_is_sound = True

    def monotonic(self):
        return self.now

    def refresh_pool(self):
        pass

    def update_rates(self, *, settled):
        pass

    def search(self, moves, sharpness):
        self.now += moves * self.pace
        return moves


@pytest.fixture
def run_chain(monkeypatch):
    def run(seconds_per_move, **limits):
        sampler = SlowSampler(seconds_per_move)
        monkeypatch.setattr("hassle.learners.statistical.chains.time", sampler)
        monkeypatch.setattr("hassle.learners.budget.time", sampler)
        chain = Chain(sampler, Budget(**limits, started=sampler.now), 1.0)
        chain.run()
        return chain, sampler.now - 100.0

    return run


@pytest.mark.parametrize("pace", [0.01, 0.001, 0.00001])
def test_a_chain_ends_in_time_however_long_a_move_takes(pace, run_chain):
    chain, seconds = run_chain(pace, time_limit=5)
    assert 5 <= seconds <= 5 + STRETCH_SECONDS + 20 * pace
    assert chain.moves > 0.9 * 5 / pace


def test_a_chain_of_so_many_moves_does_not_depend_on_the_clock(run_chain):
    chain, _ = run_chain(0.01, steps=2 * STRETCH)
    assert chain.moves == 2 * STRETCH
    assert chain.rests == run_chain(0.00001, steps=2 * STRETCH)[0].rests


def tiny_contexts(count, variables=20, free=2):
    """As many contexts, each its own, of two open variables."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (count, variables), dtype=np.uint8)
    rows[:, : variables - free] = (np.arange(count)[:, None] >> np.arange(variables - free)) & 1
    fixed = np.where(rows[:, : variables - free], 1, -1) * np.arange(1, variables - free + 1)
    contexts = [Context(tuple(literals)) for literals in fixed.tolist()]
    return Dataset.from_arrays([f"x{v}" for v in range(variables)], contexts, rows, rows[:, -1].astype(np.int8))


def test_contexts_too_many_to_look_at_are_sampled_however_small(monkeypatch):
    data = tiny_contexts(20_000)
    assert 4 * len(data.contexts) < QUICK_POINTS < work_in(data).sum()
    sample = quick_sample(data, 0)
    assert FEWEST_SAMPLED <= len(sample) < len(data.contexts) // 2
    seen = []

    def spy(learner, some, *_):
        seen.append(some)
        return LearnResult(Model(some.schema), "auto", len(some), len(some), "time", 0.0, 0, 0)

    monkeypatch.setattr(AutoLearner, "_by_statistics", spy)
    result = AutoLearner().learn(data, Budget(1), 0, silent)
    assert [len(some.contexts) for some in seen] == [len(sample)]
    assert result.judged == tuple(sample.tolist())


def test_the_score_of_very_many_tiny_contexts_is_checked_piece_by_piece():
    data = tiny_contexts(20_000)
    looks = []

    def seconds_left():
        looks.append(1)
        return 1.0 if len(looks) <= 2 else 0.0

    done, agreed = verdicts_in_time(Model(data.schema), data, range(len(data.contexts)), seconds_left)
    assert 0 < len(done) < len(data.contexts) // 2
    assert (agreed == data.positive[: len(agreed)]).all()
