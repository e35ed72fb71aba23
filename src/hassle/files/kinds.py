"""Telling a model from examples by a file's beginning, for the message where one was given for the other."""

from __future__ import annotations

import re

from hassle.files.csv_layout import DELIMITERS, is_remark

# What is looked at: enough for the first lines of any file, however long the file is.
BEGINNING = 100_000

_MODEL_KEY = re.compile(r'"(format"\s*:\s*"hassle-model|hard"\s*:|soft"\s*:)')
_EXAMPLES_LINE = re.compile(r'\{\s*"(variables|schema|assignment|label|context)"\s*:.*\}\s*(\n|$)')
_DIMACS = re.compile(r"p w?cnf |c (var|unit|schema|soft|hard|domain) |(h|-?[0-9]+)( -?[0-9]+)* 0$")
_PSEUDO_BOOLEAN = re.compile(r"\*.*#variable=|\* (var|unit|schema|soft|domain) |(min|soft):|[+-]?[0-9]+ ~?x[0-9]+ .*;$")


def holds_model(text: str) -> bool:
    """Whether it looks like JSON, DIMACS or OPB as models are written."""
    beginning = text[:BEGINNING].lstrip()
    if beginning.startswith("{"):
        return _MODEL_KEY.search(beginning) is not None
    first = _first_line(beginning)
    return _DIMACS.match(first) is not None or _PSEUDO_BOOLEAN.match(first) is not None


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
