"""The answer where the time is too short for any other: rules that counting finds; a loud word where there are none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hassle.cli.main import main
from hassle.data import Dataset
from hassle.errors import ResourceError
from hassle.generate import generate, random_model
from hassle.learners import learn
from hassle.learners.cuts.run import _SpentError
from hassle.learners.mined import mined_model, unbroken_triples
from hassle.logic import EMPTY, Context
from hassle.model import Model
from hassle.solve import agrees, feasibility_agrees, verdicts
from hassle.solve.rc2 import RC2Solver


def random_data(rows, variables, contexts, fixed, seed=0):
    """Random assignments, each in one of so many contexts of so many literals, labelled by a few clauses."""
    rng = np.random.default_rng(seed)
    truth = random_model(variables, 5, 5, rng, 3)
    bits = rng.integers(0, 2, (rows, variables), dtype=np.uint8)
    where = []
    for k in range(rows):
        chosen = np.random.default_rng(k % contexts).permutation(variables)[:fixed]
        bits[k, chosen] = chosen % 2
        where.append(Context(tuple(int(v + 1 if v % 2 else -(v + 1)) for v in np.sort(chosen))) if fixed else EMPTY)
    return Dataset.from_arrays(truth.variables, where, bits, truth.feasible(bits).astype(np.int8))


@pytest.fixture
def no_solver(monkeypatch):
    """A solver that never answers in time, and nobody who would check the score with it."""

    def never(self, model, context):
        raise ResourceError("RC2 did not finish")

    monkeypatch.setattr(RC2Solver, "best", never)
    monkeypatch.setattr("hassle.learners.confirm", lambda *_: ())


def kept_by_positives(clause, data):
    """The definition: each positive makes one of the literals true."""
    return all(
        any(row[abs(lit) - 1] == (lit > 0) for lit in clause.literals) for row in data.assignments[data.positive]
    )


@pytest.mark.parametrize("columns", [60, 50])  # with fewer, some of the variables are looked at only
def test_rules_are_counted_without_a_solver(columns, monkeypatch):
    monkeypatch.setattr("hassle.learners.mined.MOST_VARIABLES", columns)
    monkeypatch.setattr("hassle.learners.mined.MOST_ROWS", 500)
    data = random_data(3000, 60, 1, 0)
    truth = random_model(60, 5, 5, np.random.default_rng(0), 3)
    found = mined_model(data, 0, 1000)
    assert found.hard
    assert set(found.hard) <= set(truth.hard)
    assert (set(found.hard) == set(truth.hard)) == (columns == 60)
    assert all(kept_by_positives(clause, data) for clause in found.hard)
    assert len(mined_model(data, 0, 1000, most_rules=1).hard) == 1
    assert not mined_model(data, 0, 1000, max_literals=1).hard
    assert not mined_model(data, 0, -1).hard


def test_what_chance_spares_is_no_rule():
    """Of 34,000 clauses about five are kept by 70 random rows."""
    rows = np.random.default_rng(3).integers(0, 2, (70, 30), dtype=np.uint8)
    assert not unbroken_triples(rows, lambda: None)


def test_a_model_of_rules_alone_is_judged_as_the_solver_judges_it():
    problem = generate(8, 4, 4, 30, seed=2)
    model = Model(problem.data.schema).with_hard(*problem.truth.hard)
    expected = agrees(verdicts(model, problem.data), problem.data)
    assert (feasibility_agrees(model, problem.data) == expected).all()
    assert not expected.all()


@pytest.mark.parametrize("contexts", [1, 50])
def test_rules_are_the_answer_where_there_is_no_time_for_any_other(contexts, no_solver, monkeypatch):
    monkeypatch.setattr("hassle.learners.auto.MINING_SECONDS", math.inf)  # on however slow a machine
    data = random_data(3000, 60, contexts, 20 if contexts > 1 else 0)
    result = learn(data, "auto", time_limit=0.1)
    assert result.model.hard
    assert not result.model.soft
    agreed = [all(any(row[abs(lit) - 1] == (lit > 0) for lit in clause.literals) for clause in result.model.hard)
              for row in data.assignments]  # fmt: skip
    assert result.correct == int((np.array(agreed) == data.positive).sum()) > int(data.positive.sum())
    assert result.examples == len(data)
    assert any("found by counting" in note for note in result.notes)


def test_the_learner_for_large_contexts_has_its_rules_though_nothing_is_solved(monkeypatch):
    def no_time_for_more(*_):
        raise _SpentError

    monkeypatch.setattr("hassle.learners.cuts.run.first_comparisons", no_time_for_more)
    rng = np.random.default_rng(7)
    rows = rng.integers(0, 2, (400, 40), dtype=np.uint8)
    good = (rows[:, 3] | rows[:, 8]) & (1 - (rows[:, 5] & rows[:, 6]))
    data = Dataset.from_arrays([f"x{v}" for v in range(40)], [EMPTY] * 400, rows, good.astype(np.int8))
    result = learn(data, "cuts")
    assert {clause.literals for clause in result.model.hard} == {(4, 9), (-6, -7)}
    assert (result.correct, result.examples) == (400, 400)


def test_an_empty_model_is_a_warning(tmp_path, capsys):
    path = tmp_path / "all_good.csv"
    path.write_text("a,b,label\n0,0,1\n0,1,1\n1,0,1\n1,1,1\n")
    assert main(["learn", str(path), "--steps", "200"]) == 0
    assert "hassle: warning: the model is empty" in capsys.readouterr().err
