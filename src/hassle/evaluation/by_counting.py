"""Counting by model counters, for any number of variables (the paper's Section "Computing accuracy and infeasibility
using model counting").

The exact regret needs no weighted sum of the truth either: the value of an assignment is a sum over soft clauses, so
the total value of a set of assignments is, over the soft clauses, the weight times the number of those assignments
that satisfy the clause. One count per soft clause, each a pass over the diagram that the sample is drawn from, or,
where that diagram is too large, a count by Ganak.

The time limit is shared out: half for the numbers behind accuracy and infeasibility, what is left up to seven tenths
for estimates of those that did not finish, then sampling, then the exact regret.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from hassle.errors import HassleError, ResourceError
from hassle.evaluation.counters import Clock, count_exactly, count_roughly
from hassle.evaluation.counts import Counts, Losses
from hassle.logic import Constraint, Context
from hassle.model import Model
from hassle.solve.choice import solver_for
from hassle.solve.diagram import Diagram, diagram_of
from hassle.solve.optima_cnf import OptimaProblem
from hassle.solve.sampling import draw_distinct


def counts_by_counting(
    model: Model,
    truth: Model,
    context: Context,
    samples: int,
    rng: np.random.Generator,
    time_limit: float | None = None,
) -> Counts:
    """Every number that can be had within the limit. Both models speak of the same variables in the same order."""
    return _Counting(model, truth, context, rng, time_limit).counts(samples)


@dataclass
class _Counting:
    """One evaluation under way: what was asked, and what has become of it so far."""

    model: Model
    truth: Model
    context: Context
    rng: np.random.Generator
    time_limit: float | None
    estimated: list[str] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)
    diagrams: dict[OptimaProblem, Diagram | ResourceError] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.clocks = {share: Clock.of(self._share(share)) for share in (0.5, 0.7, 0.85, 1.0)}
        self.values = [_value(each, self.context, self._share(0.25)) for each in (self.model, self.truth)]

    def _share(self, share: float) -> float | None:
        return None if self.time_limit is None else share * self.time_limit

    def counts(self, samples: int) -> Counts:
        own, true = (self.model, self.values[0]), (self.truth, self.values[1])
        both = self.model.hard + self.truth.hard
        feasible = self._problem(both, own)
        numbers = {
            name: self._count(name, problem)
            for name, problem in {
                "assignments": self._problem(()),
                "optima": self._problem(self.model.hard, own),
                "true_optima": self._problem(self.truth.hard, true),
                "feasible_optima": feasible,
                "common": self._problem(both, own, true),
            }.items()
        }
        return Counts(
            **numbers,
            true_value=self.values[1],
            sampled=self._attempt("sampled", lambda: self._sampled(feasible, samples)),
            exact=self._attempt("exact", lambda: self._losses(feasible)),
            random=self._attempt("random", lambda: self._losses(self._problem(self.truth.hard))),
            method="approximate" if self.estimated else "counting",
            estimated=tuple(self.estimated),
            reasons=self.reasons,
        )

    def _problem(self, hard: Sequence[Constraint], *optimal_for: tuple[Model, int | None]) -> OptimaProblem:
        return OptimaProblem.of(self.model.schema, hard, self.context, optimal_for)

    def _count(self, name: str, problem: OptimaProblem) -> int | None:
        """The number, exactly if there is time; else an estimate that is labelled so."""
        try:
            return count_exactly(problem, self.clocks[0.5])
        except HassleError as error:
            self.reasons[name] = str(error)
        try:
            estimate = count_roughly(problem, self.clocks[0.7], int(self.rng.integers(2**31)))
        except HassleError:
            return None
        self.estimated.append(name)
        return estimate

    def _attempt(self, name: str, work: Callable[[], Losses | None]) -> Losses | None:
        try:
            return work()
        except HassleError as error:
            self.reasons[name] = str(error)
            return None

    def _sampled(self, feasible: OptimaProblem, samples: int) -> Losses | None:
        """Losses over a uniform sample of the model's optima that are feasible in the truth."""
        if self.values[1] is None:
            return Losses(0, 0)
        rows = draw_distinct(self._diagram(feasible), len(self.model.variables), samples, self.rng)
        return Losses(len(rows), sum(self.values[1] - value for value in self.truth.values(rows).tolist()))

    def _diagram(self, problem: OptimaProblem) -> Diagram:
        """The problem's diagram; one that grew too large is not tried again."""
        if problem not in self.diagrams:
            try:
                self.diagrams[problem] = diagram_of(problem, time_limit=self.clocks[0.85].left())
            except ResourceError as error:
                self.diagrams[problem] = error
        known = self.diagrams[problem]
        if isinstance(known, ResourceError):
            raise known
        return known

    def _losses(self, problem: OptimaProblem) -> Losses:
        """Losses over all assignments of the problem."""
        if self.values[1] is None:
            return Losses(0, 0)
        count, violating = self._violations(problem)
        units = self.truth.weights.tolist()
        total = sum(weight * (count - number) for weight, number in zip(units, violating, strict=True))
        return Losses(count, count * self.values[1] - total)

    def _violations(self, problem: OptimaProblem) -> tuple[int, list[int]]:
        """How many assignments the problem has, and how many of them violate each of the truth's soft clauses."""
        constraints = self.truth.soft_constraints
        try:
            diagram = self._diagram(problem)
        except ResourceError:
            return count_exactly(problem, self.clocks[1.0]), [self._violating(problem, each) for each in constraints]
        numbers = []
        for constraint in constraints:
            if self.clocks[1.0].left() == 0:
                raise ResourceError("the exact losses were not added up in time; allow more time")
            if constraint.is_clause:
                numbers.append(diagram.count_where(-lit for lit in constraint.literals))
            else:
                numbers.append(self._violating(problem, constraint))
        return diagram.count, numbers

    def _violating(self, problem: OptimaProblem, constraint: Constraint) -> int:
        """How many assignments of the problem violate the constraint."""
        return count_exactly(problem.narrowed(constraint.negation), self.clocks[1.0])


def _value(model: Model, context: Context, time_limit: float | None) -> int | None:
    """The model's best value in the context; None where it has no feasible assignment."""
    best = solver_for(model, context, "auto", time_limit=time_limit).best(model, context)
    return None if best is None else best.value
