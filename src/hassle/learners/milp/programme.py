"""The whole programme for a dataset: Appendix D, with room for what the paper left open.

Maximise Σ_ψ γ_ψ (Eq. 9) subject to Eq. 10, which bounds γ_ψ by the value of an assignment in the context, and Eq. 11,
which makes exactly the positive examples reach γ_ψ. Beyond the paper:

* an example may be given up at a price (``tolerant``), which turns the programme into the minimum-error form;
* :meth:`Programme.add_rival` adds the footnote's constraint, γ_ψ ≥ f_w(x') for a feasible x' in the context, which
  settles the mismatch between the programme and the learning problem.

Every row holds for every model of the shape when γ_ψ is the best value in ψ. So a programme without a solution proves
that no model fits, and the least number of given-up examples is a lower bound on the errors of any model. The converse
is what rivals are for: γ_ψ may be too low until the assignments that beat a positive are named.

Tried and rejected: declaring variables that follow from others continuous (HiGHS solved far fewer problems, since it
reasons with binaries better than with their bounds); all completions of each context as rivals from the start (CP-SAT
took twice as long, and few are ever needed). What is kept can be measured by ``benchmarks/milp.py --form variants``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from ortools.math_opt.python import mathopt
from ortools.math_opt.python.mathopt import LinearTypes as Term
from ortools.math_opt.python.mathopt import Variable

from hassle.data import Dataset
from hassle.learners.milp.clauses import read_model, sought_clauses
from hassle.learners.milp.points import Choice, Point, chosen_point, known_point
from hassle.learners.milp.shape import Shape
from hassle.model import Model


@dataclass(frozen=True)
class Form:
    """Which of the programme's forms to build.

    ``tolerant``: examples may be given up, at ``prices``; otherwise all must fit. ``maximise_gamma``: the paper's
    objective (any solution that survives the check is as good, so it is off unless asked for). ``every_optimum``:
    Eq. 10 for every context, even where a positive makes it superfluous. ``ordered``: clauses in a fixed order, against
    symmetry. ``rivals_from_examples``: start with the rows of the footnote for the assignments that the examples give
    for free. ``weights_apart``: the paper's wz, by which a weight is 0 or at least 3ε.
    """

    tolerant: bool = False
    prices: tuple[int, ...] | None = None
    maximise_gamma: bool = False
    every_optimum: bool = False
    ordered: bool = True
    rivals_from_examples: bool = True
    weights_apart: bool = False


FITTING = Form()
# Appendix D and nothing else.
AS_PRINTED = Form(
    maximise_gamma=True, every_optimum=True, ordered=False, rivals_from_examples=False, weights_apart=True
)


class Programme:
    """The programme for ``data`` and ``shape``; grows by rivals and choices, never shrinks."""

    def __init__(
        self, data: Dataset, shape: Shape, form: Form = FITTING, checkpoint: Callable[[], None] = lambda: None
    ) -> None:
        """``checkpoint`` is called every now and then; it may raise, where building takes longer than there is time."""
        self.data, self.shape, self.form = data, shape, form
        self.milp = mathopt.Model()
        self.clauses = sought_clauses(self.milp, shape, form.ordered, form.weights_apart)
        self.points: dict[tuple[int, ...], Point] = {}
        self.choices: dict[int, Choice] = {}
        self.rivals: set[tuple[int, tuple[int, ...]]] = set()
        self.gamma = [self.milp.add_integer_variable(lb=0, ub=shape.top) for _ in data.contexts]
        self.given_up: list[Term] = [self.milp.add_binary_variable() if form.tolerant else 0 for _ in range(len(data))]
        self.optimal: dict[int, Variable] = {}
        for k, positive in enumerate(data.positive):
            checkpoint()
            if positive:
                self._positive_is_optimal(k)
            else:
                self._negative_is_not(k)
        for c, rows in enumerate(data.rows_by_context):
            checkpoint()
            if form.every_optimum or not data.positive[rows].any():
                self.add_choice(c)
        if form.tolerant:
            self._contradictions_cost()
        if form.rivals_from_examples:
            self._add_rivals_from_examples()
        self._set_objective()

    # Eq. 9

    def _set_objective(self) -> None:
        """Σ γ_ψ at most; or, in the tolerant form, the price of the examples given up at least."""
        if self.form.tolerant:
            self.milp.minimize(self._price())
        elif self.form.maximise_gamma:
            self.milp.maximize(mathopt.fast_sum(self.gamma))

    def require_price(self, bound: int) -> None:
        """The price is at least ``bound``, as an earlier round has proved: implied, but hard to find out again."""
        self.milp.add_linear_constraint(self._price() >= bound)

    def _price(self) -> mathopt.LinearSum:
        prices = self.form.prices or (1,) * len(self.data)
        return mathopt.fast_sum([price * given_up for price, given_up in zip(prices, self.given_up, strict=True)])

    # Eq. 10

    def add_choice(self, c: int) -> None:
        """γ_ψ ≤ Σ_j w^ψ_j;  γ_ψ ≤ M cov^ψ;  cov_k ≤ cov^ψ for every example of the context."""
        assert c not in self.choices
        choice = chosen_point(self.milp, self.clauses, self.data.contexts[c].within(self.data.schema), self.shape)
        self.choices[c] = choice
        self.milp.add_linear_constraint(self.gamma[c] <= choice.point.value)
        self.milp.add_linear_constraint(self.gamma[c] <= self.shape.top * choice.point.feasible)
        for k in self.data.rows_by_context[c]:
            self.milp.add_linear_constraint(self.example(k).feasible <= choice.point.feasible)

    # Eq. 11

    def _positive_is_optimal(self, k: int) -> None:
        """cov_k + opt_k = 2 unless given up, with γ_ψ ≤ Σ_j w_jk + M (1 - opt_k)."""
        point, gamma = self.example(k), self.gamma[self.data.context_of[k]]
        self.milp.add_linear_constraint(point.feasible >= 1 - self.given_up[k])
        self.milp.add_linear_constraint(gamma <= point.value + self.shape.top * self.given_up[k])

    def _negative_is_not(self, k: int) -> None:
        """cov_k + opt_k ≤ 1 unless given up, with γ_ψ ≥ Σ_j w_jk + ε - M opt_k."""
        point, gamma = self.example(k), self.gamma[self.data.context_of[k]]
        optimal = self.milp.add_binary_variable()
        self.optimal[k] = optimal
        self.milp.add_linear_constraint(gamma >= point.value + 1 - (self.shape.top + 1) * optimal)
        self.milp.add_linear_constraint(point.feasible + optimal <= 1 + self.given_up[k])

    def _contradictions_cost(self) -> None:
        """Of two examples that differ in their label alone, one is given up: implied, but no solver sees it at once."""
        for group in self.data.contradictions:
            for first, second in combinations(group, 2):
                if self.data.positive[first] != self.data.positive[second]:
                    self.milp.add_linear_constraint(self.given_up[first] + self.given_up[second] >= 1)

    # The footnote

    def add_rival(self, c: int, bits: Iterable[int]) -> bool:
        """x' ⊭ φ or f_w(x') ≤ γ_ψ, for x' in the context; False where the row was there already.

        With γ_ψ ≤ f_w(x⁺) this is the footnote's constraint for every positive x⁺ of the context at once.
        """
        key = (c, tuple(int(bit) for bit in bits))
        if key in self.rivals:
            return False
        self.rivals.add(key)
        point = self._point(key[1])
        self.milp.add_linear_constraint(self.gamma[c] >= point.value - self.shape.top * (1 - point.feasible))
        return True

    def _add_rivals_from_examples(self) -> None:
        """Rivals that need no new point: the assignments of all examples, in every context they satisfy."""
        assignments = np.unique(self.data.assignments, axis=0)
        for c, rows in enumerate(self.data.rows_by_context):
            if self.data.positive[rows].any():
                for bits in assignments[self.data.contexts[c].holds(assignments)]:
                    self.add_rival(c, bits)

    def example(self, k: int) -> Point:
        """What the sought model makes of example k; examples with the same assignment share it."""
        return self._point(tuple(int(bit) for bit in self.data.assignments[k]))

    def _point(self, bits: tuple[int, ...]) -> Point:
        if bits not in self.points:
            self.points[bits] = known_point(self.milp, self.clauses, bits, self.shape)
        return self.points[bits]

    # To and from models

    def model(self, value: Callable[[Variable], int]) -> Model:
        """The model that a solution stands for."""
        return read_model(self.clauses, value, self.shape)

    def claimed_right(self, value: Callable[[Variable], int]) -> NDArray[np.bool_]:
        """The examples that the solution holds to be classified as labelled."""
        if not self.form.tolerant:
            return np.ones(len(self.data), dtype=np.bool_)
        return np.array([not value(given_up) for given_up in self.given_up], dtype=np.bool_)
