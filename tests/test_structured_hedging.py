"""What is ruled out because no positive ever breaks it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import numpy as np

from hassle.generate.arranged import arranged_examples, ward
from hassle.learners import learn
from hassle.learners.structured.hedging import mixed
from hassle.learners.structured.relenting import relented
from hassle.model import Model, Rule, parse_rules


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


def test_a_hedge_that_leaves_no_plan_gives_way_and_no_other_rule():
    data = small_ward(8)
    (bound,) = parse_rules("must  for every day: at least 1 of works[*, day, *]", data.schema)
    (tight,) = parse_rules("must  for every nurse, day, shift: !works[nurse, day, shift]", data.schema)
    (loose,) = parse_rules("must  for every nurse: at most 6 of works[nurse, *, *]", data.schema)
    model = Model(data.schema, (bound, tight, loose, Rule(bound.what, Decimal("0.5"))))
    assert model.solve() is None
    found = relented(model, {tight, loose}, data, np.random.default_rng(0), lambda: False, 5)
    assert set(found.rules) == {bound, loose, *model.rules[3:], replace(tight, weight=Decimal(2))}
    rng = np.random.default_rng(0)
    assert all(found.solve(mixed(data, rng)) is not None for _ in range(10))
    assert relented(model, {loose}, data, np.random.default_rng(0), lambda: False, 5) == model
    assert relented(model, {tight}, data, np.random.default_rng(0), lambda: True, 5) == model


def in_contexts(data, chosen):
    return np.flatnonzero([data.contexts[c] in chosen for c in data.context_of])
