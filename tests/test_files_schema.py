"""Schemas in files, and examples over them: both read back whole; what contradicts a schema is told with its place."""

import json
import re
import tomllib
from pathlib import Path

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import all_assignments, contexts, schemas
from test_files_counts import arranged_schemas

from hassle.cli.main import main
from hassle.data import LABELS, Dataset
from hassle.errors import InputError
from hassle.files.csv_examples import csv_text, read_csv
from hassle.files.jsonl_examples import jsonl_text, read_jsonl
from hassle.files.model_json import model_to_json, read_model_json
from hassle.files.opb import read_wbo, wbo_text
from hassle.files.schema_toml import read_schema_toml, schema_toml_text
from hassle.files.wcnf import read_wcnf, wcnf_text
from hassle.logic import Arrangement, Choice, Dimension, Number, Schema, YesNo
from hassle.model import Model

SCHEMA = Schema(
    (YesNo("ana"), Choice("shift", ("early", "night", "off")), Number("staff", -1, 2)),
    (Dimension("day", ("mon", "tue"), ordered=True, attributes={"busy": ("yes", "no")}), Dimension("nurse", ("ana",))),
    (Arrangement("works", ("nurse", "day"), "{nurse}_{day}"),),
)
CSV = "shift,staff,ana,context,label\nnight,2,1,shift = night,1\noff,-1,0,staff < 2,0\nearly,0,1,,good\n"
EXAMPLES = Dataset.build(
    SCHEMA,
    [
        ("shift = night", {"ana": 1, "shift": "night", "staff": 2}, 1),
        ("staff < 2", {"ana": 0, "shift": "off", "staff": -1}, 0),
        (None, {"ana": 1, "shift": "early", "staff": 0}, 1),
    ],
)


@given(schemas() | arranged_schemas())
def test_toml_reads_back(schema):
    text = schema_toml_text(schema)
    tomllib.loads(text)
    assert read_schema_toml(text) == schema
    assert schema_toml_text(read_schema_toml(text)) == text


def test_the_written_toml_is_the_documented_one():
    assert [line for line in schema_toml_text(SCHEMA).splitlines() if line and line[0] != "#"] == [
        "[columns]",
        'ana = {kind = "yes-or-no"}',
        'shift = {kind = "choice", values = ["early", "night", "off"]}',
        'staff = {kind = "number", low = -1, high = 2}',
        "[dimensions.day]",
        'members = ["mon", "tue"]',
        "ordered = true",
        'attributes = {busy = {mon = "yes", tue = "no"}}',
        "[dimensions.nurse]",
        'members = ["ana"]',
        "[arrangements.works]",
        'dimensions = ["nurse", "day"]',
        'pattern = "{nurse}_{day}"',
    ]
    assert "#   {kind" in schema_toml_text(SCHEMA)


def test_a_schema_has_doors(tmp_path):
    SCHEMA.write(tmp_path / "s.toml")
    assert Schema.read(tmp_path / "s.toml") == SCHEMA
    assert Dataset.build(Schema.read(tmp_path / "s.toml"), []).schema == SCHEMA
    with pytest.raises(InputError, match=r"s\.json.*use \.toml"):
        SCHEMA.write(tmp_path / "s.json")


def test_a_schema_by_hand():
    text = """
        [columns.a]
        kind = "yes-or-no"
        [columns."b c"]
        kind = 'choice'
        values = [
            "x",  # a remark
            "y",
        ]
    """
    assert read_schema_toml(text) == Schema((YesNo("a"), Choice("b c", ("x", "y"))))


