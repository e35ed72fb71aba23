"""The doctor's picture of a dataset: examples per context, and how often each variable varies."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np

from hassle.evaluation.doctor import Inspection
from hassle.evaluation.drawing import BLUE, GREEN, ORANGE, picture, plain

MOST_BARS = 40
MOST_VARIABLES = 25


def plot_inspection(inspection: Inspection, names: tuple[str, ...], path: str | PathLike[str]) -> None:
    """Write the picture to a file, whole or not at all; its ending (png, svg, pdf) says in which format."""
    shown = min(MOST_VARIABLES, len(names))
    with picture(path, 12, max(4.5, 1.4 + 0.3 * shown), panels=2) as (left, right):
        _examples_per_context(left, inspection)
        _variation(right, inspection, names)


def _examples_per_context(axes: Any, inspection: Inspection) -> None:
    shown = sorted(inspection.contexts, key=lambda context: -(context.positives + context.negatives))[:MOST_BARS]
    places = np.arange(len(shown))
    positives = np.array([context.positives for context in shown])
    negatives = np.array([context.negatives for context in shown])
    axes.bar(places, positives, color=BLUE, label="positive")
    axes.bar(places, negatives, bottom=positives, color=ORANGE, label="negative")
    axes.set_xlabel(f"context (the {len(shown)} largest of {len(inspection.contexts)})")
    axes.set_ylabel("examples")
    axes.set_xticks([])
    axes.legend(frameon=False, ncols=2, loc="lower left", bbox_to_anchor=(0, 1))


def _variation(axes: Any, inspection: Inspection, names: tuple[str, ...]) -> None:
    order = np.argsort(inspection.varying, kind="stable")[:MOST_VARIABLES]
    axes.barh([plain(names[v]) for v in order], inspection.varying[order], color=GREEN)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.5, 1], ["0", "50%", "100%"])
    more = f", the {len(order)} least of {len(names)}" if len(order) < len(names) else ""
    axes.set_xlabel(f"contexts in which it varies{more}")
    axes.grid(axis="y", visible=False)
