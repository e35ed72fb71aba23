"""A Metropolis sampler of models that explain the data: one state, its rates and its pool of promising constraints.

The sampler owns its arrays. Its rates (wrong labels, kinds of negatives, how much more often contexts with impact are
recorded) are re-estimated from its current model between stretches of search, and so is its pool. How it is cooled and
what is kept of it is the business of :mod:`~hassle.learners.statistical.chains`.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from hassle.data import Label
from hassle.kernels import evidence, metropolis, mining
from hassle.kernels.codes import INFEASIBLE, OPTIMAL, POSITIVE, SUBOPTIMAL
from hassle.kernels.evidence import HARD, Belief
from hassle.kernels.mining import Tally
from hassle.kernels.proposals import Pool
from hassle.learners.statistical.atoms import atoms_of, draw_alike_sets, sensible_clauses
from hassle.learners.statistical.candidates import NO_VARIABLE, clause_count, counts_over, numbered_clause
from hassle.learners.statistical.problem import Problem, log_set_counts
from hassle.learners.statistical.rooms import new_state, new_trial, row_of
from hassle.logic import Constraint
from hassle.model import Model
from hassle.model.weights import DEFAULT_UNIT

POOL_SIZE = 300
# Counts in the pool, of those over so many random sets of at least so many variables; and their share of its chances.
COUNTS_IN_POOL, PRICED_SETS, SMALLEST_SET, COUNTS_SHARE = 30, 40, 3, 0.1
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
# Counts must pay: before any data, a count is so much less expected than a clause of some length.
COUNTS_BEFORE = 0.05
# Clauses of alike literals are about as much expected as all others.
ALIKE_BEFORE = 2.0
IMPOSSIBLE_WEIGHT = 1e-4
IMPACT_WEIGHTS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005)


@dataclass(frozen=True)
class Sample:
    """A model as a chain has it: constraints with their weights in thousandths, None for a hard one."""

    constraints: tuple[tuple[Constraint, int | None], ...]

    @property
    def hard(self) -> tuple[Constraint, ...]:
        return tuple(constraint for constraint, weight in self.constraints if weight is None)

    @property
    def soft(self) -> tuple[tuple[Constraint, int], ...]:
        return tuple((constraint, weight) for constraint, weight in self.constraints if weight is not None)


@dataclass(frozen=True)
class Rates:
    """What a chain believes of the way the data came about."""

    wrong: float = 0.05
    infeasible: float = 0.5
    harmless: float = 0.1

    def kind_logs(self) -> NDArray[np.float64]:
        """Log chance of drawing an example of each verdict, by code, but for constants."""
        return np.array([log(self.infeasible), log(1 - self.infeasible), 0.0])

    def label_logs(self) -> NDArray[np.float64]:
        """Log chance of each label given each verdict, by code."""
        right, wrong = log(1 - self.wrong), log(self.wrong)
        result = np.zeros((4, 3))
        result[Label.POSITIVE.code] += [wrong, wrong, right]
        result[Label.NEGATIVE.code] += [right, right, wrong]
        result[Label.INFEASIBLE.code] += [right, wrong, wrong]
        result[Label.SUBOPTIMAL.code] += [wrong, right, wrong]
        return result

    def impact_logs(self) -> NDArray[np.float64]:
        """Log weight of a context by its state: harmless, costly or impossible."""
        return np.log(np.array([self.harmless, 1.0, IMPOSSIBLE_WEIGHT]))

    def total_logs(self, group: int) -> NDArray[np.float64]:
        """Log weight of so many harmless and so many costly contexts together, ``group`` contexts at most."""
        harmless, costly = np.mgrid[0 : group + 1, 0 : group + 1]
        return np.log(np.maximum(harmless * self.harmless + costly, IMPOSSIBLE_WEIGHT))


@dataclass(frozen=True)
class Packed:
    """Where a sampler stands, without what follows from it and from the data."""

    rows: NDArray[np.int32]
    costs: NDArray[np.int32]
    rates: Rates
    pool: Pool
    random: NDArray[np.uint64]
    rng: np.random.Generator


class Sampler:
    """A sampler of models of up to so many ``constraints``: clauses of up to ``longest`` literals, and counts of up to
    ``longest_count``.
    """

    def __init__(self, problem: Problem, longest: int, longest_count: int, constraints: int, seed: int) -> None:
        self.problem = problem
        self.longest = longest
        self.longest_count = max(longest, longest_count)
        self.rates = Rates()
        self._random = np.array([seed], dtype=np.uint64)
        self._rng = np.random.default_rng(seed)
        self._logs = np.log(np.maximum(1.0, np.arange(problem.largest_table + 1)))
        self._log_factorials = np.cumsum(self._logs)
        self._log_sets = log_set_counts(problem.variables, self.longest_count)
        self._atoms = atoms_of(problem.schema, self.longest_count)
        self._form_weights = form_weights(self._log_sets[: longest + 1], plain=problem.schema.plain or longest < 2)
        self._count_logs = np.zeros(constraints + 1)
        width = 1 + self.longest_count + 1
        self._state = new_state(problem.cases, constraints, width, longest, problem.wishes.constraints)
        self._trial = new_trial(problem.cases, width)
        self._pool = Pool(rows=np.zeros((0, width), dtype=np.int32), chances=np.zeros(0), sums=np.zeros(0))
        self._rebuild()

    def _belief(self) -> Belief:
        group = 1 + self.problem.cases.neighbours
        return Belief(
            label_logs=self.rates.label_logs(),
            kind_logs=self.rates.kind_logs(),
            impact_logs=self.rates.impact_logs(),
            total_logs=self.rates.total_logs(group),
            logs=self._logs,
            log_factorials=self._log_factorials,
            log_sets=self._log_sets,
            atoms=self._atoms,
            form_weights=self._form_weights,
            form_total=float(self._form_weights.sum()),
            count_logs=self._count_logs,
        )

    # What is known of the current model.

    @property
    def sample(self) -> Sample:
        return _as_sample(self._state.rows, self._state.costs, int(self._state.count[0]))

    @property
    def most_constraints(self) -> int:
        return len(self._state.costs)

    @property
    def log_posterior(self) -> float:
        return self.log_prior + self.log_likelihood

    @property
    def log_prior(self) -> float:
        return float(metropolis.log_prior(self._state, self._belief()))

    @property
    def log_likelihood(self) -> float:
        impact = evidence.total_impact(self.problem.cases, self._belief(), self._state.impacts)
        return float(self._state.evidence.sum() + impact)

    def verdicts(self) -> NDArray[np.int8]:
        """The verdict on each example, in the order of the problem."""
        offsets, table_of = self.problem.cases.offsets, self.problem.table_of
        some = np.flatnonzero(np.diff(offsets))  # neighbours may have no points
        least = np.zeros(self.problem.tables, dtype=np.int32)
        least[some] = np.minimum.reduceat(self._state.losses, offsets[some])
        losses = self._state.losses[offsets[table_of] + self.problem.cases.points]
        feasible = np.where(losses == least[table_of], OPTIMAL, SUBOPTIMAL)
        return np.where(losses >= HARD, INFEASIBLE, feasible).astype(np.int8)

    @property
    def agreed(self) -> NDArray[np.bool_]:
        """For each distinct example: whether the verdict on it agrees with its label."""
        positive = self.problem.cases.labels == POSITIVE
        return (self.verdicts() == OPTIMAL) == positive

    @property
    def correct(self) -> int:
        return self._counted(self.agreed)

    def _counted(self, chosen: NDArray[np.bool_]) -> int:
        """How many examples are chosen, repetitions counted."""
        return int(self.problem.numbers[chosen].sum())

    # Steps.

    def expect(self, constraints: int, nats: float) -> None:
        """Each of the first so many constraints is likelier than without, by so many nats, before any data."""
        self._count_logs[:constraints] = nats

    def takes(self, model: Model) -> bool:
        """Whether a chain can be in this model: it is not too large, its weights and lengths are those of chains."""
        longest = (self.longest_count, self.longest)
        return (
            len(model.constraints) <= len(self._state.costs)
            and all(len(each.literals) <= longest[each.is_clause] for each in model.constraints)
            and model.unit == DEFAULT_UNIT
            and all(1 <= weight <= metropolis.HEAVIEST for weight in model.weights.tolist())
        )

    def load(self, sample: Sample) -> None:
        """Start anew from a model."""
        self._state.rows[:] = 0
        self._state.costs[:] = 0
        for j, (constraint, weight) in enumerate(sample.constraints):
            self._state.rows[j] = self._row(constraint)
            self._state.costs[j] = HARD if weight is None else weight
        self._state.count[0] = len(sample.constraints)
        self._rebuild()

    def packed(self) -> Packed:
        count = int(self._state.count[0])
        rows, costs = self._state.rows[:count].copy(), self._state.costs[:count].copy()
        return Packed(rows, costs, self.rates, self._pool, self._random.copy(), deepcopy(self._rng))

    def unpack(self, packed: Packed) -> None:
        """Go on from where another one stands."""
        self._state.rows[:] = 0
        self._state.costs[:] = 0
        self._state.rows[: len(packed.rows)], self._state.costs[: len(packed.costs)] = packed.rows, packed.costs
        self._state.count[0] = len(packed.costs)
        self.rates, self._pool = packed.rates, packed.pool
        self._random[:], self._rng = packed.random, deepcopy(packed.rng)
        self._rebuild()

    def _rebuild(self) -> None:
        evidence.rebuild(self.problem.cases, self._state, self._trial)
        evidence.weigh(self.problem.cases, self._belief(), self._state, self._trial)

    def search(self, steps: int, sharpness: float) -> int:
        """Try so many moves with the log posterior times ``sharpness``; returns how many were made."""
        return int(
            metropolis.search(
                self.problem.cases, self._belief(), self.problem.sources, self._pool, self._state, self._trial,
                self._random, steps, sharpness,
            )
        )  # fmt: skip

    def update_rates(self, *, settled: bool = True) -> None:
        """Estimate the rates from the verdicts on the examples.

        A chain that has not settled yet keeps the rates that could talk it into explaining nothing: with hardly any
        infeasible negatives, hard clauses would seem not to be needed; with contexts of no impact, soft ones.
        """
        verdicts = self.verdicts()
        positive = self.problem.cases.labels == POSITIVE
        examples = self.problem.examples
        wrong = self._counted((verdicts == OPTIMAL) != positive)
        drawn = self.problem.cases.drawn > 0
        infeasible = self._counted(drawn & (verdicts == INFEASIBLE))
        suboptimal = self._counted(drawn & (verdicts == SUBOPTIMAL))
        estimate = min(0.45, (wrong + WRONG_BEFORE[0]) / (examples + sum(WRONG_BEFORE)))
        self.rates = Rates(
            min(estimate, CERTAIN) if settled and not believed_noise(wrong, examples) else estimate,
            (infeasible + KINDS_BEFORE[0]) / (infeasible + suboptimal + sum(KINDS_BEFORE))
            if settled
            else self.rates.infeasible,
            self._estimated_impact() if settled else self.rates.harmless,
        )
        evidence.weigh(self.problem.cases, self._belief(), self._state, self._trial)

    def _estimated_impact(self) -> float:
        """The weight of contexts without impact under which the contexts seen are most likely."""

        def likelihood(harmless: float) -> float:
            rates = replace(self.rates, harmless=harmless)
            group = 1 + self.problem.cases.neighbours
            belief = replace(self._belief(), impact_logs=rates.impact_logs(), total_logs=rates.total_logs(group))
            return float(evidence.total_impact(self.problem.cases, belief, self._state.impacts))

        return max(IMPACT_WEIGHTS, key=likelihood)

    def refresh_pool(self) -> None:
        """Price all short clauses, and counts over some sets of variables, and list those that would gain most."""
        longest = self._longest_priced
        sets = self._draw_sets()
        prices = self.prices(longest, sets)
        variables = self.problem.variables
        clauses = clause_count(variables, longest)
        prices[:clauses][~self._sensible] = -np.inf
        listed, chances = _promising(prices[:clauses], POOL_SIZE)
        rows = [self._row(Constraint(numbered_clause(int(number), variables))) for number in listed]
        if len(sets):
            best, more = _promising(prices[clauses:], COUNTS_IN_POOL)
            counts = counts_over(sets)
            rows += [self._row(counts[i]) for i in best]
            chances = np.concatenate([(1 - COUNTS_SHARE) * chances, COUNTS_SHARE * more])
        self._pool = Pool(rows=np.array(rows, dtype=np.int32), chances=chances, sums=np.cumsum(chances))

    @property
    def _longest_priced(self) -> int:
        variables = self.problem.variables
        return sum(clause_count(variables, k) <= MOST_PRICED for k in range(1, min(3, self.longest) + 1))

    @cached_property
    def _sensible(self) -> NDArray[np.bool_]:
        """Which of the clauses that are priced somebody would say."""
        return sensible_clauses(self.problem.schema, self._longest_priced)

    def _draw_sets(self) -> NDArray[np.int16]:
        """Random sets of variables to count in, each a row filled up with -1."""
        sizes = range(SMALLEST_SET, self.longest_count + 1)
        result = np.full((PRICED_SETS if sizes else 0, max(1, self.longest_count)), NO_VARIABLE, dtype=np.int16)
        if not self.problem.schema.plain:
            return draw_alike_sets(result, SMALLEST_SET, self._atoms, self._rng)
        for row in result:
            size = self._rng.integers(SMALLEST_SET, self.longest_count + 1)
            row[:size] = np.sort(self._rng.permutation(self.problem.variables)[:size])
        return np.unique(result, axis=0)

    def _row(self, constraint: Constraint) -> NDArray[np.int32]:
        return row_of(constraint, self._state.rows.shape[1])

    @property
    def pool_is_sound(self) -> bool:
        return bool(np.isfinite(self._pool.chances).all())

    def prices(self, longest: int, sets: NDArray[np.int16]) -> NDArray[np.float64]:
        """What each clause of up to ``longest`` (at most 3) literals would add to the log likelihood.

        Behind them, in the order of :func:`counts_over`, what the counts over these sets of variables would add.
        """
        clauses = clause_count(self.problem.variables, longest)
        prices = np.zeros(clauses + len(counts_over(sets)))
        # Of very many contexts some tell as much; tables in between are those of their neighbours.
        every = 1 + len(prices) * len(self.problem.rows) // MOST_PRICING
        tally = Tally(np.zeros(self.problem.variables, dtype=np.int64), *np.zeros((4, len(prices)), dtype=np.float32))
        mining.price_all(
            self.problem.cases, self._belief(), self._state, self.problem.assignments, longest, clauses, sets,
            COUNTED_OPTIMA, every * (1 + self.problem.cases.neighbours), tally, prices,
        )  # fmt: skip
        return every * prices


def _promising(prices: NDArray[np.float64], most: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The places of the highest prices, and chances that follow them."""
    # Of many prices only those that may be among the highest are sorted; of equal ones the first come first.
    likely = np.arange(len(prices))
    if len(prices) > 4 * most:
        likely = np.flatnonzero(~(-prices > np.partition(-prices, most - 1)[most - 1]))
    top = likely[np.argsort(-prices[likely], kind="stable")[:most]]
    top = top[prices[top] != -np.inf]  # that nobody would say; what is no number is noticed elsewhere
    chances = np.exp((prices[top] - prices[top[0]]) / POOL_TEMPERATURE)
    return top, 0.5 * chances / chances.sum() + 0.5 / len(top)


