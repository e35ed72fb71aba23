"""What is easily mistaken is taken for what it is, or called by its name: swapped files, spreadsheets, links."""

from __future__ import annotations

import pytest

from hassle.cli.main import main
from hassle.data import Dataset
from hassle.errors import DataWarning, InputError
from hassle.files import read_examples, read_model, write_examples, write_model
from hassle.model import Model

DATA = Dataset.build(("a", "b"), [("a", "10", 1), ("", "00", 0)])
MODEL = Model.build(("a", "b"), ["a | b"], [("!a", "0.5")])
RULES = Model.build(("a", "b"), ["a | b"])

PLAIN = "a,b,context,label\n1,0,a,1\n0,0,,0\n"


def read(tmp_path, text, **options):
    path = tmp_path / "e.csv"
    path.write_text(text)
    return read_examples(path, **options)


def complaint(tmp_path, text, **options):
    with pytest.raises(InputError) as caught:
        read(tmp_path, text, **options)
    return str(caught.value).removeprefix(str(tmp_path / "e.csv"))


# Swapped files


@pytest.mark.parametrize("named", ["x", "x.csv", "x.jsonl", "x.json", "x.txt"])
@pytest.mark.parametrize("extension", [".wcnf", ".json", ".cnf"])
def test_a_model_given_as_examples(tmp_path, extension, named):
    model = RULES if extension == ".cnf" else MODEL
    write_model(model, tmp_path / named, extension)
    for labels in (True, False):
        with pytest.raises(InputError, match="holds a model, not examples; name the examples") as caught:
            read_examples(tmp_path / named, labels=labels)
        assert caught.value.file == str(tmp_path / named)


@pytest.mark.parametrize("named", ["x", "x.wcnf", "x.cnf", "x.json", "x.txt"])
@pytest.mark.parametrize("extension", [".csv", ".tsv", ".jsonl"])
def test_examples_given_as_a_model(tmp_path, extension, named):
    write_examples(DATA, tmp_path / named, extension)
    with pytest.raises(InputError, match="holds examples, not a model; name the model"):
        read_model(tmp_path / named)


@pytest.mark.parametrize("text", ["hello\n", '{"name": 1}\n', "h 1 x 0\n", "c just a comment\n1 2\n"])
def test_what_is_neither_is_not_called_either(tmp_path, text):
    (tmp_path / "x").write_text(text)
    for reader in (read_model, read_examples):
        with pytest.raises(InputError) as caught:
            reader(tmp_path / "x")
        assert "holds" not in str(caught.value)


# Columns in other case


@pytest.mark.parametrize(("label", "context"), [("Label", "Context"), ("LABEL", "context"), ("label", "CONTEXT")])
def test_label_and_context_in_other_case_are_taken_with_a_word(tmp_path, label, context):
    text = PLAIN.replace("label", label).replace("context", context)
    with pytest.warns(DataWarning) as told:
        data = read(tmp_path, text)
    assert data == DATA
    named = [name for name in (label, context) if name != name.lower()]
    for name, warning in zip(named, told, strict=True):
        assert f"the column {name!r} is taken for {name.lower()!r}" in str(warning.message)


def test_the_command_line_says_so_on_stderr(tmp_path, capsys):
    (tmp_path / "e.csv").write_text("a,b,Label\n1,0,1\n0,0,0\n")
    assert main(["inspect", str(tmp_path / "e.csv")]) == 0
    assert capsys.readouterr().err.endswith("e.csv: the column 'Label' is taken for 'label'\n")


def test_variables_of_such_names_stay_variables(tmp_path):
    assert read(tmp_path, "Label,label\n1,0\n").variables == ("Label",)
    assert read(tmp_path, "Context,context,label\n1,Context,0\n").variables == ("Context",)
    assert read(tmp_path, "Context,label\n1,0\n0,1\n").variables == ("Context",)
    assert "no column 'label'" in complaint(tmp_path, "a,Label,LABEL\n1,0,0\n")


# What spreadsheets write


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", ":"])
@pytest.mark.parametrize("first", ["sep={}", "SEP={}", '"sep={}"', "sep={}  "])
def test_excel_says_what_separates_cells(tmp_path, delimiter, first):
    text = first.format(delimiter) + "\n" + PLAIN.replace(",", delimiter)
    data = read(tmp_path, text)
    assert data == DATA
    assert [data.line(k) for k in range(2)] == [3, 4]
    assert complaint(tmp_path, text + delimiter.join("1002") + "\n").startswith(":5: column 'label': '2'")


def test_a_column_may_be_named_sep(tmp_path):
    assert read(tmp_path, "sep=,label\n1,0\n").variables == ("sep=",)


