"""Best assignments under a context: one protocol, two ways (``table`` and ``rc2``), chosen by size."""

from __future__ import annotations

import numpy as np

from hassle.logic import Assignment, as_context
from hassle.model import Model
from hassle.solve.choice import SOLVERS, solver_for
from hassle.solve.many import Plan, solve_all
from hassle.solve.protocol import Best, Optima, Solver
from hassle.solve.verdicts import agrees, aligned, best_value, best_values, verdict, verdicts, verdicts_in_time

__all__ = [
    "SOLVERS",
    "Best",
    "Optima",
    "Plan",
    "Solver",
    "agrees",
    "aligned",
    "best_value",
    "best_values",
    "optima",
    "solve",
    "solve_all",
    "solver_for",
    "verdict",
    "verdicts",
    "verdicts_in_time",
]


def solve(
    model: Model, context: object = None, *, solver: str = "auto", time_limit: float | None = None
) -> Assignment | None:
    """One best assignment in the context, or None where no assignment is feasible."""
    where = as_context(context, model.variables)
    best = solver_for(model, where, solver, time_limit=time_limit).best(model, where)
    return None if best is None else Assignment.of(model.variables, best.bits)


def optima(
    model: Model,
    context: object = None,
    *,
    limit: int = 1000,
    solver: str = "auto",
    seed: int = 0,
    time_limit: float | None = None,
) -> Optima:
    """All best assignments in the context, or ``limit`` of them drawn uniformly where there are more."""
    where = as_context(context, model.variables)
    chosen = solver_for(model, where, solver, exhaustive=True, time_limit=time_limit)
    return chosen.optima(model, where, limit, np.random.default_rng(seed))
