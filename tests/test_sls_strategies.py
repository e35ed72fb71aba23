"""The strategies against their descriptions in the literature."""

from __future__ import annotations

import numpy as np
import pytest

from hassle.kernels.moves import ADD, FLIP, LIGHTEN, NO_LITERAL
from hassle.learners.sls.search import part_of
from hassle.learners.sls.strategies import AdaptiveNoveltyPlus, Neighbours, Novelty, NoveltyPlus, WalkSat


def scene(scores, changed=(0, 0, 0, 0)):
    return Neighbours(np.array(scores, dtype=np.int32), np.array(changed, dtype=np.int64))


def choices(strategy, neighbours, draws=300):
    rng = np.random.default_rng(1)
    return [strategy.choose(neighbours, rng) for _ in range(draws)]


def test_parts_are_places_of_variables_or_the_weight():
    """Adding, flipping and removing the literals of a variable change one part; so do all moves of weight."""
    moves = np.array([(0, ADD, 1), (0, FLIP, 0), (1, ADD, 3), (1, LIGHTEN, NO_LITERAL)])
    assert part_of(moves, parts=3).tolist() == [0, 0, 1, 2]


def test_walksat_takes_a_best_neighbour_and_breaks_ties_by_chance():
    counts = np.bincount(choices(WalkSat(0), scene([5, 7, 7, 1])), minlength=4)
    assert counts[0] == counts[3] == 0
    assert min(counts[1], counts[2]) > 100


@pytest.mark.parametrize(("probability", "expected"), [(0.0, 0), (0.3, 300), (1.0, 1000)])
def test_walksat_restarts_with_its_probability(probability, expected):
    rng = np.random.default_rng(1)
    assert abs(sum(WalkSat(probability).wants_restart(rng) for _ in range(1000)) - expected) < 60


def test_novelty_takes_the_best_if_it_is_not_the_most_recent():
    assert set(choices(Novelty(1.0), scene([5, 9, 6, 7], [8, 3, 0, 0]))) == {1}


def test_novelty_with_probability_noise_takes_the_second_if_the_best_is_the_most_recent():
    neighbours = scene([5, 9, 6, 7], [3, 8, 0, 0])
    assert set(choices(Novelty(0.0), neighbours)) == {1}
    assert set(choices(Novelty(1.0), neighbours)) == {3}
    counts = np.bincount(choices(Novelty(0.5), neighbours), minlength=4)
    assert counts[0] == counts[2] == 0
    assert min(counts[1], counts[3]) > 100


def test_novelty_prefers_the_oldest_among_equals():
    assert set(choices(Novelty(0.5), scene([9, 9, 9, 2], [5, 2, 4, 0]))) == {1}


def test_novelty_starts_without_memory():
    assert set(choices(Novelty(1.0), scene([1, 2, 9, 4]))) == {2}


def test_novelty_plus_walks_at_random_with_its_probability():
    counts = np.bincount(choices(NoveltyPlus(0.5, 0.1), scene([1, 2, 9, 4]), 4000), minlength=4)
    assert 60 < counts[0] < 140  # a tenth of the draws, shared by four
    assert counts[2] > 3600
    assert set(choices(NoveltyPlus(0.5, 1.0), scene([1, 2, 9, 4]))) == {0, 1, 2, 3}


def test_adaptive_novelty_plus_raises_the_walk_on_stagnation_and_lowers_it_on_improvement():
    """theta = 1/6, phi = 1/5: up by phi of what is left after theta * examples idle steps, down by phi / 2 of it."""
    strategy = AdaptiveNoveltyPlus(0.5, walk=0.1, examples=60)
    strategy.begin(correct=30, step=0)
    for step in range(1, 11):
        strategy.observe(30, step)
    assert strategy.walk == 0.1
    strategy.observe(30, 11)
    assert strategy.walk == pytest.approx(0.28)
    strategy.observe(29, 22)
    assert strategy.walk == pytest.approx(0.424)
    strategy.observe(31, 23)
    assert strategy.walk == pytest.approx(0.3816)
    strategy.begin(correct=10, step=24)
    assert strategy.walk == 0.1
