"""Label noise: each label is wrong with the same probability, independently."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hassle.data import Label
from hassle.errors import InputError

REASONS = np.array([Label.INFEASIBLE.code, Label.SUBOPTIMAL.code], dtype=np.int8)


def flip_labels(labels: NDArray[np.int8], noise: float, rng: np.random.Generator) -> NDArray[np.int8]:
    """The labels, each flipped with probability ``noise``.

    A flipped positive becomes infeasible or suboptimal by the toss of a coin, so that a reason does not give the noise
    away. The same generator flips with a higher probability what it flips with a lower one, and more.
    """
    if not 0 <= noise <= 1:
        raise InputError(f"noise {noise} is not a probability", fix="choose from 0 to 1")
    flipped = rng.random(len(labels)) < noise
    invented = REASONS[rng.integers(0, 2, size=len(labels))]
    opposite = np.where(labels == Label.POSITIVE.code, invented, Label.POSITIVE.code)
    return np.where(flipped, opposite, labels).astype(np.int8)


def without_reasons(labels: NDArray[np.int8]) -> NDArray[np.int8]:
    """The labels as the paper's learners see them: positive or negative, without saying why."""
    return np.where(labels == Label.POSITIVE.code, Label.POSITIVE.code, Label.NEGATIVE.code).astype(np.int8)
