"""Models tried by the hundred, and the walk among those that explain the examples about as well."""

from __future__ import annotations

import numpy as np
import pytest

from hassle.generate.arranged import arranged_examples, ward
from hassle.learners.structured.candidates import Candidates
from hassle.learners.structured.chain import Chain, Samples
from hassle.learners.structured.fit import Contrast, Fit
from hassle.learners.structured.pool import first_pool
from hassle.learners.structured.trials import FEW_WEIGHTS, Trials
from hassle.learners.structured.trusting import Trust


@pytest.fixture(scope="module")
def home():
    return ward(4, 4, 2, np.random.default_rng(3))


@pytest.fixture(scope="module", params=[0.0, 0.05], ids=["sure", "doubting"])
def trials(home, request):
    data = arranged_examples(home.truth, home.situation, 20, np.random.default_rng(4))
    candidates = Candidates.of(data.schema, data.assignments[data.positive])
    pool = first_pool(data, 8, np.random.default_rng(0))
    trust = Trust.full(len(pool)).weights(pool)
    rows = candidates.broken(np.array(pool.rows))
    contrast = Contrast.of(rows, np.array(pool.context_of), np.array(pool.sort), trust, doubt=request.param)
    return Trials(candidates, contrast, 0.7 * candidates.prices)


def some_fit(trials, rng, size=5):
    return Fit(2 * rng.choice(trials.candidates.columns, size, replace=False), 3 * rng.random(size))


def test_many_losses_at_once_are_those_of_the_contrast(trials):
    rng = np.random.default_rng(0)
    scores = np.array([some_fit(trials, rng).scores(trials.candidates, trials.contrast.broken) for _ in range(5)])
    slow = [trials.contrast.loss(row)[0] for row in scores]
    np.testing.assert_allclose([trials.loss(row) for row in scores.astype(np.float32)], slow, rtol=1e-4)
    field = trials.field()
    np.testing.assert_allclose(field.losses(scores.astype(np.float32)[:, field.rows]), slow, rtol=1e-4)


def test_what_is_tried_is_the_loss_with_one_family_more_or_less_than_that(trials, monkeypatch):
    """Less where something comes back that was out of reach; with everything in reach and light weights it is exact."""
    rng = np.random.default_rng(1)
    found = some_fit(trials, rng)
    found = Fit(found.chosen, found.weights / 10)
    scores = found.scores(trials.candidates, trials.contrast.broken)
    menu = trials.steepest(scores.astype(np.float32), found.chosen.tolist())
    assert not set((menu // 2).tolist()) & set((found.chosen // 2).tolist())
    tried = trials.tried(scores.astype(np.float32), menu)
    monkeypatch.setattr("hassle.learners.structured.trials.REACH", np.inf)
    everything = trials.tried(scores.astype(np.float32), menu)
    for i in rng.choice(len(menu), 5, replace=False).tolist():
        for j, weight in enumerate(FEW_WEIGHTS.tolist()):
            column = trials.candidates.signed(trials.contrast.broken, [menu[i]])[:, 0]
            exact = trials.contrast.loss(scores - weight * column)[0] + trials.prices[menu[i]]
            assert tried[i, j] <= exact * (1 + 1e-4)
            if np.ptp(scores - weight * column) < 60:
                assert everything[i, j] == pytest.approx(exact, rel=1e-4)


def test_a_walk_finds_better_models_and_keeps_count_of_itself(trials):
    nothing = Fit(np.array([0]), np.array([1.0]))
    chain = Chain(trials, nothing, np.random.default_rng(0))
    before = chain.energy()
    samples = chain.walk(20, 8)
    assert len(samples.weights) == 8
    assert samples.energies.max() < before / 2
    best = samples.best()
    scores = best.scores(trials.candidates, trials.contrast.broken)
    assert trials.contrast.loss(scores)[0] + trials.prices[best.chosen].sum() == pytest.approx(
        samples.energies.min(), rel=1e-3
    )
    np.testing.assert_allclose(chain.scores, chain._scored(), atol=1e-3)


def test_a_walk_that_must_end_has_a_model_to_show(trials):
    chain = Chain(trials, Fit(np.array([0]), np.array([1.0])), np.random.default_rng(0))
    assert len(chain.walk(20, 8, lambda: True).weights) == 1


def test_the_mean_is_over_all_models_and_leaves_out_what_is_rare():
    samples = Samples.of([{1: 2.0, 5: 4.0}, {1: 4.0}, {1: 3.0, 7: 1.0}, {1: 3.0, 5: 2.0}], [0.0, 1.0, 2.0, 3.0])
    np.testing.assert_allclose(samples.inclusion, [1, 0.5, 0.25])
    mean = samples.mean(0.3)
    assert mean.chosen.tolist() == [1, 5]
    np.testing.assert_allclose(mean.weights, [3.0, 1.5])


def test_joined_walks_have_the_models_of_both():
    one = Samples.of([{3: 1.0, 8: 2.0}, {8: 4.0}], [5.0, 4.0])
    other = Samples.of([{2: 1.5}, {3: 0.5}], [3.0, 6.0])
    both = one.joined(other)
    assert [dict(zip(both.chosen[row > 0].tolist(), row[row > 0].tolist(), strict=True)) for row in both.weights] == [
        {3: 1.0, 8: 2.0},
        {8: 4.0},
        {2: 1.5},
        {3: 0.5},
    ]
    assert both.energies.tolist() == [5.0, 4.0, 3.0, 6.0]