@pytest.mark.parametrize(
    "text",
    [
        "# exported\n" + PLAIN,
        "# exported, by me, label\n\n#\n" + PLAIN,
        "sep=,\n# exported\n" + PLAIN,
        '"# exported, ""by"" me",,,\n' + PLAIN,
        PLAIN + "# the end\n",
        PLAIN.replace("\n0,", "\n#1,1,,0\n0,"),
        PLAIN.replace("\n0,", "\n# spent;;;\n# padded,,,\n0,"),
    ],
)
def test_comments_are_skipped(tmp_path, text):
    data = read(tmp_path, text)
    assert data == DATA
    lines = text.split("\n")
    assert [lines[data.line(k) - 1] for k in range(2)] == ["1,0,a,1", "0,0,,0"]


@pytest.mark.parametrize("labels", [True, False])
@pytest.mark.parametrize("before", ["", "# a comment\n", "# one, two\n\n"])
def test_a_column_named_with_a_hash_is_a_column(tmp_path, before, labels):
    assert read(tmp_path, before + "#x,b,label\n1,0,1\n", labels=labels).variables == ("#x", "b")
    assert read(tmp_path, before + "#,label\n1,1\n# a comment\n0,0\n", labels=labels).variables == ("#",)
    if not labels:
        assert read(tmp_path, before + "#x,b\n1,0\n", labels=False).variables == ("#x", "b")


def test_an_ignored_first_column_may_hold_hashes(tmp_path):
    for text in ("#id,a,label\n#1,1,1\n#2,0,0\n", "id,a,label\n#1,1,1\n# a comment\n#,,\n#2,0,0\n"):
        data = read(tmp_path, text, ignore=[text.split(",")[0]])
        assert (data.variables, len(data)) == (("a",), 2)


def test_numbers_with_a_hash_are_not_taken_for_comments_in_silence(tmp_path):
    text = "id,a,label\n#1,1,1\n#2,0,0\n"
    assert complaint(tmp_path, text).endswith(
        "taken for comments; if that is no variable, ignore the column (--ignore 'id')"
    )
    with pytest.warns(DataWarning, match="2 rows that begin with '#' are taken for comments, on line 2 first"):
        read(tmp_path, text + "3,1,1\n")
    assert len(read(tmp_path, text, ignore=["id"])) == 2


def test_a_quotation_in_a_comment_swallows_nothing_silently(tmp_path):
    assert complaint(tmp_path, 'a,b,label\n1,0,1\n# see, "x\n0,0,0\n"\n1,1,0\n').startswith(":3: the comment opens")


@pytest.mark.parametrize(
    ("text", "seems"),
    [
        ("a|b|label\n1|0|1\n", "'|'"),
        ("a|b|context|label\n1|0|a | b|1\n", "'|'"),
        ("a:b:label\n1:0:1\n", "':'"),
        ("a b label\n1 0 1\n", "' '"),
        ("my a/b/Label\n1/0/1\n", "'/'"),
    ],
)
def test_an_unusual_delimiter_is_named(tmp_path, text, seems):
    message = complaint(tmp_path, text)
    assert message.startswith(f":1: the cells seem to be separated by {seems}; separate them by commas")
    if seems != "' '":
        assert f"sep={seems[1]}" in message
        if "context" not in text and "Label" not in text:
            assert len(read(tmp_path, f"sep={seems[1]}\n{text}")) == 1
    assert "seem to be separated" in complaint(tmp_path, "a^b\n1^0\n", labels=False)


def test_a_single_column_is_fine(tmp_path):
    assert read(tmp_path, "my a\n1\n", labels=False).variables == ("my a",)


# Links


def test_a_link_to_nothing_is_called_one(tmp_path, capsys):
    (tmp_path / "m.wcnf").symlink_to(tmp_path / "gone" / "m.wcnf")
    with pytest.raises(InputError, match=r"is a link to '.*gone/m.wcnf', which is not there"):
        read_model(tmp_path / "m.wcnf")
    with pytest.raises(InputError, match=r"is a link, and there is no directory '.*gone'; make it first"):
        write_model(MODEL, tmp_path / "m.wcnf")
    assert (tmp_path / "m.wcnf").is_symlink()


def test_a_link_to_a_file_to_come_is_written_through(tmp_path):
    (tmp_path / "m.wcnf").symlink_to(tmp_path / "later.wcnf")
    write_model(MODEL, tmp_path / "m.wcnf")
    assert (tmp_path / "m.wcnf").is_symlink()
    assert read_model(tmp_path / "later.wcnf") == MODEL


def test_a_folder_that_is_a_link_to_nothing_is_called_one(tmp_path, capsys):
    (tmp_path / "made").symlink_to(tmp_path / "gone")
    assert main(["generate", "-o", str(tmp_path / "made"), "--variables", "5", "--hard", "2", "--soft", "2"]) == 2
    assert "made: the directory cannot be made (it is a link to nothing)" in capsys.readouterr().err
