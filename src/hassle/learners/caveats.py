"""What the user must hear before trusting a model: data that teaches next to nothing, or a model that says nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hassle.data import Dataset
    from hassle.model import Model


EMPTY_MODEL = "the model is empty: it calls every assignment best, in every context"


def caveats(data: Dataset, model: Model) -> tuple[str, ...]:
    """One sentence for each reason why the score on the examples says little."""
    found = []
    positives = int(data.positive.sum())
    if not len(data):
        pass  # comparisons alone tell good from bad
    elif len(data) == 1:
        found.append("there is one example only: a score on it says nothing about any other")
    elif not positives and not len(data.comparisons):
        found.append(f"none of the {len(data)} examples is positive, so nothing says what a good one is like")
    elif positives == len(data) and not len(data.comparisons):
        found.append(f"none of the {len(data)} examples is negative: a model that calls everything best explains them")
    if not model.constraints:
        found.append(EMPTY_MODEL)
    return tuple(found)
