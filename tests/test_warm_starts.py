"""A run that goes on from an earlier result starts from what was known, and is not worse for it."""

from __future__ import annotations

import numpy as np
import pytest

from hassle import DataWarning, InputError, MaxSatClassifier, Model, learn
from hassle.generate import generate
from hassle.learners.budget import Budget, silent
from hassle.learners.registry import goes_on
from hassle.learners.starting import models_of
from hassle.learners.statistical import StatisticalLearner


@pytest.fixture(scope="module")
def made():
    return generate(5, 3, 3, 12, seed=3)


def test_a_chain_begins_at_the_model_it_is_given(made):
    """With a single move there is no time to find anything: what comes out is what went in, or next to it."""
    learner = StatisticalLearner(start=made.truth)
    draws = learner.explore(made.data, Budget(steps=1), 0, silent).draws
    assert max(draw.correct for draw in draws) >= len(made.data) - 4
    anew = StatisticalLearner().explore(made.data, Budget(steps=1), 0, silent).draws
    assert max(draw.correct for draw in anew) < len(made.data) - 4


@pytest.mark.parametrize("name", ["auto", "statistical"])
def test_a_few_examples_more_are_learned_in_a_tenth_of_the_steps(made, name):
    before = made.data.subset(np.arange(len(made.data) - 6))
    known = learn(before, name, steps=40_000, seed=1)
    assert known.visited
    assert all(model.variables == made.data.variables for model in known.visited)
    more = learn(made.data, name, steps=4_000, seed=1, start=known)
    assert more.score == 1.0


def test_the_same_start_seed_and_steps_give_the_same_model(made):
    known = learn(made.data, steps=3_000, seed=1)
    first, second = (learn(made.data, steps=2_000, seed=5, start=known).model for _ in range(2))
    assert first == second


def test_any_model_over_the_same_variables_is_a_start(made):
    turned = made.truth.reordered(made.truth.schema.of(reversed(made.truth.variables)))
    assert models_of(turned, made.data)[0].variables == made.data.variables
    assert learn(made.data, steps=2_000, start=turned).score == 1.0


def test_a_start_that_no_chain_can_be_in_is_left_alone(made):
    """Negative weights are beyond the chains: they start from nothing instead."""
    odd = Model.build(made.data.variables, soft=[("x1", -1)])
    assert learn(made.data, "statistical", steps=2_000, start=odd).examples == len(made.data)


def test_nonsense_is_refused(made):
    with pytest.raises(InputError, match="nothing to start from"):
        learn(made.data, steps=10, start="yesterday")
    with pytest.raises(InputError, match="different variables"):
        learn(made.data, steps=10, start=Model.build(["a", "b"]))
    with pytest.raises(InputError, match="no option 'start'"):
        learn(made.data, "cuts", steps=10, start=made.truth)
    with pytest.raises(InputError, match="held out"):
        learn(made.data, steps=10, start=made.truth, hold_out=0.2)
    assert goes_on("auto")
    assert not goes_on("cuts")


def test_partial_fit_learns_on_from_all_rows(made):
    X, y = made.data.assignments, made.data.positive
    contexts = [made.data.contexts[c] for c in made.data.context_of]
    half = len(y) // 2
    model = MaxSatClassifier(steps=20_000, random_state=0)
    model.partial_fit(X[:half], y[:half], contexts[:half])
    first = model.result_
    model.partial_fit(X[half:], y[half:], contexts[half:])
    assert model.result_ is not first
    assert len(model.examples_) == len(y)
    assert model.score(X, y, contexts=contexts) == 1.0


def test_partial_fit_is_told_the_classes_that_the_first_rows_do_not_show(made):
    X, y = made.data.assignments, made.data.positive
    good = np.flatnonzero(y)
    with pytest.warns(DataWarning):
        model = MaxSatClassifier(steps=500).partial_fit(X[good], y[good], classes=[False, True])
    assert model.classes_.tolist() == [False, True]
    model.partial_fit(X, y)
    with pytest.raises(ValueError, match="not in the classes"):
        model.partial_fit(X, ["other"] * len(y))
