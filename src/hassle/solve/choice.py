"""Which solver a context gets: enumeration where it leaves few free variables, RC2 or CP-SAT where it leaves many.

A table of 2^20 completions takes milliseconds, about what RC2 needs to start; from there on each further variable
doubles the table, so one best assignment is looked for in tables up to ``QUICK_TABLE`` free variables only. All best
assignments are worth a larger table, because a table counts and samples them exactly.

Beyond, CP-SAT gets what counts, and RC2 what does not: FIGURES
"""

from __future__ import annotations

import logging

from hassle.errors import InputError
from hassle.logic import EMPTY, Context
from hassle.model import Model
from hassle.solve.cp_sat import LARGEST_EXACT
from hassle.solve.protocol import Solver
from hassle.solve.tables import largest_table

SOLVERS = ("auto", "table", "rc2", "cp-sat")
QUICK_TABLE = 20
# Whether the table solver takes counts and schemas with a domain.
TABLE_COUNTS = False

log = logging.getLogger("hassle")


def solver_for(
    model: Model,
    context: Context,
    solver: str = "auto",
    *,
    exhaustive: bool = False,
    time_limit: float | None = None,
) -> Solver:
    """The solver of that name, or the better one for this context."""
    if solver not in SOLVERS:
        raise InputError(f"there is no solver {solver!r}", fix=f"choose one of {', '.join(SOLVERS)}")
    free = len(model.variables) - len(context.literals)
    if solver == "auto":
        counts = has_counts(model, context)
        small = free <= (largest_table() if exhaustive else QUICK_TABLE) and in_tables(model)
        solver = "table" if small else "cp-sat" if counts and exact_in_cp_sat(model) else "rc2"
        log.info("%d free variables: solver %s", free, solver)
    if solver == "table":
        from hassle.solve.table import TableSolver

        return TableSolver()
    if solver == "cp-sat":
        from hassle.solve.cp_sat import CPSATSolver

        return CPSATSolver(time_limit)
    from hassle.solve.rc2 import RC2Solver

    return RC2Solver(time_limit)


def has_counts(model: Model, context: Context = EMPTY) -> bool:
    """Whether something counts, in the model or by itself in the context; that a choice has one value does not."""
    counts, _ = context.without_counts()
    return bool(counts) or not all(constraint.is_clause for constraint in model.constraints)


def in_tables(model: Model) -> bool:
    """Whether the table solver takes the model."""
    return TABLE_COUNTS or (model.schema.plain and not has_counts(model))


def exact_in_cp_sat(model: Model) -> bool:
    """Whether CP-SAT compares all values of the model exactly."""
    return sum(map(abs, model.weights.tolist())) <= LARGEST_EXACT
