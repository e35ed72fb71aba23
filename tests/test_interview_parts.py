"""The parts of an interview against their slow twins: opinions, values, variations, situations, rules."""

from __future__ import annotations

import itertools

import naive_interview
import numpy as np
import pytest

from hassle import Dataset, Interview, Model
from hassle.generate import random_model
from hassle.generate.arranged import ward
from hassle.interview import ChangeIt, GoodOrBad, Oracle, RuleRight
from hassle.interview.agreement import agrees
from hassle.interview.large import Learned
from hassle.interview.opinions import Opinions
from hassle.interview.polling import decisions_to_change, decisions_to_judge, pairs_to_compare
from hassle.interview.questions import MOST_DIFFERENCES
from hassle.interview.rule_questions import rules_to_confirm
from hassle.interview.situations import Situations, all_completions, new_context
from hassle.interview.thinking import Thinking
from hassle.interview.values import PATIENCE, Polls, expected_gains
from hassle.interview.variations import changed_rule, variations, yielding
from hassle.logic import Context, Schema

CONTEXTS = (Context(()), Context((1,)), Context((-2, 4)))


@pytest.fixture(scope="module")
def members():
    return [random_model(4, 2, 3, np.random.default_rng(seed)) for seed in range(5)]


@pytest.fixture(scope="module")
def opinions(members):
    rows = [all_completions(context, members[0].schema) for context in CONTEXTS]
    return Opinions.of(members, Situations.of(CONTEXTS, rows))


def test_risk_is_what_brute_force_says(members, opinions):
    for m, chooser in enumerate(members):
        for k, truth in enumerate(members):
            assert opinions.infeasibility[m, k] == pytest.approx(
                float(naive_interview.infeasibility(chooser, truth, CONTEXTS))
            )
            assert opinions.regret[m, k] == pytest.approx(float(naive_interview.regret(chooser, truth, CONTEXTS)))


def test_gains_are_what_the_definition_says(opinions):
    rng = np.random.default_rng(3)
    weights = rng.dirichlet(np.ones(5))
    sizes = np.array([2, 3, 4, 3])
    codes = np.array([rng.integers(0, size, 5) for size in sizes])
    gains = expected_gains(Polls(codes, sizes), weights, opinions.risk, 0.1)
    for q, size in enumerate(sizes.tolist()):
        wanted = naive_interview.gain(codes[q].tolist(), size, weights.tolist(), opinions.risk.tolist(), 0.1, PATIENCE)
        assert gains[q] == pytest.approx(wanted)


def test_a_question_on_which_all_agree_is_worth_nothing(opinions):
    polls = Polls(np.zeros((1, 5), dtype=np.int64), np.array([3]))
    assert expected_gains(polls, np.full(5, 0.2), opinions.risk, 0.1)[0] == pytest.approx(0)


def test_a_disagreement_that_changes_no_decision_is_worth_nothing():
    """Two members that weigh a wish differently decide alike everywhere: there is nothing to ask."""
    models = [Model.build("ab", hard=["a | b"], soft=[("a", weight)]) for weight in ("0.3", "0.9")]
    rows = [all_completions(Context(()), models[0].schema)]
    found = Opinions.of(models, Situations.of([Context(())], rows))
    assert not found.risk.any()
    polls = Polls(np.array([[0, 1]]), np.array([2]))
    assert expected_gains(polls, np.full(2, 0.5), found.risk, 0.02)[0] == pytest.approx(0)


def test_members_answer_as_the_oracle_would_with_them_as_truth(members, opinions):
    """The codes of polls, member by member, are the answers of an oracle."""
    weights, schema = np.full(5, 0.2), members[0].schema
    verdicts = ("infeasible", "suboptimal", "good")
    for each in decisions_to_judge(opinions, weights, schema, ()):
        said = [Oracle(member).answer(each.question).value for member in members]
        assert [verdicts[code] for code in each.codes] == said
    for each in pairs_to_compare(opinions, weights, schema, (), np.random.default_rng(0)):
        assert len(each.question.differences) <= MOST_DIFFERENCES
        said = [Oracle(member).answer(each.question).value for member in members]
        assert [("b", "same", "a")[code] for code in each.codes] == said
    for each in decisions_to_change(opinions, weights, schema, ()):
        assert isinstance(each.question, ChangeIt)
        assert each.size == len(set(each.codes.tolist()))


def test_an_oracle_agrees_with_its_own_model(members, opinions):
    weights, schema = np.full(5, 0.2), members[0].schema
    candidates = decisions_to_judge(opinions, weights, schema, ()) + decisions_to_change(opinions, weights, schema, ())
    for member in members:
        for each in candidates:
            assert agrees(member, Oracle(member).answer(each.question))


def test_new_contexts_are_like_those_seen():
    schema = Schema.of("abcdef")
    seen = [Context((1, -2)), Context((-3, 4)), Context((1, 5))]
    rng = np.random.default_rng(0)

    def often(seen: list[Context], literal: int) -> int:
        drawn = [new_context(seen, schema, rng) for _ in range(400)]
        assert {len(context.literals) for context in drawn} == {2}
        return sum(literal in context.literals for context in drawn)

    few, many = seen, 40 * seen
    assert often(many, 1) > 3 * often(many, -1)
    # Three contexts do not tell that f is never given.
    assert often(few, 6) > 2 * often(many, 6) > 0
    assert often(few, 1) > often(few, 6)


