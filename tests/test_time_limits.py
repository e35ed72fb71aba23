"""Time limits: every phase looks at the clock, and what there was no time for is said.

No test here measures time. Each either takes minutes without the look at the clock that it is about, or has a solver
that would never answer.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from hassle.cli.main import main
from hassle.data import Dataset
from hassle.errors import ResourceError, SolverError
from hassle.generate import generate, random_model
from hassle.learners import learn
from hassle.learners.auto import FEWEST_SAMPLED, AutoLearner, quick_sample
from hassle.learners.budget import Budget
from hassle.learners.confirming import confirm
from hassle.learners.cuts.comparisons import first_comparisons
from hassle.learners.cuts.judging import judge
from hassle.learners.result import LearnResult
from hassle.learners.statistical.problem import make_problem
from hassle.learners.statistical.sampler import Sampler
from hassle.logic import EMPTY, Context
from hassle.model import Model
from hassle.solve import agrees, verdicts, verdicts_in_time
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


def counted(model, data, contexts):
    """The definition: verdicts on all examples of these contexts that agree with their labels."""
    rows = np.flatnonzero(np.isin(data.context_of, contexts))
    return int(agrees(verdicts(model, data), data)[rows].sum()), len(rows)


def a_result(model, data, correct, **more):
    return LearnResult(model, "test", correct, len(data), "time", 0.0, 0, 0, **more)


class Countdown:
    """Seconds left that run out after so many looks."""

    def __init__(self, looks):
        self.looks = looks

    def __call__(self, *_):
        self.looks -= 1
        return 1000.0 if self.looks >= 0 else 0.0


# What is scored where there is no time for everything.


@pytest.mark.parametrize("looks", [0, 1, 3, 1000])
def test_verdicts_in_time_are_the_verdicts_of_the_contexts_there_was_time_for(looks, monkeypatch):
    monkeypatch.setattr(import_module("hassle.solve.verdicts"), "BLOCK", 64)
    problem = generate(8, 4, 4, 30, seed=2)
    order = np.random.default_rng(1).permutation(len(problem.data.contexts)).tolist()
    done, agreed = verdicts_in_time(problem.truth, problem.data, order, Countdown(looks))
    assert done == order[: len(done)]
    assert (len(done) == len(order)) == (looks == 1000)
    assert (len(done) == 0) == (looks == 0)
    assert (int(agreed.sum()), len(agreed)) == counted(problem.truth, problem.data, done)


def test_the_judge_stops_when_the_time_is_up():
    problem = generate(8, 4, 4, 30, seed=2)
    order = [7, 3, 5, 1]
    judged = judge(problem.truth, problem.data, problem.data.positive, order, Countdown(2))
    expected = [counted(problem.truth, problem.data, [c])[0] for c in order[:2]]
    assert judged.correct.tolist() == expected


def test_a_score_that_was_checked_in_part_says_so_and_is_still_checked(monkeypatch):
    monkeypatch.setattr(import_module("hassle.solve.verdicts"), "BLOCK", 64)
    problem = generate(8, 4, 4, 30, seed=2)
    model, data = problem.truth, problem.data
    monkeypatch.setattr("hassle.solve.verdicts_in_time", lambda *given: verdicts_in_time(*given[:3], Countdown(3)))
    correct = int(agrees(verdicts(model, data), data).sum())
    (note,) = confirm(a_result(model, data, correct), data, Budget(1), 0)
    assert note.endswith(f"of {len(data.contexts)} contexts; there was no time for more")
    with pytest.raises(SolverError, match="at most"):
        confirm(a_result(model, data, 0), data, Budget(1), 0)


def test_a_score_in_some_contexts_is_confirmed_there():
    problem = generate(8, 4, 4, 30, seed=2)
    some = (1, 4, 9)
    correct, examples = counted(Model(problem.data.schema), problem.data, some)
    result = a_result(Model(problem.data.schema), range(examples), correct, judged=some)
    (note,) = confirm(result, problem.data, Budget(), 0)
    assert f"in 3 of the {len(problem.data.contexts)} contexts" in note
    with pytest.raises(SolverError):
        confirm(replace(result, correct=correct + 1), problem.data, Budget(), 0)


# Learners.


def test_large_contexts_that_are_too_many_to_solve_are_judged_in_part():
    """Solving all of them once takes minutes."""
    data = random_data(9000, 60, 3000, 20)
    result = learn(data, "cuts", time_limit=3)
    assert result.judged is not None
    assert 0 < len(result.judged) < len(data.contexts)
    rows = int(np.isin(data.context_of, result.judged).sum())
    assert result.examples == rows
    assert any("contexts: the score is about" in note for note in result.notes)
    assert (result.correct, rows) == counted_in(result, data)


def counted_in(result, data):
    some = data.subset(np.flatnonzero(np.isin(data.context_of, result.judged)))
    return int(agrees(verdicts(result.model, some), some).sum()), len(some)


def test_very_many_small_contexts_are_sampled(monkeypatch):
    # Rules that were counted would be judged everywhere.
    monkeypatch.setattr(AutoLearner, "_mined", lambda self, data, budget, seed: Model(data.schema))
    data = random_data(12000, 18, 6000, 8)
    sample = quick_sample(data, 0)
    assert FEWEST_SAMPLED <= len(sample) < len(data.contexts)
    assert quick_sample(random_data(50, 40, 10, 5), 0) is None  # few large ones
    result = learn(data, "auto", time_limit=3)
    assert result.judged == tuple(sample.tolist())
    assert any("drawn at random" in note for note in result.notes)
    assert (result.correct, result.examples) == counted_in(result, data)


def test_comparisons_are_bounded():
    """10,000 examples in one context would make half a million comparisons."""
    data = random_data(3000, 40, 1, 0)
    positives = np.flatnonzero(data.positive)
    some = first_comparisons(data, (), positives, lambda: None, most=5000)
    assert 2500 < some.size < 6000
    assert len(np.unique(some.owner)) > 20


def test_local_search_by_solver_that_scores_nothing_in_time_says_so(monkeypatch):
    def never(self, model, context):
        raise ResourceError("RC2 did not finish")

    monkeypatch.setattr(RC2Solver, "best", never)
    data = random_data(40, 60, 10, 20)
    monkeypatch.setattr("hassle.learners.confirm", lambda *_: ())
    result = learn(data, "sls", time_limit=1)
    assert not result.model.constraints
    assert result.correct == int(data.positive.sum())
    assert any("before a single model was scored" in note for note in result.notes)


def test_a_learner_for_large_contexts_that_judges_nothing_in_time_says_so(monkeypatch):
    def never(self, model, context):
        raise ResourceError("RC2 did not finish")

    monkeypatch.setattr(RC2Solver, "best", never)
    monkeypatch.setattr("hassle.learners.confirm", lambda *_: ())
    result = learn(random_data(40, 60, 10, 20), "cuts", time_limit=1)
    assert any("before a model with rules was found and judged" in note for note in result.notes)
    assert any("the model is empty" in note for note in result.notes)


def test_local_search_by_solver_ends():
    """A single model of 200 random clauses takes most of a minute to score."""
    data = random_data(200, 100, 100, 50)
    result = learn(data, "sls", time_limit=1)
    assert result.stopped == "time"


def test_rc2_is_stopped_between_two_calls_of_its_sat_solver():
    """Thousands of short calls, of which hardly any is interrupted: without the flag this takes most of a minute."""
    rng = np.random.default_rng(0)
    variables = np.sort(rng.random((900, 100)).argsort(axis=1)[:, :3], axis=1) + 1
    clauses = {tuple(clause) for clause in (variables * rng.choice([-1, 1], variables.shape)).tolist()}
    soft = [(clause, int(rng.integers(1, 999))) for clause in sorted(clauses)]
    model = Model.from_units([f"x{v}" for v in range(100)], [], soft)
    with pytest.raises(ResourceError, match="did not finish"):
        RC2Solver(time_limit=0.5).best(model, EMPTY)


def test_a_committee_larger_than_anybody_needs_is_bounded():
    data = generate(6, 4, 4, 20, seed=1).data
    result = learn(data, "auto", time_limit=1, committee=100_000)
    assert result.committee is not None
    assert 1 <= len(result.committee) <= 200
    assert result.correct == int(agrees(verdicts(result.model, data), data).sum())


def test_prices_of_clauses_in_very_many_contexts_are_estimated_from_some(monkeypatch):
    data = generate(6, 3, 3, 60, seed=3).data
    sampler = Sampler(make_problem(data, np.random.default_rng(0)), 3, 4, 12, 1)
    sets = np.zeros((0, 4), dtype=np.int16)
    exact = sampler.prices(2, sets)
    monkeypatch.setattr("hassle.learners.statistical.sampler.MOST_PRICING", len(exact) * len(sampler.problem.rows))
    half = sampler.prices(2, sets)  # every other context, counted twice
    assert (half != exact).any()
    assert np.corrcoef(half, exact)[0, 1] > 0.7


# Generating.


def test_a_problem_that_is_not_made_in_time_is_one_line_and_no_folder(tmp_path, capsys):
    """Three thousand contexts of a hundred and fifty variables: hours."""
    folder = tmp_path / "problem"
    size = ["--variables", "150", "--hard", "60", "--soft", "80", "--max-literals", "3", "--contexts", "3000"]
    assert main(["generate", "-o", str(folder), *size, "--time-limit", "0.5"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "allow more time" in told.err
    assert len(told.err.splitlines()) == 1
    assert not folder.exists()


def test_a_limit_that_is_not_reached_changes_nothing():
    assert generate(6, 3, 3, 10, seed=4).data == generate(6, 3, 3, 10, seed=4, time_limit=1000).data
