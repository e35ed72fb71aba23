"""Pictures: written whole, in every format, by every command that draws; and refused before the work."""

import numpy as np
import pytest

from hassle.bundled import WARD_TRUTH
from hassle.cli.main import main
from hassle.evaluation import rules_plot
from hassle.logic import Constraint

EXAMPLES = "a,b,c,context,label\n1,0,1,,1\n0,1,0,,0\n1,1,0,,0\n0,1,1,!a,1\n0,0,0,!a,0\n1,0,0,b | !b,0\n1,0,1,!b,1\n"
SIGNATURES = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.csv").write_text(EXAMPLES)
    return tmp_path


@pytest.mark.parametrize("ending", SIGNATURES)
def test_rules_are_drawn(ending, folder):
    assert main(["show", str(WARD_TRUTH), "--plot", f"rules{ending}"]) == 0
    assert (folder / f"rules{ending}").read_bytes().startswith(SIGNATURES[ending])


def test_a_run_is_drawn_and_its_model_with_the_examples(folder):
    learn = ["learn", "e.csv", "-o", "m.json", "--learner", "sls", "--steps", "20", "--jobs", "1"]
    assert main([*learn, "--hold-out", "0.4", "--plot", "run.svg"]) == 0
    assert b"svg" in (folder / "run.svg").read_bytes()
    assert main(["show", "m.json", "--plot", "rules.svg", "--examples", "e.csv"]) == 0
    first = (folder / "rules.svg").read_bytes()
    assert main(["show", "m.json", "--plot", "rules.svg", "--examples", "e.csv"]) == 0
    assert (folder / "rules.svg").read_bytes() == first


def test_examples_are_drawn(folder):
    assert main(["inspect", "e.csv", "--plot", "data.png"]) == 0
    assert (folder / "data.png").read_bytes().startswith(b"\x89PNG")


def test_a_plan_is_drawn_as_the_table_that_is_printed(folder, capsys):
    assert main(["solve", str(WARD_TRUTH), "--plot", "plan.svg"]) == 0
    assert "ana" in capsys.readouterr().out
    first = (folder / "plan.svg").read_bytes()
    assert main(["solve", str(WARD_TRUTH), "--context", "!ana_mon_early", "--plot", "plan.svg"]) == 0
    assert (folder / "plan.svg").read_bytes() != first


def test_a_plan_that_is_no_table_is_not_drawn(folder, capsys):
    (folder / "m.wcnf").write_text("h 1 2 0\n1 -1 0\n")
    assert main(["solve", "m.wcnf", "--plot", "plan.svg"]) == 2
    assert "--plot draws plans that are tables" in capsys.readouterr().err
    assert main(["solve", "m.wcnf", "--contexts", "c.txt", "--plot", "plan.svg"]) == 2
    assert "--plot and --contexts exclude each other" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        ["show", str(WARD_TRUTH)],
        ["learn", "e.csv", "--steps", "1"],
        ["inspect", "e.csv"],
        ["solve", str(WARD_TRUTH)],
    ],
    ids=lambda each: each[0],
)
@pytest.mark.parametrize(("name", "told"), [("x.txt", "no plots with the ending 'txt'"), ("no/x.png", "no/x.png")])
def test_pictures_that_cannot_be_written_are_refused(command, name, told, folder, capsys):
    assert main([*command, "--plot", name]) == 2
    assert told in capsys.readouterr().err


def test_examples_without_a_picture_are_refused(folder, capsys):
    assert main(["show", str(WARD_TRUTH), "--examples", "e.csv"]) == 2
    assert "--examples is for --plot" in capsys.readouterr().err


def test_a_rule_binds_where_nothing_is_to_spare():
    rows = np.array([[1, 1, 0], [1, 1, 1], [1, 0, 0]], dtype=np.uint8)
    two_of_three = Constraint((1, 2, 3), 2)
    assert rules_plot._binding((two_of_three,), rows) == 1 / 3
    assert rules_plot._binding((two_of_three, Constraint((-2,))), rows) == 2 / 6
