"""The four strategies: which neighbour a step takes (paper, "WalkSAT variants").

The originals choose which variable of an unsatisfied clause to flip: WalkSAT, Novelty and Novelty+ (Hoos and Stützle,
"Stochastic Local Search", 2004), Adaptive Novelty+ (Hoos, "An adaptive noise mechanism for WalkSAT", 2002). Here a
misclassified example takes the place of the unsatisfied clause, its neighbours that of the clause's variables, and
the age of the part of the model that a neighbour changes (`kernels.strategies`) that of the variable's age.

A strategy belongs to one search. Random numbers come from the search's own state.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.kernels.chance import below, fraction
from hassle.kernels.strategies import newest_change, pick_best, pick_fittest

State = NDArray[np.uint64]


@dataclass(frozen=True)
class Neighbours:
    """The scored neighbours of a step, and when each part of the model was last changed."""

    moves: NDArray[np.int64]
    scores: NDArray[np.int32]
    changed: NDArray[np.int64]


class WalkSat:
    """With probability `restart_probability` a new random model, else a neighbour with the highest score (Algorithm
    1)."""

    def __init__(self, restart_probability: float) -> None:
        self.restart_probability = restart_probability

    def wants_restart(self, state: State) -> bool:
        return self.restart_probability > 0 and bool(fraction(state) < self.restart_probability)

    def choose(self, neighbours: Neighbours, state: State) -> int:
        return int(pick_best(neighbours.scores, state))

    def begin(self, correct: int, step: int) -> None:
        """Called when the search starts from a new random model."""

    def observe(self, correct: int, step: int) -> None:
        """Called after each step with the new score."""


class Novelty(WalkSat):
    """The best neighbour, older parts first among equals; but if it changes the part that was changed most recently
    of all, then with probability `noise` the best of the others instead."""

    def __init__(self, noise: float) -> None:
        super().__init__(restart_probability=0)
        self.noise = noise

    def choose(self, neighbours: Neighbours, state: State) -> int:
        moves, scores, changed = neighbours.moves, neighbours.scores, neighbours.changed
        best = int(pick_fittest(moves, scores, changed, 0, state))
        newest = int(newest_change(moves, changed))
        recent = newest > 0 and int(newest_change(moves[best : best + 1], changed)) == newest
        if recent and fraction(state) < self.noise:
            second = int(pick_fittest(moves, scores, changed, newest, state))
            return second if second >= 0 else best
        return best


class NoveltyPlus(Novelty):
    """With probability `walk` a random neighbour, else as Novelty."""

    def __init__(self, noise: float, walk: float) -> None:
        super().__init__(noise)
        self.walk = walk

    def choose(self, neighbours: Neighbours, state: State) -> int:
        if fraction(state) < self.walk:
            return int(below(state, len(neighbours.scores)))
        return super().choose(neighbours, state)


class AdaptiveNoveltyPlus(NoveltyPlus):
    """Novelty+ whose probability of a random neighbour falls when the score improves and rises when it stagnates.

    Stagnation is no improvement during THETA times the number of examples, which stand for the clauses of the
    original. Differs from Hoos, who adapts Novelty's noise: the paper adapts "the probability to choose a random
    neighbour".
    """

    THETA, PHI = 1 / 6, 1 / 5

    def __init__(self, noise: float, examples: int) -> None:
        super().__init__(noise, walk=0)
        self.patience = self.THETA * examples

    def begin(self, correct: int, step: int) -> None:
        self.walk = 0.0
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
