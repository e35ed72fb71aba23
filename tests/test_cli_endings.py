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


def each_with_a_signal(cases):
    """Each case with the one signal or the other, in turn; with both where slow tests are run."""
    both = ((signal.SIGTERM, 143), (signal.SIGINT, 130))
    return [
        pytest.param(case, *both[k], marks=[] if (place + k) % 2 == 0 else pytest.mark.slow)
        for place, case in enumerate(cases)
        for k in (0, 1)
    ]


@posix
@pytest.mark.parametrize(("options", "number", "code"), each_with_a_signal([[], ["--all"], ["--time-limit", "100"]]))
def test_a_signal_ends_a_long_solve_with_one_line(tmp_path, options, number, code):
    entangled().write(tmp_path / "m.wcnf")
    command = [*HASSLE, "solve", "m.wcnf", "-v", *options]
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    assert "solver rc2" in running.stderr.readline()
    running.send_signal(number)
    out, err = running.communicate(timeout=60)
    assert running.returncode == code
    assert (out, err) == ("", "hassle: interrupted\n")


def unexplainable():
    """Examples with labels by chance, which no model explains within the time of any test."""
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2, (300, 10))
    lines = [
        ",".join(map(str, row)) + f",{'' if row[0] else '!'}a & {'' if row[1] else '!'}b,{rng.integers(0, 2)}"
        for row in rows
    ]
    return "\n".join(["a,b,c,d,e,f,g,h,i,j,context,label", *lines])


# Says when it is under way, where a terminal would show it, and does the command's work.
TELLING = """
import sys, time
import hassle.cli.learn as command
from contextlib import nullcontext
from hassle.cli import run

def tell(progress):
    print("under way", flush=True)

command.shown_progress = lambda: nullcontext(tell)
sys.argv = ["hassle", *sys.argv[1:]]
run()
"""
# The same, but takes forever to end.
STUBBORN = TELLING.replace(
    "flush=True)",
    """flush=True)
    try:
        time.sleep(100)
    except KeyboardInterrupt:
        print("ending", flush=True)
        time.sleep(100)""",
)


def started(folder, program, *command):
    """A command as a process of its own that is under way."""
    (folder / "examples.csv").write_text(unexplainable())
    running = subprocess.Popen(
        [sys.executable, "-c", program, *command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "under way\n"
    return running


@posix
@pytest.mark.parametrize(("learner", "number", "code"), each_with_a_signal(["auto", "statistical", "sls", "cuts"]))
def test_a_signal_ends_learning_with_the_best_model_so_far(tmp_path, learner, number, code):
    options = ["-o", "m.json", "--learner", learner, "--time-limit", "100"]
    running = started(tmp_path, TELLING, "learn", "examples.csv", *options)
    assert running.stdout.readline() == "under way\n"  # by now there is a model
    running.send_signal(number)
    out, err = running.communicate(timeout=60)
    assert "interrupted after" in out
    assert Model.read(tmp_path / "m.json").variables == tuple("abcdefghij")
    assert running.returncode == code
    assert "Traceback" not in err


# The signal comes while Python ignores what is raised, here in a destructor.
IGNORING = """
import signal

class Late:
    def __del__(self):
        signal.raise_signal(getattr(signal, NAME))

late = [Late()]
""" + TELLING.replace("flush=True)", "flush=True)\n    late.clear()")


@posix
@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGINT", 130)])
def test_a_signal_is_not_lost_with_its_exception(tmp_path, name, code):
    program = f"NAME = {name!r}{IGNORING}"
    running = started(tmp_path, program, "learn", "examples.csv", "--learner", "sls", "--time-limit", "100")
    out, err = running.communicate(timeout=60)
    assert "Exception ignored" not in err  # it comes when the destructor is done
    assert "interrupted after" in out
    assert running.returncode == code


@posix
def test_a_second_termination_ends_at_once(tmp_path):
    running = started(tmp_path, STUBBORN, "learn", "examples.csv", "--learner", "sls", "--time-limit", "100")
    running.send_signal(signal.SIGTERM)
    assert running.stdout.readline() == "ending\n"
    running.send_signal(signal.SIGTERM)
    running.communicate(timeout=10)
    assert running.returncode == -signal.SIGTERM


@posix
def test_an_ignored_termination_stays_ignored(tmp_path):
    program = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)" + TELLING
    running = started(tmp_path, program, "learn", "examples.csv", "--learner", "sls", "--time-limit", "2")
    running.send_signal(signal.SIGTERM)
    assert "the time is up" in running.communicate(timeout=60)[0]
    assert running.returncode == 0


@posix
def test_termination_keeps_the_folds_that_are_done(tmp_path):
    (tmp_path / "examples.csv").write_text(unexplainable())
    command = [*HASSLE, "crossval", "examples.csv", "--learner", "sls", "--time-limit", "8", "--folds", "4"]
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    assert "hold the same assignment" in running.stderr.readline()
    assert "fold 1 of 4" in running.stderr.readline()
    running.send_signal(signal.SIGTERM)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 143
    assert "of 4 folds" in out
    assert "interrupted" in out
    assert "Traceback" not in err


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


RANKING = """
import signal
from hassle.data import Dataset
from hassle.learners.ranking import explaining_model
explaining_model(Dataset.build(("a", "b"), [("", "10", 1), ("", "01", 0)]), 10.0)
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("interrupted")
"""


@posix
def test_ctrl_c_after_the_ranking_of_all_assignments_is_a_keyboard_interrupt():
    """The solver behind it used to take the handler away, so that Ctrl-C killed the process and its model."""
    done = subprocess.run([sys.executable, "-c", RANKING], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "interrupted\n")


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
