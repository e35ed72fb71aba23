"""Ranking all assignments: a model wherever there is one, a proof where there is none, clauses that say the same."""

from __future__ import annotations

import itertools

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hassle.data import Dataset
from hassle.learners.ranking import as_clauses, explaining_model
from hassle.logic import as_context
from hassle.model import Model
from hassle.solve import agrees, verdicts

NAMES = ("a", "b")
CONTEXTS = tuple(as_context(text, NAMES) for text in ("", "a", "!b"))


def rankings():
    """All that a model over two variables can say: a loss from 0 to 3 for each assignment, or none at all."""
    return itertools.product((0, 1, 2, 3, None), repeat=4)


def agreed(ranking, rows):
    losses = dict(zip(naive.all_assignments(2), ranking, strict=True))
    for context, bits, label in rows:
        inside = [loss for other, loss in losses.items() if naive.context_holds(context, other) and loss is not None]
        optimal = losses[bits] is not None and losses[bits] == min(inside)
        if optimal != bool(label):
            return False
    return True


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_there_is_a_model_just_where_some_ranking_explains_the_data(data):
    cells = [(c, bits) for c in CONTEXTS for bits in naive.all_assignments(2) if naive.context_holds(c, bits)]
    chosen = data.draw(st.lists(st.sampled_from(cells), min_size=1, unique=True))
    rows = [(context, bits, data.draw(st.integers(0, 1))) for context, bits in chosen]
    examples = Dataset.build(NAMES, rows)
    model = explaining_model(examples)
    assert (model is not None) == any(agreed(ranking, rows) for ranking in rankings())
    if model is not None:
        assert agrees(verdicts(model, examples), examples).all()


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 4).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, 2**32 - 1))))
def test_clauses_say_what_the_ranking_says(case):
    variables, seed = case
    rng = np.random.default_rng(seed)
    infeasible, losses = rng.random(1 << variables) < 0.3, rng.integers(0, 4, 1 << variables)
    hard, soft = as_clauses(infeasible, losses, variables)
    assert all(hard)
    assert all(clause and weight > 0 for clause, weight in soft)
    for word in range(1 << variables):
        bits = tuple(word >> v & 1 for v in range(variables))
        assert all(naive.clause_holds(clause, bits) for clause in hard) != infeasible[word]
        if not infeasible[word]:
            assert sum(weight for clause, weight in soft if not naive.clause_holds(clause, bits)) == losses[word]


def test_a_context_in_which_all_is_bad_is_infeasible():
    rows = [("a", (1, 0), 0), ("a", (1, 1), 0), ("", (0, 0), 1)]
    model = explaining_model(Dataset.build(NAMES, rows))
    assert model is not None
    assert model.solve("a") is None


def test_few_clauses_say_it():
    """One wish needs one clause, not one for each assignment."""
    truth = Model.build("abcdef", soft=[("a", 1)])
    rows = [((), bits, int(bits[0])) for bits in naive.all_assignments(6)]
    model = explaining_model(Dataset.build(truth.variables, rows))
    assert model is not None
    assert [soft.constraint.literals for soft in model.soft] == [(1,)]
    assert not model.hard


@pytest.mark.parametrize("label", [0, 1])
def test_one_variable(label):
    model = explaining_model(Dataset.build(["a"], [((), (1,), label)]))
    assert model is not None
    assert (model.verdict((1,)) == "optimal") == bool(label)
