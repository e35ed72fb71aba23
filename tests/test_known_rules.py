"""Known rules: respected, never learned, and what contradicts them is told."""

from __future__ import annotations

import json

import naive
import pytest

from hassle.cli.main import main
from hassle.data import Dataset
from hassle.errors import InputError
from hassle.files.rules import read_rules
from hassle.generate import generate
from hassle.learners import learn
from hassle.logic import EMPTY
from hassle.model import Model


@pytest.mark.parametrize("learner", ["auto", "statistical", "sls"])
def test_the_model_holds_what_is_known_and_explains_the_rest(learner):
    problem = generate(6, 3, 3, 40, seed=2)
    known = Model.from_units(problem.truth.schema, problem.truth.hard[:2])
    result = learn(problem.data, learner, steps=3000, known=known)
    assert result.model.rules[:2] == known.rules
    assert result.examples == len(problem.data)
    right = [
        (naive.verdict(result.model, example.context, example.assignment.bits) == "optimal")
        == (example.label == "positive")
        for example in problem.data
    ]
    assert result.correct == sum(right)
    assert result.score > 0.95


def test_positives_that_break_a_known_rule_are_listed_and_set_aside():
    data = Dataset.build("ab", [("", "11", 1), ("", "10", 1), ("", "01", 0), ("", "00", 0)])
    result = learn(data, steps=2000, known=Model.build("ab", hard=["b"]))
    [note] = [note for note in result.notes if "known rule" in note]
    assert note == "1 positive breaks a known rule and was set aside (example 2)"
    assert result.correct == 3  # the rule wins
    assert all(bits[1] for bits in naive.optima(result.model, EMPTY)[0])


def test_what_cannot_be_known_is_refused():
    data = Dataset.build("ab", [("", "11", 1), ("", "00", 0)])
    with pytest.raises(InputError, match="every example breaks"):
        learn(data, known=Model.build("ab", hard=["a", "!b"]))


def test_rules_come_from_a_file(tmp_path, capsys):
    rules, examples = tmp_path / "rules.txt", tmp_path / "examples.csv"
    examples.write_text("a,b,c,label\n1,1,0,good\n1,0,1,bad\n0,1,1,good\n0,0,1,bad\n")
    rules.write_text("# what everybody knows\nmust b\n\nmust at most 2 of a, b, c\n")
    assert main(["learn", str(examples), "--known", str(rules), "--steps", "2000", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["model"]["hard"][:2] == [["b"], ["!a", "!b", "!c"]]
    assert record["score"] == 1


def test_rules_may_say_if(tmp_path):
    rules, examples = tmp_path / "rules.txt", tmp_path / "examples.csv"
    examples.write_text("shift,staff,guests,label\nnight,1,x,good\noff,0,,good\nnight,2,,bad\n")
    rules.write_text("must shift = off -> staff = 0\n0.5 guests -> staff >= 1\n")
    schema = Dataset.read(examples).schema
    known = Model.build(schema, ["shift != off | staff < 1"], [("!guests | staff >= 1", 0.5)])
    assert read_rules(rules, schema) == known


def test_rules_are_known_in_every_fold(tmp_path, capsys):
    rules, examples = tmp_path / "rules.txt", tmp_path / "examples.csv"
    rows = ["1,1,a,good", "1,0,a,bad", "0,1,!a,good", "0,0,!a,bad"]
    examples.write_text("\n".join(["a,b,context,label", *rows, ""]))
    rules.write_text("must b\n")
    asked = ["crossval", str(examples), "--folds", "2", "--steps", "500", "--json", "--known"]
    assert main([*asked, str(rules)]) == 0
    assert json.loads(capsys.readouterr().out)["score"] == 1
    assert main([*asked, str(tmp_path / "nowhere.txt")]) == 2
    assert "there is no such file" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# none\n", "there are no rules"),
        ("must b\nshould a\n", "rules.txt:2: 'should a' is no rule"),
        ("must nobody\n", "rules.txt:1: context 'nobody', column 1: unknown"),
        ("must for every day: works[day]\n", "rules.txt:1:"),
    ],
)
def test_bad_rules_are_told_with_their_line(tmp_path, capsys, text, message):
    rules, examples = tmp_path / "rules.txt", tmp_path / "examples.csv"
    examples.write_text("a,b,label\n1,1,good\n0,1,bad\n")
    rules.write_text(text)
    assert main(["learn", str(examples), "--known", str(rules)]) == 2
    assert message in capsys.readouterr().err


def test_what_is_shown_can_be_read(tmp_path, capsys):
    model = Model.build("abc", hard=["a | !b", "at least 2 of a, b, c"], soft=[("!c", "0.25")])
    model.write(tmp_path / "model.json")
    assert main(["show", str(tmp_path / "model.json"), "--rules"]) == 0
    (tmp_path / "rules.txt").write_text(capsys.readouterr().out)
    assert read_rules(tmp_path / "rules.txt", model.schema) == model
