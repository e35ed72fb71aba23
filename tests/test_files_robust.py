"""Whatever happens to files: atomic writes, odd encodings, wrong paths, random damage."""

import os
import stat
import sys
from io import BytesIO, TextIOWrapper

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hassle.data import Dataset
from hassle.errors import DataWarning, InputError
from hassle.files import read_examples, read_model, write_examples, write_model
from hassle.files.atomic import write_text
from hassle.files.cnf import cnf_text
from hassle.files.csv_examples import csv_text
from hassle.files.decode import decoded
from hassle.files.jsonl_examples import jsonl_text
from hassle.files.model_json import model_json_text
from hassle.files.wcnf import wcnf_text
from hassle.model import Model

EXAMPLES = Dataset.build(("a", "b c", "é"), [("a", "100", 1), ("", "010", 0), ("a -> 'b c'", "110", "suboptimal")])
MODEL = Model.build(
    EXAMPLES.variables, ["a | !é", "'b c'"], [("a", 0.5), ("a | 'b c'", -1), ("é", -0.25)], about={"score": 0.5}
)
HARD = Model.from_units(MODEL.schema, MODEL.hard)
VALID = {
    "e.csv": csv_text(EXAMPLES),
    "e.jsonl": jsonl_text(EXAMPLES),
    "m.wcnf": wcnf_text(MODEL),
    "old.wcnf": "c unit 10\np wcnf 3 3 20\n20 1 -2 0\n5 3 0\n20 2 0\n",
    "m.cnf": cnf_text(HARD),
    "m.json": model_json_text(MODEL),
}


def read(path):
    return (read_examples if path.name.startswith("e.") else read_model)(path)


