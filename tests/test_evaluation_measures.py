"""Every measure equals its definition, whichever way it is counted; what is undefined says so."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction

import naive
import naive_evaluation
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import contexts, models

import hassle
from hassle.errors import InputError, ResourceError
from hassle.evaluation import by_counting, by_table, counters, measures
from hassle.evaluation.counters import Clock, count_exactly, count_roughly
from hassle.logic import EMPTY, Context, as_context, default_names
from hassle.model import Model
from hassle.solve.optima_cnf import OptimaProblem


@st.composite
def cases(draw, max_variables=5, min_weight=-3, max_weight=5):
    """Two models over the same variables and a context; small weights, so that ties and zeros are common."""
    model = draw(models(1, max_variables, plain_names=True, min_weight=min_weight, max_weight=max_weight))
    n = len(model.variables)
    truth = draw(models(n, n, plain_names=True, min_weight=min_weight, max_weight=max_weight))
    if draw(st.booleans()):
        truth = draw(st.sampled_from([model, Model.from_units(model.variables, model.hard, (), model.unit)]))
    return model, truth, draw(contexts(n))


def check(found, case):
    expected = naive_evaluation.measures(*case)
    assert found.baseline.infeasibility == expected.pop("baseline_infeasibility")
    assert found.baseline.regret == expected.pop("baseline_regret")
    for name, value in expected.items():
        assert getattr(found, name) == value, name
        assert (value is None) == (name in found.reasons), name
    # So few optima are all sampled.
    assert found.regret == found.regret_exact
    assert ("regret" in found.reasons) == (found.regret is None)
    json.dumps(found.record())


@settings(max_examples=300, deadline=None)
@given(cases())
def test_by_table(case):
    found = hassle.evaluate(*case)
    assert found.method == "table"
    check(found, case)


@settings(max_examples=100, deadline=None)
@given(cases())
def test_by_table_in_many_blocks(case):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_table, "BLOCK", 2)
        check(hassle.evaluate(*case, method="table"), case)


@settings(max_examples=150, deadline=None)
@given(cases())
def test_by_counting_with_diagrams(case):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counters, "is_installed", lambda package: False)
        found = hassle.evaluate(*case, method="counting", time_limit=None)
    assert found.method == "counting"
    check(found, case)


@pytest.mark.parametrize("seed", range(4))
def test_by_counting_with_ganak(seed, monkeypatch):
    monkeypatch.setattr(counters, "diagram_of", too_slow)
    monkeypatch.setattr(by_counting, "diagram_of", too_slow)
    case = random_pair(5, 3, 2, seed)
    found = hassle.evaluate(*case, method="counting")
    assert found.regret is None
    assert "too slow" in found.reasons["regret"]
    check(replace(found, regret=found.regret_exact, reasons={}), case)


def too_slow(*arguments, **options):
    raise ResourceError("too slow; allow more time")


def random_pair(variables, hard, soft, seed, context=EMPTY):
    chance = random.Random(seed)
    names = tuple(f"x{i}" for i in range(variables))

    def clause():
        chosen = chance.sample(range(1, variables + 1), chance.choice((2, 3)))
        return tuple(sorted((v * chance.choice((1, -1)) for v in chosen), key=abs))

    def model():
        weighted = [(clause(), chance.randint(-3, 9)) for _ in range(soft)]
        return Model.from_units(names, [clause() for _ in range(hard)], weighted)

    return model(), model(), context


def feasible_for(variables, clauses):
    """What satisfies the clauses."""
    model = Model.from_units(default_names(variables), clauses)
    return OptimaProblem.of(model.schema, model.hard, EMPTY)


@pytest.mark.parametrize("seed", range(6))
def test_ganak_and_diagrams_agree_beyond_tables(seed):
    model, truth, _ = random_pair(40, 30, 12, seed)
    context = as_context("(x1 -> x2 & x3) & !x0", model.variables)
    values = [hassle.solve.best_value(each, context, solver="rc2") for each in (model, truth)]
    problem = OptimaProblem.of(
        model.schema,
        model.hard + truth.hard[:5],
        context,
        [(model, values[0]), (truth, None if seed == 5 else values[1])],
    )
    by_ganak = counters._counted("ganak", problem.cnf(), Clock.of(None))
    assert by_ganak == counters.diagram_of(problem).count
    assert (by_ganak == 0) or seed != 5


def test_the_counter_says_nothing_on_stdout(capfd):
    contradiction = feasible_for(2, [(1, 2), (1, -2), (-1, 2), (-1, -2)])
    assert count_exactly(contradiction, Clock.of(None)) == 0
    assert capfd.readouterr().out == ""


def test_large_pairs_by_counting():
    """Beyond tables, what is known by construction: independent pairs of variables, one clause each."""
    names = tuple(f"x{i}" for i in range(60))
    model = Model.build(names, hard=[f"x{i} | x{i + 1}" for i in range(0, 60, 2)])
    truth = Model.build(
        names, hard=[f"x{i} | x{i + 1}" for i in range(0, 58, 2)], soft=[("x58", 1), ("x59", 1), ("x58 | x59", 2)]
    )
    found = hassle.evaluate(model, truth)
    assert found.method == "counting"
    assert (found.optima, found.true_optima, found.common_optima) == (3**30, 3**29, 3**29)
    assert found.infeasibility == 0
    assert (found.precision, found.recall) == (Fraction(1, 3), 1)
    assert found.accuracy == 1 - Fraction(3**30 - 3**29, 2**60)
    assert found.regret_exact == Fraction(2, 3) * Fraction(1, 4)
    assert abs(found.regret - found.regret_exact) < Fraction(1, 20)
    assert found.samples == 1000
    assert found.baseline.infeasibility == 1 - Fraction(3**29 * 4, 2**60)
    assert found.baseline.regret == Fraction(4 + 1 + 1 + 0, 4) / 4


@pytest.mark.parametrize("seed", range(5))
def test_sampled_regret_is_near_the_exact_one(seed):
    model, truth, _ = random_pair(16, 3, 2, seed)
    truth = Model.from_units(
        truth.variables, (), [(soft.constraint.literals, 3) for soft in truth.soft] + [((1,), 7), ((-2,), 5)]
    )
    found = hassle.evaluate(model, truth, seed=seed)
    assert found.samples == 1000 < found.optima
    # A sampled regret lies in [0, 1], so its standard error is below 0.5 / sqrt(1000); five of them.
    assert abs(found.regret - found.regret_exact) < 5 * 0.5 / 1000**0.5
    assert found.regret == hassle.evaluate(model, truth, seed=seed).regret


NAMES = ("a", "b")


@pytest.mark.parametrize(
    ("model", "truth", "context", "undefined"),
    [
        (
            Model.build(NAMES),
            Model.build(NAMES),
            "a & !a",
            dict.fromkeys(("accuracy", "infeasibility", "precision", "recall"), measures.UNSATISFIABLE),
        ),
        (
            Model.build(NAMES, hard=["a", "!a"]),
            Model.build(NAMES, soft=[("a", 1)]),
            None,
            {"infeasibility": measures.NO_OPTIMA, "precision": measures.NO_OPTIMA, "regret": measures.NO_OPTIMA},
        ),
        (
            Model.build(NAMES),
            Model.build(NAMES, hard=["a", "!a"], soft=[("a", 1)]),
            None,
            {"recall": measures.NO_TRUE_OPTIMA, "regret": measures.NO_TRUE_OPTIMA},
        ),
        (
            Model.build(NAMES, hard=["a"]),
            Model.build(NAMES, hard=["!a"], soft=[("b", 1)]),
            None,
            {"regret": measures.NONE_FEASIBLE, "regret_exact": measures.NONE_FEASIBLE},
        ),
        (Model.build(NAMES), Model.build(NAMES), None, {"regret": measures.WORTHLESS}),
        (Model.build(NAMES), Model.build(NAMES, soft=[("a", -1), ("!a", -2)]), None, {"regret": measures.NEGATIVE}),
    ],
    ids=["context", "model", "truth", "disjoint", "worthless", "negative"],
)
@pytest.mark.parametrize("method", ["table", "counting"])
def test_undefined_measures_have_a_reason(model, truth, context, undefined, method, monkeypatch):
    monkeypatch.setattr(counters, "is_installed", lambda package: False)
    found = hassle.evaluate(model, truth, context, method=method)
    for name, reason in undefined.items():
        assert getattr(found, name) is None
        assert found.reasons[name] == reason
        assert found.record()[name] is None


def test_a_truth_without_optima_makes_every_optimum_infeasible():
    found = hassle.evaluate(Model.build(NAMES), Model.build(NAMES, hard=["a", "!a"]))
    assert (found.infeasibility, found.accuracy, found.f1) == (1, 0, 0)


def test_variables_are_matched_by_name():
    model = Model.build(("a", "b", "c"), hard=["a | !b"], soft=[("c", 1), ("!a", 1)])
    truth = Model.build(("c", "a", "b"), hard=["!b | a"], soft=[("c", 1), ("!a", 1)])
    found = hassle.evaluate(model, truth, "c | a")
    assert (found.accuracy, found.f1, found.regret_exact) == (1, 1, 0)
    with pytest.raises(InputError, match="only the true model has 'd'"):
        hassle.evaluate(model, Model.build(("a", "b", "c", "d")))
    with pytest.raises(InputError, match="only the model has 'c'"):
        hassle.evaluate(model, Model.build(("a", "b")))


def test_bad_arguments():
    model = Model.build(NAMES)
    with pytest.raises(InputError, match="no method"):
        hassle.evaluate(model, model, method="guess")
    with pytest.raises(InputError, match="too few"):
        hassle.evaluate(model, model, samples=0)


def test_weights_near_the_largest_do_not_overflow():
    names = tuple("abcdefgh")
    huge = 2**58
    truth = Model.from_units(names, (), [((1,), huge), ((2,), huge), ((1, 2), huge)], 1)
    model = Model.build(names)
    check(hassle.evaluate(model, truth), (model, truth, EMPTY))


def test_what_cannot_be_counted_in_time_is_estimated_and_labelled(monkeypatch):
    model, truth, _ = random_pair(16, 6, 3, 1)
    monkeypatch.setattr(by_counting, "count_exactly", too_slow)
    found = hassle.evaluate(model, truth, method="counting", time_limit=60)
    exact = hassle.evaluate(model, truth, method="table")
    assert found.method == "approximate"
    assert "optima" in found.estimated
    assert exact.optima / 1.8 <= found.optima <= exact.optima * 1.8
    # Losses come from diagrams, which are exact.
    assert found.regret_exact == exact.regret_exact
    assert found.baseline.regret == exact.baseline.regret


def test_nothing_counted_at_all_is_no_number(monkeypatch):
    monkeypatch.setattr(counters, "is_installed", lambda package: False)
    monkeypatch.setattr(by_counting, "count_exactly", too_slow)
    model, truth, _ = random_pair(6, 3, 2, 1)
    found = hassle.evaluate(model, truth, method="counting")
    assert found.accuracy is None
    assert "too slow" in found.reasons["accuracy"]


def test_the_clock_stops_a_count():
    chance = random.Random(0)
    clauses = [
        tuple(sorted((v * chance.choice((1, -1)) for v in chance.sample(range(1, 301), 3)), key=abs))
        for _ in range(600)
    ]
    problem = feasible_for(300, clauses)
    with pytest.raises(ResourceError, match="did not finish"):
        count_exactly(problem, Clock.of(0.5))


@pytest.mark.parametrize(
    ("variables", "clauses"),
    [
        (12, random_pair(12, 8, 0, 3)[0].hard),
        # Variables that simplification sets free: the counter alone loses a factor 2 for each.
        (2, ((1, -2), (-2,))),
        (5, ((1, 4), (-3,), (-5,), (2, 3), (-1, -4, 5), (-2, -3))),
        (3, ((1,), (-1,))),
        (4, ()),
    ],
)
def test_estimates_are_within_their_guarantee(variables, clauses):
    exact = len(naive.optima(Model.from_units(default_names(variables), clauses), EMPTY)[0])
    estimate = count_roughly(feasible_for(variables, clauses), Clock.of(None), seed=1)
    assert exact // 1.8 <= estimate <= exact * 1.8


def test_blocks_partition_the_context():
    context = Context((-2,))
    rows = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_table, "BLOCK", 1)
        everything = np.array(naive.all_assignments(4), dtype=np.uint8)
        for block in by_table.blocks(context, 4):
            rows += everything[block.holds(everything)].tolist()
    assert sorted(rows) == everything[context.holds(everything)].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_hundred_variables_exactly(seed):
    """2- and 3-literal clauses, 30 hard and 30 soft: Ganak's numbers, the diagrams' and the sample fit together."""
    model, truth, _ = random_pair(100, 30, 30, seed)
    found = hassle.evaluate(model, truth, time_limit=300)
    assert found.method == "counting"
    assert None not in (found.accuracy, found.infeasibility, found.regret_exact, found.regret)
    value = hassle.solve.best_value(model)
    assert counters.diagram_of(OptimaProblem.optima(model, EMPTY, value)).count == found.optima
    assert abs(found.regret - found.regret_exact) < 5 * 0.5 / 1000**0.5
