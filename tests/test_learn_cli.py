"""`hassle learn` from the outside: files, JSON, options, Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import nullcontext

import pytest

from hassle import learners
from hassle.cli.learn import progress_line
from hassle.cli.main import main
from hassle.generate import generate
from hassle.learners import Progress
from hassle.learners.ranking import explaining_model
from hassle.model import Model
from hassle.solve import agrees, verdicts


@pytest.fixture(scope="module")
def problem():
    return generate(5, 3, 3, 12, seed=4)


@pytest.fixture
def folder(problem, tmp_path, monkeypatch):
    problem.data.write(tmp_path / "examples.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def learn(*options):
    return main(["learn", "examples.csv", "--learner", "sls", *options])


@pytest.mark.parametrize("name", ["model.wcnf", "model.json"])
def test_the_written_model_has_the_reported_score(folder, problem, capsys, name):
    assert learn("-o", name, "--steps", "300", "--constraints", "8", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    model = Model.read(folder / name)
    assert agrees(verdicts(model, problem.data), problem.data).sum() == record["correct"]
    assert record["score"] == record["correct"] / record["examples"]
    assert (record["hard"], record["soft"]) == (len(model.hard), len(model.soft))
    assert record["learner"] == "sls"


def test_the_text_shows_the_model_unless_it_is_written(folder, capsys):
    assert learn("--steps", "5") == 0
    assert "Rules, which always hold" in capsys.readouterr().out
    assert learn("--steps", "5", "-o", "model.wcnf") == 0
    assert "Rules, which always hold" not in capsys.readouterr().out


def test_a_model_on_stdout_is_all_there_is(folder, capsys):
    assert learn("--steps", "5", "-o", "-") == 0
    (folder / "again.wcnf").write_text(capsys.readouterr().out)
    assert Model.read(folder / "again.wcnf").variables == tuple(f"x{i}" for i in range(1, 6))


def test_json_and_a_model_on_stdout_are_one_object(folder, capsys):
    assert learn("--steps", "5", "-o", "-", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["model"]["format"] == "hassle-model"


def test_a_model_says_how_it_was_learned(folder, capsys):
    for learner in ("sls", "cuts", "auto"):
        assert main(["learn", "examples.csv", "--learner", learner, "--steps", "5", "-o", "model.json", "--json"]) == 0
        record = json.loads(capsys.readouterr().out)
        about = Model.read(folder / "model.json").about
        assert {name: about[name] for name in ("learner", "score", "seed")} == {
            name: record[name] for name in ("learner", "score", "seed")
        }


def test_a_committee_that_the_file_cannot_hold_is_not_lost_in_silence(folder, capsys):
    options = ["--learner", "auto", "--committee", "3", "--steps", "20000"]
    for name, warned in (("model.wcnf", True), ("model.json", False)):
        assert main(["learn", "examples.csv", *options, "-o", name]) == 0
        assert ("cannot hold the committee" in capsys.readouterr().err) == warned


def test_the_seed_decides_and_the_jobs_do_not(folder, capsys):
    models = []
    for seed, jobs in ((3, 1), (3, 2), (4, 1)):
        assert learn("--steps", "8", "--constraints", "5", "--seed", str(seed), "--jobs", str(jobs), "--json") == 0
        record = json.loads(capsys.readouterr().out)
        models.append((record["model"]["hard"], record["model"]["soft"]))
    assert models[0] == models[1] != models[2]


def test_contexts_can_be_hidden(folder, problem, capsys):
    assert learn("-o", "model.wcnf", "--steps", "50", "--no-contexts", "--json") == 0
    hidden = problem.data.without_contexts()
    model = Model.read(folder / "model.wcnf")
    assert agrees(verdicts(model, hidden), hidden).sum() == json.loads(capsys.readouterr().out)["correct"]


@pytest.mark.parametrize(
    "options",
    [
        ["--strategy", "tabu"],
        ["--neighbourhood", "wide"],
        ["--constraints", "0"],
        ["--constraints", "5000"],
        ["--target-score", "1.5"],
        ["--learner", "magic"],
    ],
)
def test_bad_options_are_one_line_and_exit_2(folder, capsys, options):
    assert learn(*options, "--steps", "1") == 2
    assert capsys.readouterr().err.strip().count("\n") == 0


def test_ctrl_c_writes_the_best_so_far_and_exits_130(folder, capsys, monkeypatch):
    # Contradictory, so that no model ends the run before the interrupt.
    (folder / "examples.csv").write_text("a,b,label\n1,0,1\n1,0,0\n0,1,1\n")

    def press(progress):
        if progress.steps:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("hassle.cli.learn.shown_progress", lambda: nullcontext(press))
    assert learn("-o", "model.wcnf", "--time-limit", "100") == 130
    assert "interrupted" in capsys.readouterr().out
    assert Model.read(folder / "model.wcnf").variables == ("a", "b")


def test_ctrl_c_while_all_assignments_are_ranked_keeps_the_model(folder, capsys, monkeypatch):
    (folder / "examples.csv").write_text("a,b,label\n1,0,1\n1,0,0\n0,1,1\n")

    def press(data, time_limit):
        explaining_model(data, time_limit)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("hassle.learners.ranking.explaining_model", press)
    assert main(["learn", "examples.csv", "-o", "model.wcnf", "--time-limit", "4"]) == 130
    assert "interrupted" in capsys.readouterr().out
    assert Model.read(folder / "model.wcnf").variables == ("a", "b")


def test_ctrl_c_while_the_model_is_scored_anew_keeps_it(folder, capsys, monkeypatch):
    original, pressed = learners.confirm, []

    def press_once(*given):
        if not pressed:
            pressed.append(True)
            raise KeyboardInterrupt
        return original(*given)

    monkeypatch.setattr(learners, "confirm", press_once)
    assert learn("-o", "model.wcnf", "--steps", "5") == 130
    assert Model.read(folder / "model.wcnf").variables == tuple(f"x{i}" for i in range(1, 6))


def test_no_examples_is_bad_input(folder, capsys):
    (folder / "examples.csv").write_text("a,b,label\n")
    assert learn("--steps", "1") == 2
    assert capsys.readouterr().err.strip().count("\n") == 0


def test_progress_says_score_speed_and_time_left():
    line = progress_line(Progress(2.0, 8.0, 90, 100, steps=10, neighbours=5000))
    assert line == "score 0.9000, 2,500 neighbours/s, 8 s left"
    assert progress_line(Progress(1.0, 9.0, 0, 100, note="slow")) == "slow"


@pytest.mark.parametrize(("former", "present"), [("convex", "statistical"), ("large", "cuts")])
def test_former_names_of_learners_are_understood_and_told_once(former, present, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b,label\n1,0,1\n0,0,0\n")
    run = subprocess.run(
        [sys.executable, "-m", "hassle", "learn", str(path), "--learner", former, "--steps", "50", "--json"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0
    assert json.loads(run.stdout)["learner"] == present
    assert run.stderr.count(f"the learner {former!r} is called {present!r} now") == 1
