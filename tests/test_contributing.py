"""What is easily forgotten when something is added: its place in the lists that others read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from hassle.files import EXAMPLE_WRITERS, EXAMPLES, MODEL_EXPORTS, MODEL_READERS, MODEL_WRITERS
from hassle.files.schema_data import schema_from_data, schema_to_data
from hassle.learners import LEARNERS
from hassle.logic import Choice, Column, Number, Schema, YesNo

ROOT = Path(__file__).parent.parent


def table_names(text: str) -> set[str]:
    """What stands in backquotes in the first cells of a document's tables."""
    cells = re.findall(r"^\| (`[^|]*?) \|", text, re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def test_every_room_is_described():
    rooms = {path.name.removesuffix(".py") for path in (ROOT / "src" / "hassle").iterdir() if path.name[0] not in "_p"}
    assert rooms == table_names((ROOT / "CONTRIBUTING.md").read_text())


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_is_in_the_readme(learner):
    assert learner in table_names((ROOT / "README.md").read_text())


@pytest.mark.parametrize(
    "extension", sorted({*EXAMPLES, *EXAMPLE_WRITERS, *MODEL_READERS, *MODEL_WRITERS, *MODEL_EXPORTS})
)
def test_every_format_is_documented(extension):
    assert f"`{extension}`" in (ROOT / "docs" / "formats.md").read_text()


def test_what_is_written_is_read():
    assert set(EXAMPLE_WRITERS) <= set(EXAMPLES)
    assert set(MODEL_WRITERS) <= set(MODEL_READERS)


COLUMNS = {YesNo: YesNo("a"), Choice: Choice("b", ("x", "y")), Number: Number("c", 1, 3)}


@pytest.mark.parametrize("kind", get_args(Column), ids=lambda kind: kind.__name__)
def test_every_kind_of_column_can_be_kept_in_files(kind):
    schema = Schema((COLUMNS[kind],))
    assert schema_from_data(schema_to_data(schema)) == schema


def test_the_paths_that_contributors_are_told_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    for path in re.findall(r"`((?:src|tests|docs|learners|logic|files|model|cli)/[\w./]+\.\w+)`", text):
        assert (ROOT / path).exists() or (ROOT / "src" / "hassle" / path).exists(), path
