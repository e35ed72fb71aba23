"""What is ruled out because no positive ever breaks it."""

from __future__ import annotations

import numpy as np

from hassle.generate.arranged import arranged_examples, ward
from hassle.learners import learn
from hassle.learners.structured.hedging import mixed


def small_ward(contexts):
    rng = np.random.default_rng(5)
    home = ward(4, 3, 2, rng)
    return arranged_examples(home.truth, home.situation, contexts, rng)


def test_mixed_contexts_take_their_literals_from_two_of_the_data():
    data, rng = small_ward(8), np.random.default_rng(0)
    seen = set()
    for _ in range(50):
        literals = set(mixed(data, rng).literals)
        assert not any(-lit in literals for lit in literals)
        assert any(literals <= {*one.literals, *other.literals} for one in data.contexts for other in data.contexts)
        seen.add(frozenset(literals))
    assert len(seen) > 5


def test_no_positive_breaks_a_rule_that_must_hold():
    data = small_ward(8)
    model = learn(data, "structured", steps=2).model
    assert model.hard
    assert model.feasible(data.assignments[data.positive]).all()
