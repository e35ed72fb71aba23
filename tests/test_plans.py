"""Answers speak in columns and values, in tables where the names show dimensions."""

import itertools

import pytest

from hassle.cli.main import main
from hassle.cli.plans import plan_lines
from hassle.logic import Assignment, Choice, Number, Schema, YesNo
from hassle.model import Model

NURSES, DAYS = ("ana", "ben"), ("mon", "tue")


def lines(schema, values):
    return plan_lines(Assignment.of(schema, schema.encode(values)))


def test_two_dimensions_are_rows_and_columns():
    schema = Schema.of([f"{nurse}_{day}" for nurse in NURSES for day in DAYS])
    assert lines(schema, [1, 0, 0, 1]) == ["     mon  tue", "ana  x    -", "ben  -    x"]


def test_the_third_dimension_stands_in_the_cells():
    shifts = (Choice(f"{nurse}_{day}", ("early", "night", "off")) for nurse in NURSES for day in DAYS)
    roster = Schema((*shifts, Number("staff", 0, 3), YesNo("open")))
    assert lines(roster, ["early", "off", "night", "night", 2, 1]) == [
        "     mon    tue",
        "ana  early  off",
        "ben  night  night",
        "staff = 2, open = yes",
    ]
    shifts = Schema.of("_".join(index) for index in itertools.product(NURSES, DAYS, ("early", "night")))
    assert lines(shifts, [1, 1, 0, 0, 0, 1, 0, 0]) == [
        "     mon          tue",
        "ana  early night  -",
        "ben  night        -",
    ]
    exams = Schema(tuple(Choice(course, ("mon_am", "mon_pm", "tue_am")) for course in ("maths", "art")))
    assert lines(exams, ["mon_pm", "tue_am"]) == ["       mon  tue", "maths  pm   -", "art    -    am"]


def test_what_has_no_dimensions_is_one_line():
    assert lines(Schema.of("ab"), [1, 0]) == ["10  true: a"]
    assert lines(Schema((Choice("a", ("x", "y")), Number("n", 0, 2), YesNo("b"))), ["y", 2, 0]) == [
        "a = y, n = 2, b = 0"
    ]
    wide = Schema.of(f"{row}_column{k:02}" for row in "ab" for k in range(40))
    assert lines(wide, [0] * 80)[0].endswith("true: none")


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = tuple(Choice(f"{nurse}_{day}", ("early", "night", "off")) for nurse in NURSES for day in DAYS)
    made = Model.build(
        Schema(columns),
        hard=["ana_mon = night", "ben_mon = early", "ben_tue = off"],
        soft=[("ana_tue = night", 1)],
    )
    made.write("m.json")
    return made


def test_solve_prints_the_table(model, capsys):
    assert main(["solve", "m.json"]) == 0
    assert "     mon    tue\n  ana  night  night\n  ben  early  off\n" in capsys.readouterr().out


def test_plans_for_many_contexts_hold_values(model, tmp_path, capsys):
    (tmp_path / "contexts.txt").write_text("ana_tue = off\nana_tue != night & ana_tue != off\n")
    assert main(["solve", "m.json", "--contexts", "contexts.txt"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "context,status,value,ana_mon,ana_tue,ben_mon,ben_tue",
        "ana_tue = off,optimal,0,night,off,early,off",
        "ana_tue != night & ana_tue != off,optimal,0,night,early,early,off",
    ]


def test_score_explains_with_values(model, tmp_path, capsys):
    (tmp_path / "e.csv").write_text("ana_mon,ana_tue,ben_mon,ben_tue,label\nnight,off,early,off,good\n")
    assert main(["score", "m.json", "e.csv", "--explain"]) == 0
    assert "better   ana_mon = night, ana_tue = night, ben_mon = early, ben_tue = off" in capsys.readouterr().out
