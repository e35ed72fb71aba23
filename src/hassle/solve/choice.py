"""Which solver a context gets: enumeration where it leaves few free variables, RC2 or CP-SAT where it leaves many.

A table of 2^20 completions takes milliseconds, about what RC2 needs to start; from there on each further variable
doubles the table, so one best assignment is looked for in tables up to ``QUICK_TABLE`` free variables only. All best
assignments are worth a larger table, because a table counts and samples them exactly.

Beyond, CP-SAT gets what counts, and RC2 what does not. Measured with ``benchmarks/solvers.py --limit 5``: RC2's seconds
divided by CP-SAT's over three models of a size, from 60 to 392 variables. One run on a busy machine; in another, ratios
differed by up to a factor of four where both take milliseconds, and by two elsewhere.

==================  ==========  =====================================================================
family              ratio       remark
==================  ==========  =====================================================================
wards, clauses      0.7 to 1.9  rosters included; both about 0.1 s a model or less
random clauses      0.3         both within 0.1 s a model
wards of choices    0.6 to 0.9  their domain counts and nothing else does; both within 0.1 s a model
wards, hard counts  0.5 to 48   RC2 did not solve one of 12 in 5 s; CP-SAT took 0.05 s at most on average
wards, soft counts  2.7 to 50   RC2 did not solve two of 12 in 5 s; CP-SAT took 0.06 s at most on average
random counts       0.1 to 0.4  100 variables: RC2 0.02 to 0.04 s, CP-SAT 0.2 s
==================  ==========  =====================================================================

So with counts CP-SAT may take tenths of a second more, and RC2 any number of seconds.
"""

from __future__ import annotations

import logging

from hassle.errors import InputError
from hassle.logic import EMPTY, Context
from hassle.model import Model
from hassle.solve.cp_sat import LARGEST_EXACT
from hassle.solve.protocol import Solver
from hassle.tables.completions import completions
from hassle.tables.limits import QUICK_TABLE, largest_table

SOLVERS = ("auto", "table", "rc2", "cp-sat")

log = logging.getLogger("hassle")


def solver_for(
    model: Model,
    context: Context,
    solver: str = "auto",
    *,
    exhaustive: bool = False,
    time_limit: float | None = None,
    workers: int = 1,
) -> Solver:
    """The solver of that name, or the better one for this context; ``workers`` are threads of CP-SAT."""
    if solver not in SOLVERS:
        raise InputError(f"there is no solver {solver!r}", fix=f"choose one of {', '.join(SOLVERS)}")
    if solver == "auto":
        listed = completions(context, model.schema)
        if listed.fits(1 << (largest_table() if exhaustive else QUICK_TABLE)):
            solver = "table"
        else:
            solver = "cp-sat" if has_counts(model, context) and exact_in_cp_sat(model) else "rc2"
        log.info("%d free variables: solver %s", len(listed.free), solver)
    else:
        log.info("solver %s, as asked for", solver)
    if solver == "table":
        from hassle.solve.table import TableSolver

        return TableSolver()
    if solver == "cp-sat":
        from hassle.solve.cp_sat import CPSATSolver

        return CPSATSolver(time_limit, workers=workers)
    from hassle.solve.rc2 import RC2Solver

    return RC2Solver(time_limit)


def has_counts(model: Model, context: Context = EMPTY) -> bool:
    """Whether something counts, in the model or by itself in the context; that a choice has one value does not."""
    counts, _ = context.without_counts()
    return bool(counts) or not all(constraint.is_clause for constraint in model.constraints)


def exact_in_cp_sat(model: Model) -> bool:
    """Whether CP-SAT compares all values of the model exactly."""
    return sum(map(abs, model.weights.tolist())) <= LARGEST_EXACT
