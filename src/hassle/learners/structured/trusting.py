"""Which labels to believe: expectation-maximisation over wrong labels.

Under noise a positive may be a bad decision and a negative a good one. A wrong positive that is believed makes a true
rule look soft, and a negative that is a good decision is an alternative that no true model beats. So every labelled row
has a trust, the probability that its label is right under the present weights: a positive loses it when the model is
sure that something else is much better, a negative when it is as good as the positives.

Unlabelled alternatives are another matter: there may be other best decisions than those that were seen, so a tie with
one must cost little. They count ``ALTERNATIVE`` as much as a positive, and negatives ``CERTAIN``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.learners.structured.pool import NEGATIVE, POSITIVE, Pool

ALTERNATIVE, CERTAIN = 0.1, 3.0
# The least and the largest share of wrong labels that is thought possible, and the share assumed at first.
LEAST_NOISE, MOST_NOISE, FIRST_NOISE = 0.005, 0.3, 0.3
# How likely a wrong positive, drawn from the bad decisions, would be found where it is; how usual it is for a negative
# to be nearly as good as a positive.
STRAY, NEARLY = 0.3, 0.15

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Trust:
    """The probability, for each row of a pool, that its label is right; 1 for rows without one."""

    values: Floats
    noise: float = FIRST_NOISE

    @classmethod
    def full(cls, rows: int) -> Trust:
        return cls(np.ones(rows))

    def grown(self, rows: int) -> Trust:
        return Trust(np.concatenate([self.values, np.ones(rows - len(self.values))]), self.noise)

    def weights(self, pool: Pool) -> Floats:
        """How much each row counts in the loss."""
        counts = np.full(4, ALTERNATIVE)
        counts[POSITIVE], counts[NEGATIVE] = 1.0, CERTAIN
        example = np.array(pool.example)
        seen = np.where(example >= 0, pool.data.weights[example], 1.0)
        return counts[np.array(pool.sort)] * self.values * seen

    def doubted(self, pool: Pool) -> int:
        return int((self.values < 0.5).sum())


def trusted(before: Trust, pool: Pool, scores: Floats, least: float = LEAST_NOISE) -> Trust:
    """The trust under the weights that gave these scores, and the share of wrong labels that it amounts to.

    That share is taken to be no less than ``least``.
    """
    context, sort = np.array(pool.context_of), np.array(pool.sort)
    best = np.full(context.max() + 1, -np.inf)
    np.maximum.at(best, context, scores)
    good = np.full(context.max() + 1, -np.inf)
    believed = (sort == POSITIVE) & (before.values > 0.5)
    np.maximum.at(good, context[believed], scores[believed])
    values = np.ones(len(scores))
    noise = before.noise
    positive, negative = sort == POSITIVE, sort == NEGATIVE
    likely = (1 - noise) * np.exp(np.maximum(scores - best[context], -500))
    values[positive] = (likely / (likely + noise * STRAY))[positive]
    gap = np.where(np.isfinite(good[context]), good[context] - scores, np.inf)
    tied = noise * np.exp(-np.clip(gap, 0, 500))
    values[negative] = ((1 - noise) * NEARLY / ((1 - noise) * NEARLY + tied))[negative]
    labelled = positive | negative
    wrong = float((1 - values[labelled]).mean())
    return Trust(values, float(np.clip(wrong, least, MOST_NOISE)))
