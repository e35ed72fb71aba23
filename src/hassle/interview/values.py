"""What an answer is expected to be worth, in the currency of `opinions`: the risk of acting on what is known.

Each member of the committee would answer a question in its way. After an answer, members that would have said otherwise
are doubted, but not dismissed: answers are wrong at some rate. What remains at risk is, for each answer, what the best
member's decisions cost on average over the others; a question is worth what it is expected to take off that. Two
measures of what remains are mixed: the risk of the best member, which is what a user would feel now, and the mean risk
among members, which also rewards answers that only together with others change a decision.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# The share of the mean risk in the mixture.
PATIENCE = 0.5


@dataclass(frozen=True)
class Polls:
    """How members would answer questions: ``codes[q, m]`` from 0, each question with ``sizes[q]`` possible answers."""

    codes: NDArray[np.int64]
    sizes: NDArray[np.int64]


def remaining_risk(weights: Floats, risk: Floats) -> Floats:
    """For columns of weights (that sum to their probability): what remains at risk, times that probability."""
    total = weights.sum(axis=0)
    each = risk @ weights
    mean = (weights * each).sum(axis=0) / np.maximum(total, 1e-12)
    return (1 - PATIENCE) * each.min(axis=0) + PATIENCE * mean


def expected_gains(polls: Polls, weights: Floats, risk: Floats, wrong: float) -> Floats:
    """What an answer to each question is expected to take off the risk."""
    before = float(remaining_risk(weights[:, None], risk)[0])
    after = np.zeros(len(polls.codes))
    for answer in range(int(polls.sizes.max(initial=0))):
        possible = polls.sizes > answer
        said = polls.codes == answer
        others = np.maximum(1, polls.sizes - 1)
        chance = np.where(said, 1 - wrong, (wrong / others)[:, None])
        column = (chance * weights).T  # members by questions
        after += np.where(possible, remaining_risk(column, risk), 0.0)
    return before - after


def doubted(weights: Floats, codes: NDArray[np.int64], answer: int, wrong: float, answers: int) -> Floats:
    """The weights after an answer."""
    result = weights * np.where(codes == answer, 1 - wrong, wrong / max(1, answers - 1))
    return result / result.sum()
