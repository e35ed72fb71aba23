"""The files in examples/ are learned, shown and used with the lines that its README gives."""

import importlib.util
import itertools
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from hassle.cli.main import main
from hassle.data import Dataset
from hassle.logic import as_context
from hassle.model import Model

FOLDER = Path(__file__).parents[1] / "examples"
BLOCKS = re.findall(r"```\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)
LINES = {Path(shlex.split(block)[2]).stem.partition("_")[0]: block.splitlines() for block in BLOCKS}

spec = importlib.util.spec_from_file_location("make", FOLDER / "make.py")
make = importlib.util.module_from_spec(spec)
__import__("sys").modules["make"] = make
spec.loader.exec_module(make)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for path in FOLDER.iterdir():
        if path.is_file():
            shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_files_are_those_that_are_made(tmp_path):
    make.write_all(tmp_path)
    for path in tmp_path.iterdir():
        if path.suffix == ".csv":
            assert path.read_text() == (FOLDER / path.name).read_text()
        else:
            assert Dataset.read(path, sheet="Shifts") == Dataset.read(FOLDER / path.name, sheet="Shifts")


@pytest.mark.parametrize("name", ["exams", "ward", "bikes", "machines", "rooms"])
def test_each_is_learned_shown_and_used(folder, capsys, name):
    learn, solve = ([*shlex.split(line)[1:], "--json"] for line in LINES[name])
    assert main(learn) == 0
    assert json.loads(capsys.readouterr().out)["score"] >= 0.95
    assert main(["show", f"{name}.json"]) == 0
    assert "Rules" in capsys.readouterr().out
    assert main(solve) == 0
    answer = json.loads(capsys.readouterr().out)["assignments"][0]
    problem = getattr(make, name.upper())
    context = solve[solve.index("--context") + 1]
    best, others = problem.best(context)
    assert answer in best + others  # the values of the columns, and the situation, are respected
    # What was learned decides as the truth does in most situations that the file speaks of.
    model = Model.read(f"{name}.json")
    situations = {example.context for example in read(learn)}
    right = 0
    for situation in situations:
        text = situation.text(model.schema)
        found = model.solve(as_context(text, model.schema))
        right += found is not None and dict(found) in problem.best(text)[0]
    assert right >= 0.7 * len(situations)
    if name == "exams":
        assert main(["solve", "exams.json", "--fill", "exams_next.csv", "--json"]) == 0
        spring, summer, autumn = json.loads(capsys.readouterr().out)["plans"]
        assert spring["assignment"]["maths"] == "mon_am"
        assert (summer["assignment"]["physics"], summer["assignment"]["art"]) == ("mon_pm", "tue_am")
        assert len(autumn["filled"]) == 4


def read(arguments):
    """The examples as the command read them."""
    options = {"labels_from": None, "sheet": None, "given": [], "ignore": []}
    for option, value in itertools.pairwise(arguments):
        key = option.removeprefix("--").replace("-", "_")
        if option.startswith("--") and key in options:
            options[key] = [*options[key], value] if isinstance(options[key], list) else value
    return Dataset.read(arguments[1], **options)
