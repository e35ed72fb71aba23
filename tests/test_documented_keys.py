"""docs/json.md lists the keys of every command's JSON object; each command is run and must have them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hassle.cli.main import COMMANDS, main

PAGE = (Path(__file__).parent.parent / "docs" / "json.md").read_text()
ROWS = re.findall(r"^\| `([\w-]+)` \| `([\w ]+)` \|$", PAGE, re.MULTILINE)
DOCUMENTED = {name.replace("-", "_"): keys.split() for name, keys in ROWS}

MODEL = "c var 1 ana\nc var 2 ben\nc unit 1000\nh 1 2 0\n750 -1 0\n"
EXAMPLES = "ana,ben,context,label\n0,1,,1\n1,0,,0\n1,0,!ben,1\n1,1,,1\n"

CALLS = {
    "generate": ["generate", "-o", "out", "--variables", "4", "--hard", "2", "--soft", "2", "--contexts", "4"],
    "schema": ["schema", "examples.csv"],
    "learn": ["learn", "examples.csv", "--learner", "sls", "--steps", "20"],
    "crossval": ["crossval", "examples.csv", "--learner", "sls", "--steps", "20"],
    "ask": ["ask", "examples.csv", "--oracle", "model.wcnf", "--questions", "1"],
    "show": ["show", "model.wcnf"],
    "solve": ["solve", "model.wcnf"],
    "label": ["label", "model.wcnf", "examples.csv"],
    "score": ["score", "model.wcnf", "examples.csv"],
    "evaluate": ["evaluate", "model.wcnf", "--truth", "model.wcnf"],
    "inspect": ["inspect", "examples.csv"],
    "convert": ["convert", "model.wcnf", "model.json"],
    "demo": ["demo", "--time-limit", "1"],
    "warm_up": ["warm-up"],
    "studio": ["studio", "--no-browser", "--end-after", "0.1"],
    "experiment": ["experiment", "q4", "--models", "1", "--datasets", "1", "--cutoff", "0.1", "-o", "out"],
}


def test_every_command_is_documented_and_called():
    assert set(DOCUMENTED) == set(COMMANDS) == set(CALLS)


@pytest.mark.parametrize("command", sorted(DOCUMENTED))
def test_the_documented_keys_are_there(command, tmp_path, monkeypatch, capsys):
    (tmp_path / "model.wcnf").write_text(MODEL)
    (tmp_path / "examples.csv").write_text(EXAMPLES)
    monkeypatch.chdir(tmp_path)
    assert main([*CALLS[command], "--json"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("\n") == 1
    assert set(DOCUMENTED[command]) <= set(json.loads(printed))
