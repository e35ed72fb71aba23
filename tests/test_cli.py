"""The commands at work, run in the same process; every ``--json`` key that other programs rely on."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest

from hassle.cli.main import COMMANDS, main
from hassle.data import Dataset
from hassle.model import Model

MODEL = "c var 1 ana\nc var 2 ben\nc var 3 carl\nc unit 1000\nh 1 2 0\n750 -1 0\n250 -2 0\n500 3 0\n"
EXAMPLES = "ana,ben,carl,context,label\n0,1,1,,1\n1,0,1,,0\n1,0,1,!ben,+\n0,0,1,!ana,infeasible\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "model.wcnf").write_text(MODEL)
    (tmp_path / "examples.csv").write_text(EXAMPLES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *arguments, code=0):
    assert main(list(arguments)) == code
    return capsys.readouterr().out


def run_json(capsys, *arguments, code=0):
    output = run(capsys, *arguments, "--json", code=code)
    assert output.count("\n") == 1
    return json.loads(output)


def test_solve_gives_the_best_assignment(capsys):
    answer = run_json(capsys, "solve", "model.wcnf")
    assert answer["status"] == "optimal"
    assert answer["value"] == 1.25
    assert answer["assignments"] == [{"ana": 0, "ben": 1, "carl": 1}]
    assert [soft["satisfied"] for soft in answer["soft"]] == [True, False, True]


def test_solve_respects_the_context(capsys):
    assert run_json(capsys, "solve", "model.wcnf", "--context", "!ben")["assignments"] == [
        {"ana": 1, "ben": 0, "carl": 1}
    ]
    text = run(capsys, "solve", "model.wcnf", "-c", "!ben")
    assert "Best value 0.75 where !ben" in text
    assert "lost    0.75  not ana" in text


def test_solve_says_no_with_exit_code_1(capsys):
    answer = run_json(capsys, "solve", "model.wcnf", "--context", "!ana & !ben", code=1)
    assert answer["status"] == "infeasible"
    assert answer["value"] is None
    assert answer["assignments"] == []


@pytest.mark.parametrize("all_", [["--all"], ["--all", "5"], ["--all=5"]])
def test_solve_lists_all_best_assignments(capsys, folder, all_):
    (folder / "free.wcnf").write_text("h 1 2 0\n")
    answer = run_json(capsys, "solve", "free.wcnf", *all_)
    assert answer["count"] == 3
    assert answer["complete"]
    assert len(answer["assignments"]) == 3


def test_a_seed_draws_the_same_assignments(capsys, folder):
    (folder / "free.wcnf").write_text("h 1 2 3 4 5 6 0\n")
    draws = [run_json(capsys, "solve", "free.wcnf", "--all", "4", "--seed", str(seed)) for seed in (1, 1, 2)]
    assert draws[0]["assignments"] == draws[1]["assignments"] != draws[2]["assignments"]
    assert draws[0]["count"] == 63
    assert not draws[0]["complete"]


def test_label_gives_a_verdict_per_example(capsys):
    expected = ["optimal", "suboptimal", "optimal", "infeasible"]
    assert run_json(capsys, "label", "model.wcnf", "examples.csv")["verdicts"] == expected
    assert run(capsys, "label", "model.wcnf", "examples.csv").split() == expected


def test_show_speaks_in_words_and_in_clauses(capsys):
    assert "at least one of ana or ben" in run(capsys, "show", "model.wcnf")
    assert "hard  ana | ben" in run(capsys, "show", "model.wcnf", "--clauses")
    shown = run_json(capsys, "show", "model.wcnf")
    assert shown["hard"] == [["ana", "ben"]]
    assert shown["soft"][0] == {"clause": ["!ana"], "weight": 0.75}


def test_convert_loses_nothing(capsys):
    run(capsys, "convert", "model.wcnf", "model.json")
    run(capsys, "convert", "model.json", "again.wcnf")
    assert Model.read("again.wcnf") == Model.read("model.wcnf")
    run(capsys, "convert", "examples.csv", "examples.jsonl")
    run(capsys, "convert", "examples.jsonl", "again.csv")
    assert Dataset.read("again.csv") == Dataset.read("examples.csv")


def test_a_dash_is_stdin_and_stdout(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(MODEL.encode())))
    assert "h 1 2 0" in run(capsys, "convert", "-", "-")


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        (["examples.csv", "-"], "context,ana"),
        (["examples.csv", "-", "--to", "jsonl"], '{"variables"'),
        (["model.wcnf", "-", "--to", "json"], "{"),
        (["model.wcnf", "-", "--to", ".wcnf"], "c unit"),
        (["model.wcnf", "-"], "c unit"),
    ],
)
def test_every_format_can_go_to_stdout(capsys, arguments, start):
    assert run(capsys, "convert", *arguments).startswith(start)


def test_label_says_how_it_solves():
    command = [sys.executable, "-m", "hassle", "label", "model.wcnf", "examples.csv", "-v"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "3 of 3 contexts: solver table" in done.stderr


@pytest.mark.parametrize("command", [name.replace("_", "-") for name in COMMANDS])
def test_every_command_has_help_with_an_example_and_json(capsys, command):
    text = run(capsys, command, "--help")
    assert f"hassle {command}" in text.partition("Example:")[2]
    assert "--json" in text


def test_generate_then_label_agrees_with_the_labels(capsys, folder):
    run(capsys, "generate", "-o", "out", "--variables", "6", "--hard", "3", "--soft", "3", "--contexts", "10")
    data = Dataset.read(folder / "out" / "examples.csv")
    verdicts = run_json(capsys, "label", "out/truth.wcnf", "out/examples.csv")["verdicts"]
    assert [verdict == "optimal" for verdict in verdicts] == data.positive.tolist()


def test_demo_learns_shows_and_plans_a_new_context(capsys):
    from hassle.bundled import ward_examples, ward_truth
    from hassle.cli.demo import NEW_CONTEXT
    from hassle.logic import Context
    from hassle.solve import verdicts

    text = run(capsys, "demo", "--time-limit", "4")  # tests/test_documented_keys.py looks at what it says as JSON
    assert "Rules, learned and true" in text
    assert "for every nurse and day: at most 1 shift" in text
    assert "What had to give" in text
    data, truth = ward_examples(), ward_truth()
    assert Context.parse(NEW_CONTEXT, data.schema) not in data.contexts
    assert ((verdicts(truth, data) == 2) == data.positive).all()


def test_verbose_names_the_chosen_solver():
    command = [sys.executable, "-m", "hassle", "solve", "model.wcnf", "-v"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "solver table" in done.stderr


def test_the_reader_of_the_output_may_leave():
    command = f"{sys.executable} -m hassle solve model.wcnf --all | head -n 0"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert done.stderr == ""


def test_the_version_is_printed(capsys):
    assert run(capsys, "--version").startswith("hassle 0")
