"""Examples in files: CSV as people and spreadsheets write it, JSON Lines, and the way back."""

import csv
import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import datasets, names

from hassle.data import Dataset
from hassle.errors import DataWarning, InputError
from hassle.files import read_examples, write_examples
from hassle.files.csv_examples import csv_text, read_csv
from hassle.files.jsonl_examples import jsonl_text, read_jsonl
from hassle.logic import as_schema

RESERVED = {"label", "context"}
column_names = st.lists(names().filter(lambda name: name not in RESERVED), min_size=1, max_size=5, unique=True)

EXAMPLES = Dataset.build(("a", "b"), [("a", "10", 1), ("", "01", 0), ("a | b", "11", "infeasible")])


def naive_csv(text):
    """A slow reading of a comma-separated text, cell by cell."""
    header, *rows = csv.reader(io.StringIO(text))
    variables = [name for name in header if name not in RESERVED]
    return Dataset.build(
        variables,
        [
            (cells.get("context", ""), [cells[name] for name in variables], cells["label"])
            for cells in (dict(zip(header, row, strict=True)) for row in rows)
        ],
    )


@given(datasets(over=column_names.map(tuple)), st.sampled_from([",", ";", "\t"]))
def test_csv_reads_back(data, delimiter):
    assert read_csv(csv_text(data, delimiter)) == data


@given(datasets(over=column_names.map(tuple)))
def test_csv_agrees_with_a_slow_reading(data):
    text = csv_text(data)
    assert read_csv(text) == naive_csv(text)


@given(datasets())
def test_jsonl_reads_back(data):
    assert read_jsonl(jsonl_text(data)) == data


@given(datasets())
def test_jsonl_takes_every_form_of_an_assignment(data):
    lines = [{"variables": data.variables}]
    for k, example in enumerate(data):
        bits = list(example.assignment.bits)
        forms = [
            dict(example.assignment),
            bits,
            str(example.assignment),
            [bool(b) for b in bits],
            [float(b) for b in bits],
        ]
        lines.append(
            {"context": example.context.text(data.variables), "assignment": forms[k % 5], "label": example.label}
        )
    assert read_jsonl("\n".join(map(json.dumps, lines))) == data


@pytest.mark.parametrize("name", ["e.csv", "e.tsv", "e.jsonl", "E.CSV", "e.ndjson"])
def test_files_read_back_and_know_their_lines(tmp_path, name):
    write_examples(EXAMPLES, tmp_path / name)
    data = Dataset.read(tmp_path / name)
    assert data == EXAMPLES
    assert data.source == str(tmp_path / name)
    assert data.lines.tolist() == [2, 3, 4]


@pytest.mark.parametrize("text", [csv_text(EXAMPLES), csv_text(EXAMPLES, ";"), jsonl_text(EXAMPLES)])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_without_an_extension_the_content_tells(tmp_path, text, encoding, line_end):
    (tmp_path / "examples").write_bytes(text.replace("\n", line_end).encode(encoding))
    assert read_examples(tmp_path / "examples") == EXAMPLES


def test_what_spreadsheets_do_to_a_file():
    text = (
        "\n a ;context; b;Notes;label;\n"
        "TRUE;;0;;1;\n"
        ";;;;;\n"
        ' 1 ;"a &\n !b";false;"two\nlines";Negative;\n'
        "\n"
        "0; (b);1;x;infeasible ;\n\n"
    )
    data = read_csv(text, ignore=["Notes"])
    assert data == Dataset.build(("a", "b"), [("", "10", 1), ("a & !b", "10", 0), ("b", "01", "infeasible")])
    assert data.lines.tolist() == [3, 5, 9]


def test_each_distinct_context_is_parsed_once(monkeypatch):
    from hassle.logic import Context

    texts = []
    parse = Context.parse
    monkeypatch.setattr(Context, "parse", lambda text, named: texts.append(text) or parse(text, named))
    rows = ["a & b,1,1,1", '"b, a",1,1,1', "a & b,1,1,1"]
    data = read_csv("\n".join(["context,a,b,label", *rows]))
    assert texts == ["a & b", "b, a"]
    assert len(data.contexts) == 1


