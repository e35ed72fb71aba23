"""Whatever a table is kept in, the same examples come out: CSV, JSON Lines, Excel, pandas, Polars."""

import datetime
import io

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_files_schema import datasets

from hassle.cli.main import main
from hassle.data import Dataset
from hassle.errors import InputError
from hassle.estimators import MaxSatClassifier
from hassle.files.csv_examples import csv_text, read_csv
from hassle.files.excel import excel_sheet
from hassle.files.jsonl_examples import jsonl_text, read_jsonl
from hassle.files.sheet_examples import Reading, columns_of, examples_in
from hassle.logic import Choice, Number, Schema, YesNo

tables = datasets().filter(lambda data: not {"label", "context"} & set(data.schema.column_names))


def workbook(**sheets):
    """An Excel file with these sheets, each a list of rows; texts stay texts, whatever they begin with."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for r, row in enumerate(rows, 1):
            for c, value in enumerate(row, 1):
                cell = sheet.cell(r, c, value)
                if isinstance(value, str):
                    cell.data_type = "s"
    return book


def saved(book):
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def read_excel(content, how):
    return examples_in(excel_sheet(content, None, how), how).data


def excel(data):
    columns = columns_of(data)
    return saved(workbook(examples=[list(columns), *map(list, zip(*columns.values(), strict=True))]))


@settings(max_examples=60, deadline=None)
@given(tables)
def test_written_and_read_back_everywhere(data):
    schema = data.schema
    assert read_csv(csv_text(data), schema=schema) == data
    assert read_jsonl(jsonl_text(data)) == data
    assert read_excel(excel(data), Reading(schema=schema)) == data
    for backend in ("pandas", "polars"):
        assert Dataset.from_frame(data.to_frame(backend), schema=schema) == data


@st.composite
def frames(draw):
    """A frame of decisions of all kinds, with enough rows for the kinds to show."""
    rows = draw(st.integers(6, 12))

    def column(values):
        return draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows).filter(lambda c: len(set(c)) > 1))

    return {
        "open": column([True, False]),
        "Schicht": column(["früh", "spät", "Nacht 2"]),
        "staff": [*column([3, 4, 5])[:-1], 5],
        "bit": column([0, 1]),
        "label": column(["good", "bad", "infeasible"]),
    }


@settings(max_examples=40, deadline=None)
@given(frames())
@pytest.mark.filterwarnings("ignore::hassle.errors.DataWarning")
def test_a_frame_means_the_same_in_every_file(columns):
    if sorted(set(columns["staff"])) != [3, 4, 5]:
        columns["staff"][:2] = [3, 4]
    pandas, polars = pd.DataFrame(columns), pl.DataFrame(columns)
    data = Dataset.from_frame(pandas)
    assert [column.kind for column in data.schema.columns] == ["yes-or-no", "choice", "number", "yes-or-no"]
    assert Dataset.from_frame(polars) == data
    assert read_csv(pandas.to_csv(index=False)) == data
    assert read_csv(pandas.to_csv(index=False, sep=";")) == data
    out = io.BytesIO()
    pandas.to_excel(out, index=False)
    assert read_excel(out.getvalue(), Reading()) == data
    assert [example.assignment["Schicht"] for example in data] == columns["Schicht"]


def test_the_kinds_of_cells_in_a_frame():
    nothing = [None, float("nan"), pd.NA, pd.NaT]
    frame = pd.DataFrame(
        {"a": [1.0, 0.0, 1.0, 0.0], "b": pd.Categorical(["x", "y", "x", "y"]), "label": [1, 0, True, False]}
    )
    data = Dataset.from_frame(frame)
    assert data.schema == Schema((YesNo("a"), Choice("b", ("x", "y"))))
    assert data.labels.tolist() == [1, 0, 1, 0]
    for value in nothing:
        gap = frame.astype(object)
        gap.loc[2, "a"] = value
        with pytest.raises(InputError, match="row 3: column 'a': 1 of 4 cells is empty"):
            Dataset.from_frame(gap)
    given_b = Dataset.from_frame(frame, given=["b"])
    assert [context.text(data.schema) for context in given_b.contexts] == ["b = x", "b = y"]
    with pytest.raises(InputError, match="ndarray is no data frame"):
        Dataset.from_frame(np.eye(2))
    with pytest.raises(InputError, match="vaex is not installed; install one of pandas"):
        data.to_frame("vaex")


def test_names_of_columns_in_a_frame():
    text = "week,Mon,,Tue,,\n,Ana,Ben,Ana,Ben,label\n1,early,off,off,late,good\n2,late,early,off,late,bad\n"
    frame = pd.read_csv(io.StringIO(text.replace("Mon,,Tue,,", "Mon,Mon,Tue,Tue,")), header=[0, 1])
    assert Dataset.from_frame(frame, ignore=["week"]) == read_csv(text, ignore=["week"])
    frame = pd.DataFrame([[1, 0, "good"], [0, 1, "bad"]], columns=["ana", "ana", "label"])
    with pytest.raises(InputError, match="there are two columns 'ana'; rename or remove one"):
        Dataset.from_frame(frame)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_the_estimator_takes_frames(library):
    table = library({"shift": ["early", "night", "off"] * 4, "staff": [1, 2, 3, 3, 2, 1] * 2})
    good = [shift == "night" for shift in table["shift"]]
    model = MaxSatClassifier(steps=200, random_state=0).fit(table, good)
    assert model.schema_ == Schema((Choice("shift", ("early", "night", "off")), Number("staff", 1, 3)))
    assert model.n_features_in_ == 2
    assert list(model.feature_names_in_) == ["shift", "staff"]
    assert model.predict(table).tolist() == good
    new = library({"shift": ["early", "early", "night"], "staff": [1, 3, 2]})
    contexts = ["shift = early", None, "staff = 2"]
    rows = zip(new["shift"], new["staff"], contexts, strict=True)
    expected = [model.model_.verdict({"shift": a, "staff": int(b)}, context) == "optimal" for a, b, context in rows]
    assert model.predict(new, contexts=contexts).tolist() == expected
    with pytest.raises(InputError, match="row 1: column 'shift' has no value 'late'"):
        model.predict(library({"shift": ["late"], "staff": [1]}))


ROWS = [["shift", "staff", "label"], ["early", 2, "good"], ["night", 3.0, "bad"], ["off", 2, "good"]]


def write(path, book):
    book.save(path)
    return str(path)


def test_excel_sheets_by_name(tmp_path, capsys):
    notes = [["some notes"], ["and more"]]
    path = write(tmp_path / "plan.xlsx", workbook(Plan=ROWS, Notes=notes, Empty=[]))
    data = Dataset.read(path, sheet="Plan")
    assert data.schema == Schema((Choice("shift", ("early", "night", "off")), Number("staff", 2, 3)))
    assert [data.line(k) for k in range(3)] == [2, 3, 4]
    assert main(["inspect", path]) == 2
    assert "there are 2 sheets with cells: 'Plan', 'Notes'; name one with --sheet" in capsys.readouterr().err
    assert main(["inspect", path, "--sheet", "plan"]) == 2
    assert "there is no sheet 'plan'; did you mean 'Plan'?" in capsys.readouterr().err
    assert main(["inspect", path, "--sheet", "Plan"]) == 0
    (tmp_path / "e.csv").write_text("a,label\n1,1\n")
    with pytest.raises(InputError, match=r"e\.csv: has no sheets; leave out --sheet"):
        Dataset.read(tmp_path / "e.csv", sheet="Plan")
    only = write(tmp_path / "only.xlsx", workbook(Plan=ROWS, Empty=[]))
    assert Dataset.read(only) == data


def test_attributes_in_excel(tmp_path):
    (tmp_path / "e.csv").write_text("ana_mon,ana_tue,ben_mon,ben_tue,label\n1,0,1,0,good\n0,1,1,0,bad\n")
    path = write(tmp_path / "nurses.xlsx", workbook(nurses=[["nurse", "senior"], ["ana", "yes"], ["ben", "no"]]))
    nurse, _ = Dataset.read(tmp_path / "e.csv", attributes=path).schema.dimensions
    assert (nurse.name, nurse.attributes) == ("nurse", {"senior": ("yes", "no")})


def test_excel_layouts(tmp_path):
    padded = [[], [None], ROWS[0], [], *ROWS[1:], [None, None, None, " "], []]
    path = write(tmp_path / "padded.xlsx", workbook(Plan=padded))
    data = Dataset.read(path)
    assert [data.line(k) for k in range(3)] == [5, 6, 7]
    dated = [[*row, datetime.date(2024, 1, k + 1)] for k, row in enumerate(ROWS[1:] * 4)]
    path = write(tmp_path / "dated.xlsx", workbook(Plan=[[*ROWS[0], "when"], *dated]))
    with pytest.raises(InputError, match="column 'when' cannot be a decision: it holds dates"):
        Dataset.read(path)
    assert Dataset.read(path, ignore=["when"]).schema == data.schema


def test_bad_excel_files_are_told(tmp_path):
    (tmp_path / "text.xlsx").write_text("a,label\n1,1\n")
    (tmp_path / "zip.xlsx").write_bytes(saved(workbook(Plan=ROWS))[:1000])
    for name in ("text.xlsx", "zip.xlsx"):
        with pytest.raises(InputError, match=f"{name}: is no Excel file that can be read"):
            Dataset.read(tmp_path / name)
    with pytest.raises(InputError, match="nothing but empty cells"):
        Dataset.read(write(tmp_path / "empty.xlsx", workbook(Plan=[])))
    book = workbook(Plan=ROWS)
    book["Plan"].merge_cells("A3:A4")
    with pytest.raises(InputError, match=r"merged\.xlsx:3: cells are merged; separate them"):
        Dataset.read(write(tmp_path / "merged.xlsx", book))
    with pytest.raises(InputError, match=r"use \.csv"):
        Dataset.from_frame(pd.DataFrame({"a": [1, 0], "label": [1, 0]})).write(tmp_path / "e.xlsx")


def test_without_calamine_it_says_what_to_install(tmp_path, monkeypatch):
    path = write(tmp_path / "plan.xlsx", workbook(Plan=ROWS))
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    with pytest.raises(InputError, match=r"hassle-learn\[excel\]"):
        Dataset.read(path)
