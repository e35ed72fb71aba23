"""A model in a context as clauses alone: what MaxSAT solvers, counters and their files can hold.

Counts become clauses over fresh variables, and so do the schema's domain and a context's general part. Every fresh
variable is defined in both directions by the variables before it, so each assignment extends in exactly one way: optima
correspond one to one, and counts of models mean the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hassle.logic import Clause, Constraint, Context
from hassle.logic.cnf import constraint_clauses, definition
from hassle.model.model import Model


@dataclass(frozen=True)
class Clausal:
    """``hard`` clauses, ``soft`` ones with weights in units, over DIMACS variables 1 to ``variables``.

    ``counts`` must hold too, where somebody asked for them to be kept.
    """

    hard: tuple[Clause, ...]
    soft: tuple[tuple[Clause, int], ...]
    variables: int
    counts: tuple[Constraint, ...] = ()


def clausal_model(model: Model, context: Context, *, keep_counts: bool = False) -> Clausal:
    """The whole model in a context; soft constraints keep their order.

    With ``keep_counts`` the counts that must hold stay as they are, for solvers that take them.
    """
    where = context.within(model.schema)
    counts: tuple[Constraint, ...] = ()
    if keep_counts:
        counts, where = where.without_counts()
        counts += tuple(constraint for constraint in model.hard if not constraint.is_clause)
    required = [constraint for constraint in model.hard if constraint.is_clause or not keep_counts]
    hard, fresh = clausal_constraints(required, where, len(model.variables))
    defining: list[Clause] = []
    soft: list[tuple[Clause, int]] = []
    for each, units in zip(model.soft, model.weights.tolist(), strict=True):
        clause, more, fresh = as_soft_clause(each.constraint, fresh)
        defining += more
        soft.append((clause, units))
    return Clausal((*hard, *defining), tuple(soft), fresh - 1, counts)


def clausal_constraints(
    constraints: Iterable[Constraint], context: Context, variables: int
) -> tuple[list[Clause], int]:
    """Clauses for constraints that must hold and for the context, and the next unused DIMACS number."""
    clauses, fresh = context.clauses(variables + 1)
    for constraint in constraints:
        more, fresh = constraint_clauses(constraint, fresh)
        clauses += more
    return clauses, fresh


def as_soft_clause(constraint: Constraint, fresh: int) -> tuple[Clause, list[Clause], int]:
    """A clause that holds exactly when the constraint does, the clauses it relies on, and the next unused number."""
    if constraint.is_clause:
        return constraint.literals, [], fresh
    name, clauses, fresh = definition(constraint, fresh)
    return (name,), clauses, fresh
