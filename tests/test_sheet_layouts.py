"""Sheets as people lay them out: two header rows, merged ones too, a sheet per example, labels under other names."""

import pytest
from test_frames_and_excel import workbook, write

from hassle.data import Dataset
from hassle.errors import DataWarning, InputError
from hassle.files.csv_examples import read_csv
from hassle.logic.arranging import arranged

TWO_ROWS = [
    "week;Mo;;Di;;label",
    ";Ana;Ben;Ana;Ben;",
    "1;früh;frei;frei;spät;gut",
    "2;spät;früh;frei;spät;schlecht",
    "3;früh;frei;spät;frei;gut",
]
NAMES = ("Mo_Ana", "Mo_Ben", "Di_Ana", "Di_Ben")


def test_two_header_rows_in_csv():
    data = read_csv("\n".join(TWO_ROWS), ignore=["week"])
    assert data.schema.column_names == NAMES
    assert dict(data[0].assignment) == dict(zip(NAMES, ["früh", "frei", "frei", "spät"], strict=True))
    assert data.positive.tolist() == [True, False, True]
    assert [dimension.members for dimension in arranged(data.schema).dimensions][:2] == [("Mo", "Di"), ("Ana", "Ben")]
    # The label may be named in the second row, and a title of one cell is no part of the names.
    lower = ["week;Mo;;Di;;", "week;Ana;Ben;Ana;Ben;label", *TWO_ROWS[2:]]
    assert read_csv("\n".join([lower[0].replace("week", ""), *lower[1:]]), ignore=["week"]) == data
    titled = ["Dienstplan 2024;;;;;", "week;a;b;c;d;label", *TWO_ROWS[2:]]
    assert read_csv("\n".join(titled), ignore=["week"]).schema.column_names == ("a", "b", "c", "d")


def test_a_title_above_two_header_rows():
    assert read_csv("\n".join(["Dienstplan;;;;;", *TWO_ROWS]), ignore=["week"]).schema.column_names == NAMES


def test_a_single_header_row_stays_one():
    assert read_csv("a,b,label\n1,0,1\n0,1,0\n").variables == ("a", "b")
    with pytest.raises(InputError, match="column 2 has no name"):
        read_csv("a,,label\n1,0,1\n0,1,0\n")
    with pytest.raises(InputError, match="column 'label': '' is not a label"):
        read_csv("a,b,label\n1,0,\n0,1,0\n")


def test_a_name_in_two_lines_is_one_name():
    data = read_csv('"mon\nearly","mon \r\n late","good\nor bad"\n1,0,1\n0,1,0\n', label="good or bad")
    assert data.variables == ("mon early", "mon late")


def test_merged_header_cells_in_excel(tmp_path):
    rows = [row.split(";") for row in TWO_ROWS]
    rows = [[*row[:5], "remark", row[5]] for row in rows]
    rows[0][5], rows[1][5] = "", "remark"
    book = workbook(Plan=[[cell or None for cell in row] for row in rows])
    book["Plan"].merge_cells("B1:C1")
    book["Plan"].merge_cells("D1:E1")
    book["Plan"].merge_cells("G1:G2")
    data = Dataset.read(write(tmp_path / "plan.xlsx", book), ignore=["week", "remark"])
    assert data.schema.column_names == NAMES
    book["Plan"].merge_cells("B4:B5")
    with pytest.raises(InputError, match=r"plan\.xlsx:4: cells are merged"):
        Dataset.read(write(tmp_path / "plan.xlsx", book), ignore=["week", "remark"])


def grid(cells, **about):
    return [["nurse", "mon", "tue"], *([name, *row] for name, row in cells.items()), *map(list, about.items())]


WEEKS = {
    "KW1": grid({"ana": ["early", "off"], "ben": ["off", "late"]}, label="good"),
    "KW2": grid({"ana": ["late", "off"], "ben": ["off", "early"]}, label="bad", context="ana_mon != early", weight=2.5),
    "KW3": grid({"ben": ["off", "off"], "ana": ["early", "late"]}, label="good"),
}


def test_a_sheet_per_example(tmp_path):
    data = Dataset.read(write(tmp_path / "weeks.xlsx", workbook(**WEEKS)), each_sheet=True)
    assert set(data.schema.column_names) == {"ana_mon", "ana_tue", "ben_mon", "ben_tue"}
    assert dict(data[2].assignment) == {"ana_mon": "early", "ana_tue": "late", "ben_mon": "off", "ben_tue": "off"}
    assert data.positive.tolist() == [True, False, True]
    assert data.weights.tolist() == [1, 2.5, 1]
    assert data[1].context.text(data.schema) == "ana_mon != early"
    assert [dimension.name for dimension in data.schema.dimensions][:2] == ["nurse", "column"]
    assert data.schema.dimensions[1].ordered


