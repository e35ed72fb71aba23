"""What the sought model says of an assignment: which clauses cover it, whether it is feasible, what it earns.

The rows of Appendix D (Figures "milp1" and "milp2") that are the same for an example x_k and for the best assignment
x'^ψ of a context ψ; they differ only in where coverage comes from. For an example the assignment is known
(:func:`known_point`); for x'^ψ the solver chooses it (:func:`chosen_point`, the paper's Eq. 10).

In names: cov_jk is ``covered``, cov'_jk is ``respected``, cov_k is ``feasible``, w_jk is ``earned``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ortools.math_opt.python import mathopt
from ortools.math_opt.python.mathopt import LinearTypes as Term
from ortools.math_opt.python.mathopt import Variable

from hassle.learners.milp.clauses import SoughtClause
from hassle.learners.milp.shape import Shape
from hassle.logic import Context


@dataclass(frozen=True)
class Point:
    """The variables that say what the sought model makes of one assignment; one entry per clause."""

    covered: tuple[Variable, ...]
    respected: tuple[Variable, ...]
    feasible: Variable
    earned: tuple[Variable, ...]

    @property
    def value(self) -> mathopt.LinearSum:
        """f_w of the assignment, in steps."""
        return mathopt.fast_sum(self.earned)

    def values(self, covered: Sequence[bool], hard: Sequence[bool], weights: Sequence[int]) -> dict[Variable, int]:
        """What the variables are for an assignment that the clauses cover so."""
        respected = [not h or c for h, c in zip(hard, covered, strict=True)]
        result = dict(zip(self.covered, map(int, covered), strict=True))
        result |= dict(zip(self.respected, map(int, respected), strict=True))
        result[self.feasible] = int(all(respected))
        result |= {var: w if c else 0 for var, w, c in zip(self.earned, weights, covered, strict=True)}
        return result


def known_point(milp: mathopt.Model, clauses: Sequence[SoughtClause], bits: Sequence[int], shape: Shape) -> Point:
    """The point of a known assignment (an example, or one that a cut speaks of)."""
    covered = tuple(_known_coverage(milp, clause, bits) for clause in clauses)
    return _judged(milp, clauses, covered, shape)


def _known_coverage(milp: mathopt.Model, clause: SoughtClause, bits: Sequence[int]) -> Variable:
    """cov_jk ≥ a_jl x_kl;  cov_jk ≤ Σ_l a_jl x_kl."""
    covered = milp.add_binary_variable()
    satisfied = [clause.contains[v if bit else -v] for v, bit in enumerate(bits, start=1)]
    for contained in satisfied:
        milp.add_linear_constraint(covered >= contained)
    milp.add_linear_constraint(covered <= mathopt.fast_sum(satisfied))
    return covered


@dataclass(frozen=True)
class Choice:
    """The best assignment x'^ψ of a context, left to the solver: ``truth[literal]`` is x'^ψ_l or its complement."""

    truth: Mapping[int, Term]
    coverage: tuple[Mapping[int, Term], ...]
    point: Point


def chosen_point(milp: mathopt.Model, clauses: Sequence[SoughtClause], context: Context, shape: Shape) -> Choice:
    """The rows of Eq. 10: an assignment in the context, chosen by the solver."""
    chosen = assignment_in_context(milp, context, shape)
    coverage = tuple(literals_cover(milp, clause, chosen) for clause in clauses)
    covered = tuple(_chosen_coverage(milp, by_literal) for by_literal in coverage)
    return Choice(chosen, coverage, _judged(milp, clauses, covered, shape))


def assignment_in_context(milp: mathopt.Model, context: Context, shape: Shape) -> dict[int, Term]:
    """x'^ψ_l for every literal l, with x'^ψ in the context.

    Differs from the paper, whose ccov^ψ says whether x'^ψ satisfies the context: every context of a dataset has an
    example in it, so x'^ψ can always satisfy it, and literals that the context fixes are constants. The rest of a
    context that is no conjunction becomes clauses over x'^ψ and over the fresh variables that define its parts.
    """
    truth: dict[int, Term] = {}
    for lit in context.literals:
        truth[lit], truth[-lit] = 1, 0
    for v in context.free(len(shape.variables)):
        _set_literal(truth, v + 1, milp.add_binary_variable())
    rest = Context((), context.rest)
    demands, end = rest.clauses(len(shape.variables) + 1)
    auxiliary = dict(truth)
    for fresh in range(len(shape.variables) + 1, end):
        _set_literal(auxiliary, fresh, milp.add_binary_variable())
    for demand in demands:
        milp.add_linear_constraint(mathopt.fast_sum([auxiliary[lit] for lit in demand]) >= 1)
    return truth


def _set_literal(truth: dict[int, Term], v: int, variable: Variable) -> None:
    truth[v], truth[-v] = variable, 1 - variable


def literals_cover(milp: mathopt.Model, clause: SoughtClause, truth: Mapping[int, Term]) -> dict[int, Term]:
    """cov^ψ_jl ≤ a_jl;  cov^ψ_jl ≤ x'^ψ_l;  cov^ψ_jl ≥ a_jl + x'^ψ_l - 1, where x'^ψ_¬l stands for 1 - x'^ψ_l.

    Differs from the paper, which prints "+ 1" at the end of the last row for negative literals: a misprint, since that
    would demand a value of at least 1 always.
    """
    result: dict[int, Term] = {}
    for lit, contained in clause.contains.items():
        holds = truth[lit]
        if isinstance(holds, int):
            result[lit] = contained if holds else 0
            continue
        result[lit] = milp.add_binary_variable()
        milp.add_linear_constraint(result[lit] <= contained)
        milp.add_linear_constraint(result[lit] <= holds)
        milp.add_linear_constraint(result[lit] >= contained + holds - 1)
    return result


def _chosen_coverage(milp: mathopt.Model, by_literal: Mapping[int, Term]) -> Variable:
    """cov^ψ_j ≥ cov^ψ_jl;  cov^ψ_j ≤ Σ_l cov^ψ_jl."""
    covered = milp.add_binary_variable()
    covering = [cover for cover in by_literal.values() if not isinstance(cover, int)]
    for cover in covering:
        milp.add_linear_constraint(covered >= cover)
    milp.add_linear_constraint(covered <= mathopt.fast_sum(covering))
    return covered


def _judged(milp: mathopt.Model, clauses: Sequence[SoughtClause], covered: tuple[Variable, ...], shape: Shape) -> Point:
    respected = tuple(_respect(milp, clause, cover) for clause, cover in zip(clauses, covered, strict=True))
    feasible = _feasibility(milp, respected)
    earned = tuple(_earnings(milp, clause, cover, shape) for clause, cover in zip(clauses, covered, strict=True))
    return Point(covered, respected, feasible, earned)


def _respect(milp: mathopt.Model, clause: SoughtClause, covered: Variable) -> Variable:
    """cov'_jk = ¬c_j ∨ cov_jk:  cov'_jk ≥ cov_jk;  cov'_jk ≥ 1 - c_j;  cov'_jk ≤ cov_jk + 1 - c_j."""
    respected = milp.add_binary_variable()
    milp.add_linear_constraint(respected >= covered)
    milp.add_linear_constraint(respected >= 1 - clause.hard)
    milp.add_linear_constraint(respected <= covered + 1 - clause.hard)
    return respected


def _feasibility(milp: mathopt.Model, respected: Sequence[Variable]) -> Variable:
    """cov_k = ∧_j cov'_jk:  cov_k ≤ cov'_jk;  cov_k ≥ Σ_j cov'_jk - (m - 1)."""
    feasible = milp.add_binary_variable()
    for each in respected:
        milp.add_linear_constraint(feasible <= each)
    milp.add_linear_constraint(feasible >= mathopt.fast_sum(respected) - (len(respected) - 1))
    return feasible


def _earnings(milp: mathopt.Model, clause: SoughtClause, covered: Variable, shape: Shape) -> Variable:
    """w_jk = w_j · cov_jk:  w_jk ≤ cov_jk;  w_jk ≤ w_j;  w_jk ≥ w_j - (1 - cov_jk).

    The paper's rows also ask whether the clause is hard; here a hard clause has weight 0, which makes them tighter.
    """
    earned = milp.add_integer_variable(lb=0, ub=shape.levels)
    milp.add_linear_constraint(earned <= shape.levels * covered)
    milp.add_linear_constraint(earned <= clause.weight)
    milp.add_linear_constraint(earned >= clause.weight - shape.levels * (1 - covered))
    return earned
