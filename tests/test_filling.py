"""Sheets with empty cells: each row gets the best of what its cells allow, and everything else stays as it was."""

import csv
import io
import json
from itertools import product

import pytest

from hassle.cli.main import main
from hassle.errors import InputError
from hassle.files.filling import to_fill
from hassle.files.sheet import Sheet
from hassle.logic import Choice, Number, Schema, YesNo
from hassle.model import Model

SCHEMA = Schema((YesNo("ana"), YesNo("ben"), Choice("shift", ("early", "late", "off")), Number("staff", 0, 3)))
MODEL = Model.build(
    SCHEMA,
    hard=["ana | ben", "!ana | shift != off", "staff >= 1"],
    soft=[
        ("shift = early", 0.5),
        ("!ana", 0.25),
        ("!ben", 0.3),
        ("staff < 2", 0.2),
        ("shift != early | staff >= 2", 0.4),
    ],
)
ROWS = [
    ["1", "", "", "", "", "monday"],
    ["2", "x", "", "late", "", ""],
    ["3", "", "", "", "3", "holiday"],
    ["4", "", "x", "early", "2", ""],
]
HEADER = ["id", "ana", "ben", "shift", "staff", "remark"]


@pytest.fixture
def run(capfd):
    def call(*arguments):
        code = main([str(each) for each in arguments])
        return (code, *capfd.readouterr())

    return call


def sheet(rows=ROWS, header=HEADER):
    return Sheet.of(header, [(k, row) for k, row in enumerate(rows, 2)], (), None, 1)


def best_value(cells):
    """The best value of all assignments that agree with what is given."""
    given = {name: cell for name, cell in zip(HEADER, cells, strict=True) if name in SCHEMA.column_names and cell}
    values = []
    for choice in product(*(column.values for column in SCHEMA.columns)):
        row = dict(zip(SCHEMA.column_names, choice, strict=True))
        agrees = all((row[name] == 1) if cell == "x" else str(row[name]) == cell for name, cell in given.items())
        bits = SCHEMA.encode(list(choice))[None]
        if agrees and MODEL.feasible(bits)[0]:
            values.append(MODEL.decimal(int(MODEL.values(bits)[0])))
    return max(values)


def test_rows_are_contexts_of_what_stands_in_them():
    filled = to_fill(sheet(), SCHEMA)
    for k, cells in enumerate(ROWS):
        plan = MODEL.solve(filled.contexts[k])
        assert MODEL.value(plan) == best_value(cells)
    assert filled.open_columns(1) == ["ben", "staff"]


def test_the_command_fills_and_keeps_the_rest(tmp_path, run):
    MODEL.write(tmp_path / "model.json")
    (tmp_path / "next.csv").write_text("\n".join(";".join(row) for row in [HEADER, *ROWS]) + "\n")
    code, out, err = run("solve", tmp_path / "model.json", "--fill", tmp_path / "next.csv")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["id"] for row in rows] == ["1", "2", "3", "4"]
    assert rows[0]["remark"] == "monday"
    for row, cells in zip(rows, ROWS, strict=True):
        assert float(row["value"]) == float(best_value(cells))
        for name, cell in zip(HEADER, cells, strict=True):
            assert not cell or row[name] == cell
        assert row["ana"] in ("x", "")  # in the style of the column
        assert row["shift"] in ("early", "late", "off")
    assert rows[1]["lost"].split("; ")[0] == "shift = early"
    code, out, _ = run("solve", tmp_path / "model.json", "--fill", tmp_path / "next.csv", "--json")
    found = json.loads(out)
    assert found["rows"] == found["optimal"] == 4
    assert found["plans"][1]["filled"] == ["ben", "staff"]


def test_a_row_that_cannot_be_planned_is_told(tmp_path, run):
    MODEL.write(tmp_path / "model.json")
    (tmp_path / "next.csv").write_text("ana,shift,context\nyes,off,\n,late,!ben\nno,early,\n")
    code, out, err = run("solve", tmp_path / "model.json", "--fill", tmp_path / "next.csv")
    assert code == 1
    assert err == "hassle: no feasible assignment for 1 of 3 rows (line 2)\n"
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["status"] for row in rows] == ["infeasible", "optimal", "optimal"]
    assert [row["ana"] for row in rows] == ["yes", "yes", "no"]
    assert rows[1]["ben"] == "0"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x,y\n1,0\n", "next.csv: there is none of the model's columns ('ana', …); the columns are x, y"),
        ("ana,shift\n1,lunch\n", "next.csv:2: column 'shift' has no value 'lunch'; its values are early, late, off"),
        ("ana,shift\n", "next.csv: there are no rows after the header; add one row per plan"),
    ],
)
def test_what_is_wrong_with_a_sheet_is_said(tmp_path, run, text, words):
    MODEL.write(tmp_path / "model.json")
    (tmp_path / "next.csv").write_text(text)
    code, _, err = run("solve", tmp_path / "model.json", "--fill", tmp_path / "next.csv")
    assert code == 2
    assert words in err.replace(f"{tmp_path}/", "")


def test_what_excludes_what(tmp_path, run):
    MODEL.write(tmp_path / "model.json")
    code, _, err = run("solve", tmp_path / "model.json", "--fill", "next.csv", "--contexts", "c.csv")
    assert code == 2
    assert "--contexts and --fill exclude each other" in err
    with pytest.raises(InputError, match="none of the model's columns"):
        to_fill(sheet(header=["a", "b", "c", "d", "e", "f"]), SCHEMA)
