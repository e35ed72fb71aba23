"""Scoring by a solver: for data whose contexts leave too many variables free to hold all completions.

The score of a neighbour takes one call of a MaxSAT solver per context, except where the context makes the clause true
before and after the change: there the best value cannot change. Everything is as with tables, only slower by orders of
magnitude.
"""

from __future__ import annotations

from math import isinf

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.errors import ResourceError
from hassle.kernels.codes import POSITIVE_INFEASIBLE, POSITIVE_SUBOPTIMAL
from hassle.learners.budget import Budget
from hassle.learners.sls.mistake import Mistake
from hassle.learners.sls.models import as_clause, as_model, changed_clause
from hassle.learners.sls.strategies import pick_one
from hassle.learners.sls.tables import error_bits, hard_cost
from hassle.logic import Clause, Context
from hassle.model import Model
from hassle.solve import Best, solver_for
from hassle.solve.table import example_values


def makes_true(context: Context, clause: Clause) -> bool:
    """Does the context fix a literal of the clause to true?"""
    return any(literal in clause for literal in context.literals)


class SolverScorer:
    """The candidate of one search, scored by solving every context."""

    def __init__(self, data: Dataset, constraints: int, stop: NDArray[np.bool_], budget: Budget) -> None:
        self.data = data
        self.stop = stop
        self.budget = budget
        self.hard = hard_cost(constraints)
        self.signs = np.zeros((constraints, len(data.variables)), dtype=np.int8)
        self.costs = np.zeros(constraints, dtype=np.int32)
        self.errors = error_bits(data.labels)
        self.bests: list[Best | None] = []
        self.correct = 0

    def begin(self, signs: NDArray[np.int8], costs: NDArray[np.int32]) -> None:
        """Make a new model the candidate; one that could not be scored, as the time was up, has the score -1."""
        self.signs[:], self.costs[:] = signs, costs
        model = self.model()
        contexts = range(len(self.data.contexts))
        bests = self.solve(model, [None] * len(contexts), contexts)
        self.correct = -1
        if bests is not None:
            self.bests = bests
            self.correct = int(self.agreeing(model, bests).sum())

    def pick_mistake(self, rng: np.random.Generator) -> Mistake:
        """A misclassified example, each equally likely; x* is whatever best assignment the solver found."""
        model = self.model()
        example = pick_one(~self.agreeing(model, self.bests), rng)
        x = self.data.assignments[example].copy()
        if not self.data.positive[example]:
            return Mistake(example, int(self.errors[example]), x, x)
        best = self.bests[self.data.context_of[example]]
        if best is None or not model.feasible(x[None, :])[0]:
            return Mistake(example, POSITIVE_INFEASIBLE, x, x)
        return Mistake(example, POSITIVE_SUBOPTIMAL, x, best.bits)

    def score(
        self, moves: NDArray[np.int64], example: int, scores: NDArray[np.int32], fixes: NDArray[np.bool_]
    ) -> bool:
        """Write each move's score, and whether it corrects the example; False if asked to stop meanwhile."""
        for i, move in enumerate(moves):
            if self.spent:
                return False
            model, bests = self.after(move)
            if bests is None:
                return False
            agreeing = self.agreeing(model, bests)
            scores[i], fixes[i] = agreeing.sum(), agreeing[example]
        return True

    def make(self, move: NDArray[np.int64], correct: int) -> None:
        """Make a move that was scored, unless asked to stop meanwhile."""
        clause = move[0]
        _, bests = self.after(move)
        if bests is None:
            return
        self.bests = bests
        self.signs[clause], self.costs[clause] = changed_clause(self.signs[clause], self.costs[clause], move, self.hard)
        self.correct = correct

    def after(self, move: NDArray[np.int64]) -> tuple[Model, list[Best | None] | None]:
        """The model after a move, and its best assignment in each context."""
        j = move[0]
        signs, costs = self.signs.copy(), self.costs.copy()
        signs[j], costs[j] = changed_clause(signs[j], costs[j], move, self.hard)
        before, now = as_clause(self.signs[j]), as_clause(signs[j])
        touched = [
            c
            for c, context in enumerate(self.data.contexts)
            if not (makes_true(context, before) and makes_true(context, now))
        ]
        model = as_model(self.data.schema, signs, costs, int(self.hard))
        return model, self.solve(model, self.bests, touched)

    @property
    def spent(self) -> bool:
        """Whether the search is asked to stop."""
        return bool(self.stop[0]) or self.budget.exhausted

    def solve(self, model: Model, bests: list[Best | None], touched: range | list[int]) -> list[Best | None] | None:
        """The best assignments with those of the touched contexts found anew; None if asked to stop meanwhile."""
        result = list(bests)
        for c in touched:
            if self.spent:
                return None
            left = self.budget.seconds_left
            solver = solver_for(model, self.data.contexts[c], time_limit=None if isinf(left) else left)
            try:
                result[c] = solver.best(model, self.data.contexts[c])
            except ResourceError:
                return None
        # A soft clause that a context makes true may change its weight, and with it every value, but not the best bits.
        untouched = [c for c in set(range(len(result))) - set(touched) if result[c] is not None]
        if untouched:
            rows = np.array([best.bits for c in untouched if (best := result[c]) is not None])
            for c, bits, value in zip(untouched, rows, model.values(rows).tolist(), strict=True):
                result[c] = Best(value, bits)
        return result

    def agreeing(self, model: Model, bests: list[Best | None]) -> NDArray[np.bool_]:
        """For each example: does the model agree with its label?"""
        solvable = np.array([best is not None for best in bests], dtype=np.bool_)
        values = np.array([0 if best is None else best.value for best in bests], dtype=np.int64)
        worth, feasible = example_values(model, self.data.assignments)
        optimal = (worth == values[self.data.context_of]) & feasible & solvable[self.data.context_of]
        return optimal == self.data.positive

    def model(self) -> Model:
        return as_model(self.data.schema, self.signs, self.costs, int(self.hard))
