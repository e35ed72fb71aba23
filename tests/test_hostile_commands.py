"""Hostile command lines, signals, streams and environments: a documented ending, whatever is done."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hostile import ENVIRONMENTS, EXIT_CODES, Outcome, check, command_lines, folder, run
from hypothesis import given, settings
from hypothesis import strategies as st
from test_cli_endings import entangled

from hassle.model import Model

HASSLE = [sys.executable, "-m", "hassle"]
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX signals and descriptors")


def hostile_command(arguments, json):
    with folder() as place:
        # Before the files' names, lest "--" makes an argument of it; an option may still swallow it, as its value.
        outcome = run([arguments[0], *["--json"] * json, *arguments[1:]])
        check(outcome, place)


@settings(max_examples=150)
@given(command_lines(), st.booleans())
def test_hostile_command_lines(arguments, json):
    hostile_command(arguments, json)


@pytest.mark.slow
@settings(max_examples=5000)
@given(command_lines(), st.booleans())
def test_many_hostile_command_lines(arguments, json):
    hostile_command(arguments, json)


# Processes of their own


def environment(**changes):
    result = {name: value for name, value in os.environ.items() if name not in changes}
    return result | {name: value for name, value in changes.items() if value is not None}


def process(arguments, place, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run([*HASSLE, *arguments], cwd=place, capture_output=True, timeout=120, **options)
    return Outcome(arguments, done.returncode, *(text.decode(errors="replace") for text in (done.stdout, done.stderr)))


# Many at a time, for a start; one by one, where a failure must be understood.
TOGETHER = (
    ("C", "no home", "narrow", "no terminal", "no temporary folder"),
    ("ascii", "odd home", "wide", "dumb"),
    ("latin-1", "no colour", "no path"),
)
ALONE = [pytest.param((name,), marks=pytest.mark.slow) for name in ENVIRONMENTS]


@pytest.mark.parametrize("names", [*TOGETHER, *ALONE], ids=", ".join)
def test_hostile_environments(names):
    changes = environment(**{variable: value for name in names for variable, value in ENVIRONMENTS[name].items()})
    with folder() as place:
        Model.build(("źle", "née", "😀"), [[1, 2, 3]], [("née", "0.5")]).write("m.json")
        for arguments, code in ((["solve", "m.json"], 0), (["score", "m.wcnf", "góne.csv", "--json"], 2)):
            outcome = process(arguments, place, env=changes)
            check(outcome, place)
            assert outcome.code == code, outcome


def test_every_environment_is_tried():
    assert sorted(name for names in TOGETHER for name in names) == sorted(ENVIRONMENTS)


@posix
def test_a_home_that_cannot_be_written(tmp_path):
    tmp_path.chmod(0o500)
    with folder() as place:
        outcome = process(["solve", "m.wcnf", "--json"], place, env=environment(HOME=str(tmp_path)))
        check(outcome, place)
        assert outcome.code == 0
    tmp_path.chmod(0o700)


@posix
@pytest.mark.parametrize("length", [200, 255, 256, 5000])
def test_very_long_paths(length):
    with folder() as place:
        name = "x" * (length - 5) + ".json"
        outcome = run(["convert", "m.wcnf", name, "--json"])
        assert outcome.code == (0 if length <= 255 else 2)
        assert json.loads(outcome.out)
        assert run(["show", name, "--json"]).code == outcome.code
        deep = Path(*["d" * 200] * 10)
        deep.mkdir(parents=True)
        check(run(["convert", "m.wcnf", str(deep / "out.json"), "--json"]), place)
        assert run(["show", str(deep / "out.json")]).code == 0


CLOSED = ("<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "</dev/null >/dev/full", "2>/dev/full")
WORST = ("<&- >&- 2>&-", "<&- >/dev/full 2>/dev/full")


@posix
@pytest.mark.parametrize("streams", [*WORST, *(pytest.param(streams, marks=pytest.mark.slow) for streams in CLOSED)])
def test_closed_and_full_streams(streams):
    if "full" in streams and not os.path.exists("/dev/full"):
        pytest.skip("no device that is always full")
    with folder() as place:
        for arguments in (
            ["show", "-", "--json"],
            ["convert", "m.json", "out.wcnf"],
            ["learn", "e.csv", "--learner", "sls", "--steps", "2", "--jobs", "1", "-o", "out.json"],
        ):
            command = " ".join([*HASSLE, *arguments, streams])
            done = subprocess.run(command, shell=True, cwd=place, capture_output=True, timeout=120)
            assert done.returncode in EXIT_CODES, (command, done)
            assert b"Traceback" not in done.stderr
            # Nothing that belongs to a stream may end up in a file that took its place.
            if arguments[0] != "show":
                assert Model.read(place / arguments[-1]).variables == ("a", "b", "c")
            for path in place.iterdir():
                assert path.name.startswith(("m.", "e.", "c.", "out.")), path


# As the `hassle` command does it; the signal comes after our first line, as Python's own start is not ours to guard.
READY = "import sys; from hassle.cli import run; print('ready', file=sys.stderr, flush=True); run()"


def interrupted(arguments, place, wait):
    """The command, with Ctrl-C after so many seconds, if it is still there."""
    command = [sys.executable, "-c", READY, *arguments]
    with subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stderr is not None
        assert running.stderr.readline() == b"ready\n"
        time.sleep(wait)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=120)
    return Outcome(arguments, running.returncode, out.decode(), err.decode())


LONG = {
    "solve": ["solve", "hard.wcnf", "--json"],
    "plan": ["solve", "hard.wcnf", "--contexts", "x.txt", "-o", "out.csv", "--json"],
    "learn": [
        "learn",
        "e.csv",
        "--learner",
        "sls",
        "--constraints",
        "1",
        "--time-limit",
        "9",
        "-o",
        "out.json",
        "--json",
    ],
    "convert": ["convert", "hard.wcnf", "out.json", "--json"],
}


def interrupt(command, moments):
    with folder() as place:
        entangled().write("hard.wcnf")
        Path("x.txt").write_text("x1\nx2\n")
        for moment in moments:
            outcome = interrupted(LONG[command], place, moment)
            Path("x.txt").rename("c.txt")
            check(outcome, place)
            Path("c.txt").rename("x.txt")
            Path("out.json").unlink(missing_ok=True)


@posix
@pytest.mark.parametrize("command", LONG)
def test_ctrl_c_at_any_moment(command):
    interrupt(command, [0.0, 0.3, random.uniform(0, 2)])


@posix
@pytest.mark.slow
@pytest.mark.parametrize("command", LONG)
def test_ctrl_c_at_many_moments(command):
    interrupt(command, [random.uniform(0, 3) for _ in range(20)])
