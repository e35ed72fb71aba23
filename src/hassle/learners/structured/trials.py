"""The loss of many models at once: what families would gain that are tried one by one.

A gradient says how the loss begins to fall when a family joins, not how far it falls: of the true families that a model
was missing, the one that saved most was found at rank 100 of it. So many are tried outright, each with some weights,
the other weights as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hassle.learners.structured.candidates import Candidates
from hassle.learners.structured.fit import TIE, Contrast, Floats, bounded, gradient

# Families that are tried: those of the steepest gradient for their price. The weights they are tried with.
STEEPEST = 300
FEW_WEIGHTS = np.array([1.5, 4.0, 9.0, 20.0])
# No exponent is larger: what beats a positive by more is as bad.
LARGEST = 60.0
# What is worth so much less than a positive is not looked at where a family joins.
REACH = 15.0
# Models that are judged at a time.
AT_A_TIME = 64

Floats32 = NDArray[np.float32]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Field:
    """Rows of a contrast that are looked at: all positives first, then alternatives in the order of their contexts.

    ``group`` is the context of each row, ``reference`` for each context the place of one of its positives, ``doubts``
    that in one label and that in two.
    """

    rows: Indices
    positives: int
    group: Indices
    trust: Floats32
    reference: Indices
    pairs: tuple[Indices, Indices]
    doubts: tuple[float, float]

    @cached_property
    def _first(self) -> Indices:
        """Where the alternatives of each context begin that has any."""
        return np.flatnonzero(np.diff(self.group[self.positives :], prepend=-1))

    def losses(self, scores: Floats32) -> Floats:
        """The loss of each row of scores, which has one for each row of the field."""
        parts = [self._losses(scores[first : first + AT_A_TIME]) for first in range(0, len(scores), AT_A_TIME)]
        return np.concatenate(parts)

    def _losses(self, scores: Floats32) -> Floats:
        x, group = slice(0, self.positives), self.group[self.positives :]
        seen = scores[:, self.reference]
        against = np.full(seen.shape, -np.inf, dtype=np.float32)
        if len(group):
            masses = np.exp(np.minimum(scores[:, self.positives :] - seen[:, group], LARGEST))
            masses *= self.trust[self.positives :]
            compared = group[self._first]
            with np.errstate(divide="ignore"):
                sums = np.log(np.add.reduceat(masses, self._first, axis=1))
            against[:, compared] = sums + seen[:, compared]
        own = bounded(np.logaddexp(0, against[:, self.group[x]] - scores[:, x]), self.doubts[0])
        one, other = self.pairs
        tied = bounded(TIE / 2 * (scores[:, one] - scores[:, other]) ** 2, self.doubts[1])
        result = own @ self.trust[x].astype(np.float64) + tied @ (self.trust[one] * self.trust[other])
        return np.asarray(result, dtype=np.float64)


class Trials:
    """Judges many models by the loss of a contrast; ``prices`` are what a family costs in all."""

    def __init__(self, candidates: Candidates, contrast: Contrast, prices: Floats) -> None:
        self.candidates, self.contrast, self.prices = candidates, contrast, prices
        _, group = contrast.groups
        self._x = np.flatnonzero(contrast.positive)
        self._others = np.flatnonzero(~contrast.positive & (contrast.trust > 0))
        self._reference = np.zeros(int(group.max()) + 1, dtype=np.int64)
        order = np.argsort(contrast.trust[self._x], kind="stable")  # the most trusted comes last and stays
        self._reference[group[self._x][order]] = order
        self._columns: dict[int, Floats32] = {}

    def field(self, scores: Floats32 | None = None) -> Field:
        """All rows, or with scores only those within reach of a positive of their context."""
        contrast = self.contrast
        _, group = contrast.groups
        others = self._others
        if scores is not None:
            seen = scores[self._x[self._reference]]
            others = others[scores[others] > seen[group[others]] - REACH]
        rows = np.concatenate([self._x, others])
        one, other = (np.searchsorted(self._x, each) for each in contrast.pairs)
        trust = contrast.trust[rows].astype(np.float32)
        doubts = (contrast.doubt, contrast.pair_doubt)
        return Field(rows, len(self._x), group[rows], trust, self._reference, (one, other), doubts)

    @cached_property
    def _everything(self) -> Field:
        return self.field()

    def loss(self, scores: Floats32) -> float:
        return float(self._everything.losses(scores[None, self._everything.rows])[0])

    def column(self, candidate: int) -> Floats32:
        if candidate not in self._columns:
            column = self.candidates.signed(self.contrast.broken, [candidate])[:, 0]
            self._columns[candidate] = column.astype(np.float32)
        return self._columns[candidate]

    def differences(self, rows: Indices) -> Floats32:
        """All columns of some rows, as they differ from a positive of their context."""
        _, group = self.contrast.groups
        result = self.contrast.broken[rows].astype(np.float32)
        result -= self.contrast.broken[self._x[self._reference[group[rows]]]].astype(np.float32)
        return result

    def likeness(self, chosen: Sequence[int] | Indices) -> Floats32:
        """For each two of these families how much they prefer the same, of positives and alternatives: 0 to 1."""
        _, group = self.contrast.groups
        positive = self._x[self._reference[group]]
        columns = np.stack([self.column(int(candidate)) for candidate in chosen])
        columns = columns - columns[:, positive]
        columns /= np.maximum(np.sqrt(np.einsum("ij,ij->i", columns, columns)), 1e-6)[:, None]
        return np.asarray(np.abs(columns @ columns.T))

    def steepest(self, scores: Floats32, taken: Sequence[int]) -> Indices:
        """Families that may gain much, without those of the columns of ``taken``."""
        _, slope = self.contrast.loss(scores.astype(np.float64))
        steep = -gradient(self.candidates, self.contrast, slope) / self.prices
        for candidate in taken:
            steep[candidate - candidate % 2 : candidate - candidate % 2 + 2] = 0
        found = np.argpartition(-steep, min(STEEPEST, len(steep) - 1))[:STEEPEST]
        return found[steep[found] > 0]

    def tried(self, scores: Floats32, menu: Indices) -> Floats:
        """For each family of the menu and each of the few weights: the loss if it joined, and its price."""
        field = self.field(scores)
        base = scores[field.rows]
        result = np.zeros((len(menu), len(FEW_WEIGHTS)))
        for first in range(0, len(menu), AT_A_TIME):
            part = menu[first : first + AT_A_TIME]
            columns = np.stack([self.column(candidate)[field.rows] for candidate in part.tolist()])
            for i, weight in enumerate(FEW_WEIGHTS):
                result[first : first + len(part), i] = field.losses(base - np.float32(weight) * columns)
        return result + self.prices[menu][:, None]

    def weighed(self, scores: Floats32, menu: Sequence[int], grid: Floats) -> Floats:
        """For each family of the menu and each weight of the grid: the loss if it joined; before all, if none did."""
        field = self.field(scores)
        base = scores[field.rows]
        columns = np.stack([self.column(candidate)[field.rows] for candidate in menu])
        tried = base - (grid[:, None].astype(np.float32) * columns[:, None, :]).reshape(-1, len(base))
        return field.losses(np.concatenate([base[None, :], tried]))
