"""The model being sought, as variables of the programme: which literals a clause has, whether it is hard, its weight.

Appendix D's a_jl, c_j and w_j, with the rows that concern them alone, and the way back: reading a model off a solution.
Weights are whole steps from 0 to ``shape.levels`` (see ``milp.shape``), so "strictly more" is "at least
one step more": the paper's ε is 1.

Differs from the paper: a hard clause has weight 0, and a clause of weight 0 has no literals. Neither changes which
models there are; both spare the solver many copies of each. The paper's wz_j, which keeps weights away from ε, is not
needed among whole numbers; it is there on request (``weights_apart``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from ortools.math_opt.python import mathopt
from ortools.math_opt.python.mathopt import Variable

from hassle.learners.milp.shape import Shape
from hassle.logic import Clause, clauses_of, make_clause
from hassle.model import DEFAULT_UNIT, Model


@dataclass(frozen=True)
class SoughtClause:
    """One clause to be found: ``contains[literal]`` is a_jl, ``hard`` is c_j, ``weight`` is w_j in steps."""

    contains: Mapping[int, Variable]
    hard: Variable
    weight: Variable


# The least weight of a clause that is not left out, in the paper's ε.
LEAST_WEIGHT = 3


def sought_clauses(
    milp: mathopt.Model, shape: Shape, ordered: bool = True, weights_apart: bool = False
) -> tuple[SoughtClause, ...]:
    """The clauses as variables, with every row that concerns them alone."""
    literals = [sign * v for v in range(1, len(shape.variables) + 1) for sign in (1, -1)]
    clauses = tuple(
        SoughtClause(
            {lit: milp.add_binary_variable() for lit in literals},
            milp.add_binary_variable(),
            milp.add_integer_variable(lb=0, ub=shape.levels),
        )
        for _ in range(shape.clauses)
    )
    for clause in clauses:
        literals_are_consistent(milp, clause)
        length_is_bounded(milp, clause, shape)
        only_soft_clauses_weigh(milp, clause, shape)
        unused_clauses_are_blank(milp, clause)
        if weights_apart:
            weights_are_none_or_large(milp, clause, shape)
    if ordered:
        for earlier, later in pairwise(clauses):
            clauses_are_ordered(milp, earlier, later, shape)
    return clauses


def literals_are_consistent(milp: mathopt.Model, clause: SoughtClause) -> None:
    """a_jl + a_j¬l ≤ 1."""
    for lit in clause.contains:
        if lit > 0:
            milp.add_linear_constraint(clause.contains[lit] + clause.contains[-lit] <= 1)


def length_is_bounded(milp: mathopt.Model, clause: SoughtClause, shape: Shape) -> None:
    """At most K literals, and at least one in a hard clause: the empty clause would forbid everything."""
    length = mathopt.fast_sum(clause.contains.values())
    if shape.literals < len(shape.variables):
        milp.add_linear_constraint(length <= shape.literals)
    milp.add_linear_constraint(length >= clause.hard)


def only_soft_clauses_weigh(milp: mathopt.Model, clause: SoughtClause, shape: Shape) -> None:
    """w_j ≤ 1 - c_j, so that the rows on earned weights need not ask whether a clause is hard."""
    milp.add_linear_constraint(clause.weight + shape.levels * clause.hard <= shape.levels)


def unused_clauses_are_blank(milp: mathopt.Model, clause: SoughtClause) -> None:
    """A soft clause of weight 0 has no literals, so there is one way to leave a clause out."""
    for contained in clause.contains.values():
        milp.add_linear_constraint(contained <= clause.hard + clause.weight)


def weights_are_none_or_large(milp: mathopt.Model, clause: SoughtClause, shape: Shape) -> None:
    """w_j ≤ 1 - wz_j;  w_j ≥ 3ε - wz_j."""
    none = milp.add_binary_variable()
    milp.add_linear_constraint(clause.weight + shape.levels * none <= shape.levels)
    milp.add_linear_constraint(clause.weight + shape.levels * none >= LEAST_WEIGHT)


def clauses_are_ordered(milp: mathopt.Model, earlier: SoughtClause, later: SoughtClause, shape: Shape) -> None:
    """Hard clauses first, in the order of their literals' ranks, then soft ones from the heaviest down.

    Any model can be written in this order, so nothing is lost but its N! permutations.
    """
    milp.add_linear_constraint(earlier.hard >= later.hard)
    milp.add_linear_constraint(earlier.weight >= later.weight - shape.levels * earlier.hard)
    # Ranks add up to at most this, whichever literals a clause has.
    most = sum(max(rank(lit), rank(-lit)) for lit in range(1, len(shape.variables) + 1))
    ranks = [mathopt.fast_sum([rank(lit) * var for lit, var in c.contains.items()]) for c in (earlier, later)]
    milp.add_linear_constraint(ranks[0] + most * (1 - later.hard) >= ranks[1])


def rank(lit: int) -> int:
    """A number per literal, for ordering clauses by the sum of their literals' ranks."""
    return 2 * abs(lit) - (lit > 0)


