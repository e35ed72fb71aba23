"""Solve, check, repair: the footnote of the paper's Section "MAX-SAT Learning with MILP", carried out.

The programme may set γ_ψ too low and so take a positive example for optimal that another assignment beats. After each
solution every example is therefore judged anew by the exact solver. Where a positive turns out to be beaten, the
assignment that beats it becomes a rival (:meth:`Programme.add_rival`) and the programme is solved again. In the
tolerant form a negative can turn out to be optimal too, in a context whose positives were all given up: such a context
gets its own optimum (Eq. 10). Each repair excludes the claim that was wrong, and there are finitely many, so the loop
ends: with a model that is what it claims to be, with a proof that there is none, or with the budget.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.errors import ResourceError, SolverError
from hassle.learners.budget import Budget
from hassle.learners.milp.backends import Answer, Backend, Watch
from hassle.learners.milp.hints import solution_of
from hassle.learners.milp.programme import Programme
from hassle.learners.milp.shape import Shape
from hassle.model import Model
from hassle.solve import feasibility_agrees, solver_for, verdicts_in_time

# How far beyond the time limit a model is judged that was found at its end: a share of the limit, and seconds.
BEYOND = (0.05, 0.3)


@dataclass(frozen=True)
class Candidate:
    """A model and the examples it gets right, as the exact solver sees it; ``price`` is that of the wrong ones."""

    model: Model
    right: NDArray[np.bool_]
    price: int


@dataclass(frozen=True)
class Outcome:
    """How the loop ended. ``best`` is the best model met, ``bound`` what any model of the shape costs at least.

    ``impossible``: no model of the shape fits every example, proved. ``proved``: ``best`` costs no more than ``bound``.
    """

    shape: Shape
    best: Candidate | None
    bound: int
    impossible: bool
    rounds: int
    rivals: frozenset[tuple[int, tuple[int, ...]]]

    @property
    def proved(self) -> bool:
        return self.best is not None and self.best.price <= self.bound


@dataclass(frozen=True)
class Round:
    """What the watcher is told while a round is under way."""

    number: int
    best: Candidate | None
    bound: int
    watch: Watch

    def text(self) -> str:
        """The round in a few words, for a progress line."""
        said = self.watch.text()
        return f"round {self.number}" + (f": {said}" if said else "")


def solve_and_repair(
    programme: Programme,
    backend: Backend,
    budget: Budget,
    *,
    start: Candidate | None = None,
    rounds: int | None = None,
    satisfied: Callable[[Candidate], bool] = lambda candidate: False,
    tell: Callable[[Round], None] = lambda round: None,
    found: Callable[[Candidate], None] = lambda candidate: None,
) -> Outcome:
    """Run the loop, from a start if there is one, for at most so many rounds or until a candidate satisfies."""
    best, bound, number, impossible = start, 0, 0, False
    while not (best and (best.price <= bound or satisfied(best))) and number != rounds and not budget.exhausted:
        number += 1
        answer = backend.solve(
            programme.milp,
            budget,
            hint=solution_of(programme, best.model) if best else None,
            watched=lambda watch: tell(Round(number, best, bound, watch)),  # noqa: B023 - called within the round
        )
        impossible = answer.impossible
        if impossible and programme.form.tolerant:
            raise rounding_error("found no solution where giving up every example is one")
        price = proved_price(programme, answer)
        if price > bound and programme.form.tolerant:
            programme.require_price(price)
        bound = max(bound, price)
        if answer.values is None:
            break
        candidate = judged(programme.model(answer.value), programme.data, programme.form.prices, budget)
        if candidate is None:
            break
        if best is None or candidate.price < best.price:
            best = candidate
            found(candidate)
        if not repair(programme, answer, candidate, budget) and answer.optimal:
            break
    return Outcome(programme.shape, best, bound, impossible, number, frozenset(programme.rivals))


def proved_price(programme: Programme, answer: Answer) -> int:
    """What every model of the shape costs at least, as far as this answer proves it."""
    if not programme.form.tolerant:
        return int(answer.impossible)
    # The objective is a whole number; the margin keeps a bound of 2.0000001 from being read as 3.
    return 0 if answer.bound is None else max(0, math.ceil(answer.bound - 1e-4))


def judged(model: Model, data: Dataset, prices: Sequence[int] | None, budget: Budget) -> Candidate | None:
    """The model with what the exact solver says of it; None if there is no time to solve all contexts.

    An example costs 1 unless it has a price.
    """
    beyond = 0.0 if budget.time_limit is None else BEYOND[0] * budget.time_limit + BEYOND[1]
    deadline = budget.seconds + budget.seconds_left + beyond
    if not model.soft:
        right = feasibility_agrees(model, data)
    else:
        done, agreed = verdicts_in_time(model, data, range(len(data.contexts)), lambda: deadline - budget.seconds)
        if len(done) < len(data.contexts):
            return None
        right = np.zeros(len(data), dtype=np.bool_)
        right[np.concatenate([data.rows_by_context[c] for c in done])] = agreed
    costs = np.ones(len(data), dtype=np.int64) if prices is None else np.array(prices, dtype=np.int64)
    return Candidate(model, right, int(costs[~right].sum()))


def repair(programme: Programme, answer: Answer, candidate: Candidate, budget: Budget) -> bool:
    """Exclude every claim of the answer that the exact solver has refuted; False where there is none.

    When the time is up, those seen by then.
    """
    data = programme.data
    misjudged = np.flatnonzero(programme.claimed_right(answer.value) & ~candidate.right)
    repaired = False
    for k in misjudged:
        if budget.exhausted:
            return True
        c = int(data.context_of[k])
        if data.positive[k]:
            left = None if budget.time_limit is None else budget.seconds_left
            try:
                best = solver_for(candidate.model, data.contexts[c], time_limit=left).best(
                    candidate.model, data.contexts[c]
                )
            except ResourceError:
                if not budget.exhausted:
                    raise  # not for want of time
                return True
            repaired |= best is not None and programme.add_rival(c, best.bits)
        elif c not in programme.choices:
            programme.add_choice(c)
            repaired = True
    if len(misjudged) and not repaired:
        raise rounding_error("returned a solution that breaks its own rows")
    return repaired


def rounding_error(what: str) -> SolverError:
    return SolverError(f"the MILP solver {what}, by rounding; use cp-sat, which computes with whole numbers")
