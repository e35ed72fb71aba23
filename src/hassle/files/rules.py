"""Rules as text, one per line (:mod:`hassle.model.rules`): what `hassle show --rules` prints and `--known` takes."""

from __future__ import annotations

from os import PathLike

from hassle.errors import InputError
from hassle.files.decode import read_text, shown_name
from hassle.logic import Schema
from hassle.logic.arranging import arranged
from hassle.model import Model
from hassle.model.rules import parse_rules
from hassle.model.weights import unit_for


def read_rules(path: str | PathLike[str], schema: Schema) -> Model:
    """The model of the rules in a file; families speak of the dimensions of the schema, or of those its names show."""
    name = shown_name(path)
    over = arranged(schema)
    try:
        rules = parse_rules(read_text(path), over)
        if not rules:
            raise InputError("there are no rules", fix="write one per line, such as 'must a | b'")
    except InputError as error:
        raise error.at(file=name) from None
    weights = [rule.weight for rule in rules if rule.weight is not None]
    return Model(over, tuple(sorted(rules, key=lambda rule: rule.weight is not None)), unit_for(weights))
