"""A misclassified example as the neighbourhood needs it, and what any way of scoring must offer a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Mistake:
    """What is wrong (bits of `kernels.moves`) with an example x; `best` is an optimal assignment x* in its context.

    Where x is predicted optimal it is its own x*; where it is predicted infeasible, no rule asks for x*.
    """

    example: int
    error: int
    x: NDArray[np.uint8]
    best: NDArray[np.uint8]


class Scorer(Protocol):
    """Holds the candidate of a search (a sign per clause and variable, a cost per clause) and knows its score."""

    signs: NDArray[np.int8]
    costs: NDArray[np.int32]
    hard: np.int32
    correct: int

    def begin(self, signs: NDArray[np.int8], costs: NDArray[np.int32]) -> None:
        """Make a new model the candidate."""

    def pick_mistake(self, rng: np.random.Generator) -> Mistake:
        """A misclassified example, each equally likely; there must be one."""
        ...

    def score(
        self, moves: NDArray[np.int64], example: int, scores: NDArray[np.int32], fixes: NDArray[np.bool_]
    ) -> bool:
        """Write each move's score, and whether it corrects the example; False if asked to stop meanwhile."""
        ...

    def make(self, move: NDArray[np.int64], correct: int) -> None:
        """Make a move that was scored."""
