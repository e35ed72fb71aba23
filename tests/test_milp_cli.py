"""``hassle learn --learner milp``: the three answers as exit codes and messages, and all options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hassle.cli.main import main
from hassle.model import Model

ROWS = """context,x1,x2,x3,label
,1,1,1,0
,0,1,0,1
x3,1,1,1,1
x3,1,0,1,1
x2 & !x3,0,1,0,1
x2 & !x3,1,1,0,0
"""


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """The corrected example of Appendix D."""
    file = tmp_path / "examples.csv"
    file.write_text(ROWS + "!x2 & !x3,1,0,0,0\n")
    return file


@pytest.fixture
def printed(tmp_path: Path) -> Path:
    """The same with its last row as printed, which no two clauses fit."""
    file = tmp_path / "printed.csv"
    file.write_text(ROWS + "!x2 & !x3,0,0,0,0\n")
    return file


@pytest.mark.parametrize("solver", ["highs", "scip", "cp-sat"])
def test_a_fitting_model_is_written_and_scored(
    examples: Path, tmp_path: Path, solver: str, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "model.wcnf"
    options = ["--constraints", "2", "--milp-solver", solver, "--threads", "1", "-o", str(output), "--json"]
    assert main(["learn", str(examples), "--learner", "milp", *options]) == 0
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    assert (record["learner"], record["score"], record["stopped"]) == ("milp", 1, "proved")
    assert "fits every example (proved)" in printed.err
    assert len(Model.read(output).constraints) <= 2
    assert main(["score", str(output), str(examples), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["score"] == 1


def test_no_fitting_model_is_exit_code_1_and_says_that_it_is_proved(
    printed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", str(printed), "--learner", "milp", "--constraints", "2", "--milp-solver", "cp-sat"]) == 1
    message = capsys.readouterr().err
    assert "no model with 2 clauses of at most 3 literals fits every example (proved)" in message
    assert "--minimum-error" in message


def test_no_time_is_exit_code_1_and_says_that_nothing_is_proved(
    printed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", str(printed), "--learner", "milp", "--time-limit", "0"]) == 1
    message = capsys.readouterr().err
    assert "no proof that there is none" in message
    assert "(proved)" not in message


def test_the_fewest_errors_and_the_fewest_clauses(printed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ["learn", str(printed), "--learner", "milp", "--milp-solver", "cp-sat", "--json"]
    assert main([*common, "--constraints", "2", "--minimum-error", "--local-search", "100"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["price"], record["bound"], record["correct"], record["stopped"]) == (1, 1, 6, "proved")
    assert main([*common, "--constraints", "4", "--smallest"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["least_clauses"], record["hard"] + record["soft"], record["score"]) == (3, 3, 1)


def test_an_unknown_solver_is_bad_input(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", str(examples), "--learner", "milp", "--milp-solver", "cplex"]) == 2
    assert "choose one of highs, scip, cp-sat, gurobi" in capsys.readouterr().err