def read_model(clauses: tuple[SoughtClause, ...], value: Callable[[Variable], int], shape: Shape) -> Model:
    """The model that a solution stands for; clauses left out are dropped.

    Weights are scaled up together as far as whole multiples keep them within 1, which changes no comparison.
    """
    hard: list[Clause] = []
    soft: list[tuple[Clause, int]] = []
    for clause in clauses:
        literals = make_clause(lit for lit, var in clause.contains.items() if value(var))
        if value(clause.hard):
            hard.append(literals)
        elif literals and value(clause.weight):
            soft.append((literals, value(clause.weight)))
    factor = DEFAULT_UNIT // shape.levels
    factor *= shape.levels // max((weight for _, weight in soft), default=1)
    return Model.from_units(shape.variables, hard, [(literals, weight * factor) for literals, weight in soft])


@dataclass(frozen=True)
class Draft:
    """A model as the programme holds it: N clauses in its order, weights in steps; a blank clause is left out."""

    clauses: tuple[Clause, ...]
    hard: tuple[bool, ...]
    weights: tuple[int, ...]

    def values(self, sought: tuple[SoughtClause, ...]) -> dict[Variable, int]:
        """What the variables of the sought clauses are in this model."""
        result: dict[Variable, int] = {}
        for each, clause, hard, weight in zip(sought, self.clauses, self.hard, self.weights, strict=True):
            result |= {var: int(lit in clause) for lit, var in each.contains.items()}
            result |= {each.hard: int(hard), each.weight: weight}
        return result

    def model(self, shape: Shape) -> Model:
        """The model with its weights counted in steps: one step is one unit."""
        rows = list(zip(self.clauses, self.hard, self.weights, strict=True))
        return Model.from_units(
            shape.variables,
            [clause for clause, hard, _ in rows if hard],
            [(clause, weight) for clause, hard, weight in rows if weight and not hard],
        )


def draft(model: Model, shape: Shape) -> Draft | None:
    """The model put into the programme's order and steps, or None where it does not fit the shape.

    Weights that are not whole steps are rounded after the heaviest is scaled to 1; the draft may then judge otherwise
    than the model did, which a hint to a solver may.
    """
    steps = _in_steps(model, shape)
    if not all(constraint.is_clause for constraint in model.constraints):
        return None
    wanted = zip(clauses_of(model.soft_constraints), steps, strict=True)
    soft = [(clause, False, step) for clause, step in wanted if step and clause]
    hard = [(clause, True, 0) for clause in clauses_of(model.hard)]
    rows = sorted(hard, key=lambda row: -sum(map(rank, row[0]))) + sorted(soft, key=lambda row: -row[2])
    fits = all(1 <= len(clause) <= shape.literals for clause, _, _ in rows) and len(rows) <= shape.clauses
    if not fits or any(weight < 0 for weight in model.weights):
        return None
    rows += [((), False, 0)] * (shape.clauses - len(rows))
    return Draft(tuple(row[0] for row in rows), tuple(row[1] for row in rows), tuple(row[2] for row in rows))


def _in_steps(model: Model, shape: Shape) -> list[int]:
    weights = [int(weight) for weight in model.weights]
    if all(weight * shape.levels % model.unit == 0 and weight <= model.unit for weight in weights):
        return [weight * shape.levels // model.unit for weight in weights]
    heaviest = max(weights)
    return [max(1, round(weight * shape.levels / heaviest)) if weight > 0 else 0 for weight in weights]
