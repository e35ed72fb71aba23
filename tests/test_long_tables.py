"""Long tables: one row per cell, and a second table of label and context per example."""

import itertools
import json

import pytest

from hassle.cli.main import main
from hassle.data import Dataset
from hassle.errors import DataWarning
from hassle.logic import Choice, Number, Schema, YesNo

NURSES, DAYS, WEEKS = ("zoe", "ana"), ("tue", "mon"), ("1", "2", "3")
SHIFTS = dict(zip(itertools.product(WEEKS, NURSES, DAYS), itertools.cycle(["early", "night", "off"]), strict=False))
CELLS = "week,nurse,day,shift\n" + "".join(",".join([*key, shift]) + "\n" for key, shift in SHIFTS.items())
LABELS = "week,demand,context,label\n1,2,zoe_mon = night,good\n2,3,,bad\n3,2,,good\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cells.csv").write_text(CELLS)
    (tmp_path / "labels.csv").write_text(LABELS)
    return tmp_path


def test_a_long_table_is_the_wide_one():
    data = Dataset.read("cells.csv", labels_from="labels.csv")
    for week, example in zip(WEEKS, data, strict=True):
        for nurse, day in itertools.product(NURSES, DAYS):
            assert example.assignment[f"{nurse}_{day}"] == SHIFTS[week, nurse, day]
    assert [example.assignment["demand"] for example in data] == [2, 3, 2]
    assert [context.text(data.schema) for context in data.contexts] == ["zoe_mon = night", ""]
    assert [data.line(k) for k in range(3)] == [2, 3, 4]


def test_its_columns_are_the_dimensions():
    schema = Dataset.read("cells.csv", labels_from="labels.csv").schema
    assert schema.columns[0] == Choice("zoe_tue", ("early", "night", "off"))
    assert schema.columns[-1] == Number("demand", 2, 3)
    assert {each.name: each.members for each in schema.dimensions} == {
        "nurse": NURSES, "day": ("mon", "tue"), "shift": ("early", "night", "off"),
    }  # fmt: skip
    (arrangement,) = schema.arrangements
    assert schema.variables[schema.cells(arrangement)[1, 0, 2]] == "ana_mon=off"


def test_yes_or_no_in_long_format(folder):
    rows = [f"{week};{nurse};{day};{'x' if shift == 'night' else ''}" for (week, nurse, day), shift in SHIFTS.items()]
    (folder / "cells.csv").write_text("\n".join(["week;nurse;day;nights", *rows]) + "\n")
    (folder / "labels.csv").write_text("week,label\n1,1\n2,0\n3,1\n")
    data = Dataset.read("cells.csv", labels_from="labels.csv")
    assert data.schema.columns[0] == YesNo("zoe_tue")
    assert data.schema.arrangements[0].pattern == "{nurse}_{day}"
    for week, example in zip(WEEKS, data, strict=True):
        assert all(example.assignment[f"{n}_{d}"] == (SHIFTS[week, n, d] == "night") for n in NURSES for d in DAYS)


def test_on_the_command_line(folder, capsys):
    assert main(["inspect", "cells.csv", "--labels-from", "labels.csv", "--given", "demand", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["examples"] == 3
    assert printed.err.splitlines() == [
        "hassle: columns of labels.csv:",
        "  zoe_tue, zoe_mon, ana_tue and 1 more  choice     early, night, off",
        "  demand                                number     2 to 3",
    ]
    assert main(["schema", "cells.csv", "--labels-from", "labels.csv"]) == 0
    (folder / "s.toml").write_text(capsys.readouterr().out)
    assert Schema.read("s.toml") == Dataset.read("cells.csv", labels_from="labels.csv").schema
    read = Dataset.read("cells.csv", labels_from="labels.csv", schema="s.toml")
    assert read == Dataset.read("cells.csv", labels_from="labels.csv")


@pytest.mark.parametrize(
    ("cells", "labels", "message"),
    [
        (CELLS + "4,zoe,tue,off\n", LABELS, "cells.csv:14: week 4 has no label; add it to labels.csv, or remove"),
        (CELLS + "1,zoe,tue,off\n", LABELS, "cells.csv:14: 'zoe_tue' stands twice in week 1; remove one"),
        (CELLS, LABELS + "4,2,,good\n", "labels.csv:5: week 4 has no row for 'zoe_tue'; add it to cells.csv"),
        (CELLS, LABELS + "3,2,,good\n", "labels.csv:5: week 3 stands twice; give each example one row"),
        (CELLS, LABELS.replace("week,", "month,"), "labels.csv: labels.csv and cells.csv do not fit together; let"),
        (CELLS.replace("3,ana,mon,off", "3,ana,mon,"), LABELS, "cells.csv:13: column 'shift': 1 of 12 cells is empty"),
        (CELLS.replace("3,ana,mon", "3,,mon"), LABELS, "cells.csv:13: a cell of column 'nurse' is empty; fill it in"),
        (CELLS, LABELS.replace("night", "nigth"), "labels.csv:2: context 'zoe_mon = nigth', column 1:"),
    ],
)
def test_what_is_wrong_is_told(folder, capsys, cells, labels, message):
    (folder / "cells.csv").write_text(cells)
    (folder / "labels.csv").write_text(labels)
    assert main(["inspect", "cells.csv", "--labels-from", "labels.csv"]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith(f"hassle: {message}"), printed
    assert printed.count("\n") == 1


def test_either_table_may_have_columns_that_are_no_decisions(folder, capsys):
    (folder / "cells.csv").write_text(
        "week,nurse,day,entered,shift\n"
        + "".join(f"{week},{nurse},{day},{k},{shift}\n" for k, ((week, nurse, day), shift) in enumerate(SHIFTS.items()))
    )
    told = "week,demand,remark,Label\n" + "".join(f"{k},{2 + k % 2},{k} was{' ' * 90}long,good\n" for k in (1, 2, 3))
    (folder / "labels.csv").write_text(told)
    asked = ["schema", "cells.csv", "--labels-from", "labels.csv", "--ignore", "entered"]
    assert main([*asked, "--ignore", "remark"]) == 0
    by_name = capsys.readouterr().out
    assert main([*asked, "--ignore-undecidable"]) == 0
    assert capsys.readouterr().out.count("demand") == by_name.count("demand") == 1
    assert main([*asked, "--ignore", "remarks"]) == 2
    assert "there is no column 'remarks' to ignore; did you mean 'remark'?" in capsys.readouterr().err
    assert main(["inspect", *asked[1:]]) == 2
    assert "labels.csv:1: column 'remark' cannot be a decision" in capsys.readouterr().err


@pytest.mark.parametrize("gap", ["1,ana,mon,\n", ""])
def test_cells_that_are_not_there_may_be_unknown(folder, gap):
    (row,) = [line for line in CELLS.splitlines(keepends=True) if line.startswith("1,ana,mon")]
    (folder / "cells.csv").write_text(CELLS.replace(row, gap))
    data = Dataset.read("cells.csv", labels_from="labels.csv", missing="unknown")
    assert data.positive.tolist() == [False, True]
    assert [each.values(data.schema).keys() for each in data.partial] == [set(data.schema.column_names) - {"ana_mon"}]
    assert data.schema.columns[0].values == ("early", "night", "off")
    (folder / "labels.csv").write_text(LABELS.replace("night,good", "night,bad"))
    with pytest.warns(DataWarning, match=r"labels\.csv: 1 of 3 examples"):
        assert len(Dataset.read("cells.csv", labels_from="labels.csv", missing="unknown")) == 2