def test_a_semicolon_in_a_name_does_not_decide_the_delimiter():
    data = Dataset.build(("a;b;c", "x,y", "t\tu".replace("\t", " ")), [("", "101", 1)])
    assert read_csv(csv_text(data)) == data
    assert read_csv(csv_text(data, ";")) == data


def test_ignored_columns_and_keys_are_left_out():
    assert read_csv("a,id,label\n1,x7,1\n", ignore="id") == Dataset.build(("a",), [("", "1", 1)])
    text = '{"variables": ["a"]}\n{"assignment": "1", "label": 1, "id": 7}\n'
    assert read_jsonl(text, ignore=["id"]) == Dataset.build(("a",), [("", "1", 1)])


def test_names_that_csv_needs_itself_go_to_jsonl(tmp_path):
    data = Dataset.build(("label", "context"), [("label", "10", 1)])
    with pytest.raises(InputError, match="write JSONL"):
        data.write(tmp_path / "e.csv")
    assert not (tmp_path / "e.csv").exists()
    data.write(tmp_path / "e.jsonl")
    assert Dataset.read(tmp_path / "e.jsonl") == data


def test_contradictions_are_told_with_their_lines(tmp_path):
    path = tmp_path / "e.csv"
    path.write_text("context,a,b,label\na,1,0,1\n,1,0,0\na,1,0,infeasible\n,0,0,1\n,0,0,0\n")
    with pytest.warns(DataWarning) as caught:
        data = read_examples(path)
    assert len(data) == 5
    (warning,) = caught
    assert f"{path}: lines 2, 4 hold the same assignment" in str(warning.message)
    assert "1 more such group" in str(warning.message)
    assert warning.filename == __file__


def test_many_examples_read_quickly_enough_to_be_in_the_suite():
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (20_000, 10), dtype=np.uint8)
    named = tuple(f"v{i}" for i in range(10))
    data = Dataset(
        as_schema(named),
        Dataset.build(named, [("", bits[0], 1)]).contexts,
        np.zeros(len(bits), np.int32),
        bits,
        np.ones(len(bits), np.int8),
    )
    assert read_csv(csv_text(data)) == data
    assert read_jsonl(jsonl_text(data)) == data


