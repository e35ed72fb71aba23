"""What the members of a committee think of decisions, and what their disagreement may cost.

Member m would decide as it thinks best; if m' is the truth, that decision may be infeasible or lose a share of the best
value. ``risk[m, m']`` is what it costs on average over the situations: 1 for an infeasible decision, the share of the
best value that is lost for others. Everything that a question is worth follows from these numbers, and so do the
expected infeasibility and regret of a model: a disagreement that changes no decision costs nothing.

Slow twin: tests/naive_interview.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hassle.interview.situations import Situations
from hassle.kernels.codes import INFEASIBLE, OPTIMAL, SUBOPTIMAL
from hassle.model import Model

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Opinions:
    """For each member and row: is it feasible, and what is it worth by that member, as a whole number."""

    situations: Situations
    feasible: NDArray[np.bool_]
    values: NDArray[np.int64]
    totals: NDArray[np.int64]

    @classmethod
    def of(cls, members: Sequence[Model], situations: Situations) -> Opinions:
        return cls(
            situations,
            np.array([member.feasible(situations.rows) for member in members]),
            np.array([member.values(situations.rows) for member in members]),
            np.array([max(1, int(np.abs(member.weights).sum())) for member in members]),
        )

    @cached_property
    def best(self) -> NDArray[np.int64]:
        """For each member and situation the best value of a feasible row; less than any value where there is none."""
        nothing = np.iinfo(np.int64).min // 2
        values = np.where(self.feasible, self.values, nothing)
        return np.maximum.reduceat(values, self.situations.starts, axis=1)

    @cached_property
    def verdicts(self) -> NDArray[np.int8]:
        optimal = self.values == self.best[:, self.situations.where]
        return np.where(self.feasible, np.where(optimal, OPTIMAL, SUBOPTIMAL), INFEASIBLE).astype(np.int8)

    @cached_property
    def lost(self) -> Floats:
        """The share of the best value that a feasible row loses, 0 for others."""
        best = self.best[:, self.situations.where]
        share = (best - self.values) / np.maximum(1, np.abs(best))
        return np.where(self.feasible, np.minimum(share, 1.0), 0.0)

    @cached_property
    def choices(self) -> Floats:
        """How likely each member is to choose each row: alike among its best ones in a situation."""
        optimal = (self.verdicts == OPTIMAL).astype(np.float64)
        number = np.add.reduceat(optimal, self.situations.starts, axis=1)
        return optimal / np.maximum(1.0, number)[:, self.situations.where]

    @cached_property
    def infeasibility(self) -> Floats:
        """[m, m']: the share of the situations in which what m chooses is infeasible if m' is the truth.

        A member that finds nothing feasible where m' does is no better than one that chooses what is infeasible.
        """
        count = len(self.situations.contexts)
        possible = np.add.reduceat(self.feasible.astype(np.float64), self.situations.starts, axis=1) > 0
        answered = np.add.reduceat(self.choices, self.situations.starts, axis=1) > 0
        silent = (~answered).astype(np.float64) @ possible.T
        infeasible = (~self.feasible) & possible[:, self.situations.where]
        return (self.choices @ infeasible.T.astype(np.float64) + silent) / count

    @cached_property
    def regret(self) -> Floats:
        """[m, m']: the mean share of the best value that m's choices lose if m' is the truth."""
        return self.choices @ self.lost.T / len(self.situations.contexts)

    @cached_property
    def risk(self) -> Floats:
        return self.infeasibility + self.regret
