"""What chains drew is taught to one model: lessons are the votes, and what is chosen answers as they do."""

from __future__ import annotations

import naive
import numpy as np
import pytest

from hassle.data import Dataset, Label
from hassle.evaluation.decisions import decision_quality
from hassle.generate import generate, random_model
from hassle.generate.contexts import draw_contexts
from hassle.learners import learn
from hassle.learners.statistical import teaching
from hassle.learners.statistical.problem import make_problem
from hassle.learners.statistical.teaching import ANSWERED, AS_GOOD, CAREFUL, DISPUTED, WEIGHT, lessons, new_contexts
from hassle.logic import EMPTY, as_schema
from hassle.model import Model


def lessons_for(data, models):
    return lessons(models, new_contexts(data, np.random.default_rng(0)), data.schema)


def votes(models, context):
    """For each assignment, which share of the models with an answer call it best; what it is worth, as the others may
    say that it breaks a rule; and how many have an answer.
    """
    found = [(naive.optima(model, context)[0], model) for model in models]
    answering = [(best, model) for best, model in found if best]
    share = {
        bits: sum(bits in best for best, _ in answering) / len(answering) for each, _ in answering for bits in each
    }
    worth = {
        bits: part - CAREFUL * np.mean([not naive.feasible(model, context, bits) for _, model in answering])
        for bits, part in share.items()
    }
    return share, worth, len(answering)


def test_lessons_are_the_votes():
    data = generate(6, 3, 3, 20, seed=2).data
    rng = np.random.default_rng(3)
    models = [random_model(6, 4, 3, rng) for _ in range(7)]
    found = lessons_for(data, models)
    assert len(found) > 50
    assert not set(found.contexts) & set(data.contexts)
    assert EMPTY in found.contexts
    taught = {context: {} for context in found.contexts}
    for example, weight in zip(found, found.weights.tolist(), strict=True):
        taught[example.context][tuple(int(bit) for bit in example.assignment.bits)] = (example.label, weight)
    for context, said in taught.items():
        share, worth, answering = votes(models, context)
        assert answering >= ANSWERED * len(models)
        most = max(worth.values())
        wanted = {}
        for bits, part in share.items():
            if worth[bits] > 0 and worth[bits] >= AS_GOOD * most:
                wanted[bits] = (Label.POSITIVE, WEIGHT * part)
            elif part > DISPUTED:
                wanted[bits] = (Label.NEGATIVE, WEIGHT * (1 - part))
        assert said.keys() == wanted.keys()
        for bits, (label, weight) in wanted.items():
            assert said[bits][0] == label
            assert said[bits][1] == pytest.approx(weight)


def test_what_a_few_take_to_break_a_rule_is_no_good_example():
    """Nine of ten call it best, and one in ten would forbid it: one with fewer votes that all allow is safer."""
    schema = as_schema("ab")
    most = Model.build(schema, soft=[("a", "0.5"), ("b", "0.4")])
    one = Model.build(schema, hard=["!a | !b"], soft=[("a", "0.5"), ("b", "0.4")])
    found = lessons([most] * 9 + [one], [EMPTY], schema)
    assert {example.assignment.bits: example.label for example in found} == {
        (1, 1): Label.NEGATIVE,
        (1, 0): Label.POSITIVE,
    }


def test_models_that_agree_teach_what_they_say_and_nothing_else():
    data = generate(6, 3, 3, 20, seed=2).data
    model = random_model(6, 3, 3, np.random.default_rng(1))
    found = lessons_for(data, [model] * 3)
    assert found.positive.all()
    for context in found.contexts:
        best = {tuple(int(bit) for bit in example.assignment.bits) for example in found if example.context == context}
        assert best == set(naive.optima(model, context)[0])


def test_without_contexts_there_are_no_lessons():
    data = Dataset.build("abc", [("", (1, 0, 1), 1), ("", (0, 0, 0), 0)])
    model = random_model(3, 1, 1, np.random.default_rng(0))
    assert not len(lessons_for(data, [model]))
    assert learn(data, steps=500).score == 1.0


def test_lessons_are_drawn_and_nobody_recorded_their_contexts():
    """Examples stay what they are; beside a lesson no context has neighbours, and its weight is its own."""
    data = generate(6, 3, 3, 20, seed=2).data
    more = lessons_for(data, [random_model(6, 3, 3, np.random.default_rng(1))])
    plain = make_problem(data, np.random.default_rng(0))
    both = make_problem(data, np.random.default_rng(0), lessons=more)
    assert plain.cases.neighbours > 0
    assert both.cases.neighbours == 0
    assert both.cases.drawn.sum() == pytest.approx(plain.cases.drawn.sum() + more.weights.sum())
    assert both.cases.fewest == plain.cases.fewest


def test_what_was_taught_is_chosen_only_if_it_explains_as_much(monkeypatch):
    """A pupil that unlearns the examples is no candidate, whatever the votes say of it."""
    data = generate(6, 4, 4, 40, seed=3).data
    known = learn(data, "statistical", steps=40_000, seed=1)
    assert known.score == 1.0
    original = teaching.taught

    def spoiled(*given):
        return [type(state)(state.constraints[:1]) for state in original(*given)]

    monkeypatch.setattr(teaching, "taught", spoiled)
    assert learn(data, "statistical", steps=40_000, seed=1).score == 1.0


@pytest.mark.slow
def test_one_taught_model_answers_better_than_any_draw(monkeypatch):
    gains = []
    for seed in range(700, 706):
        made = generate(8, 10, 10, 100, allow_fewer=True, seed=seed)
        data = made.data.subset(np.flatnonzero(made.data.positive))
        fresh = draw_contexts(made.truth, 200, np.random.default_rng(seed)).contexts
        with_lessons = learn(data, "statistical", steps=400_000, seed=seed).model
        with monkeypatch.context() as patch:
            patch.setattr(teaching, "taught", lambda *_: [])
            without = learn(data, "statistical", steps=400_000, seed=seed).model
        shares = [float(decision_quality(model, made.truth, fresh).optimal) for model in (with_lessons, without)]
        gains.append(shares[0] - shares[1])
    assert np.mean(gains) > 0


def test_a_run_that_is_interrupted_while_it_teaches_keeps_what_it_explains(monkeypatch):
    data = generate(6, 4, 4, 40, seed=3).data

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(teaching, "taught", interrupted)
    result = learn(data, "statistical", steps=40_000, seed=1)
    assert result.stopped == "interrupted"
    assert result.score == 1.0
    assert result.learner == "statistical"