BAD_CSV = {
    "no label column": ("a,lable\n1,1\n", 1, "there is no column 'label'", "did you mean 'lable'?"),
    "only a label": ("label\n1\n", 1, "no column for a variable"),
    "header only": ("a,label\n\n", None, "no examples"),
    "two columns alike": ("a,b, a,label\n1,1,1,1\n", 1, "two columns 'a'"),
    "a column without a name": ("a,,label\n1,7,1\n", 1, "column 2 has no name"),
    "no such column to ignore": ("a,notes,label\n1,x,1\n", 1, "no column 'note' to ignore", "did you mean 'notes'?"),
    "a cell that is no bit": (
        "a,b,label\n" + "1,0,1\n1,1,0\n" * 2 + "1,7,1\n",
        6,
        "column 'b'",
        "'7' is neither 0 nor 1",
        "--ignore 'b'",
    ),
    "an empty cell": ("a,b,label\n1,,1\n0,1,0\n", 2, "column 'b'", "empty"),
    "a label that is none": ("a,label\n1,1\n\n1,fine\n", 4, "column 'label'", "'fine'"),
    "a missing label": ("a,label\n1,\n", 2, "column 'label'", "''"),
    "a short row": ("a,b,label\n1,0,1\n1,0\n", 3, "2 cells where the header has 3"),
    "a long row": ("a,label\n1,0,1\n", 2, "3 cells where the header has 2"),
    "an open quotation": ('a,label\n1,1\n1,"1\n1,1\n', 3, "quotation"),
    "an unknown variable": ("context,ana,label\n,1,1\nanna,1,1\n", 3, "column 1", "'anna'", "did you mean 'ana'?"),
    "a broken formula": ("context,a,label\na &,1,1\n", 2, "context 'a &', column 4"),
    "a broken context": ("context,a,label\n!a,1,1\n", 2, "(a = 1)", "'!a'"),
    "after a cell of two lines": ('n,a,label\n"x\ny",1,1\n' + "x,0,1\n" * 3 + "z,3,1\n", 7, "column 'a'", "'3'"),
}
BAD_JSONL = {
    "no variables": ('{"assignment": "1", "label": 1}\n', 1, "names no variables"),
    "variables of no text": ('{"variables": ["a", 1]}\n{}\n', 1, "no name"),
    "variables named twice": ('{"variables": ["a", "a"]}\n{}\n', 1, "'a' is named twice"),
    "an empty list": ('{"variables": []}\n{}\n', 1, "empty"),
    "more beside variables": ('{"variables": ["a"], "n": 1}\n{}\n', 1, "unknown key 'n'"),
    "no examples": ('{"variables": ["a"]}\n', None, "no examples"),
    "no JSON": ('{"variables": ["a"]}\n{"assignment": "1", label: 1}\n', 2, "is not JSON", "column 21"),
    "a list": ('{"variables": ["a"]}\n\n[1]\n', 3, "[1] is not an example"),
    "no label": ('{"variables": ["a"]}\n{"assignment": "1"}\n', 2, "no 'label'"),
    "no assignment": ('{"variables": ["a"]}\n{"label": "1"}\n', 2, "no 'assignment'"),
    "an unknown key": ('{"variables": ["a"]}\n{"assignment": "1", "lable": "1"}\n', 2, "'lable'", "mean 'label'?"),
    "a repeated key": ('{"variables": ["a"]}\n{"assignment": {"a": 1, "a": 0}, "label": 1}\n', 2, "'a' stands twice"),
    "a wrong value": ('{"variables": ["a"]}\n{"assignment": [7], "label": 1}\n', 2, "'a' has value 7"),
    "too few values": ('{"variables": ["a", "b"]}\n{"assignment": "1", "label": 1}\n', 2, "1 values for 2"),
    "a missing variable": ('{"variables": ["a", "b"]}\n{"assignment": {"a": 1}, "label": 1}\n', 2, "nothing of b"),
    "a null assignment": ('{"variables": ["a"]}\n{"assignment": null, "label": 1}\n', 2, "None is not an assignment"),
    "a number as assignment": ('{"variables": ["a"]}\n{"assignment": 1, "label": 1}\n', 2, "1 is not an assignment"),
    "a wrong label": ('{"variables": ["a"]}\n{"assignment": "1", "label": null}\n', 2, "None is not a label"),
    "a context that is no text": (
        '{"variables": ["a"]}\n{"assignment": "1", "label": 1, "context": 3}\n',
        2,
        "3 is not",
    ),
    "NaN": ('{"variables": ["a"]}\n{"assignment": [NaN], "label": 1}\n', 2, "NaN is not"),
    "deep": ('{"variables": ["a"]}\n' + "[" * 99999 + "\n", 2, "nested too deeply"),
    "a broken context": ('{"variables": ["a"]}\n{"assignment": "1", "label": 1, "context": "!a"}\n', 2, "'!a'"),
}


def complaint(tmp_path, name, content, **options):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as caught:
        read_examples(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


@pytest.mark.parametrize("kind", BAD_CSV)
def test_bad_csv_is_told_with_line_and_value(tmp_path, kind):
    text, line, *parts = BAD_CSV[kind]
    ignore = {"no such column to ignore": ["note"], "after a cell of two lines": ["n"]}.get(kind, [])
    message = complaint(tmp_path, "e.csv", text, ignore=ignore)
    assert message.startswith(": " if line is None else f":{line}: "), message
    for part in parts:
        assert part in message


@pytest.mark.parametrize("kind", BAD_JSONL)
def test_bad_jsonl_is_told_with_line_and_value(tmp_path, kind):
    text, line, *parts = BAD_JSONL[kind]
    message = complaint(tmp_path, "e.jsonl", text)
    assert message.startswith(": " if line is None else f":{line}: "), message
    for part in parts:
        assert part in message


def test_an_unused_key_to_ignore_is_told(tmp_path):
    assert "no key 'id' to ignore" in complaint(tmp_path, "e.jsonl", jsonl_text(EXAMPLES), ignore=["id"])
