"""The convex fit: weights under which the positives beat the alternatives of their contexts.

With b(y) the number of broken instances of each family by y, s(y) = base(y) - w·b(y), where base(y) is what known
wishes make of y (0 without any), and A(x) the alternatives in the context of a positive x,

    loss(w) = sum over positives x of trust(x) · (log(exp s(x) + sum over y in A(x) of trust(y) · exp s(y)) - s(x))
              + TIE/2 · sum over pairs x, x' of positives of one context of (s(x) - s(x'))²

is convex, and with a price for each family, 0 ≤ w ≤ HEAVIEST, minimising loss + lambda·price·w makes it sparse. Only
families whose gradient beats their price are looked at: the rest would stay at 0 (an active set).

Where labels may be wrong, each term l of the loss becomes log(1 + doubt) - log(exp(-l) + doubt): it is at most
log(1 + 1/doubt), whatever a wrong label asks for. That is the likelihood of a label that is right or, with a small
probability, comes from anywhere (Huber's contamination). It is no longer convex, so a fit ends in one of its hollows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hassle.learners.structured.candidates import Candidates
from hassle.learners.structured.pool import POSITIVE

HEAVIEST = 30.0
TIE = 0.3
# Of two labels one is wrong about twice as often as one of one, and nothing else speaks for the other.
PAIR_DOUBT = 4.0
# Newton's method: steps and halvings of a step at most, the share of the promised gain that is enough, what is added to
# the second derivative, and when a fit ends: the slope is next to nothing, or so is the gain.
MOST_STEPS, MOST_HALVINGS, ENOUGH, RIDGE, STILL, CONVERGED = 60, 12, 1e-4, 1e-4, 1e-4, 1e-7
# What is worth so much less than the positives takes no part in a fit; where more than this share does, all may.
REACH, MOST_OF_THEM = 25.0, 0.6
# Candidates that enter at a time, and how often more are looked for.
ENTERING, ENTRIES = 40, 12
# Entries of a pool that are floats at a time, so that they stay at hand: of 55,000 columns and 2,900 rows a gradient
# takes 0.04 s of processor, where by blocks of 2,048 rows it took 0.38 s.
AT_A_TIME = 2**20
# A gradient must beat its price by so much to matter.
SLACK = 0.02

Floats = NDArray[np.float64]
AnyFloats = NDArray[np.floating[Any]]


def bounded(loss: AnyFloats, doubt: float) -> AnyFloats:
    """The loss of examples whose labels may be wrong: no more than log(1 + 1/doubt) of each counts."""
    return np.asarray(np.log1p(doubt) - np.log(np.exp(-loss) + doubt)) if doubt else loss


def belief(loss: Floats, doubt: float) -> Floats:
    """The probability that a label is right whose loss this is: how much it counts in the slope."""
    return 1 / (1 + doubt * np.exp(np.minimum(loss, 500.0))) if doubt else np.ones_like(loss)


@dataclass(frozen=True)
class Contrast:
    """Rows of a pool in the order of their contexts: ``sort`` tells positives from alternatives, ``trust`` how much
    each counts, ``base`` what each is worth by what is known. ``doubt`` bounds what one label can ask for.
    """

    broken: NDArray[np.uint8]
    context_of: NDArray[np.int64]
    sort: NDArray[np.int64]
    trust: Floats
    base: Floats
    doubt: float = 0.0

    @classmethod
    def of(
        cls,
        broken: NDArray[np.uint8],
        context_of: NDArray[np.int64],
        sort: NDArray[np.int64],
        trust: Floats,
        base: Floats | None = None,
        doubt: float = 0.0,
    ) -> Contrast:
        order = np.lexsort((sort, context_of))
        base = np.zeros(len(broken)) if base is None else base
        return cls(broken[order], context_of[order], sort[order], trust[order], base[order], doubt)

    @cached_property
    def groups(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first row of each context, and each row's context counted from 0."""
        changes = np.flatnonzero(np.diff(self.context_of, prepend=-1))
        return changes, np.cumsum(np.diff(self.context_of, prepend=self.context_of[:1]) != 0)

    def columns(self, candidates: Candidates, chosen: NDArray[np.int64]) -> Floats:
        """The signed columns of these candidates, each in one piece; each is picked from all rows once."""
        for candidate in chosen.tolist():
            if candidate not in self._picked:
                self._picked[candidate] = candidates.signed(self.broken, [candidate])[:, 0]
        if not len(chosen):
            return np.zeros((len(self.broken), 0))
        return np.stack([self._picked[candidate] for candidate in chosen.tolist()]).T

    def within_reach(self, scores: Floats) -> NDArray[np.bool_]:
        """The positives, and the alternatives that are not worth less than all positives of their context by REACH."""
        first, group = self.groups
        least = np.minimum.reduceat(np.where(self.positive, scores, np.inf), first)
        return self.positive | (scores > least[group] - REACH)

    def only(self, rows: NDArray[np.bool_]) -> Contrast:
        """The same of some rows, all positives among them; without their families."""
        return Contrast(
            self.broken[:0], self.context_of[rows], self.sort[rows], self.trust[rows], self.base[rows], self.doubt
        )

    @cached_property
    def _picked(self) -> dict[int, Floats]:
        return {}

    @property
    def pair_doubt(self) -> float:
        return PAIR_DOUBT * self.doubt

    @cached_property
    def positive(self) -> NDArray[np.bool_]:
        return self.sort == POSITIVE

    @cached_property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Positives that are next to each other in a context."""
        rows = np.flatnonzero(self.positive)
        same = self.context_of[rows[1:]] == self.context_of[rows[:-1]]
        return rows[:-1][same], rows[1:][same]

    def loss(self, scores: Floats) -> tuple[float, Floats]:
        """The loss, and its derivative by each score."""
        first, group = self.groups
        weight = np.where(self.positive, 0.0, self.trust)
        peak = np.maximum.reduceat(scores, first)
        mass = weight * np.exp(scores - peak[group])
        others = np.add.reduceat(mass, first)
        x = self.positive
        own = np.exp(scores[x] - peak[group[x]])
        total = own + others[group[x]]
        own_loss = np.log(total) + peak[group[x]] - scores[x]
        value = float((self.trust[x] * bounded(own_loss, self.doubt)).sum())
        trust = self.trust[x] * belief(own_loss, self.doubt)
        slope = np.zeros_like(scores)
        slope[x] = trust * (own / total - 1)
        share = np.zeros(len(first))
        np.add.at(share, group[x], trust / total)
        slope += mass * share[group]
        one, other = self.pairs
        trusted = self.trust[one] * self.trust[other]
        gap = scores[one] - scores[other]
        value += float((trusted * bounded(TIE / 2 * gap**2, self.pair_doubt)).sum())
        trusted = TIE * trusted * belief(TIE / 2 * gap**2, self.pair_doubt)
        np.add.at(slope, one, trusted * gap)
        np.add.at(slope, other, -trusted * gap)
        return value, slope

    def second_derivative(self, scores: Floats, columns: Floats) -> Floats:
        """Of the loss, by the weights of these columns: their covariance among what takes part in each comparison.

        Where labels are doubted, as if the belief in each stayed as it is: so it is never negative.
        """
        first, group = self.groups
        weight = np.where(self.positive, 0.0, self.trust)
        peak = np.maximum.reduceat(scores, first)
        mass = weight * np.exp(scores - peak[group])
        others = np.add.reduceat(mass, first)
        x = np.flatnonzero(self.positive)
        own = np.exp(scores[x] - peak[group[x]])
        total = own + others[group[x]]
        trust = self.trust[x] * belief(np.log(total) + peak[group[x]] - scores[x], self.doubt)
        share = np.bincount(group[x], trust / total, minlength=len(first))
        parts = mass * share[group]
        parts[x] = trust * own / total
        sums = np.add.reduceat(mass[:, None] * columns, first, axis=0)
        means = (own[:, None] * columns[x] + sums[group[x]]) / total[:, None]
        result = (parts[:, None] * columns).T @ columns - (trust[:, None] * means).T @ means
        one, other = self.pairs
        gaps = columns[one] - columns[other]
        tied = TIE * self.trust[one] * self.trust[other]
        tied = tied * belief(TIE / 2 * (scores[one] - scores[other]) ** 2, self.pair_doubt)
        return result + (tied[:, None] * gaps).T @ gaps


@dataclass
class Fit:
    """Candidates with a weight above 0."""

    chosen: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    weights: Floats = field(default_factory=lambda: np.zeros(0))
    loss: float = 0.0

    def scores(self, candidates: Candidates, broken: NDArray[np.uint8]) -> Floats:
        return -candidates.signed(broken, self.chosen) @ self.weights

    def without_zeros(self) -> Fit:
        kept = self.weights > 1e-6
        return Fit(self.chosen[kept], self.weights[kept], self.loss)


def gradient(candidates: Candidates, contrast: Contrast, slope: Floats) -> Floats:
    """The derivative of the loss by the weight of every candidate."""
    rows = np.flatnonzero(np.abs(slope) > 1e-5)
    columns = np.zeros(candidates.columns)
    size = max(1, AT_A_TIME // max(1, candidates.columns))
    for first in range(0, len(rows), size):
        part = rows[first : first + size]
        columns -= slope[part].astype(np.float32) @ contrast.broken[part].astype(np.float32)
    result = np.empty(2 * candidates.columns)
    result[0::2], result[1::2] = columns, -columns
    return result


def fit(
    candidates: Candidates,
    contrast: Contrast,
    prices: Floats,
    start: Fit | None = None,
    spent: Callable[[], bool] = lambda: False,
) -> Fit:
    """The weights that minimise loss plus prices; ``prices`` holds lambda already, infinite is never chosen."""
    found = start.without_zeros() if start is not None else Fit()
    usable = np.isfinite(prices[found.chosen])
    found = Fit(found.chosen[usable], found.weights[usable])
    found = minimised(candidates, contrast, prices, found)
    for _ in range(ENTRIES):
        if spent():
            break
        _, slope = contrast.loss(contrast.base + found.scores(candidates, contrast.broken))
        need = -gradient(candidates, contrast, slope) - prices * (1 + SLACK)
        need[found.chosen] = -np.inf
        entering = np.argpartition(-need, ENTERING)[:ENTERING] if len(need) > ENTERING else np.arange(len(need))
        entering = entering[need[entering] > 0]
        if not len(entering):
            break
        # The opposite of an active family is itself with a negative weight: only the better of the two enters.
        grown = Fit(np.concatenate([found.chosen, entering]), np.concatenate([found.weights, np.zeros(len(entering))]))
        found = minimised(candidates, contrast, prices, grown).without_zeros()
    return found


def minimised(
    candidates: Candidates, contrast: Contrast, prices: Floats, start: Fit, heaviest: float = HEAVIEST
) -> Fit:
    """The best weights of the candidates of ``start`` alone.

    Most alternatives are worth so much less than the positives that they take no part. They are left out, and what the
    weights that are found make of them is looked at afterwards: where some took part after all, they join, and the fit
    goes on. So it ends where a fit to all rows would.
    """
    if not len(start.chosen):
        return Fit(loss=contrast.loss(contrast.base)[0])
    matrix = contrast.columns(candidates, start.chosen)
    own = prices[start.chosen]
    weights = np.clip(start.weights, 0.0, heaviest)
    rows = contrast.within_reach(contrast.base - matrix @ weights)
    while rows.mean() < MOST_OF_THEM:
        weights, value = _descended(contrast.only(rows), np.asfortranarray(matrix[rows]), own, weights, heaviest)
        scores = contrast.base - matrix @ weights
        whole = contrast.loss(scores)[0] + float(own @ weights)
        more = rows | contrast.within_reach(scores)
        if whole - value < CONVERGED * (1 + abs(whole)) or (more == rows).all():
            return Fit(start.chosen, weights, whole)
        rows = more
    weights, value = _descended(contrast, matrix, own, weights, heaviest)
    return Fit(start.chosen, weights, value)


def _descended(
    contrast: Contrast, matrix: Floats, own: Floats, weights: Floats, heaviest: float
) -> tuple[Floats, float]:
    """The best weights of these columns, by Newton's method within the bounds (Bertsekas 1982), and what is reached."""
    scores = contrast.base - matrix @ weights
    loss, slope = contrast.loss(scores)
    value = loss + float(own @ weights)
    for _ in range(MOST_STEPS):
        down = own - slope @ matrix
        free = ~(((weights <= 0) & (down >= 0)) | ((weights >= heaviest) & (down <= 0)))
        if np.abs(down[free]).max(initial=0.0) < STILL:
            break
        bend = np.zeros((len(weights), len(weights)))
        bend[np.ix_(free, free)] = contrast.second_derivative(scores, matrix.T[free].T)
        bend[np.diag_indices_from(bend)] += RIDGE
        before = value
        for step in (_newton(bend, down, free, weights, heaviest), -down / np.diag(bend)):
            for halved in range(MOST_HALVINGS):
                tried = np.clip(weights + step / 2**halved, 0.0, heaviest)
                scores = contrast.base - matrix @ tried
                loss, slope = contrast.loss(scores)
                value = loss + float(own @ tried)
                if value <= before + ENOUGH * min(0.0, float(down @ (tried - weights))):
                    break
            else:
                continue
            break
        else:
            return weights, before
        weights = tried
        if before - value < CONVERGED * (1 + abs(value)):
            break
    return weights, value


def _newton(bend: Floats, down: Floats, free: NDArray[np.bool_], weights: Floats, heaviest: float) -> Floats:
    """Newton's step for the weights that are free; those at a bound that it would drive beyond it stay there."""
    free = free.copy()
    while True:
        step = np.zeros(len(weights))
        step[free] = -np.linalg.solve(bend[np.ix_(free, free)], down[free])
        beyond = free & (((weights <= 0) & (step < 0)) | ((weights >= heaviest) & (step > 0)))
        if not beyond.any():
            return step
        free &= ~beyond
