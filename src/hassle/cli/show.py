"""``hassle show``: a model in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hassle.cli.options import Json, ModelFile
from hassle.cli.output import emit
from hassle.errors import InputError

if TYPE_CHECKING:
    from hassle.model import Model

EXAMPLE = "hassle show model.json --plot rules.png --examples decisions.csv"


def show(
    model: ModelFile,
    clauses: Annotated[bool, typer.Option("--clauses", help="Print plain clauses instead of words.")] = False,
    rules: Annotated[
        bool, typer.Option("--rules", help="Print the rules as they are written, one per line: must or a weight.")
    ] = False,
    plot: Annotated[
        str | None,
        typer.Option("--plot", metavar="FILE", help="Draw weights, and how sure they are, to a PNG, SVG or PDF file."),
    ] = None,
    examples: Annotated[
        str | None,
        typer.Option("--examples", metavar="EXAMPLES", help="With --plot: how often each rule binds in these."),
    ] = None,
    json: Json = False,
) -> None:
    """Print a model's rules and preferences in words, or draw them."""
    from hassle.files import model_to_json
    from hassle.model import Model, model_formulas, model_rules, model_words

    shown = Model.read(model)
    if examples is not None and plot is None:
        raise InputError("--examples is for --plot", fix="name a picture: --plot rules.png")
    if plot is not None:
        _draw(shown, plot, examples)
    text = model_rules(shown).rstrip("\n") if rules else model_formulas(shown) if clauses else model_words(shown)
    emit(model_to_json(shown), text, json)


def _draw(model: Model, plot: str, examples: str | None) -> None:
    from hassle.data import Dataset
    from hassle.evaluation.drawing import check_picture
    from hassle.evaluation.rules_plot import plot_rules

    check_picture(plot)
    plot_rules(model, plot, None if examples is None else Dataset.read(examples, schema=model.schema))
