"""The strategies against their descriptions in the literature."""

from __future__ import annotations

import numpy as np
import pytest

from hassle.kernels.chance import below, fraction
from hassle.kernels.moves import ADD, LIGHTEN, NO_LITERAL
from hassle.learn.sls.strategies import AdaptiveNoveltyPlus, Neighbours, Novelty, NoveltyPlus, WalkSat

# Neighbours of a model of two clauses over two variables; literal 2v+1 is variable v.
MOVES = [(0, ADD, 1), (0, ADD, 3), (1, LIGHTEN, NO_LITERAL), (1, ADD, 0)]


def state(seed=1):
    return np.array([seed], dtype=np.uint64)


def scene(scores, changed=None):
    ages = np.zeros((2, 3), dtype=np.int64)
    for (clause, part), step in (changed or {}).items():
        ages[clause, part] = step
    return Neighbours(np.array(MOVES, dtype=np.int64), np.array(scores, dtype=np.int32), ages)


def choices(strategy, neighbours, draws=300):
    random = state()
    return [strategy.choose(neighbours, random) for _ in range(draws)]


def test_random_numbers_are_uniform_enough():
    random = state()
    counts = np.bincount([below(random, 5) for _ in range(5000)], minlength=5)
    assert counts.min() > 900
    assert counts.max() < 1100
    drawn = [fraction(random) for _ in range(1000)]
    assert 0 <= min(drawn) < 0.02
    assert 0.98 < max(drawn) < 1


def test_walksat_takes_a_best_neighbour_and_breaks_ties_by_chance():
    counts = np.bincount(choices(WalkSat(0), scene([5, 7, 7, 1])), minlength=4)
    assert counts[0] == counts[3] == 0
    assert min(counts[1], counts[2]) > 100


@pytest.mark.parametrize(("probability", "expected"), [(0.0, 0), (0.3, 300), (1.0, 1000)])
def test_walksat_restarts_with_its_probability(probability, expected):
    random = state()
    assert abs(sum(WalkSat(probability).wants_restart(random) for _ in range(1000)) - expected) < 60


def test_novelty_takes_the_best_if_it_is_not_the_most_recent():
    assert set(choices(Novelty(1.0), scene([5, 9, 6, 7], {(0, 0): 8, (0, 1): 3}))) == {1}


def test_novelty_with_probability_noise_takes_the_second_if_the_best_is_the_most_recent():
    neighbours = scene([5, 9, 6, 7], {(0, 0): 3, (0, 1): 8})
    assert set(choices(Novelty(0.0), neighbours)) == {1}
    assert set(choices(Novelty(1.0), neighbours)) == {3}
    counts = np.bincount(choices(Novelty(0.5), neighbours), minlength=4)
    assert counts[0] == counts[2] == 0
    assert min(counts[1], counts[3]) > 100


def test_novelty_prefers_the_oldest_among_equals():
    assert set(choices(Novelty(0.5), scene([9, 9, 9, 2], {(0, 0): 5, (0, 1): 2, (1, 2): 4}))) == {1}


def test_novelty_starts_without_memory():
    assert set(choices(Novelty(1.0), scene([1, 2, 9, 4]))) == {2}


def test_novelty_plus_walks_at_random_with_its_probability():
    counts = np.bincount(choices(NoveltyPlus(0.5, 0.1), scene([1, 2, 9, 4]), 4000), minlength=4)
    assert 60 < counts[0] < 140  # a tenth of the draws, shared by four
    assert counts[2] > 3600
    assert set(choices(NoveltyPlus(0.5, 1.0), scene([1, 2, 9, 4]))) == {0, 1, 2, 3}


def test_adaptive_novelty_plus_raises_the_walk_on_stagnation_and_lowers_it_on_improvement():
    """theta = 1/6, phi = 1/5: up by phi of what is left after theta * examples idle steps, down by phi / 2 of it."""
    strategy = AdaptiveNoveltyPlus(0.5, examples=60)
    strategy.begin(correct=30, step=0)
    for step in range(1, 11):
        strategy.observe(30, step)
    assert strategy.walk == 0
    strategy.observe(30, 11)
    assert strategy.walk == pytest.approx(0.2)
    strategy.observe(29, 22)
    assert strategy.walk == pytest.approx(0.36)
    strategy.observe(31, 23)
    assert strategy.walk == pytest.approx(0.324)
    strategy.begin(correct=10, step=24)
    assert strategy.walk == 0