def share_of_harmless(seen: list[str]) -> float:
    """How many of the situations drawn allow what is best with nothing given: a, b, c and d, all done."""
    model = Model.build("abcd", soft=[(name, "0.5") for name in "abcd"])
    thinking = Thinking.about(Dataset.build("abcd", []), None, seen, 0, by_clock=False)
    drawn = itertools.islice(thinking.situations(np.random.default_rng(0), model), 300)
    return sum(bool(context.holds(np.ones((1, 4), dtype=np.uint8)).any()) for context in drawn) / 300


def test_situations_stand_in_the_way_of_what_is_best_as_often_as_those_seen():
    in_the_way = ["a & !b", "!a & c", "b & !d", "!c & d"] * 5
    assert share_of_harmless(in_the_way) < 0.1
    assert share_of_harmless([*in_the_way, *["a & b", "c & d", "a & d", "b & c"] * 5]) > 0.2
    assert share_of_harmless([]) > 0.2


def test_a_check_asks_for_a_good_decision_where_kinds_allow_it():
    data = Dataset.build("ab", [("", "10", 1), ("", "11", 0), ("", "00", 0), ("", "01", 0)])
    sure = (1.0, 1.0)
    assert isinstance(Interview(data, background=False, target=sure).next(), ChangeIt)
    only = Interview(data, background=False, target=sure, kinds=["good-or-bad", "a-or-b"])
    assert isinstance(only.next(), GoodOrBad)


def test_variations_change_one_rule_and_allow_the_positives():
    model = Model.build("abc", hard=["a | b", "!c"], soft=[("a", "0.5"), ("b", "0.2")])
    positives = np.array([[1, 0, 0], [0, 1, 0]], dtype=np.uint8)
    found = variations(model, positives, 50, np.random.default_rng(0))
    assert found[0] == model
    assert len(found) > 6
    for member in found[1:]:
        assert changed_rule(model, member) is not None
        assert len(set(model.rules) - set(member.rules)) == 1
        assert member.feasible(positives).all()


def test_rules_give_way_only_where_they_must():
    model = Model.build("abc", hard=["a | b", "!c", "!a"], soft=[("a", "0.9"), ("c", "-0.5")])
    gives = yielding(model)
    assert gives.solve() == model.solve()
    assert model.solve("!b") is None
    best = gives.solve("!b")  # of two ways to break one rule the one that is worth more
    assert (best["a"], best["b"], best["c"]) == (1, 0, 0)


def test_where_the_model_has_no_plan_one_is_asked_for(monkeypatch):
    names = [f"v{k}" for k in range(12)]
    truth = Model.build(names, hard=["v0 | v1"], soft=[("v2", 1)])
    strict = Model.build(names, hard=["v0 | v1", "!v0", "!v1"], soft=[("v2", 1)])
    monkeypatch.setattr("hassle.interview.thinking.learned_from", lambda *_: Learned(0, strict))
    interview = Interview(names, contexts=["v3", "!v3"], seed=1, background=False)
    question = interview.next()
    assert isinstance(question, ChangeIt)
    assert strict.solve(question.context) is None
    answer = Oracle(truth).answer(question)
    assert truth.verdict(answer.changed or question.assignment, question.context) == "optimal"
    interview.answer(answer)
    assert interview.next().context != question.context


def test_a_rule_is_asked_about_where_somebody_would_break_it():
    base = Model.build("abc", hard=["a | b"], soft=[("!a", "0.5"), ("!b", "0.4")])
    without = Model.build("abc", soft=[("!a", "0.5"), ("!b", "0.4")])
    rows = [all_completions(Context(()), base.schema)]
    found = Opinions.of([base, without], Situations.of([Context(())], rows))
    positives = np.array([[0, 1, 0], [0, 1, 1]], dtype=np.uint8)
    (asked,) = rules_to_confirm([base, without], found, np.full(2, 0.5), positives, base.schema, ())
    question = asked.question
    assert isinstance(question, RuleRight)
    assert (question.kept, question.broken) == (2, 0)
    assert not base.feasible(np.array([question.forbidden.bits], dtype=np.uint8))[0]
    assert [("always", "usually", "no")[code] for code in asked.codes] == ["always", "no"]
    assert Oracle(base).answer(question).value == "always"
    assert Oracle(without).answer(question).value == "no"


def test_from_the_schema_of_a_ward_the_first_question_is_for_a_good_plan():
    truth = ward(4, 3, 2, np.random.default_rng(1)).truth
    interview = Interview(truth.schema, seed=1, background=False)
    question = interview.next()
    assert isinstance(question, ChangeIt)
    answer = Oracle(truth).answer(question)
    if answer.changed is not None:
        assert truth.verdict(answer.changed, question.context) == "optimal"
    assert interview.done is None


@pytest.mark.slow
def test_a_ward_is_learned_from_changed_plans():
    made = ward(4, 3, 2, np.random.default_rng(1))
    situations = [made.situation(np.random.default_rng(k)) for k in range(20)]
    interview = Interview(made.truth.schema, contexts=situations, seed=1, background=False)
    oracle = Oracle(made.truth)
    for _ in range(25):
        interview.answer(oracle.answer(interview.next()))
    feasible = [context for context in situations if made.truth.solve(context) is not None]
    verdicts = [made.truth.verdict(best, where) for where in feasible if (best := interview.model.solve(where))]
    assert verdicts.count("infeasible") <= len(verdicts) / 2
    assert isinstance(interview.data, Dataset)