def test_labels_of_sheets_in_a_table(tmp_path):
    bare = {name: rows[:3] for name, rows in WEEKS.items()}
    told = Dataset.read(write(tmp_path / "weeks.xlsx", workbook(**WEEKS)), each_sheet=True)
    table = [["sheet", "label", "context", "weight"]]
    table += [["KW1", "good", None, 1], ["KW2", "bad", "ana_mon != early", 2.5], ["KW3", "good", None, 1]]
    path = write(tmp_path / "bare.xlsx", workbook(**bare, About=table))
    assert Dataset.read(path, each_sheet=True) == told
    path = write(tmp_path / "bare.xlsx", workbook(**bare))
    assert Dataset.read(path, each_sheet=True, all_good=True).positive.all()
    with pytest.raises(InputError, match=r"bare\.xlsx: no sheet says whether it was good"):
        Dataset.read(path, each_sheet=True)
    (tmp_path / "labels.csv").write_text("sheet,label\nKW1,1\nKW2,0\nKW3,1\n")
    assert Dataset.read(path, each_sheet=True, labels_from=tmp_path / "labels.csv").labels.tolist() == [1, 0, 1]


def test_a_sheet_without_a_cell_is_told(tmp_path):
    less = {**WEEKS, "KW3": grid({"ana": ["early", "late"]}, label="good")}
    with pytest.raises(InputError, match="sheet KW3 has no row for 'ben_mon'"):
        Dataset.read(write(tmp_path / "weeks.xlsx", workbook(**less)), each_sheet=True)
    (tmp_path / "x.csv").write_text("a,label\n1,1\n")
    with pytest.raises(InputError, match="has no sheets; leave out --each-sheet"):
        Dataset.read(tmp_path / "x.csv", each_sheet=True)


def test_labels_under_another_name():
    text = "a;b;Urteil\n1;0;gut\n0;1;schlecht\n"
    assert read_csv(text, label="Urteil").positive.tolist() == [True, False]
    for options, words in [
        ({}, "there is no column 'label'; name it with --label"),
        ({"label": "Urtel"}, "there is no column 'Urtel'; did you mean 'Urteil'?"),
        ({"label": "Urteil", "all_good": True}, "every row is said to be good, and a column to hold labels"),
    ]:
        with pytest.raises(InputError) as error:
            read_csv(text, **options)
        assert words in str(error.value)
    assert read_csv("a;b\n1;0\n0;1\n", all_good=True).positive.tolist() == [True, True]
    with pytest.raises(InputError, match="every row is said to be good, but there is a column 'label'"):
        read_csv("a;label\n1;0\n", all_good=True)


def test_columns_of_the_same_values_have_them_in_one_order():
    data = read_csv("a,b,c,label\nx1,y1,x2,1\nx2,x1,x1,0\nx1,y1,x2,1\n")
    assert [column.values for column in data.schema.columns] == [("x1", "x2"), ("y1", "x1"), ("x1", "x2")]


def test_a_header_that_is_not_understood_for_want_of_a_label_is_told_so():
    with pytest.raises(InputError, match="there is no column 'label'; name it with --label"):
        read_csv("week;Mo;;Di;;Urteil\n;Ana;Ben;Ana;Ben;\n1;a;b;a;b;gut\n")


def test_prices_are_listed_in_order():
    data = read_csv("preis;ok;label\n6,5;1;1\n3,5;0;0\n10,0;1;1\n")
    assert data.schema.columns[0].values == ("3,5", "6,5", "10,0")


def test_empty_cells_of_a_grid_are_a_value(tmp_path):
    gaps = {**WEEKS, "KW3": grid({"ana": ["early", None], "ben": [None, "off"]}, label="good")}
    with pytest.warns(DataWarning, match="2 of 12 cells are empty, which is taken for a value, '-'"):
        data = Dataset.read(write(tmp_path / "weeks.xlsx", workbook(**gaps)), each_sheet=True)
    assert dict(data[2].assignment) == {"ana_mon": "early", "ana_tue": "-", "ben_mon": "-", "ben_tue": "off"}
    marks = {name: grid({"ana": ["x", None], "ben": [None, "x"]}, label="good") for name in WEEKS}
    data = Dataset.read(write(tmp_path / "weeks.xlsx", workbook(**marks)), each_sheet=True)
    assert dict(data[0].assignment) == {"ana_mon": 1, "ana_tue": 0, "ben_mon": 0, "ben_tue": 1}
