"""Solving, listing, counting and drawing with counts, choices and numbers: every solver against brute force."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from itertools import islice

import counting_problems
import naive
import numpy as np
import pytest
from pysat.solvers import Minisat22
from scipy.stats import chisquare

from hassle.errors import InputError, ResourceError
from hassle.logic import EMPTY, Choice, Constraint, Number, Schema, YesNo, as_context
from hassle.model import Model
from hassle.solve import (
    SOLVERS,
    best_value,
    best_values,
    better_than,
    optima,
    solve,
    solver_for,
    verdict,
)
from hassle.solve.cp_sat import CPSATSolver
from hassle.solve.diagram import diagram_of
from hassle.solve.optima_cnf import OptimaProblem
from hassle.solve.rc2 import RC2Solver
from hassle.solve.sampling import draw_distinct

PROBLEMS, FEW = 1000, 250


def in_units(model, value):
    return None if value is None else int(value * model.unit)


@pytest.mark.parametrize("solver", [name for name in SOLVERS if name != "auto"])
@pytest.mark.parametrize("seeds", [range(FEW), pytest.param(range(FEW, PROBLEMS), marks=pytest.mark.slow)], ids=str)
def test_solvers_agree_with_brute_force_on_a_thousand_models_with_counts(solver, seeds):
    for seed in seeds:
        model, context = counting_problems.problem(seed)
        expected, value = naive.optima(model, context)
        best = solver_for(model, context, solver).best(model, context)
        found = optima(model, context, solver=solver)
        assert (None if best is None else best.value) == found.value == in_units(model, value), seed
        assert best is None or tuple(best.bits.tolist()) in expected, seed
        assert sorted(map(tuple, found.assignments.tolist())) == sorted(expected), seed
        assert (found.count, found.complete) == (len(expected), True), seed


def test_the_random_problems_are_of_every_kind():
    problems = [counting_problems.problem(seed) for seed in range(PROBLEMS)]
    assert 100 < sum(naive.optima(*each)[1] is None for each in problems[:400]) * PROBLEMS / 400 < 500
    assert sum(any(c.need > 1 for c in model.hard) for model, _ in problems) > 300
    assert sum(any(s.constraint.need > 1 and s.weight < 0 for s in model.soft) for model, _ in problems) > 200
    assert sum(bool(context.without_counts()[0]) for _, context in problems) > 100
    for kind in (Choice, Number):
        assert sum(any(isinstance(c, kind) for c in model.schema.columns) for model, _ in problems) > 300


@pytest.mark.parametrize("solver", SOLVERS)
def test_verdicts_are_brute_forces(solver):
    for seed in range(60):
        model, context = counting_problems.problem(seed)
        rng = np.random.default_rng(seed)
        rows = [bits for bits in naive.all_assignments(len(model.variables)) if naive.in_domain(model.schema, bits)]
        bits = rows[rng.integers(len(rows))]
        row = np.array(bits, dtype=np.uint8)
        assert verdict(model, row, context, solver=solver) == naive.verdict(model, context, bits), seed


@pytest.mark.parametrize("solver", SOLVERS)
def test_best_values_are_brute_forces(solver):
    for seed in range(40):
        model, _ = counting_problems.problem(seed)
        rng = np.random.default_rng(seed)
        contexts = [counting_problems.random_context(rng, len(model.variables)) for _ in range(4)]
        expected = [in_units(model, naive.optima(model, context)[1]) for context in contexts]
        assert best_values(model, contexts, solver=solver) == expected


def test_clauses_and_diagrams_hold_the_optima_alone():
    for seed in range(300):
        model, context = counting_problems.problem(seed)
        best, value = naive.optima(model, context)
        diagram = diagram_of(OptimaProblem.optima(model, context, in_units(model, value)))
        assert diagram.count == len(best), seed
        rows = draw_distinct(diagram, len(model.variables), 200, np.random.default_rng(seed))
        assert sorted(map(tuple, rows.tolist())) == sorted(best), seed


def test_the_optima_as_clauses_extend_each_of_them_in_one_way():
    for seed in range(60):
        model, context = counting_problems.problem(seed)
        best, value = naive.optima(model, context)
        cnf = OptimaProblem.optima(model, context, in_units(model, value)).cnf()
        if () in cnf.clauses:
            assert not best, seed
            continue
        for bits in naive.all_assignments(len(model.variables)):
            fixed = [[v + 1 if bit else -(v + 1)] for v, bit in enumerate(bits)]
            with Minisat22(bootstrap_with=[*cnf.clauses, *fixed]) as solver:
                assert len(list(islice(solver.enum_models(), 2))) == (bits in best), seed


def test_optima_of_two_models_at_once_are_counted():
    for seed in range(200):
        model, other, context = counting_problems.pair(seed)
        found = [naive.optima(each, context) for each in (model, other)]
        demands = [(each, in_units(each, value)) for each, (_, value) in zip((model, other), found, strict=True)]
        problem = OptimaProblem.of(model.schema, model.hard + other.hard, context, demands)
        assert diagram_of(problem).count == len(found[0][0] & found[1][0]), seed


ROTA = Schema((Choice("shift", ("early", "late", "night")), Number("staff", 0, 3), YesNo("ana"), YesNo("ben")))


@pytest.mark.parametrize("solver", SOLVERS)
def test_more_optima_than_asked_for_are_drawn_uniformly(solver):
    model = Model.build(ROTA, ["at least 2 of 'shift=early', ana, ben, 'staff>=1'"])
    expected, _ = naive.optima(model, EMPTY)
    drawn = Counter()
    for seed in range(200):
        found = optima(model, limit=3, solver=solver, seed=seed)
        rows = [tuple(row) for row in found.assignments.tolist()]
        assert len(set(rows)) == 3
        assert (found.count, found.complete) == (len(expected), False)
        drawn.update(rows)
    assert set(drawn) == expected
    assert chisquare(list(drawn.values())).pvalue > 0.001


@pytest.mark.parametrize("solver", SOLVERS)
def test_solutions_have_a_value_for_every_column(solver):
    model = Model.build(ROTA, ["staff >= 2"], [("shift = night", 1), ("at most 1 of ana, ben, 'staff>=3'", -0.5)])
    best = solve(model, "at least 1 of ana, ben", solver=solver)
    assert best is not None
    assert (best["shift"], best["ana"] + best["ben"] + (best["staff"] == 3) >= 2) == ("night", True)
    assert solve(model, "shift = night & staff = 1", solver=solver) is None


def test_rewards_for_a_constraint_and_against_its_negation_add_up():
    # The penalty for "not a" is a reward for "a", which has one already.
    model = Model.build(["a", "b"], ["!a | !b"], [("a", 1), ("!a", -1), ("b", 1.5)])
    for solver in SOLVERS:
        assert best_value(model, solver=solver) == 1000


def beatable(seed):
    model, context = counting_problems.problem(seed)
    return model, context, naive.optima(model, context)[1]


def test_what_is_better_is_found_exactly_where_there_is_something():
    for seed in range(150):
        model, context, best = beatable(seed)
        goal = int(np.random.default_rng(seed).integers(-12, 12))
        found = better_than(model, context, goal)
        assert (found is not None) == (best is not None and in_units(model, best) > goal), seed
        if found is not None:
            bits = tuple(found.bits.tolist())
            assert naive.feasible(model, context, bits)
            assert in_units(model, naive.value(model, bits)) == found.value > goal


def test_hints_change_no_answer():
    for seed in range(100):
        model, context, best = beatable(seed)
        hint = np.random.default_rng(seed).integers(0, 2, len(model.variables)).astype(np.uint8)
        found = CPSATSolver().best(model, context, hint=hint)
        assert (None if found is None else found.value) == in_units(model, best)
        goal = 0 if best is None else in_units(model, best)
        assert CPSATSolver().better_than(model, context, goal, hint=hint) is None
        if best is not None:
            assert CPSATSolver().better_than(model, context, goal - 1, hint=hint).value == goal


def test_weights_as_large_as_they_come_are_compared_exactly_or_refused():
    large = 2**52
    model = Model.from_units("ab", [(-1, -2)], [((1,), large - 1), ((2,), large - 2)])
    assert best_value(model, solver="cp-sat") == large - 1
    heavier = Model.from_units("ab", [(-1, -2), Constraint((1, 2), 1)], [((1,), 2**58 + 1), ((2,), 2**58)])
    with pytest.raises(ResourceError, match="use --solver rc2"):
        best_value(heavier, solver="cp-sat")
    assert best_value(heavier, solver="rc2") == 2**58 + 1


def large_ward(nurses=20, days=7):
    """Too many variables for a table, with counts and without any trouble for a solver."""
    names = [f"n{n}_d{d}" for n in range(nurses) for d in range(days)]
    cells = np.arange(1, nurses * days + 1).reshape(nurses, days)
    hard = [Constraint(tuple(cells[:, d].tolist()), 4) for d in range(days)]
    hard += [Constraint.at_most(3, row) for row in cells.tolist()]
    soft = [((-int(v),), 1 + int(v) % 7) for v in cells.flat]
    return Model.from_units(names, hard, soft)


def test_auto_lets_cp_sat_count_and_rc2_do_clauses():
    counts = large_ward()
    clauses = Model.build(counts.variables, soft=[("n0_d0 | n1_d0", 1)])
    choices = Model.build(Schema(tuple(Choice(f"c{i}", tuple("abc")) for i in range(30))), soft=[("c0 = a", 1)])
    heavy = Model.from_units(counts.variables, counts.hard, [((1,), 2**55)])
    assert solver_for(counts, EMPTY).name == "cp-sat"
    assert solver_for(clauses, EMPTY).name == "rc2"
    assert solver_for(clauses, as_context("at least 2 of n0_d0, n1_d0, n2_d0", clauses.variables)).name == "cp-sat"
    assert solver_for(choices, EMPTY).name == "rc2"
    assert solver_for(heavy, EMPTY).name == "rc2"


def test_large_wards_with_counts_are_solved_alike():
    model = large_ward()
    values = {solver: best_value(model, "!n0_d0 & !n0_d1", solver=solver) for solver in ("rc2", "cp-sat")}
    assert values["rc2"] == values["cp-sat"]
    best = CPSATSolver().best(model, EMPTY)
    assert best is not None
    assert better_than(model, None, best.value) is None
    again = CPSATSolver().best(model, EMPTY)
    assert again is not None
    assert best.bits.tolist() == again.bits.tolist()


def entangled(variables=150, constraints=900):
    rng = np.random.default_rng(3)
    soft = []
    for _ in range(constraints):
        chosen = np.sort(rng.choice(variables, size=5, replace=False)) + 1
        literals = tuple(int(v) for v in chosen * rng.choice([-1, 1], size=5))
        soft.append((Constraint(literals, 3), int(rng.integers(1, 1000))))
    return Model.from_units([f"x{v}" for v in range(variables)], [], soft)


@pytest.mark.parametrize("solver", [RC2Solver, CPSATSolver])
def test_a_time_limit_is_kept_and_is_no_statement_about_the_model(solver):
    model = entangled()
    with pytest.raises(ResourceError, match=r"within 0\.3 s"):
        solver(0.3).best(model, EMPTY)
    with pytest.raises(ResourceError, match=r"within 0\.3 s"):
        solver(0.3).optima(model, EMPTY, 10, np.random.default_rng(0))


def test_a_better_one_is_found_where_the_best_one_is_out_of_reach():
    model = entangled()
    found = better_than(model, None, 0, time_limit=20)
    assert found is not None
    assert found.value > 0
    with pytest.raises(ResourceError, match=r"within 0\.3 s"):
        better_than(model, None, int(model.weights.sum()) - 1000, time_limit=0.3)


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_cp_sat_with_one_line(tmp_path, number, code):
    clauses = [(each.constraint.literals, 1 + i % 997) for i, each in enumerate(entangled().soft)]
    Model.from_units(entangled().variables, [], [(lits[:3], units) for lits, units in clauses]).write(
        tmp_path / "m.wcnf"
    )
    command = [sys.executable, "-m", "hassle", "solve", "m.wcnf", "-v", "--solver", "cp-sat"]
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    assert "solver cp-sat" in running.stderr.readline()
    running.send_signal(number)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (code, "", "hassle: interrupted\n")


def test_the_command_line_tells_a_timeout_from_an_answer(tmp_path, capsys, monkeypatch):
    from hassle.cli.main import main

    monkeypatch.chdir(tmp_path)
    Model.build("ab", ["a | b"], [("!a", 1)]).write("m.wcnf")
    assert main(["solve", "m.wcnf", "--solver", "cp-sat", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["assignments"] == [{"a": 0, "b": 1}]
    assert main(["solve", "m.wcnf", "--solver", "cp-sat", "--context", "!a & !b"]) == 1
    assert main(["solve", "m.wcnf", "--solver", "cplex"]) == 2
    assert "cp-sat" in capsys.readouterr().err


def test_unknown_solvers_are_refused_with_the_known_ones():
    with pytest.raises(InputError, match="auto, table, rc2, cp-sat"):
        solve(Model.build(["a"]), solver="cplex")
