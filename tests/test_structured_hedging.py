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


def test_what_every_context_fixes_stays_together():
    data, rng = small_ward(8), np.random.default_rng(0)
    always = abs(data.contexts[0].literals[0]) - 1
    told = [each for each in data.contexts if always in each.variables]
    assert all(always in mixed(data.subset(in_contexts(data, told)), rng, {always}).variables for _ in range(20))


def in_contexts(data, chosen):
    return np.flatnonzero([data.contexts[c] in chosen for c in data.context_of])
