"""With --json every command answers with one object on stdout, whatever goes wrong; people read the line on stderr."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import wraps
from importlib import import_module

import pytest
from test_documented_keys import CALLS, EXAMPLES, MODEL

from hassle.cli.main import COMMANDS, _parser, main
from hassle.cli.output import emit
from hassle.errors import HassleError, InputError, NoModelError, ResourceError, SolverError

# What goes wrong: the exit code, the object, and the line on stderr.
FAILURES = {
    "bad input": (
        InputError("is odd", fix="make it even", file="a.csv", line=3),
        (2, ("is odd", "make it even", "a.csv", 3), "a.csv:3: is odd; make it even"),
    ),
    "no place": (InputError("is odd"), (2, ("is odd", None, None, None), "is odd")),
    "no model": (NoModelError("none; try more", proved=True), (1, ("none", "try more", None, None), "none; try more")),
    "resources": (ResourceError("too big; use less"), (2, ("too big", "use less", None, None), "too big; use less")),
    "solver": (SolverError("it broke"), (1, ("it broke", None, None, None), "it broke")),
    "interrupted": (KeyboardInterrupt(), (130, ("interrupted", None, None, None), "interrupted")),
    "memory": (
        MemoryError(),
        (
            2,
            (
                "out of memory",
                "use a smaller problem, or allow less than was free with HASSLE_MEMORY=1GB",
                None,
                None,
            ),
            "out of memory; use a smaller",
        ),
    ),
    "a file": (
        FileNotFoundError(2, "No such file or directory", "tmp/x"),
        (2, ("cannot be used (No such file or directory)", None, "tmp/x", None), "tmp/x: cannot be used"),
    ),
    "no temporary folder": (
        FileNotFoundError(2, "No usable temporary directory"),
        (2, ("cannot be used (No usable temporary directory)", None, None, None), "cannot be used (No usable"),
    ),
}


def make_fail(monkeypatch, command, error):
    module = import_module(f"hassle.cli.{command}")

    @wraps(getattr(module, command))
    def fails(*_arguments, **_options):
        raise error

    monkeypatch.setattr(module, command, fails)
    monkeypatch.setattr("hassle.cli.main._parser", _parser.__wrapped__)  # made anew, of this command


def answer(printed):
    assert printed.out.count("\n") == 1, printed.out
    return json.loads(printed.out)


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_tells_every_failure(command, failure, monkeypatch, capsys):
    error, (code, values, line) = FAILURES[failure]
    make_fail(monkeypatch, command, error)
    assert main([*CALLS[command], "--json"]) == code
    printed = capsys.readouterr()
    assert answer(printed) == dict(zip(("error", "fix", "file", "line"), values, strict=True))
    assert printed.err.startswith(f"hassle: {line}")
    assert printed.err.count("\n") == 1
    assert main(CALLS[command]) == code
    assert capsys.readouterr() == ("", printed.err)


def test_an_interrupt_before_the_command_begins_is_told(monkeypatch, capsys):
    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("typer.core.TyperGroup.resolve_command", interrupted)
    assert main(["show", "m.json", "--json"]) == 130
    printed = capsys.readouterr()
    assert answer(printed)["error"] == "interrupted"
    assert printed.err.strip() == "hassle: interrupted"


def test_an_interrupt_after_the_answer_adds_none(tmp_path, monkeypatch, capsys):
    def interrupted(record, text, as_json):
        emit(record, text, as_json)
        raise KeyboardInterrupt

    monkeypatch.setattr("hassle.cli.show.emit", interrupted)
    (tmp_path / "m.wcnf").write_text(MODEL)
    assert main(["show", str(tmp_path / "m.wcnf"), "--json"]) == 130
    assert "hard" in answer(capsys.readouterr())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_tells_a_mistake_of_ours(command, monkeypatch, capsys):
    make_fail(monkeypatch, command, KeyError("lost\nline"))
    monkeypatch.delenv("HASSLE_DEBUG", raising=False)
    assert main([*CALLS[command], "--json"]) == 70
    printed = capsys.readouterr()
    found = answer(printed)
    assert found["error"].startswith(r"internal error: KeyError: 'lost\nline' (test_cli_json_errors.py:")
    assert found["fix"].startswith("please report it")
    assert "Traceback" not in printed.err
    assert printed.err.count("\n") == 1
    monkeypatch.setenv("HASSLE_DEBUG", "1")
    assert main([*CALLS[command], "--json"]) == 70
    printed = capsys.readouterr()
    assert answer(printed) == found
    assert "Traceback" in printed.err


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("usage", [["--no-such-option"], ["--seed"], ["one", "two", "three"]])
def test_every_command_tells_bad_usage(command, usage, capsys):
    command = command.replace("_", "-")
    assert main([command, "--json", *usage]) == 2
    printed = capsys.readouterr()
    found = answer(printed)
    assert list(found) == ["error", "fix", "file", "line"]
    assert found["fix"] == f"see hassle {command} --help"
    assert printed.err == f"hassle: {found['error']}; {found['fix']}\n"


def test_a_real_failure_has_its_place(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.wcnf").write_text(MODEL)
    (tmp_path / "e.csv").write_text(EXAMPLES + "1,2,,1\n")
    assert main(["score", "m.wcnf", "e.csv", "--json"]) == 2
    found = answer(capsys.readouterr())
    assert (found["file"], found["line"]) == ("e.csv", 6)
    assert found["error"] == "column 'ben': '2' is neither 1 nor 0"
    assert "write yes-or-no in one way" in found["fix"]


def test_an_option_that_swallows_json_leaves_the_error_to_people(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.wcnf").write_text(MODEL)
    assert main(["solve", "m.wcnf", "--context", "--json"]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(os.name != "posix", reason="a POSIX shell")
@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full", "<&- 2>&-"])
def test_stderr_that_takes_nothing_does_not_spoil_the_object(stderr, tmp_path):
    command = f"{sys.executable} -m hassle show gone.json --json {stderr}"
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert json.loads(done.stdout)["file"] == "gone.json"


def test_messages_are_split_where_they_say_what_to_do():
    assert HassleError("a").record() == {"error": "a", "fix": None, "file": None, "line": None}
    assert InputError("a\n b", fix="c" * 900).record()["error"] == "a b"
    assert len(InputError("a", fix="c" * 900).record()["fix"]) < 500
