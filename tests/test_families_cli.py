"""Families on the command line: generated, shown, and used elsewhere."""

from __future__ import annotations

import json

import numpy as np
import pytest

from hassle.cli.main import main
from hassle.data import Dataset
from hassle.files import write_schema
from hassle.generate.arranged import elsewhere, ward
from hassle.model import Model, parse_rules


def run(capsys, *arguments: str) -> str:
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def test_a_generated_ward_is_read_back_and_shown(tmp_path, capsys):
    folder = tmp_path / "ward"
    record = json.loads(run(capsys, "generate", "-o", str(folder), "--ward", "4,3,2", "--contexts", "4", "--json"))
    truth = Model.read(folder / "truth.json")
    data = Dataset.read(folder / "examples.jsonl")
    assert data.schema == truth.schema
    assert len(data.contexts) == record["contexts"] == 4
    shown = run(capsys, "show", str(folder / "truth.json"), "--rules")
    assert parse_rules(shown, truth.schema) == truth.rules
    assert "for every nurse and day: at most 1 shift" in run(capsys, "show", str(folder / "truth.json"))


@pytest.mark.parametrize("option", [("--ward", "4,3,2"), ("--timetable", "5,4"), ("--configurator", "5")])
def test_other_arranged_problems(tmp_path, capsys, option):
    run(capsys, "generate", "-o", str(tmp_path), *option, "--contexts", "3")
    truth = Model.read(tmp_path / "truth.json")
    assert truth.schema.arrangements
    assert Model.read(tmp_path / "truth.wcnf").hard == truth.hard
    said = Dataset.read(tmp_path / "examples.jsonl")
    bare = Dataset.read(tmp_path / "examples.csv", schema=tmp_path / "schema.toml")
    assert (bare.assignments == said.assignments).all()
    assert (bare.labels == said.labels).all()
    assert bare.contexts == said.contexts


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--ward", "4,3"), "write 3 whole numbers"),
        (("--ward", "2,3,2"), "at least 4 nurses"),
        (("--ward", "4,3,2", "--timetable", "5,4"), "exclude each other"),
        (("--configurator", "x"), "write 1 whole numbers"),
    ],
)
def test_what_cannot_be_made_is_said(tmp_path, capsys, options, said):
    assert main(["generate", "-o", str(tmp_path / "x"), *options]) == 2
    assert said in capsys.readouterr().err


def test_a_model_is_used_on_another_ward(tmp_path, capsys):
    home = ward(4, 3, 2, np.random.default_rng(0))
    other = elsewhere(home, 6, 4, 2)
    home.truth.write(tmp_path / "model.json")
    write_schema(other.truth.schema, tmp_path / "other.toml")
    assert main(["solve", str(tmp_path / "model.json"), "--schema", str(tmp_path / "other.toml"), "--json"]) == 0
    captured = capsys.readouterr()
    answer = json.loads(captured.out)
    assert set(answer["assignments"][0]) == set(other.truth.variables)
    assert other.truth.verdict(answer["assignments"][0]) == "optimal"
    assert captured.err.count("Left out") == len(home.truth.rules) - len(other.truth.rules) > 0


def test_wards_of_four_shifts_have_names_that_rules_can_say():
    """A shift called as the dimension of days is would be no name."""
    for seed in range(12):
        assert len(ward(6, 4, 4, np.random.default_rng(seed)).truth.rules) == 8 + 3 + 6