@st.composite
def damaged(draw, data):
    """The bytes after a few random deletions, insertions, replacements and doublings."""
    result = bytearray(data)
    pieces = st.binary(min_size=1, max_size=3) | st.sampled_from(
        [
            b"0",
            b"1",
            b"-",
            b"9" * 8,
            b"\n",
            b"\r",
            b",",
            b";",
            b'"',
            b"'",
            b" ",
            b"c ",
            b"p ",
            b"h",
            b"{",
            b"]",
            b"\xff\xfe",
        ]
    )
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(result)))
        end = min(len(result), start + draw(st.integers(0, 8)))
        match draw(st.sampled_from(["delete", "insert", "replace", "double", "cut"])):
            case "delete":
                del result[start:end]
            case "insert":
                result[start:start] = draw(pieces)
            case "replace":
                result[start:end] = draw(pieces)
            case "double":
                result[start:start] = result[start:end]
            case "cut":
                del result[max(start, len(result) // 2) :]
    return bytes(result)


@pytest.mark.filterwarnings("ignore::hassle.errors.DataWarning")
@pytest.mark.parametrize("name", VALID)
def test_damaged_files_give_a_result_or_an_input_error(tmp_path_factory, name):
    path = tmp_path_factory.mktemp("damaged") / name

    @given(damaged(VALID[name].encode()))
    def check(data):
        path.write_bytes(data)
        try:
            result = read(path)
        except InputError as error:
            message = str(error)
            assert message.startswith(str(path))
            assert "\n" not in message
            return
        # What could be read can be written and read again.
        (write_examples if name.startswith("e.") else write_model)(result, path)
        assert read(path) == result

    check()


@given(st.binary(max_size=40))
def test_any_bytes_are_text_or_an_input_error(data):
    try:
        text = decoded(data)
    except InputError:
        return
    assert "\r" not in text
    assert "\0" not in text


@pytest.mark.parametrize("name", VALID)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_encodings_and_line_ends(tmp_path, name, encoding):
    path = tmp_path / name
    path.write_text(VALID[name])
    expected = read(path)
    path.write_bytes(VALID[name].replace("\n", "\r\n").encode(encoding))
    assert read(path) == expected


@pytest.mark.parametrize(
    ("data", "parts"),
    [
        (b"a,label\n1,1\n\xe9,1\n", [":3: ", "not UTF-8 text (byte 0xe9)", "save it as UTF-8"]),
        (b"\xff\xfea", ["not UTF-16"]),
        (b"a,label\n\x001,1\n", [":2: ", "NUL"]),
        (b"\x7fELF\x02\x01\x01" + bytes(9), ["NUL"]),
        (b"\x1f\x8b\x08\x00", ["compressed (gzip)"]),
        (b"PK\x03\x04abc", ["compressed (zip)"]),
        (b"", ["is empty"]),
        (b"\xef\xbb\xbf \n\n", ["is empty"]),
    ],
)
def test_what_is_no_text_is_told(tmp_path, data, parts):
    for name in ("e.csv", "m.wcnf", "m.json"):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(InputError) as caught:
            read(path)
        assert str(caught.value).startswith(str(path))
        assert all(part in str(caught.value) for part in parts)


def test_missing_files_suggest_their_neighbours(tmp_path):
    (tmp_path / "nurses.csv").write_text(VALID["e.csv"])
    with pytest.raises(InputError, match=r"no such file; did you mean '.*nurses\.csv'\?"):
        read_examples(tmp_path / "nurse.csv")
    with pytest.raises(InputError, match="no directory"):
        read_examples(tmp_path / "absent" / "nurses.csv")
    with pytest.raises(InputError, match="is a directory"):
        read_model(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read_model("a\0b")


def test_the_wrong_kind_of_file_is_told(tmp_path):
    with pytest.raises(InputError, match="named like examples"):
        read_model(tmp_path / "e.csv")
    with pytest.raises(InputError, match="named like a model"):
        read_examples(tmp_path / "m.wcnf")
    with pytest.raises(InputError, match=r"'\.txt' names no format .*use \.wcnf, "):
        write_model(MODEL, tmp_path / "m.txt")
    with pytest.raises(InputError, match=r"has no extension; use \.csv"):
        write_examples(EXAMPLES, tmp_path / "e")


def test_places_that_cannot_be_written_are_told(tmp_path):
    (tmp_path / "m.json").mkdir()
    with pytest.raises(InputError, match="is a directory"):
        write_model(MODEL, tmp_path / "m.json")
    with pytest.raises(InputError, match="there is no directory"):
        write_model(MODEL, tmp_path / "absent" / "m.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write_model(MODEL, tmp_path / "file" / "m.json")
    with pytest.raises(InputError, match="cannot be written"):
        write_model(MODEL, str(tmp_path / "a\0b.json"))


def test_permissions_are_told(tmp_path, monkeypatch):
    def refuse(*_arguments):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("hassle.files.decode.open", refuse, raising=False)
    with pytest.raises(InputError, match=r"m\.wcnf: may not be read"):
        read_model(tmp_path / "m.wcnf")
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InputError, match=r"m\.wcnf: may not be written"):
        write_model(MODEL, tmp_path / "m.wcnf")


@pytest.mark.parametrize("door", ["open", "fsync", "chmod", "replace"])
@pytest.mark.parametrize("failure", [PermissionError(13, "no"), OSError(28, "disk full"), KeyboardInterrupt()])
def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch, door, failure):
    path = tmp_path / "m.wcnf"
    path.write_text("old")

    def fail(*_arguments):
        raise failure

    monkeypatch.setattr(os, door, fail)
    with pytest.raises(KeyboardInterrupt if isinstance(failure, KeyboardInterrupt) else InputError):
        write_text(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["m.wcnf"]


@pytest.mark.skipif(os.name != "posix", reason="POSIX permissions and links")
def test_permissions_and_links_are_kept(tmp_path):
    path, link = tmp_path / "m.wcnf", tmp_path / "link.wcnf"
    write_model(MODEL, path)
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    path.chmod(0o640)
    link.symlink_to(path)
    write_model(HARD, link)
    assert link.is_symlink()
    assert read_model(path) == HARD
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    write_text(os.devnull, "gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.parametrize("name", ["e.csv", "m.wcnf"])
def test_a_dash_is_standard_input_and_output(monkeypatch, name):
    reading, writing, value = (
        (read_examples, write_examples, EXAMPLES) if name == "e.csv" else (read_model, write_model, MODEL)
    )
    out = TextIOWrapper(BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    writing(value, "-")
    assert out.buffer.getvalue().decode() == VALID[name]
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(out.buffer.getvalue())))
    assert reading("-") == value
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"{]")))
    with pytest.raises(InputError, match="standard input:1: is not JSON"):
        reading("-")


def test_standard_input_can_hold_any_format(monkeypatch):
    for name, text in VALID.items():
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(text.encode())))
        assert (read_examples if name.startswith("e.") else read_model)("-") is not None


def test_contradictory_examples_warn_and_are_kept(monkeypatch):
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"a,label\n1,1\n1,0\n")))
    with pytest.warns(DataWarning, match="standard input: lines 2, 3 hold"):
        assert len(read_examples("-")) == 2
