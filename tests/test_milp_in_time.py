"""The exact learner judges candidates by the clock: what there is no time to judge does not count."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

from hassle.errors import NoModelError
from hassle.generate import generate
from hassle.learners import learn
from hassle.learners.budget import Budget
from hassle.learners.milp.repair import judged
from hassle.model import Model
from hassle.solve import agrees, verdicts

PROBLEM = generate(8, 4, 4, 30, seed=2)
DATA, TRUTH = PROBLEM.data, PROBLEM.truth


class CountedBudget(Budget):
    """A budget whose clock, in place of seconds, counts how often it was looked at."""

    looks = 0

    @property
    def seconds(self) -> float:
        type(self).looks += 1
        return float(self.looks)


@pytest.fixture
def budget(monkeypatch):
    """Makes budgets of so many looks at the clock; contexts are judged in many pieces."""
    monkeypatch.setattr(import_module("hassle.solve.verdicts"), "BLOCK", 64)
    monkeypatch.setattr(CountedBudget, "looks", 0)
    return CountedBudget


def test_a_candidate_is_judged_as_the_solver_judges_it():
    for limit in (None, 1000.0):
        found = judged(TRUTH, DATA, None, Budget(limit))
        assert (found.right == agrees(verdicts(TRUTH, DATA), DATA)).all()
        assert found.price == int((~found.right).sum())


def test_judging_stops_when_the_time_is_up(budget):
    assert judged(TRUTH, DATA, None, budget(1000.0)) is not None
    before = CountedBudget.looks
    assert judged(TRUTH, DATA, None, budget(before + 3.0)) is None
    assert CountedBudget.looks < before + 20


def test_a_model_without_preferences_is_judged_even_then(budget):
    rules = Model(DATA.schema).with_hard(*TRUTH.hard)
    found = judged(rules, DATA, None, budget(0.0))
    assert (found.right == agrees(verdicts(rules, DATA), DATA)).all()


def test_a_start_that_cannot_be_judged_in_time_is_not_taken(monkeypatch):
    """With the fewest errors there is still the model without any clauses; without, there is none."""
    nothing = np.zeros(0, dtype=np.bool_)
    monkeypatch.setattr("hassle.learners.milp.repair.verdicts_in_time", lambda *_: ([], nothing))
    soft = Model.from_units(DATA.schema, [], [((1,), 500)])
    result = learn(DATA, "milp", start=soft, minimum_error=True, constraints=1, time_limit=0)
    assert not result.model.constraints
    assert result.correct == int(DATA.positive.sum())
    with pytest.raises(NoModelError, match="no proof"):
        learn(DATA, "milp", start=soft, constraints=1, max_literals=1, steps=0)
