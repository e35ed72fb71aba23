"""Solving: table, RC2 and CP-SAT against brute force, on random models with random formula contexts."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import naive
import numpy as np
import pytest
import strategies as some
from hypothesis import given, settings
from hypothesis import strategies as st

from hassle.data import Dataset
from hassle.errors import InputError, ResourceError
from hassle.logic import Constraint, Context, as_context
from hassle.model import VERDICTS, Model
from hassle.solve import agrees, aligned, best_value, best_values, optima, solve, verdict, verdicts
from hassle.tables.limits import largest_table

SOLVERS = ("table", "rc2")


@st.composite
def models_in_contexts(draw, **limits):
    model = draw(some.models(plain_names=True, **limits))
    return model, draw(some.contexts(len(model.variables)))


@pytest.mark.parametrize("solver", SOLVERS)
@given(models_in_contexts())
@settings(max_examples=150, deadline=None)
def test_all_optima_are_brute_forces(solver, problem):
    model, context = problem
    expected, value = naive.optima(model, context)
    found = optima(model, context, limit=1000, solver=solver)
    assert sorted(map(tuple, found.assignments.tolist())) == sorted(expected)
    assert found.count == len(expected)
    assert found.complete
    assert (None if found.value is None else model.decimal(found.value)) == value


@pytest.mark.parametrize("solver", SOLVERS)
@given(models_in_contexts())
@settings(max_examples=100, deadline=None)
def test_one_best_assignment_is_among_brute_forces(solver, problem):
    model, context = problem
    expected, _ = naive.optima(model, context)
    best = solve(model, context, solver=solver)
    assert (best is None) == (not expected)
    assert best is None or best.bits in expected


@pytest.mark.parametrize("solver", SOLVERS)
@given(models_in_contexts(max_variables=4), st.integers(0, 15))
@settings(max_examples=100, deadline=None)
def test_verdicts_are_brute_forces(solver, problem, number):
    model, context = problem
    bits = naive.all_assignments(len(model.variables))[number % 2 ** len(model.variables)]
    assert verdict(model, list(bits), context, solver=solver) == naive.verdict(model, context, bits)


@given(models_in_contexts(max_variables=4))
@settings(max_examples=60, deadline=None)
def test_cp_sat_confirms_the_best_value(problem):
    model, context = problem
    assert best_value(model, context) == cp_sat_value(model, context)


def cp_sat_value(model, context):
    """The best value by an independent solver on an independent encoding: feasible assignments as a table."""
    from ortools.sat.python import cp_model

    programme = cp_model.CpModel()
    x = [programme.new_bool_var(name) for name in model.variables]

    def literal(lit):
        return x[lit - 1] if lit > 0 else x[-lit - 1].negated()

    rows = [bits for bits in naive.all_assignments(len(x)) if naive.context_holds(context, bits)]
    programme.add_allowed_assignments(x, rows)
    for constraint in model.hard:
        programme.add(sum(map(literal, constraint.literals)) >= constraint.need)
    terms = []
    for soft, units in zip(model.soft, model.weights.tolist(), strict=True):
        met = programme.new_bool_var("")
        total = sum(map(literal, soft.constraint.literals))
        programme.add(total >= soft.constraint.need).only_enforce_if(met)
        programme.add(total < soft.constraint.need).only_enforce_if(~met)
        terms.append(units * met)
    programme.maximize(sum(terms))
    solver = cp_model.CpSolver()
    solver.parameters.catch_sigint_signal = False  # or later tests could not press Ctrl-C
    solver.parameters.num_workers = 1
    solver.parameters.catch_sigint_signal = False  # its handler would outlive it
    status = solver.solve(programme)
    assert status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
    return None if status == cp_model.INFEASIBLE else round(solver.objective_value)


@st.composite
def models_and_datasets(draw):
    data = draw(some.datasets(over=st.integers(1, 4).map(lambda n: tuple(f"v{i}" for i in range(n)))))
    clause = some.clauses(len(data.variables))
    hard = draw(st.lists(clause, max_size=3))
    soft = draw(st.lists(st.tuples(clause, st.integers(-5, 5)), max_size=4))
    return Model.from_units(data.variables, hard, soft), data


@pytest.mark.parametrize("solver", ["auto", *SOLVERS])
@given(models_and_datasets())
@settings(max_examples=60, deadline=None)
def test_verdicts_over_a_dataset_are_brute_forces(solver, problem):
    model, data = problem
    codes = verdicts(model, data, solver=solver)
    expected = [naive.verdict(model, example.context, example.assignment.bits) for example in data]
    assert [VERDICTS[code] for code in codes] == expected
    said_good = [example.label == "positive" for example in data]
    assert agrees(codes, data).tolist() == [
        (word == "optimal") == good for word, good in zip(expected, said_good, strict=True)
    ]


@given(models_and_datasets(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_renaming_variables_changes_no_verdict(problem, random):
    model, data = problem
    order = list(data.variables)
    random.shuffle(order)
    assert verdicts(model.reordered(tuple(order)), data).tolist() == verdicts(model, data).tolist()


@given(models_and_datasets(), st.integers(0, 15))
@settings(max_examples=60, deadline=None)
def test_flipping_signs_changes_no_verdict(problem, flips):
    model, data = problem
    flipped = [v for v in range(len(data.variables)) if flips >> v & 1]

    def turned(clause):
        return tuple(-lit if abs(lit) - 1 in flipped else lit for lit in clause)

    mirror = Model.build(
        model.schema,
        [Constraint(turned(each.literals), each.need) for each in model.hard],
        [(Constraint(turned(soft.constraint.literals), soft.constraint.need), soft.weight) for soft in model.soft],
        model.unit,
    )
    plain = [k for k in range(len(data)) if data[k].context.rest is None]
    data = data.subset(plain)
    rows = data.assignments.copy()
    rows[:, flipped] = 1 - rows[:, flipped]
    contexts = [Context(turned(data[k].context.literals)) for k in range(len(data))]
    other = Dataset.from_arrays(data.variables, contexts, rows, data.labels)
    assert verdicts(mirror, other).tolist() == verdicts(model, data).tolist()


@pytest.mark.parametrize("solver", SOLVERS)
def test_more_optima_than_asked_for_are_drawn_uniformly(solver):
    model = Model.build(["a", "b", "c", "d"], ["a | b"], [("c | d", 1)])
    expected, _ = naive.optima(model, as_context(None, model.variables))
    drawn = Counter()
    for seed in range(300):
        found = optima(model, limit=2, solver=solver, seed=seed)
        rows = [tuple(row) for row in found.assignments.tolist()]
        assert len(set(rows)) == 2
        assert not found.complete
        assert found.count == len(expected)
        drawn.update(rows)
    assert set(drawn) == expected
    mean = 600 / len(expected)
    assert sum((count - mean) ** 2 / mean for count in drawn.values()) < 26  # chi-square, 8 degrees, p = 0.001


def test_variables_in_no_clause_are_free():
    model = Model.build(["a", "b", "c"], ["a"])
    for solver in SOLVERS:
        found = optima(model, solver=solver)
        assert sorted(map(tuple, found.assignments.tolist())) == [(1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 1, 1)]


def test_infeasible_contexts_have_no_optimum():
    model = Model.build(["a", "b"], ["a | b"], [("a", 1)])
    for solver in SOLVERS:
        assert solve(model, "!a & !b", solver=solver) is None
        assert best_value(model, "!a & !b", solver=solver) is None
        assert verdict(model, "00", "!a & !b", solver=solver) == "infeasible"


def test_an_assignment_outside_its_context_is_infeasible():
    model = Model.build(["a"], [], [("a", 1)])
    assert verdict(model, "1", "!a") == "infeasible"
    assert verdict(model, "0", "!a") == "optimal"


def test_weights_that_floats_confuse_are_compared_exactly():
    # 0.1 + 0.2 is not 0.3 in floating point; here both assignments are optimal.
    model = Model.build(["a", "b", "c"], ["!a | !c", "!b | !c"], [("a", 0.1), ("b", 0.2), ("c", 0.3)])
    for solver in SOLVERS:
        assert optima(model, solver=solver).count == 2
    assert model.value("110") == model.value("001") == Decimal("0.3")


def test_many_variables_are_no_obstacle():
    names = [f"x{i}" for i in range(150)]
    model = Model.build(names, [f"x{i} | x{i + 1}" for i in range(149)], [(f"!x{i}", 1) for i in range(150)])
    assert best_value(model) == 75_000
    fixed = " & ".join(f"x{i}" for i in range(140))
    assert best_value(model, fixed, solver="table") == best_value(model, fixed, solver="rc2") == 5_000


def test_general_contexts_are_evaluated_in_pieces(monkeypatch):
    model = Model.build(("a", "b", "c", "d"), ["a | b"], [("!c", 1)])
    expected = optima(model, "(a | d) & (b -> c)", solver="table").assignments
    monkeypatch.setattr("hassle.tables.completions.BLOCK", 4)
    assert np.array_equal(optima(model, "(a | d) & (b -> c)", solver="table").assignments, expected)
    assert optima(model, "false", solver="table").count == 0


def test_a_table_that_would_not_fit_is_refused():
    names = [f"x{i}" for i in range(largest_table() + 1)]
    with pytest.raises(ResourceError, match="use --solver rc2"):
        solve(Model.build(names), solver="table")


def test_values_in_many_contexts_are_those_in_each():
    model = Model.build(["a", "b", "c"], ["a | b"], [("c", 0.5), ("!a", 0.25), ("b | !c", -1)])
    contexts = [as_context(text, model.variables) for text in ("", "a", "!a & !b", "a <-> b", "c | a", "false")]
    for solver in ("auto", "table", "rc2"):
        assert best_values(model, contexts, solver=solver) == [best_value(model, context) for context in contexts]


def test_unknown_solvers_and_strange_variables_are_refused():
    model = Model.build(["a"])
    with pytest.raises(InputError, match="no solver 'cplex'"):
        solve(model, solver="cplex")
    with pytest.raises(InputError, match="only the model has 'a'"):
        aligned(model, ("b",))


def test_a_time_limit_is_kept_and_is_no_statement_about_the_model():
    rng = np.random.default_rng(1)
    names = [f"x{i}" for i in range(120)]
    wishes = []
    for _ in range(700):
        chosen = np.sort(rng.choice(120, 3, replace=False)) + 1
        wishes.append(([int(v) for v in chosen * rng.choice([-1, 1], 3)], int(rng.integers(1, 1000))))
    model = Model.build(names, [], wishes)
    with pytest.raises(ResourceError, match=r"within 0\.5 s"):
        solve(model, solver="rc2", time_limit=0.5)  # without a limit this takes minutes
