"""The score and its reasons: broken clauses are broken, better assignments are better, by exactly what is said."""

from __future__ import annotations

from decimal import Decimal

import naive
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import datasets, models

from hassle.data import Dataset, Label
from hassle.evaluation.score import score
from hassle.model import Model, Verdict


@st.composite
def cases(draw):
    model = draw(models(plain_names=True, min_weight=-4, max_weight=4))
    return model, draw(datasets(over=st.just(model.variables)))


@settings(max_examples=200, deadline=None)
@given(cases())
def test_every_mistake_is_one_and_its_reason_holds(case):
    model, data = case
    result = score(model, data)
    mistakes = {mistake.row - 1: mistake for mistake in result.mistakes}
    assert result.correct + len(mistakes) == result.examples == len(data)
    for k, example in enumerate(data):
        bits = example.assignment.bits
        verdict = naive.verdict(model, example.context, bits)
        assert ((verdict == "optimal") == (example.label is Label.POSITIVE)) == (k not in mistakes)
        if k in mistakes:
            check_reason(model, example, mistakes[k], verdict)


def check_reason(model, example, mistake, verdict):
    bits = example.assignment.bits
    assert mistake.verdict == verdict
    assert mistake.label == example.label
    assert mistake.reason
    broken = [clause for clause in model.hard if not naive.constraint_holds(clause, bits)]
    expected = [model.text(clause) for clause in broken] if verdict == "infeasible" else []
    assert list(mistake.broken) == expected
    assert (mistake.better is not None) == (verdict == "suboptimal")
    if mistake.better is not None:
        better = mistake.better.bits
        assert better in naive.optima(model, example.context)[0]
        gain = naive.value(model, better) - naive.value(model, bits)
        assert gain > 0
        assert sum((item.gain for item in mistake.differences), Decimal(0)) == gain


def test_score_of_nothing_is_undefined():
    model = Model.build(("a",))
    assert score(model, Dataset.build(("a",), [])).score is None


def test_variables_in_another_order():
    model = Model.build(("b", "a"), hard=["a"], soft=[("b", 1)])
    data = Dataset.build(("a", "b"), [("", "11", 1), ("", "10", 1), ("!b", "10", 1), ("", "01", 0), ("!b", "00", 1)])
    result = score(model, data)
    assert [mistake.row for mistake in result.mistakes] == [2, 5]
    assert [mistake.verdict for mistake in result.mistakes] == [Verdict.SUBOPTIMAL, Verdict.INFEASIBLE]
    assert result.mistakes[0].reason == "worth 0, but 1 is possible"
    assert result.mistakes[1].reason == "breaks a"
    assert float(result.score) == 0.6
