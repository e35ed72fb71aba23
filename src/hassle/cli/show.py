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
    json: Json = False,
) -> None:
    """Print a model's rules and preferences in words."""
    from hassle.files import model_to_json
    from hassle.model import Model, model_formulas, model_words

    shown = Model.read(model)
    emit(model_to_json(shown), model_formulas(shown) if clauses else model_words(shown), json)