COLUMN = '[columns]\na = {kind = "yes-or-no"}\n'
BAD = {
    "no TOML": ("[columns]\na = {kind = yes}\n", 2, "is not TOML: Invalid value"),
    "cut off": ('[columns]\na = {kind = "yes', None, "is not TOML"),
    "a column twice": (COLUMN + "a = {}\n", 3, "is not TOML"),
    "no columns": ("[dimensions]\n", None, "is not a schema; describe the columns under 'columns'"),
    "an unknown section": (COLUMN + "[dimension]\n", 3, "unknown key 'dimension'"),
    "columns of a wrong type": ('columns = "a"\n', None, "'columns' is 'a'; write a table"),
    "no kind": ("[columns]\na = {}\n", 2, "columns 'a': 'kind' is missing"),
    "an unknown kind": ('[columns]\na = {kind = "colour"}\n', 2, "no kind 'colour'; use yes-or-no, choice, number"),
    "a kind of a wrong type": ("[columns]\na = {kind = 3}\n", 2, "'kind' is 3; write a text"),
    "a column of a wrong type": (COLUMN + '\n"b c" = 3\n', 4, "columns 'b c': is 3"),
    "an unknown key": ('[columns]\na = {kind = "yes-or-no", low = 3}\n', 2, "unknown key 'low'"),
    "no values": ('[columns]\na = {kind = "choice"}\n', 2, "'values' is missing; write a list of texts"),
    "values of a wrong type": ('[columns]\na = {kind = "choice", values = [1, 2]}\n', 2, "'values' is [1, 2]"),
    "a value twice": (COLUMN + 'b = {kind = "choice", values = ["x", "x"]}\n', 3, "choice 'b' has the values x, x"),
    "no high": ('[columns]\na = {kind = "number", low = 0}\n', 2, "'high' is missing; write a whole number"),
    "a fraction": ('[columns]\na = {kind = "number", low = 0.5, high = 2}\n', 2, "'low' is 0.5"),
    "a truth value": ('[columns]\na = {kind = "number", low = true, high = 2}\n', 2, "'low' is True"),
    "turned around": ('[columns]\na = {kind = "number", low = 3, high = 2}\n', 2, "ranges from 3 to 2"),
    "too wide": ('[columns]\na = {kind = "number", low = 0, high = 99999}\n', 2, "ranges from 0 to 99999"),
    "a bad name": ('[columns]\n" a" = {kind = "yes-or-no"}\n', None, "' a' cannot be a variable's name"),
    "no members": (COLUMN + "[dimensions.day]\nordered = true\n", 3, "dimensions 'day': 'members' is missing"),
    "a member twice": (COLUMN + '[dimensions.day]\nmembers = ["x", "x"]\n', 3, "needs members, each once"),
    "ordered of a wrong type": (
        COLUMN + '[dimensions.day]\nmembers = ["x"]\nordered = "yes"\n',
        3,
        "'ordered' is 'yes'; write true or false",
    ),
    "half an attribute": (
        COLUMN + '[dimensions.day]\nmembers = ["x", "y"]\nattributes = {busy = {x = "no"}}\n',
        3,
        "attribute 'busy' is {'x': 'no'}; give a value for each of x, y",
    ),
    "an attribute of a wrong type": (
        COLUMN + '[dimensions.day]\nmembers = ["x"]\nattributes = {busy = {x = true}}\n',
        3,
        "'x' is True; write a text",
    ),
    "an unknown dimension": (
        COLUMN + '[arrangements.w]\ndimensions = ["day"]\npattern = "{day}"\n',
        None,
        "arrangement 'w' speaks of an unknown dimension 'day'",
    ),
    "no pattern": (COLUMN + "[arrangements.w]\ndimensions = []\n", 3, "'pattern' is missing"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_schemas_are_told_with_file_and_line(tmp_path, kind, capsys):
    text, line, part = BAD[kind]
    path, examples = tmp_path / "s.toml", tmp_path / "e.csv"
    path.write_text(text)
    examples.write_text("a,label\n1,1\n")
    assert main(["inspect", str(examples), "--schema", str(path)]) == 2
    message = capsys.readouterr().err
    place = rf"{path}:{line}: " if line is not None else f"{path}:"
    assert message.startswith(f"hassle: {place}"), message
    assert part in message
    assert message.count("\n") == 1


@settings(max_examples=300)
@given(st.integers(0, 600), st.integers(0, 8), st.text("[]{}=\", .#\\\n'éabc01", max_size=4))
def test_damaged_schemas_are_read_or_refused(start, length, noise):
    text = schema_toml_text(SCHEMA)
    text = text[-start:] if start > len(text) else text[:start] + noise + text[start + length :]
    try:
        schema = read_schema_toml(text)
    except InputError:
        return
    assert read_schema_toml(schema_toml_text(schema)) == schema


@st.composite
def datasets(draw):
    """Examples over any schema, with counts and comparisons in their contexts."""
    schema = draw(schemas() | arranged_schemas())
    rows = all_assignments(len(schema.variables))
    rows = rows[[naive.in_domain(schema, bits) for bits in rows]]

    def values(bits):
        return dict(zip(schema.column_names, schema.decode(bits), strict=True))

    triples = []
    for context in draw(st.lists(contexts(len(schema.variables), counts=True), min_size=1, max_size=4)):
        allowed = rows[context.holds(rows)]
        if len(allowed):
            chosen = allowed[draw(st.integers(0, len(allowed) - 1))]
            triples.append((context, values(chosen), draw(st.sampled_from(LABELS))))
    return Dataset.build(schema, triples or [(None, values(rows[0]), 1)])


@given(datasets().filter(lambda data: not {"label", "context"} & set(data.schema.column_names)))
def test_csv_reads_back_with_its_schema(data):
    assert read_csv(csv_text(data), schema=data.schema) == data
    assert read_csv(csv_text(data, "\t"), schema=data.schema) == data


@given(datasets())
def test_jsonl_reads_back_with_its_schema(data):
    assert read_jsonl(jsonl_text(data)) == data
    assert read_jsonl(jsonl_text(data), schema=data.schema) == data


@settings(max_examples=300)
@given(st.data())
def test_damaged_examples_are_read_or_refused(data):
    """Whatever happens to a file, the answer is a dataset in the domain of its schema, or one line."""
    write, read = data.draw(st.sampled_from([(csv_text, read_csv), (jsonl_text, read_jsonl)]))
    text = write(EXAMPLES)
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        noise = data.draw(st.text(',;"{}[]:=<> \n01-nightofstaxé', max_size=4))
        text = text[:start] + noise + text[start + data.draw(st.integers(0, 6)) :]
    try:
        found = read(text or " ", schema=data.draw(st.sampled_from([SCHEMA, None])))
    except InputError:
        return
    assert all(naive.in_domain(found.schema, bits) for bits in found.assignments)


def test_csv_cells_are_values_and_columns_stand_in_any_order():
    assert read_csv(CSV, schema=SCHEMA) == EXAMPLES
    header, *rows = csv_text(EXAMPLES).splitlines()
    assert header == "context,ana,shift,staff,label"
    assert rows[0] == "shift = night,1,night,2,positive"


def test_jsonl_takes_objects_and_lists_of_values():
    head = jsonl_text(EXAMPLES).splitlines()[0]
    assert json.loads(head)["schema"]["columns"]["staff"] == {"kind": "number", "low": -1, "high": 2}
    objects = [
        {"ana": True, "shift": "night", "staff": 2},
        ["no", "off", -1],
        {"staff": "0", "shift": "early", "ana": 1},
    ]
    lines = [
        json.dumps({"assignment": values, "context": context, "label": label})
        for values, context, label in zip(objects, ("shift = night", "staff < 2", ""), (1, 0, 1), strict=True)
    ]
    assert read_jsonl("\n".join([head, *lines])) == EXAMPLES
    assert read_jsonl("\n".join(['{"variables": ["ana", "shift", "staff"]}', *lines]), schema=SCHEMA) == EXAMPLES


@pytest.mark.parametrize(
    "cells", [("1", "0"), ("true", "FALSE"), ("Yes", "no"), ("x", ""), ("X", " ")], ids=lambda cells: "-".join(cells)
)
def test_styles_of_yes_and_no(cells):
    yes, no = cells
    data = read_csv(f"a,label\n{no},1\n{yes},0\n{no},1\n", schema=Schema.of(["a"]))
    assert np.array_equal(data.assignments, [[0], [1], [0]])


def test_the_documented_files_are_read():
    text = (Path(__file__).parents[1] / "docs" / "formats.md").read_text()
    examples, lines, values, toml, _, *models = re.findall(r"```\n(.*?)```", text, re.DOTALL)
    columns = (Choice("shift", ("night", "off")), Number("staff", 0, 2), YesNo("ana"))
    assert read_csv(examples, schema=Schema(columns))[0].assignment == {"shift": "night", "staff": 2, "ana": 1}
    assert len(read_jsonl(lines)) == 3
    assert read_jsonl(values)[1].assignment == {"ana": 0, "shift": "off"}
    assert read_schema_toml(toml).arrangements == (Arrangement("works", ("nurse", "day"), "{nurse}_{day}"),)
    as_json, as_wcnf, as_wbo = models
    assert model_to_json(read_model_json(as_json)) == json.loads(as_json)
    assert wcnf_text(read_wcnf(as_wcnf)) == as_wcnf
    assert wbo_text(read_wbo(as_wbo)) == as_wbo
    assert read_wcnf(as_wcnf) == read_wbo(as_wbo)


def test_values_and_columns_of_a_schema_are_no_comments_and_no_labels():
    schema = Schema((Choice("a", ("#1", "#2")), YesNo("Label"), YesNo("Context")))
    data = Dataset.build(schema, [(None, ["#1", 1, 0], 1), (None, ["#2", 0, 1], 0)])
    assert read_csv(csv_text(data), schema=schema) == data


def test_models_and_examples_with_schemas_are_told_apart(folder, capsys):
    assert main(["convert", "e.csv", "e.jsonl", "--schema", "s.toml"]) == 0
    capsys.readouterr()
    for kind in ("opb", "wbo", "wcnf", "json"):
        assert main(["convert", "m.json", "-", "--to", kind]) == 0
        (folder / kind).write_text(capsys.readouterr().out)
        assert main(["inspect", kind]) == 2
        assert "holds a model, not examples" in capsys.readouterr().err
    (folder / "lines").write_text((folder / "e.jsonl").read_text())
    assert main(["show", "lines"]) == 2
    assert "holds examples, not a model" in capsys.readouterr().err


def test_a_column_named_like_a_delimiter_is_no_delimiter():
    data = Dataset.build([";"], [(None, [1], 1)])
    assert read_csv(csv_text(data, "\t")) == data


def test_without_a_schema_columns_are_recognised():
    text = "ana,shift,staff,context,label\nyes,night,2,shift = night,1\nno,off,0,staff < 2,0\nno,night,0,!ana,good\n"
    columns = (YesNo("ana"), Choice("shift", ("night", "off")), Number("staff", 0, 2))
    assert read_csv(text) == read_csv(text, schema=Schema(columns))
    assert read_csv(text)[1].assignment == {"ana": 0, "shift": "off", "staff": 0}


BAD_EXAMPLES = {
    "an unknown value": (CSV.replace("off,", "of,"), "3: column 'shift' has no value 'of'; its values are early"),
    "out of range": (CSV.replace("-1", "9"), "3: column 'staff' is 9; it ranges from -1 to 2"),
    "no number": (CSV.replace("-1", "many"), "3: column 'staff' is 'many'; write a whole number"),
    "an empty number": (CSV.replace("-1", ""), "3: column 'staff' is ''; write a whole number"),
    "neither yes nor no": (CSV.replace("-1,0", "-1,maybe"), "3: column 'ana': 'maybe' is neither 1 nor 0"),
    "two styles": (
        CSV.replace("-1,0", "-1,no"),
        "3: column 'ana': 'no' is neither 1 nor 0; write yes-or-no in one way",
    ),
    "an empty cell": (CSV.replace("-1,0", "-1,"), "3: column 'ana': the cell is empty"),
    "a missing column": (CSV.replace("staff,", "stuff,"), "1: there is no column 'staff', which the schema has; did"),
    "an extra column": (
        CSV.replace("\n", ",1\n").replace("label,1", "label,x", 1),
        "1: column 'x' is not in the schema",
    ),
    "a wrong context": (CSV.replace("= night", "= nigth"), "2: context 'shift = nigth', column 1: "),
    "a context it breaks": (
        CSV.replace("shift = night", "shift = off"),
        "2: the assignment (shift = night) breaks its own context 'shift = off'",
    ),
}
HEAD = jsonl_text(EXAMPLES).splitlines()[0] + "\n"
BAD_LINES = {
    "an unknown value": (HEAD + '{"assignment": [1, "of", 0], "label": 1}', "2: column 'shift' has no value 'of'"),
    "out of range": (HEAD + '{"assignment": [1, "off", 9], "label": 1}', "2: column 'staff' is 9; it ranges"),
    "a fraction": (HEAD + '{"assignment": [1, "off", 0.5], "label": 1}', "2: column 'staff' is 0.5; write a whole"),
    "a missing column": (HEAD + '{"assignment": {"ana": 1, "staff": 0}, "label": 1}', "2: the assignment says nothing"),
    "no domain": (HEAD + '{"assignment": "0110000", "label": 1}', "2: 0110000 means no values of the columns"),
    "a bad schema": ('{"schema": {"columns": {"a": {}}}}\n{}', "1: columns 'a': 'kind' is missing"),
    "both": ('{"schema": {"columns": {}}, "variables": []}\n{}', "1: unknown key 'schema' beside 'variables'"),
    "no columns": ('{"schema": {"columns": {}}}\n{}', "1: the list of variables is empty"),
}


@pytest.mark.parametrize("kind", BAD_EXAMPLES)
def test_values_that_contradict_the_schema_are_told(tmp_path, kind, capsys):
    text, part = BAD_EXAMPLES[kind]
    check_told(tmp_path / "e.csv", text, part, capsys, "--schema", str(tmp_path / "s.toml"))


@pytest.mark.parametrize("kind", BAD_LINES)
def test_lines_that_contradict_the_schema_are_told(tmp_path, kind, capsys):
    text, part = BAD_LINES[kind]
    check_told(tmp_path / "e.jsonl", text, part, capsys)


def test_another_schema_than_the_files_is_told(tmp_path, capsys):
    text = '{"schema": {"columns": {"b": {"kind": "yes-or-no"}}}}\n{"assignment": [1], "label": 1}'
    part = "1: the first line has other columns than the schema that was given"
    check_told(tmp_path / "e.jsonl", text, part, capsys, "--schema", str(tmp_path / "s.toml"))


def check_told(path, text, part, capsys, *options):
    SCHEMA.write(path.parent / "s.toml")
    path.write_text(text)
    assert main(["inspect", str(path), *options]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"hassle: {path}:{part}"), message
    assert message.count("\n") == 1


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    SCHEMA.write("s.toml")
    (tmp_path / "e.csv").write_text(CSV)
    Model.build(SCHEMA, ["ana | shift = off"], [("shift = night", 1)]).write("m.json")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "m.json", "e.csv"],
        ["label", "m.json", "e.csv"],
        ["inspect", "e.csv"],
        ["learn", "e.csv", "--steps", "1", "--learner", "sls"],
        ["crossval", "e.csv", "--folds", "2", "--steps", "1", "--learner", "sls"],
        ["convert", "e.csv", "f.jsonl"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_every_command_that_reads_examples_takes_a_schema(folder, capsys, arguments):
    (folder / "other.toml").write_text(schema_toml_text(Schema.of(["z"])))
    assert main([*arguments, "--schema", "other.toml"]) == 2
    assert "there is no column 'z', which the schema has" in capsys.readouterr().err
    assert main([*arguments, "--schema", "s.toml"]) == 0


def test_a_model_knows_what_the_columns_mean(folder, capsys):
    assert main(["label", "m.json", "e.csv"]) == 0
    assert len(capsys.readouterr().out.split()) == 3
    assert main(["score", "m.json", "e.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["examples"] == 3


def test_conversion_keeps_examples_with_their_schema(folder, capsys):
    assert main(["convert", "e.csv", "e.jsonl", "--schema", "s.toml"]) == 0
    assert Dataset.read("e.jsonl") == EXAMPLES
    assert main(["convert", "e.jsonl", "f.tsv"]) == 0
    assert Dataset.read("f.tsv", schema="s.toml") == EXAMPLES == Dataset.read("f.tsv", schema=SCHEMA)
    capsys.readouterr()
    assert main(["convert", "m.json", "m.wcnf", "--schema", "s.toml"]) == 2
    assert "--schema is for examples" in capsys.readouterr().err
