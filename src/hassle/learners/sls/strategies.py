"""The four strategies: which neighbour a step takes (paper, "WalkSAT variants").

The originals choose which variable of an unsatisfied clause to flip: WalkSAT, Novelty and Novelty+ (Hoos and Stützle,
"Stochastic Local Search", 2004), Adaptive Novelty+ (Hoos, "An adaptive noise mechanism for WalkSAT", 2002). Here a
misclassified example takes the place of the unsatisfied clause, and its neighbours that of the clause's variables.

What a neighbour changes is its *part* of the model: the place of one variable in one clause, or the weight and hardness
of one clause. The step that last changed each part stands for the age of a variable: undoing a step means changing the
same part again, so these ages are the memory of recent candidates that Novelty needs.

A strategy belongs to one search, whose random numbers it uses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Neighbours:
    """Scored neighbours: for each its score, and the step that last changed the part it changes (0: none did)."""

    scores: NDArray[np.int32]
    changed: NDArray[np.int64]


class WalkSat:
    """With probability `restart_probability` a new random model, else a neighbour with the highest score (Algorithm 1).

    Equals are chosen among by chance.
    """

    def __init__(self, restart_probability: float) -> None:
        self.restart_probability = restart_probability

    def wants_restart(self, rng: np.random.Generator) -> bool:
        return self.restart_probability > 0 and rng.random() < self.restart_probability

    def choose(self, neighbours: Neighbours, rng: np.random.Generator) -> int:
        return pick_one(neighbours.scores == neighbours.scores.max(), rng)

    def begin(self, correct: int, step: int) -> None:
        """Called when the search starts from a new random model."""

    def observe(self, correct: int, step: int) -> None:
        """Called after each step with the new score."""


class Novelty(WalkSat):
    """The best neighbour, unless it changes the part that was changed most recently of all: then, with probability
    `noise`, the best of those that change other parts. Among equals the part unchanged for longest, then chance."""

    def __init__(self, noise: float) -> None:
        super().__init__(restart_probability=0)
        self.noise = noise

    def choose(self, neighbours: Neighbours, rng: np.random.Generator) -> int:
        changed = neighbours.changed
        newest = changed.max()
        best = pick_fittest(neighbours, np.ones(len(changed), dtype=np.bool_), rng)
        others = changed < newest
        if newest > 0 and changed[best] == newest and others.any() and rng.random() < self.noise:
            return pick_fittest(neighbours, others, rng)
        return best


class NoveltyPlus(Novelty):
    """With probability `walk` a random neighbour, else as Novelty."""

    def __init__(self, noise: float, walk: float) -> None:
        super().__init__(noise)
        self.walk = walk

    def choose(self, neighbours: Neighbours, rng: np.random.Generator) -> int:
        if rng.random() < self.walk:
            return int(rng.integers(len(neighbours.scores)))
        return super().choose(neighbours, rng)


class AdaptiveNoveltyPlus(NoveltyPlus):
    """Novelty+ whose probability of a random neighbour falls when the score improves and rises when it stagnates.

    It begins with `walk`. Stagnation is no improvement during THETA times the number of examples, which stand for the
    clauses of the original. Differs from Hoos, who adapts Novelty's noise, from 0 on: the paper adapts "the probability
    to choose a random neighbour", from 0.1 on.
    """

    THETA, PHI = 1 / 6, 1 / 5

    def __init__(self, noise: float, walk: float, examples: int) -> None:
        super().__init__(noise, walk)
        self.first_walk = walk
        self.patience = self.THETA * examples

    def begin(self, correct: int, step: int) -> None:
        self.walk = self.first_walk
        self.mark(correct, step)

    def mark(self, correct: int, step: int) -> None:
        self.marked_correct, self.marked_step = correct, step

    def observe(self, correct: int, step: int) -> None:
        if correct > self.marked_correct:
            self.walk -= self.walk * self.PHI / 2
            self.mark(correct, step)
        elif step - self.marked_step > self.patience:
            self.walk += (1 - self.walk) * self.PHI
            self.mark(correct, step)


def pick_one(eligible: NDArray[np.bool_], rng: np.random.Generator) -> int:
    """One of the marked places, each equally likely."""
    places = np.flatnonzero(eligible)
    return int(places[int(rng.random() * len(places))])


def pick_fittest(neighbours: Neighbours, eligible: NDArray[np.bool_], rng: np.random.Generator) -> int:
    """Of the eligible neighbours one with the highest score, of these one unchanged for longest, of these any."""
    best = eligible & (neighbours.scores == neighbours.scores[eligible].max())
    return pick_one(best & (neighbours.changed == neighbours.changed[best].min()), rng)
