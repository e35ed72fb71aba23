"""Sampling weights given comparisons: which clauses matter, how much, and which examples are mislabelled.

A Gibbs sampler (spike and slab: George and McCulloch, "Variable selection via Gibbs sampling", 1993) over whole-number
weights. Most clauses weigh nothing; how many do is learned, for each shape of clauses, because wishes of one kind come
in numbers. Every variable has one unit clause whose weight may be negative, which stands for the opposite literal. An
example may be mislabelled; it is then taken as a random draw, in which every comparison is a toss of a coin. The
average of the samples lies in the middle of what the data allows, where it is least likely to be wrong in contexts not
seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.learners.cuts.candidates import Columns, clause_number, columns_of
from hassle.learners.cuts.comparisons import BEATEN, TIED, Comparisons
from hassle.logic import Clause

LEVELS = 100
# A full pass over all candidates comes once in so many passes; the others see units and clauses in use.
FULL_EVERY = 5
# As if so many examples had been seen before, one of them mislabelled.
PRIOR_EXAMPLES = 50


@dataclass(frozen=True)
class Averages:
    """Over ``samples`` samples: how often each clause had a weight, and its average weight, in levels."""

    samples: int
    inclusion: Mapping[Clause, float]
    weight: Mapping[Clause, float]

    def weights(self, least_inclusion: float) -> dict[Clause, float]:
        """The average weights of the clauses that so large a share of the samples uses."""
        return {clause: self.weight[clause] for clause, share in self.inclusion.items() if share >= least_inclusion}

    def pooled(self, other: Averages) -> Averages:
        """The averages over the samples of both."""
        total = self.samples + other.samples
        clauses = dict.fromkeys([*self.inclusion, *other.inclusion])

        def mean(one: Mapping[Clause, float], two: Mapping[Clause, float]) -> dict[Clause, float]:
            return {
                clause: (self.samples * one.get(clause, 0.0) + other.samples * two.get(clause, 0.0)) / max(1, total)
                for clause in clauses
            }

        return Averages(total, mean(self.inclusion, other.inclusion), mean(self.weight, other.weight))


class Chain:
    """A sampler's state: ``weights`` of ``clauses``, and which examples it takes as mislabelled."""

    def __init__(
        self,
        comparisons: Comparisons,
        clauses: list[Clause],
        weights: Mapping[Clause, int],
        variables: int,
        examples: int,
        rng: np.random.Generator,
        most_entries: int | None = None,
        checkpoint: Callable[[], None] = lambda: None,
    ) -> None:
        """Where columns would have more than ``most_entries``, the last of the clauses are left out."""
        self.comparisons = comparisons
        self.rng = rng
        self.variables = variables
        self.columns: Columns = columns_of(clauses, comparisons, most_entries, checkpoint)
        self.clauses = clauses = clauses[: len(self.columns.starts) - 1]
        self.weights = np.array([weights.get(clause, 0) for clause in clauses], dtype=np.int64)
        self.slacks = self.columns.slacks(self.weights, len(comparisons))
        self.lengths = np.array([len(clause) for clause in clauses], dtype=np.int64)
        # Clauses of one shape have the same number of literals and of positive ones.
        positive = np.array([sum(lit > 0 for lit in clause) for clause in clauses], dtype=np.int64)
        self.shapes = 10 * self.lengths + positive
        self.bounds = np.column_stack([np.where(self.lengths == 1, -LEVELS, 0), np.full(len(clauses), LEVELS)]).astype(
            np.int64
        )
        self.mislabelled = np.zeros(examples, dtype=np.bool_)

    @property
    def active(self) -> dict[Clause, int]:
        return {self.clauses[j]: int(self.weights[j]) for j in np.flatnonzero(self.weights).tolist()}

    def run(self, sweeps: int, heat: float, spent: Callable[[], bool]) -> Averages:
        """Sample while cooling from ``heat`` (below 1: the data counts less) to 1; average over the second half."""
        inclusion = np.zeros(len(self.clauses))
        weight = np.zeros(len(self.clauses))
        taken = 0
        for sweep in range(sweeps):
            if spent():
                break
            full = sweep % FULL_EVERY == 0
            among = np.ones(len(self.clauses), dtype=np.bool_) if full else (self.weights != 0) | (self.lengths == 1)
            cooling = min(1.0, heat + (1 - heat) * 2 * sweep / max(1, sweeps))
            self._pass(self.rng.permutation(np.flatnonzero(among)), cooling, self._log_odds())
            self._judge_examples(cooling)
            if 2 * sweep >= sweeps:
                inclusion += self.weights != 0
                weight += self.weights
                taken += 1
        used = [(self.clauses[j], j) for j in np.flatnonzero(inclusion).tolist()]
        return Averages(
            taken,
            {clause: float(inclusion[j]) / taken for clause, j in used},
            {clause: float(weight[j]) / taken for clause, j in used},
        )

    def settle(self, chosen: Mapping[Clause, float], sweeps: int, spent: Callable[[], bool]) -> dict[Clause, float]:
        """The average weights where only the ``chosen`` clauses may have one; the chain itself stays as it is."""
        place = {clause: j for j, clause in enumerate(self.clauses)}
        inside = Chain(
            self.comparisons,
            list(chosen),
            {clause: int(self.weights[place[clause]]) or round(chosen[clause]) for clause in chosen},
            self.variables,
            len(self.mislabelled),
            self.rng,
        )
        inside.mislabelled = self.mislabelled
        weight = np.zeros(len(chosen))
        taken = 0
        for sweep in range(sweeps):
            if spent():
                break
            inside._pass(self.rng.permutation(len(chosen)), 1.0, np.zeros(len(chosen)))
            if 4 * sweep >= sweeps:
                weight += inside.weights
                taken += 1
        return dict(zip(inside.clauses, (weight / max(1, taken)).tolist(), strict=True))

    def _pass(self, order: NDArray[np.int64], cooling: float, log_odds: NDArray[np.float64]) -> None:
        from hassle.kernels.preferences import resample

        counts = cooling * ~self.mislabelled[self.comparisons.owner]
        losses = np.column_stack([BEATEN * counts, self.comparisons.tie * counts])
        resample(
            self.columns.arrays, self.bounds, log_odds, losses, order, self.rng.random(len(order)),
            self.weights, self.slacks,
        )  # fmt: skip

    def _log_odds(self) -> NDArray[np.float64]:
        """For each clause: the prior odds of one certain weight against none, from how many of its shape have one."""
        result = np.zeros(len(self.clauses))
        for shape in np.unique(self.shapes).tolist():
            same = self.shapes == shape
            length, positive = divmod(shape, 10)
            total = clause_number(self.variables, length, positive)
            share = min(0.99, (np.count_nonzero(self.weights[same]) + 1) / (total + 2))
            levels = 2 * LEVELS if length == 1 else LEVELS
            result[same] = np.log(share / (1 - share) / levels)
        return result

    def _judge_examples(self, cooling: float) -> None:
        owner, slacks = self.comparisons.owner, self.slacks
        cost = np.where(slacks < 0, BEATEN, np.where(slacks == 0, self.comparisons.tie, 0.0))
        examples = len(self.mislabelled)
        as_labelled = np.bincount(owner, weights=cost, minlength=examples)
        as_random = np.bincount(owner, weights=np.full(len(owner), TIED), minlength=examples)
        share = (np.count_nonzero(self.mislabelled) + 1) / (examples + PRIOR_EXAMPLES)
        log_odds = cooling * (as_random - as_labelled) + np.log(share / (1 - share))
        self.mislabelled = self.rng.random(examples) < 1 / (1 + np.exp(-np.clip(log_odds, -50, 50)))
