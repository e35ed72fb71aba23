"""The automatic learner and committees: never below the local search it ran, not fooled by noise, honest shares."""

from __future__ import annotations

import json
from fractions import Fraction

import naive
import pytest
import strategies as some
from hypothesis import given, settings
from hypothesis import strategies as st

from hassle.cli.main import main
from hassle.data import Dataset
from hassle.errors import InputError
from hassle.evaluation import evaluate
from hassle.generate import generate, generate_data, roster_problem
from hassle.learners import learn
from hassle.learners.committee import Committee, committee_of
from hassle.learners.sls import LocalSearch
from hassle.learners.statistical.posterior import believed_noise
from hassle.logic import EMPTY, as_context
from hassle.model import Model
from hassle.solve import agrees, verdicts


def correct(model, data):
    return int(agrees(verdicts(model, data), data).sum())


def test_auto_never_scores_below_the_local_search_it_ran(monkeypatch):
    """With so few steps the statistical learner fails, and local search is called."""
    found = []
    original = LocalSearch.learn

    def recorded(self, data, budget, seed, listener):
        result = original(self, data, budget, seed, listener)
        found.append(result.correct)
        return result

    monkeypatch.setattr(LocalSearch, "learn", recorded)
    for seed in range(4):
        found.clear()
        data = generate(8, 8, 8, 40, seed=seed).data
        result = learn(data, "auto", steps=60, seed=seed)
        assert result.correct == correct(result.model, data)
        assert found
        assert result.correct >= max(found)
        assert any("local search" in note for note in result.notes)


def test_auto_repairs_what_the_statistical_learner_leaves_unexplained():
    data = generate(8, 10, 10, 25, seed=307).data
    before, after = (learn(data, learner, steps=20_000, seed=307, jobs=1) for learner in ("statistical", "auto"))
    assert before.score < 1
    assert after.score == 1
    assert any("repairing" in note for note in after.notes)
    kept = set(before.model.clauses) & set(after.model.clauses)
    assert len(kept) > len(before.model.clauses) / 2


def test_auto_recovers_a_model_from_examples_alone():
    problem = generate(6, 4, 4, 60, seed=3)
    result = learn(problem.data, steps=40_000)
    assert (result.learner, result.score, result.stopped) == ("auto", 1.0, "perfect")
    assert evaluate(result.model, problem.truth).accuracy >= 0.95


def test_auto_does_not_learn_wrong_labels():
    problem = generate(6, 4, 4, 80, noise=0.15, seed=2)
    result = learn(problem.data, steps=40_000, seed=1)
    assert result.score < 1
    assert any("labels to be wrong" in note for note in result.notes)
    assert evaluate(result.model, problem.truth).accuracy > 0.9


def test_a_handful_of_unexplained_examples_is_no_noise():
    """Of 30 examples one wrong label is 3 %, but it may as well be what the search left over."""
    assert believed_noise(1, 30) == believed_noise(0, 30) == believed_noise(4, 400) == 0
    assert believed_noise(3, 30) == 0.1
    assert believed_noise(20, 400) == 0.05


@pytest.mark.parametrize("learner", ["auto", "statistical"])
def test_a_target_score_ends_the_run(learner):
    data = generate(6, 4, 4, 60, seed=3).data
    result = learn(data, learner, target_score=0.8, time_limit=60)
    assert result.score >= 0.8
    assert result.stopped in ("target", "perfect")
    assert result.seconds < 30


def test_the_same_seed_gives_the_same_model():
    data = generate(6, 3, 3, 30, seed=5).data
    assert learn(data, steps=2000, seed=7).model == learn(data, steps=2000, seed=7).model


def test_large_contexts_go_to_the_solver():
    import numpy as np

    truth = roster_problem(6, 8, np.random.default_rng(1))
    data = generate_data(truth, 12, context_literals=10, seed=1).data
    result = learn(data, time_limit=3)
    assert result.learner == "auto"
    assert result.correct == correct(result.model, data)
    assert any("MaxSAT" in note for note in result.notes)


def test_no_examples_are_refused():
    with pytest.raises(InputError, match="no examples"):
        learn(Dataset.build(["a"], []), steps=1)


@st.composite
def committees(draw):
    models = draw(st.lists(some.models(plain_names=True, min_variables=3, max_variables=3), min_size=1, max_size=4))
    return Committee(tuple(models)), draw(some.contexts(3))


@given(committees())
@settings(max_examples=60)
def test_a_committee_elects_what_most_members_call_optimal(drawn):
    committee, context = drawn
    votes = {
        bits: sum(naive.verdict(member, context, bits) == "optimal" for member in committee.members)
        for bits in naive.all_assignments(3)
    }
    elected = committee.solve(context)
    if max(votes.values()) == 0:
        assert elected is None
    else:
        assignment, share = elected
        assert share == Fraction(max(votes.values()), len(committee)) == committee.share(assignment, context)
        assert votes[assignment.bits] == max(votes.values())


@given(committees())
@settings(max_examples=60)
def test_nominees_win_only_with_the_votes_they_have(drawn):
    committee, context = drawn
    found = committee._elected_of_nominees(context)
    elected = committee.solve(context)
    assert (found is None) == (elected is None)
    if found is not None:
        assert Fraction(found[1], len(committee)) == elected[1]


def test_confidence_is_the_share_of_members_with_the_clause_or_a_stronger_rule():
    names = ["a", "b", "c"]
    committee = Committee(
        (
            Model.build(names, ["a | b"], [("c", 0.5)]),
            Model.build(names, ["a"], [("c", 0.25)]),
            Model.build(names, ["a | c", "b | !c"], [("!c", 1)]),
            Model.build(names, ["c"]),
        )
    )
    assert committee.hard_confidence((1, 2)) == Fraction(3, 4)  # found, implied by a, implied by resolution, not
    assert committee.soft_confidence((3,)) == Fraction(3, 4)  # wanted, wanted, not, insisted on


def test_the_speaker_is_whom_the_others_agree_with():
    names = ["a", "b"]
    usual, other = Model.build(names, [], [("a", 1), ("b", 1)]), Model.build(names, [], [("!a", 1), ("!b", 1)])
    assert Committee((other, usual, usual)).speaker([EMPTY, as_context("a", usual.variables)]) in (1, 2)


def test_a_committee_travels_with_its_model(tmp_path, capsys):
    problem = generate(5, 3, 3, 15, seed=4)
    problem.data.write(tmp_path / "examples.csv")
    path = str(tmp_path / "model.json")
    arguments = ["learn", str(tmp_path / "examples.csv"), "--committee", "5", "--steps", "6000", "-o", path]
    assert main(arguments) == 0
    model = Model.read(path)
    committee = committee_of(model)
    assert 1 <= len(committee) <= 5
    assert model in committee.members
    fits = correct(model, problem.data)
    assert all(correct(member, problem.data) >= fits for member in committee.members)
    capsys.readouterr()
    assert main(["show", path]) == 0
    assert "% sure" in capsys.readouterr().out
    assert main(["solve", path, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    best = committee.solve()
    assert answer["committee"]["members"] == len(committee)
    assert answer["committee"]["share"] == float(best[1])
    assert answer["shares"] == [float(committee.share(row)) for row in answer["assignments"]]
