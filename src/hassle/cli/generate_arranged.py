"""``hassle generate --ward`` and its like: arranged problems with truths in families."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hassle.cli.output import working
from hassle.errors import InputError

# How many numbers each option takes.
NUMBERS = {"ward": 3, "timetable": 2, "configurator": 1}


def write_arranged(
    asked: Mapping[str, str | None],
    directory: Path,
    contexts: int,
    positives: int,
    negatives: int,
    noise: float,
    seed: int,
) -> dict[str, Any]:
    """Write the truth, the examples and the schema of the one problem asked for, and say what is in them."""
    import numpy as np

    from hassle.files.atomic import write_text
    from hassle.files.schema_toml import schema_toml_text
    from hassle.generate import arranged
    from hassle.generate.noise import flip_labels, without_reasons

    wanted = [(name, size) for name, size in asked.items() if size is not None]
    if len(wanted) > 1:
        raise InputError(f"--{wanted[0][0]} and --{wanted[1][0]} exclude each other", fix="leave one out")
    name, text = wanted[0]
    rng = np.random.default_rng(seed)
    with working("generating"):
        problem = getattr(arranged, name)(*_numbers(name, text), rng)
        data = arranged.arranged_examples(
            problem.truth, problem.situation, contexts, rng, positives=positives, negatives=negatives
        )
        if noise:
            data = replace(data, labels=without_reasons(flip_labels(data.labels, noise, rng)))
    directory.mkdir(parents=True, exist_ok=True)
    truth, examples, schema = (directory / file for file in ("truth.json", "examples.jsonl", "schema.toml"))
    problem.truth.write(truth)
    data.write(examples)
    # What every problem comes as, for other programs; attributes (who is senior) are in the files above only.
    problem.truth.write(directory / "truth.wcnf")
    data.write(directory / "examples.csv")
    write_text(schema, schema_toml_text(data.schema))
    return {
        "truth_file": str(truth),
        "examples_file": str(examples),
        "schema_file": str(schema),
        "variables": len(data.variables),
        "hard": sum(rule.weight is None for rule in problem.truth.rules),
        "soft": sum(rule.weight is not None for rule in problem.truth.rules),
        "contexts": len(data.contexts),
        "examples": len(data),
        "positive": int(data.positive.sum()),
        "seed": seed,
        "notes": [],
    }


def _numbers(name: str, text: str) -> list[int]:
    parts = text.split(",")
    if len(parts) != NUMBERS[name] or not all(part.strip().isdecimal() and len(part) < 6 for part in parts):
        raise InputError(f"--{name} is {text!r}", fix=f"write {NUMBERS[name]} whole numbers, with commas between them")
    return [int(part) for part in parts]
