"""Which solver a context gets: enumeration where it leaves few free variables, RC2 where it leaves many.

A table of 2^20 completions takes milliseconds, about what RC2 needs to start; from there on each further variable
doubles the table, so one best assignment is looked for in tables up to ``QUICK_TABLE`` free variables only. All best
assignments are worth a larger table, because a table counts and samples them exactly.
"""

from __future__ import annotations

import logging

from hassle.errors import InputError
from hassle.logic import Context
from hassle.model import Model
from hassle.solve.protocol import Solver
from hassle.tables.limits import QUICK_TABLE, largest_table

SOLVERS = ("auto", "table", "rc2")

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
        small = free <= (largest_table() if exhaustive else QUICK_TABLE)
        solver = "table" if small else "rc2"
        log.info("%d free variables: solver %s", free, solver)
    if solver == "table":
        from hassle.solve.table import TableSolver

        return TableSolver()
    from hassle.solve.rc2 import RC2Solver

    return RC2Solver(time_limit)
