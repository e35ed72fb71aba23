"""Every setting of every question is the paper's: sizes, contexts, noise, cutoffs, hiding, SATLIB, a day."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from hassle.experiments.catalogue import EXPERIMENTS
from hassle.experiments.experiment import Scale
from hassle.experiments.run import FEW_INFEASIBLE, NEWER, Run, _learner, core_hours, problem

HOUR, DAY = 3600.0, 86_400.0
STRATEGIES = ("walksat", "novelty", "novelty+", "adaptive-novelty+")
QUESTIONS = ("q1", "q2", "q3", "q4", "q5", "q6", "q7", "benchmark")
# What a question does not vary, Section "Experiments".
USUAL = {
    "variables": {8},
    "hard": {10},
    "soft": {10},
    "contexts": {100},
    "noise": {0.0},
    "negative_kind": {"both"},
    "hide_contexts": {False},
    "satlib": {False},
    "method": {"walksat"},
    "neighbourhood": {"pruned"},
    "constraints": {20},
    "max_literals": {None},
    "steps": {None},
    "cnf": {None},
    "problem": {None},
}
VARIED = {
    "q1": {
        "contexts": {25, 50, 100},
        "method": {*STRATEGIES, *(f"{name}, as printed" for name in STRATEGIES), "milp", "auto"},
    },
    # Below the paper's 25 contexts, too, where MILP learns within seconds.
    "q2": {"contexts": {5, 10, 25, 50, 100}, "method": {"milp", "walksat"}},
    "q3": {
        "variables": {8, 10, 12, 15},
        "hard": {2, 5, 10, 15},
        "soft": {2, 5, 10, 15},
        "constraints": {12, 15, 20, 25},
    },
    "q4": {
        "contexts": {50},
        "neighbourhood": {"pruned", "naive"},
        "method": {"walksat", "walksat, all clauses", "walksat, as printed"},
    },
    "q5": {"negative_kind": {"infeasible", "suboptimal", "both", FEW_INFEASIBLE}, "method": {"walksat", "auto"}},
    "q6": {"noise": {0.0, 0.05, 0.1, 0.2}, "method": {"walksat", "auto"}},
    "q7": {"contexts": {25, 50, 100}, "hide_contexts": {False, True}},
    "benchmark": {"variables": {20}, "contexts": {250, 500, 1000}, "satlib": {True}, "method": {"walksat", "auto"}},
}
# Settings, each with 5 models and 5 data sets.
SETTINGS = {"q1": 3 * (4 + 4 + 1 + 6), "q2": 10, "q3": 10, "q4": 6, "q5": 8, "q6": 8, "q7": 6, "benchmark": 6}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_varies_what_the_paper_varies_and_nothing_else(name):
    runs = EXPERIMENTS[name].runs(Scale())
    found = {setting: {getattr(run, setting) for run in runs} for setting in USUAL}
    assert found == {**USUAL, **VARIED[name]}
    assert len(runs) == 25 * SETTINGS[name]
    assert Counter((run.model_seed, run.data_seed) for run in runs) == {
        (model, data): SETTINGS[name] for model in range(5) for data in range(5)
    }


def test_q3_varies_one_thing_at_a_time():
    sizes = {(run.variables, run.hard, run.soft) for run in EXPERIMENTS["q3"].runs(Scale())}
    assert sizes == {
        *((n, 10, 10) for n in (8, 10, 12, 15)),
        *((8, hard, 10) for hard in (2, 5, 15)),
        *((8, 10, soft) for soft in (2, 5, 15)),
    }
    assert all(run.constraints == run.hard + run.soft for run in EXPERIMENTS["q3"].runs(Scale()))


@pytest.mark.parametrize("name", QUESTIONS)
def test_full_cutoffs_are_the_papers(name):
    runs = EXPERIMENTS[name].runs(Scale(full=True))
    longest = DAY if name == "benchmark" else HOUR
    assert {run.cutoffs[-1] for run in runs if run.method != "auto"} == {longest}
    assert max(run.cutoffs[-1] for run in runs) == longest
    if name == "q1":  # the paper's curves over cutoffs
        assert {run.cutoffs for run in runs if run.method != "auto"} == {(112.5, 225.0, 450.0, 900.0, 1800.0, 3600.0)}


def test_the_costs_of_full_size():
    assert core_hours(EXPERIMENTS["q4"].runs(Scale(full=True))) == 150
    assert core_hours(EXPERIMENTS["benchmark"].runs(Scale(full=True))) == 150 * 24


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_methods_are_learners_with_one_search(strategy):
    plain = {"jobs": 1, "searches": 1, "strategy": strategy, "neighbourhood": "pruned", "constraints": 20}
    assert _learner(Run("q1", method=strategy)) == ("sls", plain)
    assert _learner(Run("q1", method=f"{strategy}, as printed")) == ("sls", {**plain, "paper": True})
    assert _learner(Run("q4", method=f"{strategy}, all clauses")) == ("sls", {**plain, "share": 1.0})
    assert _learner(Run("q1", method="auto")) == ("auto", {"jobs": 1})


def test_every_context_gives_two_and_two_in_every_arm_of_q5():
    for kind in ("infeasible", "suboptimal", "both"):
        truth, data = problem(Run("q5", negative_kind=kind))
        assert len(data) == 400
        assert [int(data.positive[rows].sum()) for rows in data.rows_by_context] == [2] * 100
        assert (len(truth.hard), len(truth.soft)) == (10, 10)
        assert max(len(constraint.literals) for constraint in truth.constraints) <= 4  # n / 2
        assert {len(context.literals) for context in data.contexts} == {4}


def test_a_benchmark_model_has_twenty_of_the_91_clauses():
    truth, data = problem(Run("benchmark", variables=20, contexts=50, satlib=True))
    assert (len(truth.variables), len(truth.hard), len(truth.soft)) == (20, 10, 10)
    assert {len(constraint.literals) for constraint in truth.constraints} == {3}
    assert {len(context.literals) for context in data.contexts} == {10}


def test_noise_flips_labels_and_hiding_keeps_them():
    clean, noisy = (problem(Run("q6", noise=noise))[1] for noise in (0.0, 0.2))
    assert 0.12 < np.mean(clean.positive != noisy.positive) < 0.28
    hidden = problem(Run("q7"))[1].without_contexts()
    assert len(hidden) == 400


def test_every_setting_is_in_the_key(monkeypatch):
    run = Run("q1")
    changed = {"noise": 0.5, "method": "novelty", "cutoffs": (1.0,), "fresh_contexts": 3, "data_seed": 1}
    keys = {replace(run, **{name: value}).key for name, value in changed.items()}
    monkeypatch.setitem(NEWER, "walksat", 99)
    assert len(keys | {run.key, replace(run).key}) == len(changed) + 2
