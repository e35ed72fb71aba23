"""A chain over models: families come, go and are exchanged for others, and their weights move.

The selection ends in one model, but others explain the examples about as well: a wish for Tuesday early or for Tuesday
as such, a weight of 0.4 or 0.6. The chain walks among them with the probability exp(-loss - worth·price) that the
selection's own criterion gives to each (Gibbs sampling; Geman and Geman 1984). What is kept is the mean of the weights
over the walk: of plans it is asked about it says what most of the models on the way say (the Bayes point of Herbrich,
Graepel and Campbell 2001), and the share of the walk that a family was in tells how sure it is.

A step takes one family out and draws what stands in its place from a menu: itself, nothing, families like it (their
columns correlate), each with some weights. Then its weight is drawn anew, near where it was. Another step draws from
nothing and the families whose gradient is steepest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hassle.learners.structured.fit import Fit, Floats
from hassle.learners.structured.trials import FEW_WEIGHTS, Trials

# The weights that a menu offers, and the lightest and heaviest that a family may come to have.
GRID = np.array([0.7, 1.5, 2.5, 4.0, 6.0, 9.0, 13.0, 20.0, 32.0])
LIGHTEST, HEAVIEST = 0.3, 60.0
# Alternatives stand for many more, so differences of the loss count for more than they are.
HEAT = 0.3
# How much a point of the grid counts beside nothing: about three of them say the same.
POINT = 1 / 3
# A loss may be so much larger when all rows are looked at.
SLIP = 0.1
# Families like another one that are known, and how many of them a menu offers.
ALIKE, ON_MENU = 40, 5
# Rows that the likeness of families is told from, and entries (rows times columns) at most: all are looked at for every
# family that is compared with the others.
ROWS_FOR_LIKENESS, ENTRIES_FOR_LIKENESS, FEWEST_FOR_LIKENESS = 2000, 2**24, 100

Floats32 = NDArray[np.float32]


@dataclass(frozen=True)
class Samples:
    """Models on the way: families, and for each model (row) their weights, 0 where one is not in it."""

    chosen: NDArray[np.int64]
    weights: Floats
    energies: Floats

    @classmethod
    def of(cls, models: Sequence[dict[int, float]], energies: Sequence[float]) -> Samples:
        chosen = np.array(sorted({candidate for model in models for candidate in model}), dtype=np.int64)
        place = {candidate: i for i, candidate in enumerate(chosen.tolist())}
        weights = np.zeros((len(models), len(chosen)))
        for row, model in zip(weights, models, strict=True):
            for candidate, weight in model.items():
                row[place[candidate]] = weight
        return cls(chosen, weights, np.array(energies))

    def joined(self, more: Samples) -> Samples:
        """These models and those of another walk."""
        chosen = np.union1d(self.chosen, more.chosen)
        weights = np.zeros((len(self.weights) + len(more.weights), len(chosen)))
        weights[: len(self.weights), np.searchsorted(chosen, self.chosen)] = self.weights
        weights[len(self.weights) :, np.searchsorted(chosen, more.chosen)] = more.weights
        return Samples(chosen, weights, np.concatenate([self.energies, more.energies]))

    @property
    def inclusion(self) -> Floats:
        """For each family the share of the models that have it."""
        return np.asarray((self.weights > 0).mean(0))

    def mean(self, least: float) -> Fit:
        """The mean weights of the families that at least this share of the models has."""
        kept = self.inclusion >= least
        return Fit(self.chosen[kept], self.weights.mean(0)[kept])

    def best(self) -> Fit:
        return self.model(int(np.argmin(self.energies)))

    def model(self, i: int) -> Fit:
        kept = self.weights[i] > 0
        return Fit(self.chosen[kept], self.weights[i][kept])


class Chain:
    """A walk over models, judged by trials."""

    def __init__(self, trials: Trials, start: Fit, rng: np.random.Generator, heat: float = HEAT) -> None:
        self.trials, self.prices = trials, trials.prices
        self.rng, self.heat = rng, heat
        weights = np.clip(start.weights, LIGHTEST, HEAVIEST)
        self.state = dict(zip(start.chosen.tolist(), weights.tolist(), strict=True))
        self._alike: dict[int, NDArray[np.int64]] = {}
        self.scores = self._scored()

    def walk(self, sweeps: int, kept: int, spent: Callable[[], bool] = lambda: False) -> Samples:
        """So many sweeps; the models after each of the last ``kept``."""
        models: list[dict[int, float]] = []
        energies: list[float] = []
        for sweep in range(sweeps):
            for candidate in self.rng.permutation(list(self.state)).tolist():
                if not spent():
                    self._replace(candidate)
            self._add()
            if sweep % 10 == 0:
                self.scores = self._scored()  # what rounding has added up to
            if sweep >= sweeps - kept or spent():
                models.append(dict(self.state))
                energies.append(self.energy())
            if spent():
                break
        return Samples.of(models, energies)

    def energy(self) -> float:
        """What the walk goes down on: the loss and the prices of the families."""
        return self.trials.loss(self.scores) + float(self.prices[list(self.state)].sum())

    def _scored(self) -> Floats32:
        result = self.trials.contrast.base.astype(np.float32)
        for candidate, weight in self.state.items():
            result -= np.float32(weight) * self.trials.column(candidate)
        return result

    def _replace(self, candidate: int) -> None:
        """Draw what stands in a family's place."""
        before, weight = self.scores, self.state.pop(candidate)
        self.scores = before + np.float32(weight) * self.trials.column(candidate)
        alike = self._free(self._like(candidate))
        menu = [candidate, *self.rng.permutation(alike)[:ON_MENU].tolist()]
        grid = np.sort(np.append(GRID, weight))
        losses = self.trials.weighed(self.scores, menu, grid)
        prices = np.append(0.0, np.repeat(self.prices[menu] - np.log(POINT), len(grid)))
        drawn = self._drawn(losses + prices)
        if drawn:
            which, point = divmod(drawn - 1, len(grid))
            if not self._join(menu[which], float(grid[point])):
                self.state[candidate], self.scores = weight, before

    def _add(self) -> None:
        """Draw a family that would gain much, or nothing."""
        menu = self.trials.steepest(self.scores, list(self.state))
        if not len(menu):
            return
        energy = np.append(self.trials.tried(self.scores, menu).ravel() - np.log(POINT), self.trials.loss(self.scores))
        drawn = self._drawn(energy)
        if drawn < len(energy) - 1:
            which, point = divmod(drawn, len(FEW_WEIGHTS))
            self._join(int(menu[which]), float(FEW_WEIGHTS[point]))

    def _drawn(self, energy: Floats) -> int:
        chances = np.exp((energy.min() - energy) / self.heat)
        return int(self.rng.choice(len(energy), p=chances / chances.sum()))

    def _join(self, candidate: int, weight: float) -> bool:
        """Let a family join with a weight near this one, drawn on a logarithmic scale.

        Trials look at what is near the positives. Where the family brings back what was far below, it does not join.
        """
        near = np.clip(weight * np.exp(self.rng.normal(0, 0.25, 6)), LIGHTEST, HEAVIEST)
        grid = np.append(near, weight)
        losses = self.trials.weighed(self.scores, [candidate], grid)[1:]
        drawn = self._drawn(losses)
        scores = self.scores - np.float32(grid[drawn]) * self.trials.column(candidate)
        if self.trials.loss(scores) > losses[drawn] + SLIP:
            return False
        self.state[candidate], self.scores = float(grid[drawn]), scores
        return True

    def _free(self, candidates: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those whose column is not in the model yet, and that may be at all."""
        taken = {candidate // 2 for candidate in self.state}
        return np.array(
            [c for c in candidates.tolist() if c // 2 not in taken and np.isfinite(self.prices[c])], dtype=np.int64
        )

    def _like(self, candidate: int) -> NDArray[np.int64]:
        if candidate not in self._alike:
            column = candidate // 2
            likeness = self._likeness.T @ self._likeness[:, column]
            likeness[column] = 0
            near = np.argpartition(-np.abs(likeness), min(ALIKE, len(likeness) - 1))[:ALIKE]
            self._alike[candidate] = 2 * near + (candidate % 2 ^ (likeness[near] < 0))
        return self._alike[candidate]

    @cached_property
    def _likeness(self) -> Floats32:
        """Columns of some rows as they differ from a positive of their context, of length 1."""
        broken = self.trials.contrast.broken
        most = max(FEWEST_FOR_LIKENESS, min(ROWS_FOR_LIKENESS, ENTRIES_FOR_LIKENESS // max(1, broken.shape[1])))
        result = self.trials.differences(self.rng.permutation(len(broken))[:most])
        result /= np.maximum(np.sqrt(np.einsum("ij,ij->j", result, result)), 1e-6)
        return result