def believed_noise(wrong: int, examples: int) -> float:
    """The share of labels that are taken for wrong if so many examples remain unexplained."""
    return wrong / examples if wrong >= FEWEST_WRONG and wrong > NOISE_FREE * examples else 0.0


def form_weights(log_sets: NDArray[np.float64], *, plain: bool) -> NDArray[np.float64]:
    """Prior weights of counts, of clauses by length, and of clauses of alike literals, which plain schemas have not.

    Of the weight of clauses, half is for all clauses alike, half for all lengths alike. The sum is small, so that a few
    constraints tell which forms to expect; that of counts is smaller still.
    """
    sets = np.exp(log_sets[1:])
    weights = LENGTHS_BEFORE * (sets / sets.sum() + 1 / len(sets)) / 2
    return np.concatenate([[COUNTS_BEFORE], weights, [0.0 if plain else ALIKE_BEFORE]])


def _as_sample(rows: NDArray[np.int32], costs: NDArray[np.int32], count: int) -> Sample:
    return Sample(
        tuple(
            (
                Constraint(tuple(int(lit) for lit in rows[j, 1:] if lit), int(rows[j, 0])),
                None if costs[j] == HARD else int(costs[j]),
            )
            for j in range(count)
        )
    )


def as_sample(model: Model) -> Sample:
    """The model as a chain has it."""
    weights = [None] * len(model.hard) + model.weights.tolist()
    return Sample(tuple(zip(model.constraints, weights, strict=True)))


@dataclass(frozen=True)
class Judged:
    """What the kernels make of a model: how many examples it explains, and how plausible it is."""

    correct: int
    log_posterior: float


def judge(models: Sequence[Model], like: Sampler) -> list[Judged]:
    """The models as a chain with the same rates would judge them; they may be larger than its own, and longer."""
    models = [inside for model in models if (inside := like.problem.wishes.inside(model)) is not None]
    constraints = [constraint for model in models for constraint in model.constraints]
    clauses = [len(each.literals) for each in constraints if each.is_clause]
    counts = [len(each.literals) for each in constraints if not each.is_clause]
    judge = Sampler(
        like.problem,
        max(like.longest, *clauses, 0),
        max(like.longest_count, *counts, 0),
        max(1, *(len(model.constraints) for model in models)),
        seed=0,
    )
    judge.rates = like.rates
    result = []
    for model in models:
        judge.load(as_sample(model))
        result.append(Judged(judge.correct, judge.log_posterior))
    return result
