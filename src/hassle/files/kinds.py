"""Telling a model from examples by a file's beginning, for the message where one was given for the other."""

from __future__ import annotations

import re

from hassle.files.csv_layout import DELIMITERS, is_remark

# What is looked at: enough for the first lines of any file, however long the file is.
BEGINNING = 100_000

_MODEL_KEY = re.compile(r'"(format"\s*:\s*"hassle-model|hard"\s*:|soft"\s*:)')
_EXAMPLES_LINE = re.compile(r'\{\s*"(variables|assignment|label|context)"\s*:.*\}\s*(\n|$)')
_DIMACS = re.compile(r"p w?cnf |c (var|unit|soft) |(h|-?[0-9]+)( -?[0-9]+)* 0$")


def holds_model(text: str) -> bool:
    """Whether it looks like JSON or DIMACS as models are written."""
    beginning = text[:BEGINNING].lstrip()
    if beginning.startswith("{"):
        return _MODEL_KEY.search(beginning) is not None
    return _DIMACS.match(_first_line(beginning)) is not None


def holds_examples(text: str) -> bool:
    """Whether it looks like JSON Lines or a CSV header as examples have them."""
    beginning = text[:BEGINNING].lstrip()
    if beginning.startswith("{"):
        return _EXAMPLES_LINE.match(beginning) is not None and not holds_model(text)
    cells = re.split("|".join(DELIMITERS), _first_line(beginning).lower())
    return len(cells) > 1 and "label" in [cell.strip(' "') for cell in cells]


def _first_line(beginning: str) -> str:
    """The first line that is no comment of a spreadsheet."""
    lines = (line.strip() for line in beginning.split("\n"))
    return next((line for line in lines if line and not is_remark(line) and not line.startswith("sep=")), "")
