"""Measures, conflicts and inspection with counts, choices and numbers, against their definitions over the domain."""

from __future__ import annotations

from fractions import Fraction

import counting_problems
import naive
import naive_evaluation
import numpy as np
import pytest

import hassle
from hassle.data import Dataset
from hassle.evaluation.conflicts import conflicts, implies
from hassle.evaluation.doctor import inspect
from hassle.evaluation.score import score
from hassle.logic import Choice, Context, Number, Schema, YesNo, as_context
from hassle.model import Model

ROTA = Schema((Choice("shift", ("early", "late", "night")), Number("staff", 0, 3), YesNo("ana")))


@pytest.mark.parametrize(("method", "problems"), [("table", 250), ("auto", 50), ("counting", 30)])
def test_every_measure_is_its_definition(method, problems):
    for seed in range(problems):
        model, truth, context = counting_problems.pair(seed)
        found = hassle.evaluate(model, truth, context, method=method, seed=seed)
        expected = naive_evaluation.measures(model, truth, context)
        assert expected.pop("baseline_infeasibility") == found.baseline.infeasibility, seed
        assert expected.pop("baseline_regret") == found.baseline.regret, seed
        assert expected == {name: getattr(found, name) for name in expected}, seed
        assert found.regret == expected["regret_exact"], seed  # all feasible optima are in the sample


def test_shares_are_over_the_domain():
    always = Model.build(ROTA)
    night = Model.build(ROTA, soft=[("shift = night", 1)])
    for method in ("table", "counting"):
        found = hassle.evaluate(always, night, method=method)
        assert (found.optima, found.true_optima, found.accuracy) == (24, 8, Fraction(1, 3))
        inside = hassle.evaluate(always, night, "staff >= 2 & shift != late", method=method)
        assert (inside.optima, inside.true_optima, inside.accuracy) == (8, 4, Fraction(1, 2))


def test_a_model_of_names_alone_is_judged_in_the_domain_of_the_truth():
    truth = Model.build(ROTA, soft=[("shift = night", 1)])
    names = tuple(reversed(ROTA.variables))
    bare = Model.build(names, soft=[([names.index("shift=night") + 1], 1)])
    for one, two in ((bare, truth), (truth, bare)):
        assert hassle.evaluate(one, two).record()["optima"] == 8
        assert hassle.evaluate(one, two).accuracy == 1


def test_large_models_with_counts_are_evaluated_by_counting():
    names = [f"x{i}" for i in range(40)]
    groups = [", ".join(names[i : i + 4]) for i in range(0, 40, 4)]
    truth = Model.build(names, [f"at least 2 of {group}" for group in groups], [(name, 0.1) for name in names[:4]])
    model = Model.build(names, [f"at least 3 of {group}" for group in groups[:5]])
    found = hassle.evaluate(model, truth)
    assert found.method == "counting"
    assert found.true_optima == 11**9  # the first group is all true; eleven of sixteen hold at least two
    assert found.optima == 5**5 * 16**5
    assert found.infeasibility == 1 - Fraction(11**5, 16**5)  # the five groups that the model knows are always fine
    assert found.common_optima == 5**4 * 11**5


def test_the_score_explains_counts_and_choices():
    model = Model.build(ROTA, ["at least 2 of ana, 'staff>=1', 'shift=night'"], [("shift = night", 1)])
    rows = [("night", 3, 1), ("early", 3, 1), ("early", 0, 1)]
    data = Dataset.build(ROTA, [("ana", ROTA.encode(row), "positive") for row in rows])
    found = score(model, data)
    assert [mistake.verdict for mistake in found.mistakes] == ["suboptimal", "infeasible"]
    better = found.mistakes[0].better
    assert better is not None
    assert better["shift"] == "night"
    assert [naive.verdict(model, data.contexts[0], ROTA.encode(row)) for row in rows] == [
        "optimal",
        "suboptimal",
        "infeasible",
    ]


def test_contexts_imply_each_other_in_the_domain():
    def context(text):
        return as_context(text, ROTA)

    assert implies(context("shift = night"), context("shift != early"), ROTA)
    assert implies(context("staff >= 3"), context("staff >= 2"), ROTA)
    assert implies(context("shift != early & shift != late"), context("shift = night"), ROTA)
    assert not implies(context("shift != early"), context("shift = night"), ROTA)


def test_implication_is_never_wrong():
    for seed in range(400):
        rng = np.random.default_rng(seed)
        schema = counting_problems.random_schema(rng)
        n = len(schema.variables)
        narrow, wide = (Context(counting_problems.random_literals(rng, n, 1, 2)) for _ in range(2))
        if implies(narrow, wide, schema):
            inside = [bits for bits in naive.all_assignments(n) if naive.in_domain(schema, bits)]
            assert all(naive.context_holds(wide, bits) for bits in inside if naive.context_holds(narrow, bits)), seed


def test_an_assignment_bad_where_a_wider_context_calls_it_good_is_a_conflict():
    night = ROTA.encode(("night", 1, 1))
    data = Dataset.build(ROTA, [("shift != early", night, "positive"), ("shift = night", night, "negative")])
    assert conflicts(data).groups == ((0, 1),)


def test_inspection_counts_in_the_domain():
    early, late = ROTA.encode(("early", 0, 1)), ROTA.encode(("late", 0, 1))
    data = Dataset.build(
        ROTA, [("shift = early & ana", early, "positive"), ("shift = late & staff = 0", late, "negative")]
    )
    found = inspect(data)
    assert [summary.free for summary in found.contexts] == [3, 1]
    assert found.coverage is not None
    assert (found.coverage.assignments, found.coverage.covered) == (24, 4 + 2)
    assert found.coverage.outside is not None
    assert naive.in_domain(ROTA, found.coverage.outside.bits)
    assert found.silent == ("shift", "staff", "ana")
    assert found.contexts[0].context == "shift = early & ana"
    inside = inspect(data, target="shift != night")
    assert inside.coverage is not None
    assert inside.coverage.assignments == 16
