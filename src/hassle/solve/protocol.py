"""What every solver can do, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hassle.logic import Context
from hassle.model import Model


@dataclass(frozen=True)
class Best:
    """A best assignment and its value in the model's units."""

    value: int
    bits: NDArray[np.uint8]


@dataclass(frozen=True)
class Optima:
    """Best assignments of a model in a context, one per row.

    ``value`` is in the model's units and None where the context is infeasible. ``count`` is the exact number of best
    assignments where it is known; ``complete`` says that ``assignments`` holds them all. Otherwise the rows are drawn
    uniformly, without repetition.
    """

    value: int | None
    assignments: NDArray[np.uint8]
    count: int | None
    complete: bool


class Solver(Protocol):
    """Finds best assignments under a context. Stateless: the model comes with each call."""

    name: str

    def best(self, model: Model, context: Context) -> Best | None:
        """One best assignment, or None where no assignment is feasible."""

    def optima(self, model: Model, context: Context, limit: int, rng: np.random.Generator) -> Optima:
        """All best assignments, or ``limit`` of them drawn uniformly where there are more."""


def no_optima(variables: int) -> Optima:
    """The answer for an infeasible context."""
    return Optima(None, np.zeros((0, variables), dtype=np.uint8), 0, True)
