"""The doctor's picture of a dataset: examples per context, and how often each variable varies."""

from __future__ import annotations

import os
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hassle.errors import InputError
from hassle.evaluation.doctor import Inspection
from hassle.files.atomic import write_bytes

MOST_BARS = 40


def plot_inspection(inspection: Inspection, names: tuple[str, ...], path: str | PathLike[str]) -> None:
    """Write the picture to a file, whole or not at all; its ending (png, svg, pdf) says in which format."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    try:
        ending = Path(path).suffix[1:].lower()
        if ending not in figure.canvas.get_supported_filetypes():
            what = f"there are no plots with the ending {ending!r}" if ending else "the plot's name has no ending"
            raise InputError(what, fix="name a .png, .svg or .pdf file", file=os.fspath(path))
        _examples_per_context(left, inspection)
        _variation(right, inspection, names)
        drawing = BytesIO()
        figure.savefig(drawing, format=ending)
    finally:
        pyplot.close(figure)
    write_bytes(path, drawing.getvalue())


def _examples_per_context(axes: Any, inspection: Inspection) -> None:
    shown = sorted(inspection.contexts, key=lambda context: -(context.positives + context.negatives))[:MOST_BARS]
    places = np.arange(len(shown))
    positives = np.array([context.positives for context in shown])
    negatives = np.array([context.negatives for context in shown])
    axes.bar(places, positives, color="tab:blue", label="positive")
    axes.bar(places, negatives, bottom=positives, color="tab:orange", label="negative")
    axes.set_xlabel(f"context (the {len(shown)} largest of {len(inspection.contexts)})")
    axes.set_ylabel("examples")
    axes.legend()


def _variation(axes: Any, inspection: Inspection, names: tuple[str, ...]) -> None:
    order = np.argsort(inspection.varying, kind="stable")[:MOST_BARS]
    axes.barh([names[v].replace("$", r"\$") for v in order], inspection.varying[order], color="tab:green")
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of contexts in which the variable varies")
