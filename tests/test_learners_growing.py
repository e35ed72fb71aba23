"""Very many examples: the sample of contexts grows as long as contexts left out are explained worse, and no longer."""

from dataclasses import replace

import numpy as np
import pytest

from hassle.generate import generate
from hassle.learners import Budget, LearnResult, growing, learn
from hassle.model import Model
from hassle.solve import agrees, verdicts


@pytest.fixture
def small(monkeypatch):
    """Few examples are very many, so that a test need not make a million."""
    monkeypatch.setattr(growing, "MANY_EXAMPLES", 50)
    monkeypatch.setattr(growing, "FIRST_CONTEXTS", 5)
    monkeypatch.setattr(growing, "TRIED", 20)
    monkeypatch.setattr("hassle.learners.auto.FEWEST_SAMPLED", 5)


def counted(model, data):
    return int(agrees(verdicts(model, data), data).sum())


def a_learner(model_for):
    """A learner that returns the model for so many contexts; remembers what it was shown, and from what it started."""
    shown, started = [], []

    def learned(seen, budget, start):
        shown.append(len(seen.contexts))
        started.append(start)
        model = model_for(len(seen.contexts))
        return LearnResult(model, "fake", counted(model, seen), len(seen), "time", 0.0, 0, 0)

    return learned, shown, started


def test_it_stops_where_contexts_left_out_are_explained_as_well(small):
    made = generate(6, 3, 3, 60, seed=1)
    learned, shown, _ = a_learner(lambda contexts: made.truth)
    found = growing.learn_growing(made.data, range(60), Budget(steps=1), None, learned)
    assert shown == [5]
    assert (found.correct, found.examples) == (len(made.data), len(made.data))
    assert "5 contexts" in found.notes[0]


def test_it_grows_while_they_are_explained_worse(small):
    made = generate(6, 3, 3, 100, seed=2)

    def learned(seen, budget, start):
        result = fake(seen, budget, start)
        return result if len(seen.contexts) >= 80 else replace(result, correct=len(seen))  # fits what it has seen

    fake, shown, started = a_learner(lambda contexts: made.truth if contexts >= 80 else Model(made.truth.schema))
    found = growing.learn_growing(made.data, range(100), Budget(steps=1), None, learned)
    assert shown == [5, 20, 80]
    assert started[0] is None
    assert started[1].model == Model(made.truth.schema)
    assert found.correct == len(made.data)


def test_the_score_of_auto_is_over_all_examples(small):
    made = generate(6, 3, 3, 60, seed=3)
    found = learn(made.data, "auto", steps=3000, seed=1)
    assert found.examples == len(made.data)
    assert found.correct == counted(found.model, made.data)
    assert any("learned from the" in note for note in found.notes)
    assert found.correct / found.examples > 0.9


def test_few_examples_are_learned_from_all_at_once():
    made = generate(6, 3, 3, 60, seed=3)
    assert not growing.has_very_many(made.data)
    assert np.isclose(growing._share_explained(made.truth, made.data), 1)
