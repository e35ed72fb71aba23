"""Full disks, read-only folders, clocks that jump, processes killed at any moment: what was said to be saved is there.

Real file systems are mounted where that is allowed (as root); the errors themselves are also made by hand elsewhere
(``test_files_robust``). Killed experiments and interviews: ``test_experiments``, ``test_ask_cli``; clusters that go
away: ``test_cluster``.
"""

from __future__ import annotations

import ast
import json
import os
import random
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

import hassle
from hassle.cli.main import main
from hassle.errors import InputError
from hassle.generate import generate
from hassle.interview import Answer, Interview
from hassle.model import Model

MADE = generate(6, 3, 3, 10, seed=0)
SOURCE = Path(hassle.__file__).parent


@contextmanager
def mounted(folder: Path, options: str):
    """A small file system of its own in the memory."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True)
    except FileNotFoundError:
        pytest.skip("nothing can be mounted here")
    if done.returncode:
        pytest.skip("mounting takes more rights than these")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(disk: Path) -> None:
    """Until not a byte is free."""
    with open(disk / "filler", "wb", buffering=0) as filler:
        while True:
            try:
                filler.write(bytes(4096))
            except OSError:
                break


@pytest.fixture
def disk(tmp_path, monkeypatch):
    """A disk with examples and a model; what cannot be written there is rescued to where the command runs."""
    monkeypatch.chdir(tmp_path)
    with mounted(tmp_path / "disk", "size=128k") as disk:
        MADE.data.write(disk / "examples.csv")
        MADE.truth.write(disk / "model.json")
        yield disk


@pytest.fixture
def read_only(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with mounted(tmp_path / "disk", "size=1m") as disk:
        MADE.data.write(disk / "examples.csv")
        MADE.truth.write(disk / "model.json")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        yield disk


def failed(capsys, *arguments: str) -> str:
    """The one line that a command that failed ends with."""
    assert main(list(arguments)) == 2
    *_, last = capsys.readouterr().err.splitlines()
    assert last.startswith("hassle: ")
    return last


def test_a_full_disk_costs_neither_the_old_model_nor_the_new_one(disk, tmp_path, capsys):
    fill(disk)
    before = (disk / "model.json").read_bytes()
    said = failed(capsys, "learn", "disk/examples.csv", "-o", "disk/model.json", "--steps", "200")
    assert "No space left on device" in said
    assert (disk / "model.json").read_bytes() == before
    rescued = Path(said.rpartition("written to ")[2].removesuffix(" instead"))
    assert rescued.parent == tmp_path
    assert Model.read(rescued).schema == MADE.truth.schema
    assert sorted(os.listdir(disk)) == ["examples.csv", "filler", "model.json"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("convert", "disk/model.json", "disk/other.wcnf"),
        ("generate", "--variables", "6", "--hard", "3", "--soft", "3", "--contexts", "3", "-o", "disk/made"),
        ("experiment", "q1", "--models", "1", "--datasets", "1", "--jobs", "1", "-o", "disk/grid"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_on_a_full_disk_commands_say_so_in_a_line(disk, capsys, arguments):
    fill(disk)
    assert "No space left on device" in failed(capsys, *arguments)
    assert MADE.truth == Model.read(disk / "model.json")


def test_an_answer_that_a_full_disk_does_not_take_is_not_said_to_be_taken(disk):
    interview = Interview(MADE.data, path=disk / "answers.jsonl")
    interview.answer(Answer(interview.next(), "unknown"))
    fill(disk)
    with pytest.raises(InputError, match="No space left on device"):
        interview.answer(Answer(interview.next(), "unknown"))
    assert len(Interview.resume(disk / "answers.jsonl").answers) == 1
    (disk / "filler").unlink()
    interview.answer(Answer(interview.next(), "unknown"))
    assert len(Interview.resume(disk / "answers.jsonl").answers) == len(interview.answers) >= 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("learn", "disk/examples.csv", "-o", "disk/new.json", "--time-limit", "1000"),
        ("convert", "disk/model.json", "disk/other.wcnf"),
        ("ask", "disk/examples.csv", "-o", "disk/answers.jsonl", "--json"),
        ("generate", "--variables", "6", "--hard", "3", "--soft", "3", "--contexts", "3", "-o", "disk/made"),
        ("experiment", "q1", "--models", "1", "--datasets", "1", "--jobs", "1", "-o", "disk/grid"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_read_only_folder_is_told_before_any_work(read_only, capsys, arguments):
    said = failed(capsys, *arguments)
    assert "Read-only file system" in said or "may not be written" in said


def test_what_is_read_may_lie_in_a_read_only_folder(read_only, capsys):
    assert main(["score", "disk/model.json", "disk/examples.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["examples"] == len(MADE.data)
    assert main(["learn", "disk/examples.csv", "--steps", "100"]) == 0


def test_nothing_is_timed_by_a_clock_that_can_be_set():
    """The time of day says when something was made, and nothing else: it jumps."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in ("now", "utcnow", "today", "time", "time_ns"):
                owner = node.value.id if isinstance(node.value, ast.Name) else ""
                if owner in ("datetime", "date") or (owner == "time" and node.attr.startswith("time")):
                    found.setdefault(path.relative_to(SOURCE).as_posix(), set()).add(f"{owner}.{node.attr}")
    assert found == {"studio/report.py": {"datetime.now"}, "studio/study.py": {"datetime.now"}}


@pytest.mark.parametrize("jump", [-1e9, 1e9])
def test_a_run_does_not_notice_that_the_clock_is_set(monkeypatch, jump):
    plain, calls = time.time, []

    def jumping() -> float:
        calls.append(1)
        return plain() + jump * len(calls)

    monkeypatch.setattr(time, "time", jumping)
    assert hassle.learn(MADE.data, "statistical", time_limit=0.5, seed=0).stopped in ("perfect", "time")
    assert MADE.truth.solve("x1") is not None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_learning_killed_at_any_moment_leaves_a_whole_model(tmp_path, seed):
    """The old one, or the new one; and the next run removes what the killed one left."""
    chance = random.Random(seed)
    path = tmp_path / "model.json"
    MADE.data.write(tmp_path / "examples.csv")
    old = Model(MADE.truth.schema)
    old.write(path)
    command = [
        sys.executable,
        "-m",
        "hassle",
        "learn",
        str(tmp_path / "examples.csv"),
        "-o",
        str(path),
        "--steps",
        "500",
    ]
    for _ in range(4):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(chance.uniform(0, 4))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        Model.read(path)
    assert subprocess.run(command, capture_output=True).returncode == 0
    assert sorted(os.listdir(tmp_path)) == ["examples.csv", "model.json"]
