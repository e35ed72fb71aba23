"""The bundled roster is what its script makes, its labels are right, and larger rosters keep their promises."""

from __future__ import annotations

import numpy as np
import pytest

from hassle import InputError
from hassle.bundled import ROSTER_EXAMPLES, ROSTER_TRUTH, roster_examples, roster_truth
from hassle.files import read_model, write_examples, write_model
from hassle.generate import generate_data, roster_data, roster_model, roster_problem
from hassle.generate.models import is_open, sat_solver
from hassle.generate.roster import NURSES, SHIFTS, VARIABLES, away
from hassle.logic import clauses_of
from hassle.model import VERDICTS, Verdict
from hassle.solve import agrees, optima, solve, verdicts


def test_the_shipped_files_are_what_the_script_makes(tmp_path):
    write_examples(roster_data(), tmp_path / "roster.csv")
    write_model(roster_model(), tmp_path / "roster_truth.json")
    assert (tmp_path / "roster.csv").read_bytes() == ROSTER_EXAMPLES.read_bytes()
    assert (tmp_path / "roster_truth.json").read_bytes() == ROSTER_TRUTH.read_bytes()


def test_the_true_model_labelled_the_examples():
    truth, data = roster_truth(), roster_examples()
    assert truth == roster_model() == read_model(ROSTER_TRUTH)
    assert len(data.contexts) == 120
    assert 350 < len(data) < 480
    codes = verdicts(truth, data)
    assert agrees(codes, data).all()
    for verdict in VERDICTS:
        assert np.count_nonzero(codes == VERDICTS.index(verdict)) > 50
    assert {example.label for example in data} == {"positive", "negative"}


def test_the_situations_are_small_enough_for_tables_and_some_are_formulas():
    data = roster_examples()
    assert max(len(context.free(20)) for context in data.contexts) <= 15
    assert sum(context.rest is not None for context in data.contexts) >= 20


def test_the_ward_is_planned_sensibly():
    truth = roster_model()
    best = optima(truth)
    assert best.count == 1
    plan = solve(truth)
    assert plan is not None
    for shift in SHIFTS:
        staff = {nurse for nurse in NURSES if plan[f"{nurse}_{shift}"]}
        assert staff & {"ana", "carla"} or (staff == {"ben"} and shift.endswith("day"))
        assert len(staff) <= 2
    # With everybody there, every wish can be granted; not so with Ana on leave.
    assert best.value == truth.weights.sum()
    without_ana = solve(truth, away("ana", SHIFTS))
    assert without_ana is not None
    assert without_ana["carla_mon_night"]
    assert without_ana["carla_tue_night"]
    assert solve(truth, f"{away('ana', SHIFTS)} & {away('carla', SHIFTS)}") is None


def test_no_rule_of_the_ward_is_redundant():
    truth = roster_model()
    assert truth.variables == VARIABLES
    rules = clauses_of(truth.hard)
    for j, clause in enumerate(rules):
        with sat_solver(rules[:j] + rules[j + 1 :]) as solver:
            assert is_open(solver, clause)
    with sat_solver(rules) as solver:
        assert all(is_open(solver, clause) for clause in clauses_of(truth.soft_constraints))


def test_larger_rosters_have_short_clauses_that_say_something():
    model = roster_problem(10, 12, np.random.default_rng(0))
    assert len(model.variables) == 120
    assert {len(clause.literals) for clause in model.hard} == {2}
    assert {len(soft.constraint.literals) for soft in model.soft} == {1, 2}
    assert len(set(model.constraints)) == len(model.constraints)
    # A rule for each kind: rest, stand-ins, pairs that do not get on and mentors.
    signs = {tuple(sorted(lit > 0 for lit in clause.literals)) for clause in model.hard}
    assert signs == {(False, False), (False, True), (True, True)}
    with sat_solver(clauses_of(model.hard)) as solver:
        assert solver.solve()
        assert all(is_open(solver, clause) for clause in clauses_of(model.soft_constraints))
    assert roster_problem(10, 12, np.random.default_rng(0)) == model
    assert roster_problem(10, 12, np.random.default_rng(1)) != model


def test_larger_rosters_have_examples():
    model = roster_problem(8, 13, np.random.default_rng(2))
    problem = generate_data(model, 6, context_literals=30, reasons=True, seed=1)
    assert problem.changing == 6
    codes = verdicts(model, problem.data)
    expected = {"positive": Verdict.OPTIMAL, "infeasible": Verdict.INFEASIBLE, "suboptimal": Verdict.SUBOPTIMAL}
    assert [VERDICTS[code] for code in codes] == [expected[example.label] for example in problem.data]
    assert len(problem.data) >= 18


def test_a_ward_needs_some_nurses():
    with pytest.raises(InputError, match="3 nurses and 5 shifts are too few"):
        roster_problem(3, 5, np.random.default_rng(0))
