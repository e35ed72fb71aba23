"""HASSLE-SLS as a whole: it learns, keeps its budget, repeats itself, and says how it ended."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from hassle.data import Dataset
from hassle.errors import InputError, SolverError
from hassle.generate import generate
from hassle.learners import Budget, LearnResult, learn
from hassle.learners.sls.models import as_candidate, as_model
from hassle.learners.sls.search import draw_model
from hassle.model import Model
from hassle.solve import agrees, verdicts
from hassle.solve.tidying import tidied


@pytest.fixture(scope="module")
def small():
    return generate(5, 3, 3, 12, seed=4).data


@pytest.fixture(scope="module")
def contradictory():
    """No model explains all of it, so no search ends early."""
    return Dataset.build(("a", "b", "c"), [("a", (1, 0, 1), 1), ("a", (1, 0, 1), 0), ("!b", (1, 0, 0), 1)])


@pytest.mark.parametrize("neighbourhood", ["pruned", "naive"])
@pytest.mark.parametrize("strategy", ["walksat", "novelty", "novelty+", "adaptive-novelty+"])
def test_every_strategy_explains_a_small_problem(small, strategy, neighbourhood):
    result = learn(small, "sls", steps=3000, constraints=8, strategy=strategy, neighbourhood=neighbourhood)
    assert result.stopped == "perfect"
    assert result.score == 1
    assert agrees(verdicts(result.model, small), small).all()


def test_the_trace_leads_to_the_model(small):
    result = learn(small, "sls", steps=3000, constraints=8)
    assert tidied(result.trace[-1].model) == result.model
    scores = [moment.correct for moment in result.trace]
    assert scores == sorted(set(scores))
    for moment in result.trace:
        assert agrees(verdicts(moment.model, small), small).sum() == moment.correct
    assert tidied(result.model_at(result.seconds)) == result.model
    assert result.model_at(-1) is None


@pytest.mark.parametrize("target", [1.0, 0.8])
def test_same_seed_same_model_whatever_the_jobs(small, target):
    runs = [
        learn(small, "sls", steps=60, constraints=6, searches=5, jobs=jobs, seed=7, target_score=target)
        for jobs in (1, 2, 4)
    ]
    for run in runs[1:]:
        assert run.model == runs[0].model
        assert (run.correct, run.stopped) == (runs[0].correct, runs[0].stopped)
        assert (run.steps, run.neighbours) == (runs[0].steps, runs[0].neighbours)


def test_different_seeds_and_searches_differ(contradictory):
    models = {learn(contradictory, "sls", steps=0, searches=1, seed=seed).trace[-1].model for seed in range(5)}
    assert len(models) == 5


def test_a_restart_is_a_new_random_model():
    rng = np.random.default_rng(0)
    first, second = (draw_model(10, 6, 4, 10_000, rng)[0] for _ in range(2))
    assert (first != second).any()


def test_a_search_can_start_from_a_model(small):
    truth = learn(small, "sls", steps=2000, constraints=8).model
    for constraints in (len(truth.constraints), len(truth.constraints) + 3):
        signs, costs = as_candidate(truth, constraints, 99_999)
        assert signs.shape == (constraints, len(truth.variables))
        assert as_model(truth.variables, signs, costs, 99_999) == truth
        result = learn(small, "sls", steps=0, start=truth, constraints=constraints)
        assert result.model == truth


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (Model.build(["a"], hard=["a"]), "other variables"),
        (Model.build(["a"], soft=[("a", 2)]), "thousandths"),
        (Model.build(["a"], soft=[("a", 1)]), "cannot start a search of 3 clauses"),
        (Model.build(["a"]), "cannot start"),
    ],
)
def test_a_model_that_cannot_start_a_search_is_refused(small, start, message):
    options = {"constraints": 3} if "of 3" in message else {}
    with pytest.raises(InputError, match=message):
        learn(small, "sls", steps=1, start=start, **options)


def test_random_models_keep_their_bounds():
    signs, costs = draw_model(500, 7, 3, 500_000, np.random.default_rng(1))
    lengths = (signs != 0).sum(axis=1)
    assert set(lengths.tolist()) == {1, 2, 3}
    hard = costs == 500_000
    assert 150 < hard.sum() < 350
    assert costs[~hard].min() >= 1
    assert costs[~hard].max() <= 999


def test_models_keep_the_limits_asked_for(small):
    result = learn(small, "sls", steps=200, constraints=5, max_literals=2, target_score=1.0)
    for moment in result.trace:
        assert len(moment.model.constraints) <= 5
        assert all(1 <= len(clause.literals) <= 2 for clause in moment.model.constraints)
        assert all(0 < soft.weight < 1 for soft in moment.model.soft)


def test_steps_end_a_run(contradictory):
    result = learn(contradictory, "sls", steps=25, searches=3, jobs=2)
    assert result.stopped == "steps"
    assert result.steps == 75
    assert result.neighbours >= 75


def test_a_target_ends_a_run(small):
    result = learn(small, "sls", steps=5000, target_score=0.7, constraints=8)
    assert result.stopped in ("target", "perfect")
    assert result.score >= 0.7


def test_time_ends_a_run(contradictory):
    result = learn(contradictory, "sls", time_limit=0.2, jobs=2)
    assert result.stopped == "time"
    assert result.seconds >= 0.2


def test_no_time_still_gives_a_model(small):
    assert isinstance(learn(small, "sls", time_limit=0, jobs=1), LearnResult)


def test_an_interrupt_gives_the_best_so_far(contradictory):
    flag = threading.Event()
    threading.Timer(0.3, flag.set).start()
    result = learn(contradictory, "sls", time_limit=60, interrupt=flag)
    assert result.stopped == "interrupted"
    assert result.correct >= 1


def test_ctrl_c_in_the_middle_gives_the_best_so_far(contradictory):
    def press(progress):
        if progress.steps > 10:
            raise KeyboardInterrupt

    result = learn(contradictory, "sls", time_limit=60, listener=press)
    assert result.stopped == "interrupted"


def test_listeners_hear_of_progress(contradictory):
    heard = []
    learn(contradictory, "sls", time_limit=0.5, listener=heard.append)
    assert heard[-1].examples == 3
    assert heard[-1].correct == 2
    assert heard[-1].neighbours > 0


def test_stuck_searches_restart(contradictory, monkeypatch):
    from hassle.learners.sls.search import Search

    seen = []
    restart = Search.restart
    monkeypatch.setattr(Search, "restart", lambda self: (seen.append(self.steps), restart(self))[1])
    learn(contradictory, "sls", steps=100, searches=1)
    assert len(seen) >= 3  # at the start, and after each quarter without improvement


def test_without_memory_for_tables_a_solver_scores(small):
    result = learn(small, "sls", steps=4, constraints=4, searches=1, memory=1)
    assert any("solver" in note for note in result.notes)
    assert agrees(verdicts(result.model, small), small).sum() == result.correct


def test_a_wrong_count_is_an_error(small, monkeypatch):
    import dataclasses

    from hassle.learners.sls import learner

    original = learner.LocalSearch.learn
    monkeypatch.setattr(
        learner.LocalSearch,
        "learn",
        lambda self, *rest: dataclasses.replace(original(self, *rest), correct=0),
    )
    with pytest.raises(SolverError, match="counted 0"):
        learn(small, "sls", steps=1, searches=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategy": "tabu"}, "walksat"),
        ({"neighbourhood": "all"}, "pruned"),
        ({"constraints": 0}, "constraints"),
        ({"constraints": 1001}, "at most 1000"),
        ({"max_literals": 0}, "max literals"),
        ({"jobs": -1}, "jobs"),
        ({"noise": 2}, "noise"),
        ({"constraint": 3}, "did you mean 'constraints'"),
        ({"time_limit": -1}, "time limit"),
        ({"steps": -1}, "steps"),
        ({"target_score": 2}, "target score"),
        ({"learner": "magic"}, "there is no learner"),
    ],
)
def test_bad_options_are_one_line(small, options, message):
    with pytest.raises(InputError, match=message) as caught:
        learn(small, **{"learner": "sls", **options})
    assert "\n" not in str(caught.value)


def test_nothing_to_learn_from(small):
    with pytest.raises(InputError, match="no examples"):
        learn(small.subset([]), "sls", steps=1)


def test_budget_counts_what_is_enough():
    assert Budget(target_score=0.995).enough(200) == 199
    assert Budget(target_score=1).enough(7) == 7
    assert Budget(target_score=0.1).enough(10) == 1  # not two, as floating point would have it
