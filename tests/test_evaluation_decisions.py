"""Decision quality against its definition, over all assignments of few variables."""

from __future__ import annotations

import json
from fractions import Fraction

import naive
import pytest

import hassle
from hassle.cli.main import main
from hassle.errors import InputError, ResourceError
from hassle.evaluation.decisions import decision_quality, random_contexts
from hassle.generate import generate
from hassle.logic import Choice, Number, Schema, YesNo
from hassle.model import Model
from hassle.solve import solve

CHOICES = Schema((Choice("shift", ("early", "night", "off")), Number("staff", 0, 2), YesNo("ana")))
TRUTH = Model.build(
    CHOICES,
    hard=["shift != night | staff >= 1", "at most 2 of shift = early, staff >= 2, ana"],
    soft=[("shift = night", 2), ("ana", "0.5"), ("staff < 2", 1)],
)


def by_definition(model, truth, contexts):
    optimal = infeasible = unanswered = 0
    regrets = []
    for context in contexts:
        answer = solve(model, context)
        best = naive.optima(truth, context)[1]
        if answer is None:
            unanswered += 1
            continue
        match naive.verdict(truth, context, answer.bits):
            case "infeasible":
                infeasible += 1
                continue
            case "optimal":
                optimal += 1
        if best > 0:
            regrets.append(Fraction(best - naive.value(truth, answer.bits)) / Fraction(best))
    return optimal, infeasible, unanswered, regrets


@pytest.mark.parametrize("seed", range(6))
def test_decisions_are_what_the_definition_says(seed):
    model, truth = (generate(6, 4, 4, 5, seed=seed + 50 * k).truth for k in range(2))
    contexts = random_contexts(truth, 12, seed)
    found = decision_quality(model, truth, contexts)
    optimal, infeasible, unanswered, regrets = by_definition(model, truth, contexts)
    assert found.contexts == 12
    assert (found.optimal, found.infeasible) == (Fraction(optimal, 12), Fraction(infeasible, 12))
    assert found.unanswered == Fraction(unanswered, 12)
    assert found.regret == (sum(regrets) / len(regrets) if regrets else None)


def test_the_truth_decides_perfectly():
    for truth in (TRUTH, generate(7, 5, 5, 5, seed=3).truth):
        found = decision_quality(truth, truth, random_contexts(truth, 20))
        assert (found.optimal, found.infeasible, found.unanswered, found.regret) == (1, 0, 0, 0)


def test_random_contexts_are_allowed_and_keep_to_the_domain():
    for truth in (TRUTH, generate(7, 5, 5, 5, seed=3).truth):
        contexts = random_contexts(truth, 30, 1)
        assert len(set(contexts)) > 1
        assert contexts == random_contexts(truth, 30, 1)
        for context in contexts:
            assert context.literals
            assert naive.optima(truth, context)[0]


def test_what_cannot_be_judged_is_told():
    impossible = Model.build("ab", hard=["a", "!a"])
    with pytest.raises(InputError, match="no assignment satisfies"):
        random_contexts(impossible, 3)
    with pytest.raises(InputError, match="at least 1"):
        random_contexts(TRUTH, 0)
    with pytest.raises(ResourceError, match="no context was solved"):
        decision_quality(TRUTH, TRUTH, random_contexts(TRUTH, 3), time_limit=0)


def test_the_command_tells_decisions(tmp_path, capsys):
    TRUTH.write(tmp_path / "truth.json")
    Model(CHOICES).write(tmp_path / "model.json")
    paths = [str(tmp_path / "model.json"), "--truth", str(tmp_path / "truth.json"), "--contexts", "15"]
    assert main(["evaluate", *paths, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    expected = decision_quality(Model(CHOICES), TRUTH, random_contexts(TRUTH, 15)).record()
    assert record["decisions"] == expected
    assert set(expected) == {"optimal", "infeasible", "unanswered", "regret", "contexts"}
    assert main(["evaluate", *paths]) == 0
    assert "Decisions in 15 random contexts" in capsys.readouterr().out
    assert main(["evaluate", *paths[:-1], "0"]) == 2


def test_without_contexts_nothing_is_decided():
    assert "decisions" not in hassle.evaluate(TRUTH, TRUTH).record()
