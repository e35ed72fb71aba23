"""``hassle ask`` at work: by keystrokes, by a known model, by lines of JSON; saved at every answer."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest

from hassle import Dataset, Interview
from hassle.cli.asking import changed_decision, question_text
from hassle.cli.main import main
from hassle.interview.questions import AOrB, ChangeIt
from hassle.logic import EMPTY, Assignment

MODEL = "c var 1 ana\nc var 2 ben\nc var 3 carl\nc unit 1000\nh 1 2 0\n750 -1 0\n400 3 0\n"
EXAMPLES = "ana,ben,carl,context,label\n0,1,1,,1\n1,0,0,,0\n1,0,1,!ben,1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "truth.wcnf").write_text(MODEL)
    (tmp_path / "plans.csv").write_text(EXAMPLES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(monkeypatch, typed: str, *arguments: str) -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    return main(["ask", *arguments])


def test_a_known_model_answers(capsys, monkeypatch):
    said = run(monkeypatch, "", "plans.csv", "--oracle", "truth.wcnf", "--questions", "3", "-m", "model.json", "--json")
    assert said == 0
    result = json.loads(capsys.readouterr().out)
    assert result["ended"] in ("questions", "sure")
    assert result["record"] == "plans.answers.jsonl"
    assert result["answers"] <= 3
    assert main(["show", "model.json"]) == 0


def test_keys_answer_and_everything_is_saved(capsys, monkeypatch, folder):
    assert run(monkeypatch, "?\n!\n?\nz\n?\nq\n", "plans.csv", "-o", "record.jsonl") == 0
    printed = capsys.readouterr().out
    assert "[?] I don't know" in printed
    assert "The keys are" in printed
    assert "taken back" in printed
    assert "expected to be infeasible in" in printed
    assert len(Interview.resume("record.jsonl").answers) == 2
    assert len(Dataset.read("record.jsonl")) == 3
    # The same command goes on, and the end of the input ends it.
    assert run(monkeypatch, "?\n", "plans.csv", "-o", "record.jsonl") == 0
    assert "going on after 2 answers" in capsys.readouterr().err
    assert len(Interview.resume("record.jsonl").answers) == 3


def test_programs_ask_by_lines(capsys, monkeypatch):
    lines = ['{"answer": "perhaps"}', "no json", "[]", '{"answer": "unknown"}', '{"undo": true}', '{"quit": true}']
    assert run(monkeypatch, "\n".join(lines), "plans.csv", "--json") == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [next(iter(line)) for line in printed] == [
        *("number", "error", "number", "error", "number", "error", "number", "number", "number", "ended"),
    ]
    questions = [line["question"] for line in printed if "question" in line]
    assert questions[0] == questions[1] == questions[2] == questions[3] == questions[5] != questions[4]
    assert printed[-1]["answers"] == 0


@pytest.mark.slow
def test_killed_at_every_question_nothing_is_lost(folder):
    """A process that is killed while a question stands has saved every answer before it."""
    for count in range(4):
        command = [sys.executable, "-m", "hassle", "ask", "plans.csv", "--json"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
            assert process.stdout is not None
            assert process.stdin is not None
            assert json.loads(process.stdout.readline())["number"] == count + 1
            process.stdin.write('{"answer": "unknown"}\n')
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["number"] == count + 2
            process.kill()
        assert len(Interview.resume(folder / "plans.answers.jsonl").answers) == count + 1


def test_from_a_schema_alone(capsys, monkeypatch, folder):
    Dataset.read("plans.csv").schema.write("plans.toml")
    assert run(monkeypatch, "?\n?\nq\n", "plans.toml") == 0
    assert "With nothing given" in capsys.readouterr().out or len(Interview.resume("plans.answers.jsonl").answers) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plans.csv", "-o", "truth.wcnf"], "no record of an interview"),
        (["plans.csv", "--wrong", "0.1"], "--wrong is for"),
        (["plans.csv", "--kind", "riddle"], "no kind of question"),
        (["-", "--oracle", "truth.wcnf"], "no place for the answers"),
        (["plans.csv", "-o", "nowhere/record.jsonl"], "no directory"),
        (["nothing.csv"], "nothing.csv"),
    ],
)
def test_bad_input_is_one_line(capsys, monkeypatch, arguments, message):
    assert run(monkeypatch, "", *arguments) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_what_differs_is_marked():
    names = ("ana_mon_early", "ana_mon_night", "ben_mon_early", "ben_mon_night")
    first, second = Assignment.of(names, [1, 0, 0, 1]), Assignment.of(names, [0, 1, 0, 1])
    text = question_text(AOrB(EMPTY, first, second))
    assert "ana_mon_early: 1 | 0" in text
    assert "ben_mon_night:" not in text


def test_changes_are_typed_by_name():
    question = ChangeIt(EMPTY, Assignment.of(("ana", "ben"), [1, 0]))
    assert changed_decision(question, "ana, ben=1") == {"ana": 0, "ben": "1"}
