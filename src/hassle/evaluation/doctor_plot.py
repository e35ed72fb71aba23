"""The doctor's picture of a dataset: examples per context, and how often each variable varies."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np

from hassle.errors import InputError
from hassle.evaluation.doctor import Inspection

MOST_BARS = 40


def plot_inspection(inspection: Inspection, names: tuple[str, ...], path: str | PathLike[str]) -> None:
    """Write the picture to a file; its ending (png, svg, pdf) says in which format."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    _examples_per_context(left, inspection)
    _variation(right, inspection, names)
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise InputError(
            f"the plot cannot be written to {str(path)!r}: {error}", fix="name a .png or .svg file"
        ) from None
    finally:
        pyplot.close(figure)


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
