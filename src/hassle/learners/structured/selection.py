"""From many families with small weights to the few that matter.

A lasso finds what is worth looking at, but it spreads a weight over families that say nearly the same. Adaptive prices
(divided by the weights found: Candès, Wakin and Boyd 2008) gather it again. Then a family must pay for itself outright:
forward and backward, one at a time, it stays if the loss would rise by more than its price times ``worth`` without it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hassle.learners.structured.candidates import Candidates
from hassle.learners.structured.fit import Contrast, Fit, Floats, curvature, gradient, minimised

ADAPTIONS, SOFTENING, HALVED = 2, 0.1, 0.5
# Families are weighed one against the other with next to no shrinking.
RELAXED = 0.02
# Of the families that promise to pay most so many are tried, in so many rounds.
TRIED, FORWARD_ROUNDS = 6, 12
# A step of a weight beyond which its second derivative says nothing.
LONGEST_STEP = 5.0
# An exchange must gain so much.
EXCHANGE_GAIN = 0.1


def adapted(candidates: Candidates, contrast: Contrast, prices: Floats, found: Fit) -> Fit:
    """The fit with prices divided by the weights found, twice."""
    for _ in range(ADAPTIONS):
        own = np.full(len(prices), np.inf)
        own[found.chosen] = HALVED * prices[found.chosen] / (found.weights + SOFTENING)
        found = minimised(candidates, contrast, own, found).without_zeros()
    return found


def selected(
    candidates: Candidates,
    contrast: Contrast,
    prices: Floats,
    start: Fit,
    worth: float,
    spent: Callable[[], bool],
    thorough: bool = False,
) -> Fit:
    """Families that each pay for themselves, from ``start`` on; ``prices`` without any factor.

    A ``thorough`` selection tries to exchange each family for another one, too.
    """
    found = _relaxed(candidates, contrast, prices, start)
    found = _backward(candidates, contrast, prices, found, worth, spent)
    for _ in range(FORWARD_ROUNDS):
        grown = _forward(candidates, contrast, prices, found, worth, spent)
        if grown is None:
            break
        found = _backward(candidates, contrast, prices, grown, worth, spent)
    return _exchanged(candidates, contrast, prices, found, worth, spent) if thorough else found


def _exchanged(
    candidates: Candidates, contrast: Contrast, prices: Floats, found: Fit, worth: float, spent: Callable[[], bool]
) -> Fit:
    """With families exchanged for others that explain more for their price, the lightest first."""
    for candidate in found.chosen[np.argsort(found.weights)].tolist():
        kept = found.chosen != candidate
        if spent() or kept.all():
            continue
        smaller = _relaxed(candidates, contrast, prices, Fit(found.chosen[kept], found.weights[kept]))
        grown = _forward(candidates, contrast, prices, smaller, worth, spent, without=candidate)
        if grown is None:
            continue
        grown = _backward(candidates, contrast, prices, grown, worth, spent)
        if _total(grown, prices, worth) < _total(found, prices, worth) - EXCHANGE_GAIN:
            found = grown
    return found


def _total(found: Fit, prices: Floats, worth: float) -> float:
    return found.loss + worth * float(prices[found.chosen].sum())


def _relaxed(candidates: Candidates, contrast: Contrast, prices: Floats, start: Fit) -> Fit:
    return minimised(candidates, contrast, RELAXED * prices, start).without_zeros()


def _backward(
    candidates: Candidates, contrast: Contrast, prices: Floats, found: Fit, worth: float, spent: Callable[[], bool]
) -> Fit:
    """Without the families that do not pay, the lightest tried first."""
    for candidate in found.chosen[np.argsort(found.weights)].tolist():
        if spent():
            break
        kept = found.chosen != candidate
        if kept.all():
            continue  # it fell to nothing when another one left
        smaller = _relaxed(candidates, contrast, prices, Fit(found.chosen[kept], found.weights[kept]))
        if smaller.loss - found.loss < worth * prices[candidate]:
            found = smaller
    return found


def _forward(
    candidates: Candidates,
    contrast: Contrast,
    prices: Floats,
    found: Fit,
    worth: float,
    spent: Callable[[], bool],
    without: int | None = None,
) -> Fit | None:
    """With the one family more that pays most, or None; it may not be ``without``."""
    scores = -contrast.columns(candidates, found.chosen) @ found.weights
    _, slope = contrast.loss(scores)
    down = -gradient(candidates, contrast, slope)
    bend = curvature(candidates, contrast, scores)
    # What one Newton step would gain.
    step = np.clip(down / (bend + 1e-3), 0, LONGEST_STEP)
    need = down * step - bend * step**2 / 2 - worth * prices
    need[found.chosen] = -np.inf
    if without is not None:
        need[without] = -np.inf
    best, gained = None, 0.0
    for candidate in _steepest(need):
        if spent():
            return None
        grown = Fit(np.append(found.chosen, candidate), np.append(found.weights, 0.0))
        grown = _relaxed(candidates, contrast, prices, grown)
        gain = found.loss - grown.loss - worth * prices[candidate]
        if gain > gained:
            best, gained = grown, gain
    return best


def _steepest(need: Floats) -> NDArray[np.int64]:
    order = np.argpartition(-need, min(TRIED, len(need) - 1))[:TRIED]
    return order[need[order] > -np.inf]
