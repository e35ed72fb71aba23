"""Best assignments under a context: one protocol, three ways, chosen by what they are asked (:mod:`.choice`).

``table`` lists the completions of a context, ``rc2`` is a MaxSAT solver, ``cp_sat`` a constraint solver that counts.
All are exact, take any model and context, and respect the schema's domain. A solver that runs out of time raises
:class:`~hassle.errors.ResourceError`: only one that has searched everything says that nothing is feasible.
"""

from __future__ import annotations

import numpy as np

from hassle.logic import Assignment, as_context
from hassle.model import Model
from hassle.solve.choice import SOLVERS, exact_in_cp_sat, solver_for
from hassle.solve.many import Plan, solve_all
from hassle.solve.protocol import Best, Optima, Solver
from hassle.solve.verdicts import (
    agrees,
    aligned,
    best_value,
    best_values,
    feasibility_agrees,
    verdict,
    verdicts,
    verdicts_in_time,
)

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
    "better_than",
    "feasibility_agrees",
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
    """One best assignment in the context, or None where no assignment is feasible.

    Parameters
    ----------
    model
        What must hold and what is worth how much.
    context
        What holds besides: a text (``"!a & (b | c)"``, ``"at least 2 of a, b, c"``), a list of literals, a
        :class:`~hassle.logic.Context`, or None for no more than the model says.
    solver
        One of :data:`SOLVERS`: ``auto`` (chooses by size and by whether something counts), ``table`` (lists all
        completions), ``rc2`` (MaxSAT) or ``cp-sat`` (constraint programming).
    time_limit
        Seconds; None for as long as it takes. Not being done by then is a ResourceError. A table takes what it takes.
    """
    where = as_context(context, model.schema)
    best = solver_for(model, where, solver, time_limit=time_limit).best(model, where)
    return None if best is None else Assignment.of(model.schema, best.bits)


def optima(
    model: Model,
    context: object = None,
    *,
    limit: int = 1000,
    solver: str = "auto",
    seed: int = 0,
    time_limit: float | None = None,
) -> Optima:
    """All best assignments in the context, or ``limit`` of them drawn uniformly where there are more.

    Parameters
    ----------
    model, context, solver, time_limit
        As for :func:`solve`.
    limit
        The most assignments to return; 1000 by default. The exact number of all of them is in ``count`` either way.
    seed
        Decides which are drawn where there are more; 0 by default.
    """
    where = as_context(context, model.schema)
    chosen = solver_for(model, where, solver, exhaustive=True, time_limit=time_limit)
    return chosen.optima(model, where, limit, np.random.default_rng(seed))


def better_than(
    model: Model, context: object, value: int, *, time_limit: float | None = None, hint: object = None
) -> Best | None:
    """A feasible assignment worth more than ``value``, if there is one; it need not be a best one.

    Parameters
    ----------
    model, context, time_limit
        As for :func:`solve`.
    value
        In the model's units, as in :class:`Best`.
    hint
        An assignment that may be a good start, such as the one to be beaten; None for no such.
    """
    where = as_context(context, model.schema)
    chosen = solver_for(model, where, time_limit=time_limit)
    if chosen.name == "table" or not exact_in_cp_sat(model):
        best = chosen.best(model, where)
        return best if best is not None and best.value > value else None
    from hassle.solve.cp_sat import CPSATSolver

    return CPSATSolver(time_limit).better_than(model, where, value, None if hint is None else model.bits(hint))
