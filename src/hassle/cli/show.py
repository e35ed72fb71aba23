"""``hassle show``: a model in words."""

from __future__ import annotations

from typing import Annotated

import typer

from hassle.cli.options import Json, ModelFile
from hassle.cli.output import emit

EXAMPLE = "hassle show model.json --clauses"


def show(
    model: ModelFile,
    clauses: Annotated[bool, typer.Option("--clauses", help="Print plain clauses instead of words.")] = False,
    rules: Annotated[
        bool, typer.Option("--rules", help="Print the rules as they are written, one per line: must or a weight.")
    ] = False,
    json: Json = False,
) -> None:
    """Print a model's rules and preferences in words."""
    from hassle.files import model_to_json
    from hassle.model import Model, model_formulas, model_rules, model_words

    shown = Model.read(model)
    text = model_rules(shown).rstrip("\n") if rules else model_formulas(shown) if clauses else model_words(shown)
    emit(model_to_json(shown), text, json)
