"""``hassle convert``: a model or examples from one format to another, or a model to a language of other solvers."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from hassle.cli.options import Json
from hassle.cli.output import emit
from hassle.cli.reading import read, reads_examples
from hassle.errors import InputError

STANDARD = "-"

EXAMPLE = "hassle convert model.json model.py --context '!ana_mon'"


@reads_examples
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A model or examples; - for stdin.")],
    target: Annotated[
        str, typer.Argument(metavar="OUT", help="The file to write; its extension names the format; - for stdout.")
    ],
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="The format where OUT is -: wcnf opb wbo cnf json mzn lp mps py csv tsv jsonl.",
        ),
    ] = None,
    tidy: Annotated[
        bool, typer.Option("--tidy", help="Say the model as simply as can be: same solutions, same ranking of them.")
    ] = False,
    context: Annotated[
        str | None, typer.Option("--context", metavar="FORMULA", help="What must hold in the model that is written.")
    ] = None,
    json: Json = False,
    **reading: Any,
) -> None:
    """Convert a model (WCNF, OPB, WBO, JSON, CNF) or examples (CSV, JSONL) to another format.

    Models can also be written for others: MiniZinc (.mzn), linear programmes (.lp, .mps), a script for CP-SAT (.py).
    """
    from hassle.files import (
        EXAMPLE_WRITERS,
        MODEL_EXPORTS,
        MODEL_WRITERS,
        check_examples_target,
        check_model_target,
        read_model,
        write_examples,
        write_model,
    )
    from hassle.solve.tidying import tidied

    extension = _extension(source, target, to)
    if json and target == STANDARD:
        raise InputError("--json and OUT - both want standard output", fix="name a file, or leave out --json")
    if extension in EXAMPLE_WRITERS:
        if tidy:
            raise InputError("--tidy is for models", fix="leave it out to convert examples")
        if context is not None:
            raise InputError("--context is for models", fix="leave it out to convert examples")
        check_examples_target(target, extension)
        data = read(source, reading).data
        write_examples(data, target, extension)
        record = {"written": target, "kind": "examples", "examples": len(data), "variables": len(data.variables)}
        pairs = f" and {len(data.comparisons)} comparisons" if len(data.comparisons) else ""
        text = f"Wrote {len(data)} examples{pairs} over {len(data.variables)} variables to {target}"
    elif extension in MODEL_WRITERS | MODEL_EXPORTS:
        if reading["schema"]:
            raise InputError("--schema is for examples", fix="leave it out to convert a model, which has its own")
        check_model_target(target, extension)
        model = read_model(source).given(context)
        if tidy:
            model = tidied(model)
        write_model(model, target, extension)
        record = {"written": target, "kind": "model", "hard": len(model.hard), "soft": len(model.soft)}
        text = f"Wrote a model of {len(model.hard)} hard and {len(model.soft)} soft constraints to {target}"
    else:
        known = ", ".join((*MODEL_WRITERS, *MODEL_EXPORTS, *EXAMPLE_WRITERS))
        raise InputError(f"{target}: {extension or 'no extension'} names no format", fix=f"use one of {known}")
    if target != STANDARD:
        emit(record, text, json)


def _extension(source: str, target: str, to: str | None) -> str:
    """The extension of the format to write: as asked for, or by OUT's name; on stdout, for what IN most likely is."""
    from hassle.files import EXAMPLES

    if to is not None:
        return f".{to.lower().removeprefix('.')}"
    if target != STANDARD:
        return os.path.splitext(target)[1].lower()
    return ".csv" if os.path.splitext(source)[1].lower() in EXAMPLES else ".wcnf"
