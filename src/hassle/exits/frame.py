"""A model as a data frame, one row per rule."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import narwhals.stable.v1 as nw

from hassle.errors import InputError
from hassle.model import Model
from hassle.model.words import confidences, rule_words

# What can be asked for, the first that is installed unless one is named.
BACKENDS = ("pandas", "polars", "pyarrow")


def model_frame(model: Model, backend: str | None = None) -> Any:
    """``kind`` (hard or soft), ``weight``, ``words``, ``instances`` and ``confidence`` of every rule, in order."""
    rows: list[tuple[str, float | None, str, int, float | None]] = []
    sure = iter(confidences(model))
    for rule in model.rules:
        instances = len(rule.instances(model.schema))
        shares = [share for share in (next(sure) for _ in range(instances)) if share is not None]
        weight = None if rule.weight is None else float(rule.weight)
        words = rule_words(rule.what, model.schema)
        rows.append(("hard" if weight is None else "soft", weight, words, instances, min(shares, default=None)))
    names = ("kind", "weight", "words", "instances", "confidence")
    return frame_of({name: [row[i] for row in rows] for i, name in enumerate(names)}, backend)


def frame_of(columns: dict[str, list[Any]], backend: str | None = None) -> Any:
    """A frame of the library asked for, or of the first that is installed."""
    wanted = BACKENDS if backend is None else (backend,)
    chosen = next((name for name in wanted if name in BACKENDS and find_spec(name)), None)
    if chosen is None:
        raise InputError(f"{' or '.join(wanted)} is not installed", fix=f"install one of {', '.join(BACKENDS)}")
    implementation: Any = chosen
    return nw.from_dict(columns, backend=implementation).to_native()
