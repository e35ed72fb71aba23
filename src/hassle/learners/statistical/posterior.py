"""One chain of models on the way to, and then within, the models that explain the data best.

The chain owns its arrays; its rates (wrong labels, kinds of negatives, how much more often contexts with impact are
recorded) are re-estimated from its current model between stretches of search, and so is its pool of promising clauses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log

import numpy as np
from numpy.typing import NDArray

from hassle.data import Label
from hassle.kernels import evidence, metropolis, mining
from hassle.kernels.evidence import HARD, Belief, Chain, Trial
from hassle.kernels.proposals import Pool
from hassle.learners.statistical.candidates import clause_count, numbered_clause
from hassle.learners.statistical.problem import Problem, log_clause_counts
from hassle.logic import Clause

POOL_SIZE = 300
POOL_TEMPERATURE = 2.0
COUNTED_OPTIMA = 64
MOST_PRICED = 200_000
MOST_PRICING = 2**24  # clauses times examples

# Before any data: one wrong label in about twenty, and as many infeasible negatives as suboptimal ones.
WRONG_BEFORE = (1.0, 20.0)
# Unexplained examples are taken for wrong labels if there are at least so many of them and they are more than this
# share; fewer may be what the search has left over.
FEWEST_WRONG, NOISE_FREE = 3, 0.01
# Once few examples are left unexplained, labels are taken to be right, and the last few must be explained too.
CERTAIN = 1e-5
KINDS_BEFORE = (20.0, 20.0)
LENGTHS_BEFORE = 2.0
IMPOSSIBLE_WEIGHT = 1e-4
IMPACT_WEIGHTS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005)


@dataclass(frozen=True)
class Sample:
    """A model as a chain has it: clauses with their weights in thousandths, None for a hard one."""

    clauses: tuple[tuple[Clause, int | None], ...]

    @property
    def hard(self) -> tuple[Clause, ...]:
        return tuple(clause for clause, weight in self.clauses if weight is None)

    @property
    def soft(self) -> tuple[tuple[Clause, int], ...]:
        return tuple((clause, weight) for clause, weight in self.clauses if weight is not None)


@dataclass(frozen=True)
class Rates:
    """What a chain believes of the way the data came about."""

    wrong: float = 0.05
    infeasible: float = 0.5
    harmless: float = 0.1

    def verdict_logs(self) -> NDArray[np.float64]:
        """Log chance of each label given each verdict, by code; constants that depend on neither are left out."""
        right, wrong = log(1 - self.wrong), log(self.wrong)
        kinds = np.array([log(self.infeasible), log(1 - self.infeasible), 0.0])
        result = np.tile(kinds, (4, 1))
        result[Label.POSITIVE.code] += [wrong, wrong, right]
        result[Label.NEGATIVE.code] += [right, right, wrong]
        result[Label.INFEASIBLE.code] += [right, wrong, wrong]
        result[Label.SUBOPTIMAL.code] += [wrong, right, wrong]
        return result

    def state_logs(self) -> NDArray[np.float64]:
        """Log weight of a context by its state: harmless, costly or impossible."""
        return np.log(np.array([self.harmless, 1.0, IMPOSSIBLE_WEIGHT]))

    def total_logs(self, group: int) -> NDArray[np.float64]:
        """Log weight of so many harmless and so many costly contexts together, ``group`` contexts at most."""
        harmless, costly = np.mgrid[0 : group + 1, 0 : group + 1]
        return np.log(np.maximum(harmless * self.harmless + costly, IMPOSSIBLE_WEIGHT))


class Posterior:
    """A chain over models of up to ``clauses`` clauses of up to ``longest`` literals."""

    def __init__(self, problem: Problem, longest: int, clauses: int, seed: int) -> None:
        self.problem = problem
        self.longest = longest
        self.rates = Rates()
        self._state = np.array([seed], dtype=np.uint64)
        self._logs = np.log(np.maximum(1.0, np.arange(problem.largest_table + 1)))
        self._log_clauses = log_clause_counts(problem.variables, longest)
        self._length_weights = length_weights(self._log_clauses)
        self._chain = Chain(
            np.zeros((clauses, longest + 1), dtype=np.int16),
            np.zeros(clauses, dtype=np.int32),
            np.zeros(1, dtype=np.int64),
            np.zeros(int(problem.cases.offsets[-1]), dtype=np.int32),
            np.zeros(problem.tables),
            np.zeros(problem.tables, dtype=np.int8),
        )
        self._trial = Trial(
            np.zeros(problem.largest_table, dtype=np.int32),
            np.zeros(problem.tables, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
            np.zeros(problem.tables),
            np.zeros(problem.tables, dtype=np.int8),
            np.zeros((2, problem.tables), dtype=np.int8),
            np.zeros((2, problem.tables), dtype=np.int32),
            np.zeros((2, problem.tables), dtype=np.int32),
        )
        self._pool = Pool(np.zeros((0, longest + 1), dtype=np.int16), np.zeros(0), np.zeros(0))
        self._rebuild()

    def _belief(self) -> Belief:
        group = 1 + int(self.problem.cases.neighbours)
        return Belief(
            self.rates.verdict_logs(),
            self.rates.state_logs(),
            self.rates.total_logs(group),
            self._logs,
            self._log_clauses,
            self._length_weights,
        )

    # What is known of the current model.

    @property
    def sample(self) -> Sample:
        return _as_sample(self._chain.clauses, self._chain.costs, int(self._chain.count[0]))

    @property
    def log_posterior(self) -> float:
        lengths = np.zeros(self.longest + 1, dtype=np.int64)
        kinds = np.zeros(2, dtype=np.int64)
        return float(metropolis.log_prior(self._chain, lengths, kinds, self._belief()) + self.log_likelihood)

    @property
    def log_likelihood(self) -> float:
        impact = evidence.total_impact(self.problem.cases, self._belief(), self._chain.states)
        return float(self._chain.evidence.sum() + impact)

    def verdicts(self) -> NDArray[np.int8]:
        """The verdict on each example, in the order of the problem."""
        starts = self.problem.cases.offsets[:-1]
        least = np.minimum.reduceat(self._chain.losses, starts)[self.problem.table_of]
        losses = self._chain.losses[starts[self.problem.table_of] + self.problem.cases.points]
        feasible = np.where(losses == least, evidence.OPTIMAL, evidence.SUBOPTIMAL)
        return np.where(losses >= HARD, evidence.INFEASIBLE, feasible).astype(np.int8)

    @property
    def agreed(self) -> NDArray[np.bool_]:
        """For each distinct example: whether the verdict on it agrees with its label."""
        positive = self.problem.cases.labels == Label.POSITIVE.code
        return (self.verdicts() == evidence.OPTIMAL) == positive

    @property
    def correct(self) -> int:
        return self._counted(self.agreed)

    def _counted(self, chosen: NDArray[np.bool_]) -> int:
        """How many examples are chosen, repetitions counted."""
        return int(self.problem.cases.counts[chosen].sum())

    # Steps.

    def load(self, sample: Sample) -> None:
        """Start anew from a model."""
        self._chain.clauses[:] = 0
        self._chain.costs[:] = 0
        for j, (clause, weight) in enumerate(sample.clauses):
            self._chain.clauses[j, : len(clause)] = clause
            self._chain.costs[j] = HARD if weight is None else weight
        self._chain.count[0] = len(sample.clauses)
        self._rebuild()

    def _rebuild(self) -> None:
        evidence.rebuild(self.problem.cases, self._chain, self.problem.blocked, self._trial)
        evidence.weigh(self.problem.cases, self._belief(), self._chain, self._trial)

    def search(self, steps: int, sharpness: float) -> int:
        """Try so many moves with the log posterior times ``sharpness``; returns how many were made."""
        return int(
            metropolis.search(
                self.problem.cases, self._belief(), self.problem.sources, self._pool, self._chain, self._trial,
                self._state, steps, sharpness,
            )
        )  # fmt: skip

    def update_rates(self, *, settled: bool = True) -> None:
        """Estimate the rates from the verdicts on the examples.

        A chain that has not settled yet keeps the rates that could talk it into explaining nothing: with hardly any
        infeasible negatives, hard clauses would seem not to be needed; with contexts of no impact, soft ones.
        """
        verdicts = self.verdicts()
        positive = self.problem.cases.labels == Label.POSITIVE.code
        examples = self.problem.examples
        wrong = self._counted((verdicts == evidence.OPTIMAL) != positive)
        infeasible = self._counted(verdicts == evidence.INFEASIBLE)
        suboptimal = self._counted(verdicts == evidence.SUBOPTIMAL)
        estimate = min(0.45, (wrong + WRONG_BEFORE[0]) / (examples + sum(WRONG_BEFORE)))
        self.rates = Rates(
            min(estimate, CERTAIN) if settled and not believed_noise(wrong, examples) else estimate,
            (infeasible + KINDS_BEFORE[0]) / (infeasible + suboptimal + sum(KINDS_BEFORE))
            if settled
            else self.rates.infeasible,
            self._estimated_impact() if settled else self.rates.harmless,
        )
        evidence.weigh(self.problem.cases, self._belief(), self._chain, self._trial)

    def _estimated_impact(self) -> float:
        """The weight of contexts without impact under which the contexts seen are most likely."""

        def likelihood(harmless: float) -> float:
            rates = replace(self.rates, harmless=harmless)
            group = 1 + int(self.problem.cases.neighbours)
            belief = self._belief()._replace(state_logs=rates.state_logs(), total_logs=rates.total_logs(group))
            return float(evidence.total_impact(self.problem.cases, belief, self._chain.states))

        return max(IMPACT_WEIGHTS, key=likelihood)

    def refresh_pool(self) -> None:
        """Price all short clauses and list those that would gain most."""
        lengths = [
            k for k in range(1, min(3, self.longest) + 1) if clause_count(self.problem.variables, k) <= MOST_PRICED
        ]
        prices = self.prices(len(lengths))
        top = np.argsort(-prices, kind="stable")[:POOL_SIZE]
        chances = np.exp((prices[top] - prices[top[0]]) / POOL_TEMPERATURE)
        chances = 0.5 * chances / chances.sum() + 0.5 / len(top)
        clauses = np.zeros((len(top), self.longest + 1), dtype=np.int16)
        for i, number in enumerate(top):
            clause = numbered_clause(int(number), self.problem.variables)
            clauses[i, : len(clause)] = clause
        self._pool = Pool(clauses, chances, np.cumsum(chances))

    @property
    def pool_is_sound(self) -> bool:
        return bool(np.isfinite(self._pool.chances).all())

    def prices(self, longest: int) -> NDArray[np.float64]:
        """What each clause of up to ``longest`` (at most 3) literals would add to the log likelihood."""
        prices = np.zeros(clause_count(self.problem.variables, longest))
        # Of very many contexts some tell as much; tables in between are those of their neighbours.
        every = 1 + len(prices) * len(self.problem.rows) // MOST_PRICING
        mining.price_clauses(
            self.problem.cases, self._belief(), self._chain, self.problem.assignments, longest, COUNTED_OPTIMA,
            every * (1 + int(self.problem.cases.neighbours)), prices,
        )  # fmt: skip
        return every * prices


def believed_noise(wrong: int, examples: int) -> float:
    """The share of labels that are taken for wrong if so many examples remain unexplained."""
    return wrong / examples if wrong >= FEWEST_WRONG and wrong > NOISE_FREE * examples else 0.0


def length_weights(log_clauses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Prior weights of the lengths, and at 0 their sum: half for all clauses alike, half for all lengths alike.

    The sum is small, so that a few clauses tell which lengths to expect.
    """
    clauses = np.exp(log_clauses[1:])
    weights = LENGTHS_BEFORE * (clauses / clauses.sum() + 1 / len(clauses)) / 2
    return np.concatenate([[weights.sum()], weights])


def _as_sample(clauses: NDArray[np.int16], costs: NDArray[np.int32], count: int) -> Sample:
    return Sample(
        tuple(
            (tuple(int(lit) for lit in clauses[j] if lit), None if costs[j] == HARD else int(costs[j]))
            for j in range(count)
        )
    )
