"""Tables as people keep them: columns are recognised, told, and described; rows with gaps; what was given."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

from hassle.cli.main import main
from hassle.data import Dataset
from hassle.errors import DataWarning, InputError
from hassle.files import read_table
from hassle.files.csv_examples import read_csv
from hassle.logic import Choice, Number, Schema, YesNo

EXAMS = """id,maths,physics,rooms,open,always,label
a7,mon_am,mon_pm,2,yes,3,good
a8,mon_am,tue_am,3,no,3,good
b1,mon_pm,mon_pm,2,yes,3,bad
b2,tue_am,mon_pm,3,yes,3,good
c5,mon_am,mon_pm,3,no,3,good
c6,mon_pm,mon_pm,3,no,3,bad
c7,tue_am,mon_pm,2,no,3,good
d1,tue_am,mon_pm,2,yes,3,good
d2,tue_am,tue_am,3,no,3,bad
d9,mon_am,mon_pm,2,no,3,good
"""
COLUMNS = (
    Choice("maths", ("mon_am", "mon_pm", "tue_am")),
    Choice("physics", ("mon_pm", "tue_am")),
    Number("rooms", 2, 3),
    YesNo("open"),
    Number("always", 3, 3),
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exams.csv").write_text(EXAMS)
    (tmp_path / "plain.csv").write_text("ana,ben,label\n1,0,1\n0,1,0\n1,1,1\n")
    return tmp_path


def test_columns_are_recognised(folder):
    data = Dataset.read("exams.csv", ignore=["id"])
    assert data.schema == Schema(COLUMNS)
    rows = [line.split(",") for line in EXAMS.splitlines()[1:]]
    for example, (_, maths, physics, rooms, is_open, _, label) in zip(data, rows, strict=True):
        assert example.assignment == {
            "maths": maths, "physics": physics, "rooms": int(rooms), "open": int(is_open == "yes"), "always": 3,
        }  # fmt: skip
        assert (example.label == "positive") == (label == "good")


def test_what_cannot_be_a_decision_is_refused_or_left_out(folder):
    with pytest.raises(InputError) as error:
        Dataset.read("exams.csv")
    assert str(error.value) == (
        "exams.csv:1: column 'id' cannot be a decision: 10 different values in 10 rows (such as a7, a8 and 8 more); "
        "leave it out with --ignore 'id'"
    )
    assert Dataset.read("exams.csv", ignore_undecidable=True) == Dataset.read("exams.csv", ignore=["id"])
    ids = "".join(f"r{k},{k}.3.2024,{k % 2},1\n" for k in range(1, 21))
    with pytest.raises(InputError) as error:
        read_csv("id,when,a,label\n" + ids)
    assert str(error.value) == (
        "line 1: column 'id' cannot be a decision: 20 different values in 20 rows (such as r1, r2 and 18 more); "
        "neither can 'when'; leave them out with --ignore 'id' --ignore 'when', or with --ignore-undecidable"
    )
    with pytest.raises(InputError, match="column 'b' cannot be a decision: all its cells are empty"):
        read_csv("a,b,label\n1,,1\n0,,0\n", missing="unknown")
    with pytest.raises(InputError, match="no column can be a decision"):
        read_csv("id,label\n" + "".join(f"r{i},1\n" for i in range(20)), ignore_undecidable=True)


@pytest.mark.parametrize(
    "words", ["wahr falsch", "ja nein", "vrai faux", "oui non", "waar onwaar", "ja nee", "verdadero falso", "sí no"]
)
def test_labels_and_cells_in_other_languages(words):
    yes, no = words.split()
    data = read_csv(f"früh;label\n{yes};{yes}\n{no};{no}\n{yes.upper()};{no.title()}\n")
    assert data.assignments[:, 0].tolist() == [1, 0, 1]
    assert data.positive.tolist() == [True, False, False]


def test_what_was_recognised_is_told(folder, capsys):
    assert main(["inspect", "exams.csv", "--ignore-undecidable", "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err.splitlines() == [
        "hassle: columns of exams.csv:",
        "  maths    choice     mon_am, mon_pm, tue_am",
        "  physics  choice     mon_pm, tue_am",
        "  rooms    number     2 to 3",
        "  open     yes-or-no  yes or no",
        "  always   number     3 always, so it teaches nothing",
        "  id       left out   10 different values in 10 rows (such as a7, a8 and 8 more)",
    ]
    told = {each.pop("column"): each for each in json.loads(printed.out)["recognised"]}
    assert list(told) == ["maths", "physics", "rooms", "open", "always", "id"]
    assert told["rooms"] == {
        "kind": "number", "low": 2, "high": 3, "why": "whole numbers from 2 to 3", "constant": False
    }  # fmt: skip
    assert told["always"]["constant"]
    assert told["id"]["kind"] == "left out"


def test_many_like_columns_are_one_line(folder, capsys):
    names = [f"c{i}" for i in range(30)]
    rows = ["early,", "night,", "off,", "early,"]
    text = ",".join([*names, "label"]) + "\n" + "".join(row * 30 + "1\n" for row in rows)
    (folder / "wide.csv").write_text(text)
    assert main(["inspect", "wide.csv"]) == 0
    assert capsys.readouterr().err.splitlines()[1:2] == ["  c0, c1, c2 and 27 more  choice     early, night, off"]


def test_nothing_is_told_of_plain_data(folder, capsys):
    assert main(["inspect", "plain.csv"]) == 0
    assert capsys.readouterr().err == ""


def test_rows_with_empty_cells_are_refused_or_left_out(folder):
    gaps = EXAMS.replace("a8,mon_am", "a8,").replace("c6,mon_pm,mon_pm,3", "c6,mon_pm,mon_pm,")
    (folder / "gaps.csv").write_text(gaps)
    with pytest.raises(InputError) as error:
        Dataset.read("gaps.csv", ignore=["id"])
    assert str(error.value) == (
        "gaps.csv:3: column 'maths': 1 of 10 cells is empty (line 3); "
        "fill them in, or take them as unknown with --missing unknown"
    )
    kept = "".join(line for k, line in enumerate(EXAMS.splitlines(keepends=True), 1) if k not in (3, 7))
    for schema in (None, Schema(COLUMNS)):
        with pytest.warns(DataWarning, match=r"1 of 10 examples is left out, because cells are empty \(line 7\)"):
            data = Dataset.read("gaps.csv", ignore=["id"], missing="unknown", schema=schema)
        assert replace(data, partial=()) == read_csv(kept, ignore=["id"], schema=schema)
        (partial,) = data.partial
        assert partial.line == 3
        assert "maths" not in partial.values(data.schema)
        assert len(partial.values(data.schema)) == len(data.schema.columns) - 1
    with pytest.raises(InputError, match="use error or unknown"):
        Dataset.read("gaps.csv", missing="whatever")
    marks = read_csv("a,b,label\nx,1,1\n,0,1\n", missing="unknown")
    assert marks.assignments.tolist() == [[1, 1], [0, 0]]


def test_the_schema_of_a_file_is_toml_that_says_why(folder, capsys):
    assert main(["schema", "exams.csv"]) == 0
    text = capsys.readouterr().out
    assert 'rooms = {kind = "number", low = 2, high = 3}  # whole numbers from 2 to 3\n' in text
    assert 'always = {kind = "number", low = 3, high = 3}  # every cell is 3; teaches nothing\n' in text
    assert "# column 'id' cannot be a decision: 10 different values" in text
    assert "pass --ignore 'id'" in text
    (folder / "exams.toml").write_text(text)
    schema = Schema.read("exams.toml")
    assert schema.columns == COLUMNS
    assert Dataset.read("exams.csv", ignore=["id"], schema="exams.toml").schema == schema
    # Domains may be wider than the data, not narrower.
    (folder / "wide.toml").write_text(text.replace("high = 3}  # whole", "high = 5}  # whole"))
    assert Dataset.read("exams.csv", ignore=["id"], schema="wide.toml").schema.column("rooms")[0].high == 5
    (folder / "narrow.toml").write_text(text.replace('["mon_pm", "tue_am"]', '["mon_pm", "wed_am"]'))
    assert main(["inspect", "exams.csv", "--ignore", "id", "--schema", "narrow.toml"]) == 2
    assert (
        "exams.csv:3: column 'physics' has no value 'tue_am'; its values are mon_pm, wed_am" in capsys.readouterr().err
    )


def test_the_schema_as_json(folder, capsys):
    assert main(["schema", "exams.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["columns"]["physics"] == {"kind": "choice", "values": ["mon_pm", "tue_am"]}
    assert [each["column"] for each in found["recognised"]][-1] == "id"


@pytest.mark.parametrize("given", [["rooms"], ["open"], ["maths"], ["maths", "rooms", "open"]])
def test_values_of_given_columns_are_part_of_the_context(folder, given):
    lines = [line.rpartition(",") for line in EXAMS.splitlines()]
    contexts = ["context", "physics = mon_pm", *["true"] * 9]
    text = "".join(f"{left},{context},{label}\n" for (left, _, label), context in zip(lines, contexts, strict=True))
    (folder / "with.csv").write_text(text)
    data = Dataset.read("with.csv", ignore=["id"], given=given)
    free = Dataset.read("with.csv", ignore=["id"])
    every = np.array([free.schema.encode(values) for values in itertools.product(*(c.values for c in COLUMNS))])
    for example, before in zip(data, free, strict=True):
        expected = before.context.holds(every) & [
            all(values[name] == before.assignment[name] for name in given)
            for values in (dict(zip(free.schema.column_names, free.schema.decode(row), strict=True)) for row in every)
        ]
        assert np.array_equal(example.context.holds(every), expected)
    assert np.array_equal(data.lines, free.lines)


def test_given_on_the_command_line(folder, capsys):
    assert main(["inspect", "exams.csv", "--ignore", "id", "--given", "rooms", "--given", "open", "--json"]) == 0
    contexts = [each["context"] for each in json.loads(capsys.readouterr().out)["contexts"]]
    assert contexts == ["rooms < 3 & open", "rooms >= 3 & !open", "rooms >= 3 & open", "rooms < 3 & !open"]
    assert main(["inspect", "exams.csv", "--ignore", "id", "--given", "room"]) == 2
    assert "exams.csv: unknown column 'room'; did you mean 'rooms'?" in capsys.readouterr().err


def test_what_was_learned_is_used_with_values(folder, capsys):
    assert main(["learn", "exams.csv", "--ignore", "id", "--steps", "20000", "-o", "m.json", "--json"]) == 0
    capsys.readouterr()
    assert main(["score", "m.json", "exams.csv", "--ignore", "id", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["score"] == 1
    assert main(["label", "m.json", "exams.csv", "--ignore", "id", "--ignore", "label"]) == 0
    assert capsys.readouterr().out.split().count("optimal") == 7


def test_reading_tells_of_each_column_once(folder):
    table = read_table("exams.csv", ignore_undecidable=True)
    assert [each.column for each in table.recognised] == list(COLUMNS)
    assert list(table.left_out) == ["id"]
