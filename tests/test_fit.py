"""The fit beside the score: the share of alternatives that a positive beats, against its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import all_assignments, datasets, models

from hassle.data import Dataset
from hassle.evaluation.fit import alternatives, fit_of
from hassle.learners import learn
from hassle.logic import Choice, Context, Number, Schema, YesNo
from hassle.model import Model

ABC = ("a", "b", "c")


def naive_fit(model, data):
    rows = all_assignments(len(data.variables))
    shares = []
    for example in data:
        if example.label != "positive":
            continue
        others = [row for row in rows if example.context.holds(row[None])[0] and tuple(row) != example.assignment.bits]
        good = np.array(example.assignment.bits, dtype=np.uint8)
        beaten = 0
        for other in others:
            if not model.feasible(good[None])[0]:
                continue
            beaten += not model.feasible(other[None])[0] or model.values(other[None])[0] < model.values(good[None])[0]
        if others:
            shares.append(beaten / len(others))
    return sum(shares) / len(shares) if shares else None


@given(datasets(st.just(ABC)), models(over=st.just(ABC)))
def test_fit_is_the_share_of_alternatives_that_are_worse(data, model):
    expected = naive_fit(model, data)
    assert fit_of(model, data) == (None if expected is None else pytest.approx(expected))


def test_an_empty_model_has_no_fit_and_a_sharp_one_all():
    data = Dataset.build(ABC, [("", "100", 1), ("!a", "010", 1)])
    assert fit_of(Model.build(ABC), data) == 0
    assert fit_of(Model.build(ABC, soft=[("a", 1), ("b", 0.5), ("!b", 0.75), ("!c", 0.25)]), data) < 1
    assert fit_of(Model.build(ABC, hard=["!a | !b", "a | b", "!c"], soft=[("a", 1)]), data) == 1
    # Weights: the first positive beats all, the second none.
    two = Dataset.build(ABC, [("", "100", 1, 3), ("!a", "010", 1, 1)])
    assert fit_of(Model.build(ABC, hard=["!b", "!c", "a"]), two) == 0.75


def test_alternatives_of_large_contexts_are_drawn_from_what_they_allow():
    columns = [YesNo(f"x{i}") for i in range(20)]
    schema = Schema((*columns, Choice("shift", ("early", "late", "off")), Number("staff", 0, 5)))
    context = Context.parse("x0 & !x1 & shift != off & (x2 | x3) & staff >= 2", schema)
    drawn = alternatives(context, schema, np.random.default_rng(0))
    assert len(drawn) == 256
    assert context.holds(drawn).all()
    assert schema.admits(drawn).all()
    assert len(np.unique(drawn, axis=0)) > 200


def test_learning_from_positives_alone_tells_the_fit():
    rows = [("", "100", 1), ("!a", "010", 1), ("!b", "100", 1)]
    result = learn(Dataset.build(ABC, rows), "statistical", steps=20_000)
    assert result.fit == pytest.approx(fit_of(result.model, Dataset.build(ABC, rows)))
    assert result.fit > 0.5
    assert learn(Dataset.build(ABC, [*rows, ("", "000", 0)]), "statistical", steps=10).fit is None
