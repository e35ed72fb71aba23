"""A model's rules as a picture: what each weighs, how sure it is, and how often it binds in the data.

A rule binds in an example where it holds with nothing to spare: one literal fewer, and it would be broken. It is
counted over good examples, and for a family over its instances too.
"""

from __future__ import annotations

import textwrap
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hassle.evaluation.drawing import BLUE, GREEN, GREY, ORANGE, RED, picture, plain
from hassle.logic import Constraint
from hassle.model import Model
from hassle.model.words import confidences, rule_words

if TYPE_CHECKING:
    from hassle.data import Dataset

MOST_RULES = 30
WIDEST = 46  # letters in a line of words


def plot_rules(model: Model, path: str | PathLike[str], data: Dataset | None = None) -> None:
    """Write the picture to a PNG, SVG or PDF file; at most 30 rules, the hard and the heaviest first."""
    rows = _rows(model, data)[:MOST_RULES]
    panels = 1 + any(row[2] is not None for row in rows) + (data is not None)
    lines = sum(max(1, row[0].count("\n") + 1) for row in rows)
    with picture(path, 7.5 + 2.2 * (panels - 1), 1.6 + 0.42 * max(lines, 3), panels, sharey=True,
                 width_ratios=[2.4, *[1] * (panels - 1)]) as axes:  # fmt: skip
        _weights(axes[0], rows)
        left = list(axes[1:])
        if any(row[2] is not None for row in rows):
            _shares(left.pop(0), [row[2] for row in rows], "sure", GREEN)
        if data is not None:
            _shares(left.pop(0), [row[3] for row in rows], "binds", ORANGE)


def _rows(model: Model, data: Dataset | None) -> list[tuple[str, float | None, float | None, float | None]]:
    """Words, weight, confidence and how often it binds, the hard rules first, then the heaviest."""
    good = None if data is None else data.assignments[data.positive]
    sure = iter(confidences(model))
    found = []
    for rule in model.rules:
        instances = rule.instances(model.schema)
        shares = [share for share in (next(sure) for _ in instances) if share is not None]
        binding = None if good is None or not len(good) else _binding(instances, good)
        words = textwrap.fill(plain(rule_words(rule.what, model.schema)), WIDEST)
        weight = None if rule.weight is None else float(rule.weight)
        found.append((words, weight, min(shares, default=None), binding))
    return sorted(found, key=lambda row: -np.inf if row[1] is None else -abs(row[1]))


def _binding(instances: tuple[Constraint, ...], rows: NDArray[np.uint8]) -> float:
    """The share of rows and instances where nothing is to spare."""
    tight = [each.held_by(rows) & ~Constraint(each.literals, each.need + 1).held_by(rows) for each in instances]
    return float(np.mean(tight)) if tight else 0.0


def _weights(axes: Any, rows: list[tuple[str, float | None, float | None, float | None]]) -> None:
    heaviest = max((abs(row[1]) for row in rows if row[1] is not None), default=1.0) or 1.0
    for place, (_, weight, _, _) in enumerate(rows):
        if weight is None:
            axes.barh(place, heaviest, color=GREY)
            axes.text(heaviest / 2, place, "must hold", color="white", ha="center", va="center", fontsize="small")
        else:
            axes.barh(place, weight, color=BLUE if weight >= 0 else RED)
            axes.text(weight, place, f" {weight:g} ", ha="left" if weight >= 0 else "right", va="center",
                      fontsize="small")  # fmt: skip
    axes.set_yticks(range(len(rows)), [row[0] for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel("weight")
    axes.margins(x=0.12)
    axes.grid(axis="y", visible=False)


def _shares(axes: Any, shares: list[float | None], label: str, colour: str) -> None:
    axes.barh(range(len(shares)), [share or 0 for share in shares], color=colour)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.5, 1], ["0", "50%", "100%"])
    axes.set_xlabel(label)
    axes.grid(axis="y", visible=False)
