"""How commands end when the world does not play along: Ctrl-C, closed or full outputs, terminals of few characters."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from hassle.cli.main import main
from hassle.model import Model
from hassle.solve.interrupts import keyboard_interrupts

HASSLE = [sys.executable, "-m", "hassle"]
UNICODE = Model.build(("źle", "née", "😀"), [[1, 2, 3]])

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX signals and devices")


def entangled(variables=200, clauses=1100):
    """A model whose optimum takes RC2 far longer than any test."""
    rng = np.random.default_rng(5)
    soft = []
    for _ in range(clauses):
        chosen = rng.choice(variables, size=3, replace=False) + 1
        soft.append(
            (tuple(sorted((chosen * rng.choice([-1, 1], size=3)).tolist(), key=abs)), int(rng.integers(1, 10**6)))
        )
    return Model.from_units(tuple(f"x{v}" for v in range(1, variables + 1)), [], soft)


@posix
@pytest.mark.parametrize("options", [[], ["--all"], ["--time-limit", "100"]])
def test_ctrl_c_ends_a_long_solve_with_one_line(tmp_path, options):
    entangled().write(tmp_path / "m.wcnf")
    command = [*HASSLE, "solve", "m.wcnf", "-v", *options]
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    assert "solver rc2" in running.stderr.readline()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert (out, err) == ("", "hassle: interrupted\n")


PIGEONS = """
from hassle.generate.models import sat_solver
holes = 11
sits = lambda p, h: p * holes + h + 1
clauses = [tuple(sits(p, h) for h in range(holes)) for p in range(holes + 1)]
clauses += [(-sits(p, h), -sits(q, h)) for h in range(holes) for p in range(holes + 1) for q in range(p)]
try:
    with sat_solver(clauses) as solver:
        print("solving", flush=True)
        solver.solve()
except KeyboardInterrupt:
    print("interrupted")
"""


@posix
def test_ctrl_c_in_a_sat_solver_is_a_keyboard_interrupt():
    running = subprocess.Popen([sys.executable, "-c", PIGEONS], stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "solving\n"
    running.send_signal(signal.SIGINT)
    assert running.communicate(timeout=60)[0] == "interrupted\n"


def test_other_errors_stay_what_they_are():
    with pytest.raises(ValueError, match="else"), keyboard_interrupts():
        raise ValueError("something else")


def test_an_interrupted_generate_writes_nothing(tmp_path, monkeypatch, capsys):
    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("hassle.generate.problem.label_contexts", interrupted)
    assert main(["generate", "-o", str(tmp_path / "out")]) == 130
    assert capsys.readouterr().err == "hassle: interrupted\n"
    assert list(tmp_path.iterdir()) == []


@posix
@pytest.mark.parametrize("redirection", [">/dev/full", "<&- >/dev/full"])
@pytest.mark.parametrize("command", ["show m.json", "show m.json --json", "convert m.json -"])
def test_output_that_cannot_be_written_is_told(tmp_path, command, redirection):
    if not os.path.exists("/dev/full"):
        pytest.skip("no device that is always full")
    UNICODE.write(tmp_path / "m.json")
    done = _in_shell(f"{command} {redirection}", tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("hassle: the output cannot be written (")
    assert done.stderr.count("\n") == 1


@posix
@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("show m.json >&-", 0, ""),
        ("convert m.json - >&-", 2, "hassle: standard output: is closed; name a file\n"),
        ("show - <&-", 2, "hassle: standard input: is closed; name a file\n"),
    ],
)
def test_closed_streams(tmp_path, command, code, message):
    UNICODE.write(tmp_path / "m.json")
    done = _in_shell(command, tmp_path)
    assert (done.returncode, done.stderr) == (code, message)


def _in_shell(command, folder, **environment):
    return subprocess.run(
        f"{sys.executable} -m hassle {command}",
        cwd=folder,
        env=os.environ | environment,
        shell=True,
        capture_output=True,
        text=True,
        encoding=environment.get("PYTHONIOENCODING"),
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_names_that_the_terminal_cannot_show(tmp_path, encoding):
    UNICODE.write(tmp_path / "m.json")
    done = _in_shell("show m.json", tmp_path, PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    assert r"\u017ale" in done.stdout
    answer = json.loads(_in_shell("show m.json --json", tmp_path, PYTHONIOENCODING=encoding).stdout)
    assert answer["variables"] == list(UNICODE.variables)


def test_running_a_command_leaves_no_trace_in_the_warnings(capsys):
    import warnings

    before = warnings.showwarning, list(warnings.filters)
    assert main(["show", "gone.json"]) == 2
    assert (warnings.showwarning, list(warnings.filters)) == before
