"""Files made to hurt: what they hold is understood or refused in one short line, at once."""

import json

import pytest

from hassle.cli.main import main
from hassle.data import Dataset, Label
from hassle.errors import InputError
from hassle.files import read_examples, read_model, write_examples
from hassle.model import Model
from hassle.model.weights import exact_weight

LONG = "z" * 200_000


def model_file(tmp_path, **parts):
    path = tmp_path / "m.json"
    path.write_text(json.dumps({"format": "hassle-model", "version": 1, "variables": ["a"]} | parts))
    return path


@pytest.mark.parametrize(
    "parts",
    [
        {"hard": [[LONG]]},
        {"variables": ["a", "a\n" + LONG]},
        {"soft": [{"clause": ["a"], "weight": "1" * 200_000}]},
        {"soft": [{"clause": ["a"], "weight": "0." + "1" * 200_000}]},
        {"unit": int("1" * 4000)},
    ],
)
def test_messages_about_long_models_are_short(tmp_path, parts):
    path = model_file(tmp_path, **parts)
    with pytest.raises(InputError) as caught:
        read_model(path)
    assert len(str(caught.value)) < len(str(path)) + 1000


@pytest.mark.parametrize(
    "text",
    [
        f"a,label\n1,{LONG}\n",
        f"a,label\n{LONG},1\n",
        f"a,context,label\n1,{LONG},1\n",
        f"a,context,label\n1,{'a & ' * 50_000},1\n",
        f'{{"variables": ["a"]}}\n{{"assignment": {{"{LONG}": 1}}, "label": 1}}\n',
        f'{{"variables": ["a"]}}\n{{"assignment": ["{LONG}"], "label": 1}}\n',
        f'{{"variables": ["a"]}}\n{{"assignment": [1], "label": "{LONG}"}}\n',
    ],
)
def test_messages_about_long_examples_are_short(tmp_path, text):
    path = tmp_path / "examples"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_examples(path)
    assert len(str(caught.value)) < len(str(path)) + 1000


def test_weights_of_a_million_digits():
    assert exact_weight("0.5" + "0" * 10**6) == exact_weight("0.5")
    with pytest.raises(InputError, match="finer"):
        exact_weight("0." + "1" * 10**6)
    with pytest.raises(InputError, match="too large"):
        exact_weight(10**5000)


@pytest.mark.parametrize("number", ["1e9999999999999999999", "1e400"])
def test_numbers_beyond_all_measure(tmp_path, number):
    path = model_file(tmp_path, about={"x": 7})
    path.write_text(path.read_text().replace("7", number))
    with pytest.raises(InputError):
        read_model(path)


@pytest.mark.parametrize("about", [{"half": "\ud800"}, {"\ud800": 1}, {"deep": eval("[" * 150 + "]" * 150)}])
def test_what_could_not_be_written_again_is_not_read(tmp_path, about):
    with pytest.raises(InputError, match="about"):
        read_model(model_file(tmp_path, about=about))


def test_contexts_longer_than_pythons_cells_read_back(tmp_path):
    names = tuple(f"a_rather_long_name_of_a_variable_{i}" for i in range(5000))
    data = Dataset.build(names, [(" & ".join(names), [1] * len(names), 1)])
    write_examples(data, tmp_path / "e.csv")
    assert read_examples(tmp_path / "e.csv") == data


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("e.csv", "a,b,context\n1,0,\n0,0,!a\n"),
        ("e.csv", "a,b,context,label\n1,0,,?\n0,0,!a,\n"),
        ("e.jsonl", '{"variables": ["a", "b"]}\n{"assignment": "10"}\n{"assignment": "00", "context": "!a"}\n'),
        (
            "e.jsonl",
            '{"variables": ["a", "b"]}\n{"assignment": "10", "label": "?"}\n{"assignment": "00", "context": "!a"}\n',
        ),
    ],
)
def test_new_decisions_get_verdicts_without_labels(tmp_path, capsys, name, text):
    (tmp_path / name).write_text(text)
    Model.build(("a", "b"), ["a | b"], [("a", 1)]).write(tmp_path / "m.wcnf")
    assert main(["label", str(tmp_path / "m.wcnf"), str(tmp_path / name)]) == 0
    assert capsys.readouterr().out.split() == ["optimal", "infeasible"]
    assert all(example.label == Label.NEGATIVE for example in Dataset.read(tmp_path / name, labels=False))
    with pytest.raises(InputError, match="label"):
        Dataset.read(tmp_path / name)
