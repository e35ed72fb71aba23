"""``hassle score``, ``hassle evaluate`` and ``hassle inspect`` at work: their text and every documented JSON key."""

from __future__ import annotations

import json

import pytest

from hassle.cli.main import main

TRUTH = "c var 1 ana\nc var 2 ben\nc var 3 carl\nc unit 1000\nh 1 2 0\n750 -1 0\n250 -2 0\n500 3 0\n"
# The same names in another order, and without the wish for carl.
MODEL = "c var 1 ben\nc var 2 ana\nc var 3 carl\nc unit 1000\nh 1 2 0\n750 -2 0\n250 -1 0\n"
EXAMPLES = "ana,ben,carl,context,label\n0,1,1,,1\n1,0,1,,0\n1,0,0,!ben,+\n0,0,1,!ana,+\n0,1,1,carl,suboptimal\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "truth.wcnf").write_text(TRUTH)
    (tmp_path / "model.wcnf").write_text(MODEL)
    (tmp_path / "examples.csv").write_text(EXAMPLES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *arguments, code=0):
    assert main(list(arguments)) == code
    return capsys.readouterr().out


def run_json(capsys, *arguments):
    output = run(capsys, *arguments, "--json")
    assert output.count("\n") == 1
    return json.loads(output)


def test_score(capsys):
    answer = run_json(capsys, "score", "truth.wcnf", "examples.csv")
    assert (answer["score"], answer["examples"], answer["correct"]) == (0.4, 5, 2)
    assert [(wrong["row"], wrong["line"], wrong["label"], wrong["verdict"]) for wrong in answer["wrong"]] == [
        (3, 4, "positive", "suboptimal"),
        (4, 5, "positive", "infeasible"),
        (5, 6, "suboptimal", "optimal"),
    ]
    assert answer["wrong"][0]["reason"] == "worth 0.25, but 0.75 is possible"
    assert answer["wrong"][0]["better"] == {"ana": 1, "ben": 0, "carl": 1}
    assert answer["wrong"][0]["differences"] == [{"clause": "carl", "gain": 0.5}]
    assert answer["wrong"][1]["reason"] == "breaks ana | ben"


def test_score_explains(capsys):
    brief = run(capsys, "score", "truth.wcnf", "examples.csv")
    assert brief.startswith("Score 40.00%: 2 of 5 examples")
    assert "example 4 (line 5): positive, but the model says infeasible: breaks ana | ben" in brief
    assert "better" not in brief
    full = run(capsys, "score", "truth.wcnf", "examples.csv", "--explain")
    assert "better   101  true: ana, carl" in full
    assert "+0.5" in full


@pytest.mark.parametrize("method", ["table", "counting"])
def test_evaluate(capsys, method):
    answer = run_json(capsys, "evaluate", "model.wcnf", "--truth", "truth.wcnf", "--method", method)
    assert answer["accuracy"] == 7 / 8
    assert (answer["infeasibility"], answer["precision"], answer["recall"]) == (0, 0.5, 1)
    assert answer["f1"] == pytest.approx(2 / 3)
    assert answer["regret"] == answer["regret_exact"] == 0.2
    assert (answer["optima"], answer["true_optima"], answer["method"]) == (2, 1, method)
    assert answer["baseline"]["infeasibility"] == 0.25
    assert answer["reasons"] == {}


def test_evaluate_in_a_context(capsys):
    answer = run_json(capsys, "evaluate", "model.wcnf", "--truth", "truth.wcnf", "-c", "!ana & !ben")
    assert answer["accuracy"] == 1
    assert answer["regret"] is None
    assert "no feasible assignment" in answer["reasons"]["regret"]
    text = run(capsys, "evaluate", "model.wcnf", "--truth", "truth.wcnf", "-c", "!ana & !ben")
    assert "undefined: " in text
    assert "accuracy              1.0000" in text


def test_evaluate_refuses_other_variables(capsys, folder):
    (folder / "other.wcnf").write_text("c var 1 ana\nh 1 0\n")
    assert main(["evaluate", "model.wcnf", "--truth", "other.wcnf"]) == 2
    assert "different variables" in capsys.readouterr().err
