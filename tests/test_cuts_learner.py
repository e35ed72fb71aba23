"""The learner for large contexts from outside: what it recovers, and that it keeps its budget and its word."""

from __future__ import annotations

import threading
from functools import cache

import numpy as np
import pytest

from hassle.data import Dataset
from hassle.errors import InputError
from hassle.generate import generate, generate_data, roster_problem
from hassle.learners import Progress, learn
from hassle.learners.cuts import CutsLearner
from hassle.model import Model
from hassle.solve import agrees, verdicts
from hassle.solve.implication import irredundant


@cache
def roster(contexts: int, noise: float = 0.0) -> tuple[Model, Dataset, Dataset]:
    """A true model, data to learn from, and data in other contexts."""
    truth = roster_problem(4, 4, np.random.default_rng(7))
    # To look for contexts that give as many examples as asked for would take seconds.
    seen = generate_data(truth, contexts, noise=noise, seed=1, allow_fewer=True).data
    unseen = generate_data(truth, 50, seed=2, allow_fewer=True).data
    return truth, seen, unseen


def test_a_roster_is_learned_from_many_contexts() -> None:
    truth, seen, unseen = roster(300)
    result = learn(seen, "cuts", time_limit=60, steps=5)
    assert (result.learner, result.stopped) == ("cuts", "perfect")
    assert agrees(verdicts(result.model, unseen), unseen).mean() > 0.97
    # Every mined rule is true, and with the preferences nothing infeasible is called optimal.
    variables = len(truth.variables)
    assert len(irredundant([*truth.hard, *result.model.hard], variables)) <= len(irredundant(truth.hard, variables))


def test_clauses_of_three_literals() -> None:
    generated = generate(14, 6, 6, 200, max_literals=3, seed=3)
    result = learn(generated.data, "cuts", time_limit=60, steps=1, sweeps=100, max_literals=3)
    assert result.score > 0.95
    assert max(len(clause.literals) for clause in result.model.constraints) == 3


def test_noise_is_not_learned() -> None:
    _, seen, unseen = roster(300, noise=0.05)
    result = learn(seen, "cuts", time_limit=60, steps=3)
    assert 0.9 < result.score < 0.98
    assert agrees(verdicts(result.model, unseen), unseen).mean() > 0.95


def test_the_same_seed_gives_the_same_model() -> None:
    _, seen, _ = roster(60)
    one, again, other = (learn(seen, "cuts", steps=2, sweeps=50, seed=seed) for seed in (5, 5, 6))
    assert one.model == again.model
    assert one.model != other.model


def test_no_time_gives_a_model_all_the_same() -> None:
    _, seen, _ = roster(20)
    result = learn(seen, "cuts", time_limit=0)
    assert result.stopped == "time"
    assert result.correct == int(seen.positive.sum())


def test_an_interrupt_returns_the_best_so_far() -> None:
    _, seen, _ = roster(60, noise=0.1)
    flag = threading.Event()
    heard: list[Progress] = []

    def listener(progress: Progress) -> None:
        heard.append(progress)
        if progress.steps == 1:
            flag.set()

    result = learn(seen, "cuts", time_limit=60, listener=listener, interrupt=flag)
    assert (result.stopped, result.steps) == ("interrupted", 1)
    assert result.correct == max(progress.correct for progress in heard)
    assert result.trace[-1].correct == result.correct


def test_a_keyboard_interrupt_is_a_request_to_stop() -> None:
    _, seen, _ = roster(30, noise=0.1)

    def listener(progress: Progress) -> None:
        if progress.steps == 1:
            raise KeyboardInterrupt

    assert learn(seen, "cuts", time_limit=60, listener=listener).stopped == "interrupted"


def test_a_score_that_is_good_enough_ends_the_run() -> None:
    _, seen, _ = roster(60, noise=0.1)
    assert learn(seen, "cuts", time_limit=60, target_score=0.6).stopped == "target"


def test_data_without_positives_is_learned_from() -> None:
    names = ("a", "b", "c")
    nothing_good = Dataset.build(names, [("a", "111", 0), ("!a", "010", 0)])
    assert learn(nothing_good, "cuts", time_limit=10, steps=1).examples == 2
    with pytest.raises(InputError, match="no examples"):
        learn(nothing_good.subset([]), "cuts", time_limit=10, steps=1)
    general = Dataset.build(names, [("a | b", "110", 1), ("a | b", "010", 0), ("b -> c", "111", 1)])
    assert learn(general, "cuts", time_limit=10, steps=1).examples == 3


@pytest.mark.parametrize("options", [{"max_literals": 0}, {"max_literals": 4}, {"rounds": 0}, {"sweeps": 0}])
def test_bad_options_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(InputError):
        CutsLearner(**options)
