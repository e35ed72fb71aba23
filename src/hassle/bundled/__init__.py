"""Data that comes with the package: a nurse roster to try everything on.

``roster.csv`` holds the examples and ``roster_truth.json`` the model behind them, which learners never see. Both are
made by ``scripts/make_roster.py`` from :mod:`hassle.generate.roster`, where the rules are explained. The demo learns a
ward with rules in families: ``ward.jsonl`` and ``ward_truth.json``, made by ``scripts/make_ward.py``.
"""

from __future__ import annotations

from pathlib import Path

from hassle.data import Dataset
from hassle.model import Model

ROSTER_EXAMPLES = Path(__file__).parent / "roster.csv"
ROSTER_TRUTH = Path(__file__).parent / "roster_truth.json"
WARD_EXAMPLES = Path(__file__).parent / "ward.jsonl"
WARD_TRUTH = Path(__file__).parent / "ward_truth.json"


def roster_examples() -> Dataset:
    """The examples of the bundled roster."""
    return Dataset.read(ROSTER_EXAMPLES)


def roster_truth() -> Model:
    """The model that labelled them."""
    return Model.read(ROSTER_TRUTH)


def ward_examples() -> Dataset:
    """The examples of the bundled ward: 6 nurses, 5 days, 2 shifts."""
    return Dataset.read(WARD_EXAMPLES)


def ward_truth() -> Model:
    """The families that labelled them."""
    return Model.read(WARD_TRUTH)
