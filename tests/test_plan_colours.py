"""Tables of answers are coloured on a terminal, and nowhere else."""

import re
import sys

import pytest

from hassle.cli.plans import plan_lines
from hassle.model import Model

NAMES = [
    f"{person}_{day}_{shift}" for person in ("ana", "ben") for day in ("mon", "tue") for shift in ("early", "late")
]


@pytest.mark.parametrize(
    ("terminal", "no_color", "coloured"), [(True, "", True), (True, "1", False), (False, "", False)]
)
def test_colour_is_for_terminals(monkeypatch, terminal, no_color, coloured):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    monkeypatch.setenv("NO_COLOR", no_color)
    assignment = Model.build(NAMES, hard=["ana_mon_early", "ben_tue_late"], soft=[(f"!{n}", 1) for n in NAMES]).solve()
    lines = plan_lines(assignment)
    assert any("\x1b[36mearly" in line for line in lines) == coloured
    bare = [re.sub(r"\x1b\[\d+m", "", line).rstrip() for line in lines]
    assert bare == ["     mon    tue", "ana  early  -", "ben  -      late"]
