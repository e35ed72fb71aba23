"""From many families with small weights to the few that matter.

A lasso finds what is worth looking at, but it spreads a weight over families that say nearly the same. Adaptive prices
(divided by the weights found: Candès, Wakin and Boyd 2008) gather it again. Then a family must pay for itself outright:
forward and backward, one at a time, it stays if the loss would rise by more than its price times ``worth`` without it.

Weights are shrunk a little there, too. That bounds their scale, and so how much an alternative counts that is worth
nearly as much as a positive: with little shrinking it counts fully, which tells apart families that say nearly the
same, but a search that starts that way gets stuck. So it is done twice, first with more of it and then with less
(``BROAD``, ``SHARP``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hassle.learners.structured.candidates import Candidates
from hassle.learners.structured.fit import Contrast, Fit, Floats, minimised
from hassle.learners.structured.trials import Trials

ADAPTIONS, SOFTENING, HALVED = 2, 0.1, 0.5
# Of the families that promise to pay most so many are tried, in so many rounds; fewer for an exchange.
TRIED, FORWARD_ROUNDS, TRIED_IN_EXCHANGE = 6, 12, 3
# An exchange must gain so much; it is followed up if it is at most so much worse before others are left out.
EXCHANGE_GAIN, PROMISING = 0.1, 2.0
# So many families at most are exchanged together.
LARGEST_EXCHANGE = 4


@dataclass(frozen=True)
class Sharpness:
    """The factor on prices that weights are shrunk with, and the heaviest weight."""

    shrinking: float
    heaviest: float


BROAD, SHARP = Sharpness(0.02, 30.0), Sharpness(0.005, 100.0)


def adapted(candidates: Candidates, contrast: Contrast, prices: Floats, found: Fit) -> Fit:
    """The fit with prices divided by the weights found, twice."""
    for _ in range(ADAPTIONS):
        own = np.full(len(prices), np.inf)
        own[found.chosen] = HALVED * prices[found.chosen] / (found.weights + SOFTENING)
        found = minimised(candidates, contrast, own, found).without_zeros()
    return found


@dataclass(frozen=True)
class Selection:
    """Families that each pay for themselves; ``prices`` are those of saying a family, without any factor.

    Up to ``together`` of them are exchanged at a time.
    """

    candidates: Candidates
    contrast: Contrast
    prices: Floats
    worth: float
    sharpness: Sharpness
    spent: Callable[[], bool]
    together: int = LARGEST_EXCHANGE

    def from_(self, start: Fit, *, thorough: bool = False) -> Fit:
        """What is left of ``start``, and what joins it; a ``thorough`` selection exchanges families, too."""
        found = self._backward(self.weighed(start))
        for _ in range(FORWARD_ROUNDS):
            grown = self.grown(found)
            if grown is None:
                break
            found = self._backward(grown)
        return self.exchanged(found) if thorough else found

    @cached_property
    def trials(self) -> Trials:
        return Trials(self.candidates, self.contrast, self.worth * self.prices)

    def total(self, found: Fit) -> float:
        return found.loss + self.worth * float(self.prices[found.chosen].sum())

    def exchanged(self, found: Fit) -> Fit:
        """With families exchanged for others that explain more for their price, the lightest first.

        Each in turn goes, alone or with up to three that are like it, and whatever pays then joins. What one family
        says for several true ones is not found out one by one.
        """
        for i, candidate in enumerate(found.chosen[np.argsort(found.weights)].tolist()):
            place = np.flatnonzero(found.chosen == candidate)
            if self.spent() or not len(place):
                continue
            likeness = self.trials.likeness(found.chosen)[place[0]]
            likeness[place] = np.inf
            size = 1 + i % self.together
            kept = np.sort(np.argsort(-likeness, kind="stable")[size:])
            grown = self.weighed(Fit(found.chosen[kept], found.weights[kept]))
            for _ in range(size + 1):
                more = self.grown(grown, TRIED_IN_EXCHANGE, without=candidate)
                if more is None:
                    break
                grown = more
            if self.total(grown) > self.total(found) + PROMISING:
                continue
            grown = self._backward(grown)
            if self.total(grown) < self.total(found) - EXCHANGE_GAIN:
                found = grown
        return found

    def weighed(self, start: Fit) -> Fit:
        prices = self.sharpness.shrinking * self.prices
        return minimised(self.candidates, self.contrast, prices, start, self.sharpness.heaviest).without_zeros()

    def _backward(self, found: Fit) -> Fit:
        """Without the families that do not pay, the lightest tried first."""
        for candidate in found.chosen[np.argsort(found.weights)].tolist():
            if self.spent():
                break
            kept = found.chosen != candidate
            if kept.all():
                continue  # it fell to nothing when another one left
            smaller = self.weighed(Fit(found.chosen[kept], found.weights[kept]))
            if smaller.loss - found.loss < self.worth * self.prices[candidate]:
                found = smaller
        return found

    def grown(self, found: Fit, tried: int = TRIED, without: int | None = None) -> Fit | None:
        """With the one family more that pays most, or None; it may not be ``without``."""
        scores = self.contrast.base - self.contrast.columns(self.candidates, found.chosen) @ found.weights
        taken = found.chosen.tolist() if without is None else [*found.chosen.tolist(), without]
        menu = self.trials.steepest(scores.astype(np.float32), taken)
        promise = self.trials.tried(scores.astype(np.float32), menu).min(axis=1)
        best, gained = None, 0.0
        for candidate in menu[np.argsort(promise)[:tried]].tolist():
            if self.spent():
                return None
            grown = self.weighed(Fit(np.append(found.chosen, candidate), np.append(found.weights, 0.0)))
            gain = found.loss - grown.loss - self.worth * self.prices[candidate]
            if gain > gained:
                best, gained = grown, gain
        return best
