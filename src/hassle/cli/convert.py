"""``hassle convert``: a model or examples from one format to another, without loss."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from hassle.cli.options import Ignore, Json
from hassle.cli.output import emit
from hassle.errors import InputError

EXAMPLE = "hassle convert model.json model.wcnf"


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A model or examples; - for stdin.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="The file to write; its extension names the format.")],
    ignore: Ignore = None,
    json: Json = False,
) -> None:
    """Convert a model (WCNF, JSON, CNF) or examples (CSV, JSONL) to another format."""
    from hassle.files import EXAMPLE_WRITERS, MODEL_WRITERS, read_examples, read_model, write_examples, write_model

    written = os.path.splitext(target)[1].lower()
    if written in EXAMPLE_WRITERS:
        data = read_examples(source, ignore=ignore or ())
        write_examples(data, target)
        record = {"written": target, "kind": "examples", "examples": len(data), "variables": len(data.variables)}
        text = f"Wrote {len(data)} examples over {len(data.variables)} variables to {target}"
    elif written in MODEL_WRITERS or target == "-":
        model = read_model(source)
        write_model(model, target)
        record = {"written": target, "kind": "model", "hard": len(model.hard), "soft": len(model.soft)}
        text = f"Wrote a model of {len(model.hard)} hard and {len(model.soft)} soft clauses to {target}"
    else:
        known = ", ".join((*MODEL_WRITERS, *EXAMPLE_WRITERS))
        raise InputError(f"{target}: {written or 'no extension'} names no format", fix=f"use one of {known}")
    if target != "-":
        emit(record, text, json)
