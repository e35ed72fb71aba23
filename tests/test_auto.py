"""The automatic learner and committees: never below the local search it ran, not fooled by noise, honest shares."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import naive
import numpy as np
import pytest
import strategies as some
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hassle.cli.main import main
from hassle.data import Dataset
from hassle.errors import InputError, SolverError
from hassle.evaluation import evaluate
from hassle.generate import generate, generate_data, roster_problem
from hassle.learners import learn
from hassle.learners.sls import LocalSearch
from hassle.learners.statistical.chains import agree_on_wrong_labels
from hassle.learners.statistical.sampler import Sampler, believed_noise
from hassle.logic import EMPTY, Constraint, Schema, as_context
from hassle.model import Model, Rule
from hassle.solve import agrees, verdicts
from hassle.solve.committee import Committee, committee_of
from hassle.solve.tidying import tidied


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
    data = generate(8, 10, 10, 25, allow_fewer=True, seed=351).data
    before, after = (learn(data, learner, steps=20_000, seed=351, jobs=1) for learner in ("statistical", "auto"))
    assert before.score < 1
    assert after.score == 1
    assert any("repairing" in note for note in after.notes)
    kept = set(before.model.constraints) & set(after.model.constraints)
    assert len(kept) > len(before.model.constraints) / 2


def test_few_unexplained_examples_are_not_explained_at_the_cost_of_the_truth():
    """Local search finds a model that explains the last examples; it is taken only if it is the more plausible one."""
    kept = 0
    for seed in (317, 332, 344, 386):
        data = generate(8, 10, 10, 25, allow_fewer=True, seed=seed).data
        before, after = (learn(data, learner, steps=20_000, seed=seed, jobs=1) for learner in ("statistical", "auto"))
        assert before.correct < len(data)
        if any("nothing else speaks for" in note for note in after.notes):
            assert after.model == before.model
            kept += 1
        else:
            assert after.correct > before.correct
    assert kept


def test_a_count_that_the_solver_does_not_confirm_is_an_error(monkeypatch):
    data = generate(6, 3, 3, 20, seed=1).data
    counted = Sampler.correct.fget
    monkeypatch.setattr(Sampler, "correct", property(lambda self: counted(self) - 1))
    for learner in ("statistical", "auto"):
        with pytest.raises(SolverError, match="counted"):
            learn(data, learner, steps=3000, target_score=0.5)


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


@st.composite
def explainable_data(draw):
    """Data that some model explains: its own verdicts on most completions of a few contexts, many of them repeated."""
    truth = draw(some.models(plain_names=True, min_variables=2, max_variables=6))
    rows = []
    for context in draw(st.lists(some.contexts(len(truth.variables)), min_size=1, max_size=4)):
        inside = [bits for bits in naive.all_assignments(len(truth.variables)) if naive.context_holds(context, bits)]
        best, _ = naive.optima(truth, context)
        for bits in inside:
            times = draw(st.integers(0, 3))
            rows += [(context, bits, int(bits in best))] * times
    return Dataset.build(truth.variables, rows)


@settings(max_examples=25, deadline=None)
@given(explainable_data())
def test_whatever_some_model_explains_over_few_variables_is_explained(data):
    assume(len(data))
    assert learn(data, steps=1000).score == 1


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(explainable_data())
def test_the_same_many_times(data):
    assume(len(data))
    assert learn(data, steps=300).score == 1


def test_eight_clean_rows_with_repetitions_are_explained():
    rows = [((), bits, int(bits == (1, 0))) for bits in naive.all_assignments(2)] * 2
    for learner in ("auto", "statistical"):
        result = learn(Dataset.build("ab", rows), learner, steps=3000)
        assert result.score == 1
        assert not any("wrong" in note for note in result.notes)


def test_contradictory_labels_over_few_variables_are_proved_to_be():
    rows = [("a", (1, 0), 1), ("a", (1, 1), 0), ("", (1, 1), 1), ("", (1, 0), 0)]  # 10 beats 11, and 11 beats 10
    result = learn(Dataset.build("ab", rows), steps=200)
    assert result.score < 1
    assert any("no model explains all examples" in note for note in result.notes)


def test_a_chain_that_accepts_nothing_is_noticed_and_another_learner_tried(monkeypatch):
    monkeypatch.setattr(Sampler, "search", lambda self, steps, sharpness: 0)
    data = generate(7, 3, 3, 20, seed=1).data
    result = learn(data, steps=5000)
    assert any("accepted none of" in note for note in result.notes)
    assert any("local search" in note for note in result.notes)
    assert result.score > 0.9


def test_a_likelihood_that_is_no_number_is_noticed_and_another_learner_tried(monkeypatch):
    monkeypatch.setattr(Sampler, "log_posterior", float("nan"))
    data = generate(7, 3, 3, 20, seed=1).data
    result = learn(data, steps=5000)
    assert any("became nan" in note for note in result.notes)
    assert any("local search" in note for note in result.notes)
    assert result.score > 0.9


def test_a_price_that_is_no_number_is_noticed_and_another_learner_tried(monkeypatch):
    monkeypatch.setattr(Sampler, "prices", lambda self, longest, sets: np.full(5000, np.nan))
    data = generate(7, 3, 3, 20, seed=1).data
    result = learn(data, steps=5000)
    assert any("price of a clause is not a number" in note for note in result.notes)
    assert result.score > 0.9


def test_a_model_no_better_than_no_rules_is_not_excused_by_wrong_labels(monkeypatch):
    """Chains that never leave the empty model agree perfectly on what they leave unexplained."""
    monkeypatch.setattr(Sampler, "search", lambda self, steps, sharpness: 1)
    data = generate(7, 3, 3, 20, seed=1).data
    result = learn(data, steps=50_000)
    assert any("without any rules" in note for note in result.notes)
    assert result.score > 0.9


@pytest.mark.parametrize("learner", ["auto", "statistical"])
def test_no_steps_at_all_end(learner):
    data = generate(5, 3, 3, 10, seed=1).data
    result = learn(data, learner, steps=0)
    assert (result.steps, result.correct) == (0, correct(result.model, data))


def chains_with(*unexplained, moves=50_000):
    """Stand-ins for chains that settled, each with the examples it leaves unexplained."""
    runs = []
    for examples in unexplained:
        mask = np.isin(np.arange(100), list(examples))
        runs.append(SimpleNamespace(failure=None, moves=moves, unexplained=mask))
    return runs


def test_wrong_labels_are_believed_in_only_by_chains_that_settled_and_agree():
    same, other = range(10), range(6, 16)
    assert agree_on_wrong_labels(chains_with(same, same))
    assert not agree_on_wrong_labels(chains_with(same, other))
    assert not agree_on_wrong_labels(chains_with(same, same, moves=10_000))
    assert not agree_on_wrong_labels(chains_with(same))
    assert agree_on_wrong_labels(chains_with(same, moves=100_000))


@pytest.mark.parametrize("learner", ["auto", "statistical"])
@pytest.mark.parametrize("after", [3, 6, 9])
def test_interrupting_returns_no_worse_a_model_than_was_shown(learner, after):
    data = generate(8, 10, 10, 60, seed=after).data
    interrupt, shown = threading.Event(), []

    def listener(progress):
        shown.append(progress.correct)
        if len(shown) == after:
            interrupt.set()

    result = learn(data, learner, time_limit=30, interrupt=interrupt, listener=listener)
    assert result.stopped in ("interrupted", "perfect")
    assert result.correct >= max(shown) > 0


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
    truth = roster_problem(6, 8, np.random.default_rng(1))
    data = generate_data(truth, 12, context_literals=10, seed=1).data
    data = replace(data, schema=Schema.of(f"x{v}" for v in range(48)))  # names that show no arrangement
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
            Model.build(names, ["a | c", "b | !c"], [("c", -1)]),
            Model.build(names, ["c"]),
        )
    )
    rules = [Rule(Constraint((1, 2))), Rule(Constraint((3,)), Decimal(1)), Rule(Constraint((3,)), Decimal(-1))]
    # Found, implied by a, implied by resolution, not; wanted, wanted, not, insisted on; unwanted by one.
    assert committee.confidence(rules) == [Fraction(3, 4), Fraction(3, 4), Fraction(1, 4)]


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
    assert model in map(tidied, committee.members)
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


def test_arranged_decisions_go_to_the_structured_learner():
    from hassle.generate.arranged import arranged_examples, ward

    rng = np.random.default_rng(1)
    home = ward(4, 4, 2, rng)
    data = arranged_examples(home.truth, home.situation, 6, rng)
    for seen in (data, replace(data, schema=Schema.of(data.variables))):  # by the schema, and by the names
        result = learn(seen, steps=1)
        assert result.learner == "auto"
        assert any("arranged" in note for note in result.notes)
        assert result.correct == correct(result.model, seen)


def test_weights_of_one_start_local_search_as_the_heaviest_it_has():
    """Chains may weigh a wish 1, which is more than local search has."""
    from hassle.learners.auto import _lighter

    heavy = Model.build(("a", "b"), hard=["a | b"], soft=[("a", 1), ("b", "0.2")])
    with pytest.raises(InputError, match="thousandths up to 1"):
        learn(Dataset.build(("a", "b"), [("", "10", 1), ("", "01", 0)]), "sls", start=heavy, steps=5)
    lighter = _lighter(heavy)
    assert [float(soft.weight) for soft in lighter.soft] == [0.999, 0.2]
    assert lighter.hard == heavy.hard
    LocalSearch(start=lighter)
