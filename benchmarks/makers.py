"""Examples and fresh situations of arranged problems: made by several processes, and kept, as CP-SAT may take long.

They are made in parts, each with a seed of its own, so that what is made does not depend on the number of processes.
What is kept is JSON: literals of the context, the assignment, and its label where it is an example.
"""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hassle.data import Dataset
from hassle.generate.arranged import arranged_examples, feasible_situations
from hassle.logic import Context
from hassle.model import Model

Situation = Callable[[np.random.Generator], Context]
Fresh = list[tuple[Context, np.ndarray]]
Problems = Callable[[str], tuple[Model, Situation]]  # of each kind: a truth, and situations that it is asked in
Made = dict[str, list[Any]]

EXAMPLES, FRESH = "examples", "fresh"
# Situations that are made together.
PART = 5


def made(
    problems: Problems, counts: dict[str, int], seed: int, processes: int, kept: Path | None, **asked: Any
) -> Made:
    """So many situations with examples and so many fresh ones; read from the file ``kept`` if it is there.

    ``problems`` must be a function that another process can import.
    """
    if kept is not None and kept.exists():
        return dict(json.loads(kept.read_text()))
    parts = [(kind, min(PART, count - first)) for kind, count in counts.items() for first in range(0, count, PART)]
    each = [(kind, count, (seed, i)) for i, (kind, count) in enumerate(parts)]
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        found = pool.starmap(partial(_part, problems, **asked), each)
    result: Made = {kind: [] for kind in counts}
    for (kind, _), rows in zip(parts, found, strict=True):
        result[kind] += rows
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(result))
    return result


def _part(problems: Problems, kind: str, count: int, seed: tuple[int, int], **asked: Any) -> list[Any]:
    truth, situation = problems(kind)
    rng = np.random.default_rng(seed)
    if kind == FRESH:
        fresh = feasible_situations(truth, situation, count, rng)
        return [[list(context.literals), bits.tolist()] for context, bits in fresh]
    data = arranged_examples(truth, situation, count, rng, **asked)
    return [
        [list(data.contexts[c].literals), bits.tolist(), int(label)]
        for c, bits, label in zip(data.context_of.tolist(), data.assignments, data.labels.tolist(), strict=True)
    ]


def examples(rows: list[Any], truth: Model) -> Dataset:
    where, assignments, labels = zip(*rows, strict=True)
    contexts = [Context(tuple(literals)) for literals in where]
    return Dataset.from_arrays(truth.schema, contexts, np.array(assignments, dtype=np.uint8), list(labels))


def fresh_ones(rows: list[Any]) -> Fresh:
    return [(Context(tuple(literals)), np.array(bits, dtype=np.uint8)) for literals, bits in rows]
