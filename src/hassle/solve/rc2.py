"""Solving with RC2, PySAT's core-guided MaxSAT solver: for contexts that leave too many variables for a table.

RC2 maximises the weight of satisfied soft clauses with positive integer weights. A clause C with weight -w < 0 is the
same, up to a constant, as rewarding its violation with w; for that C gets a fresh variable that is equivalent to it.
Every fresh variable is determined by the model's own, so no assignment is ever found twice.

Counts that must hold are handed to a SAT solver that has them built in (gluecard); soft ones get a variable that is
equivalent to them (:mod:`hassle.model.clausal`). Tried instead, on 20 wards of 60 to 392 variables with counts: PySAT's
encodings and the counter of :mod:`hassle.logic.cnf`. Where hard counts are easy, gluecard is two to nine times as fast
as that counter and about as fast as the best encodings; where they are hard, nothing helps. Over all 20, with 6 s for
each, the seconds were 22 for gluecard (it solved two of the three that no other did, and lost one), 21 for the counter,
``seqcounter`` and ``totalizer``, 25 for networks and minicard, 30 for ``kmtotalizer``; and 0.8 for CP-SAT.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hassle.errors import ResourceError
from hassle.logic import Clause, Context
from hassle.model import Model
from hassle.model.clausal import clausal_model
from hassle.solve.interrupts import interruptible, keyboard_interrupts, seconds_until
from hassle.solve.protocol import Best, Optima, no_optima


class RC2Solver:
    """``time_limit`` holds for each question as a whole, however many assignments are asked for."""

    name = "rc2"

    def __init__(self, time_limit: float | None = None) -> None:
        self.time_limit = None if time_limit == math.inf else time_limit

    def best(self, model: Model, context: Context) -> Best | None:
        for bits in self._best_first(model, context, self._deadline(), stratified=True):
            return Best(int(model.values(bits[None, :])[0]), bits)
        return None

    def optima(self, model: Model, context: Context, limit: int, rng: np.random.Generator) -> Optima:
        """Enumerates while there are at most ``limit``; where there are more, counts and draws uniformly."""
        deadline = self._deadline()
        mentioned = mentioned_variables(model, context.within(model.schema))
        unmentioned = [v for v in range(len(model.variables)) if v not in mentioned]
        value: int | None = None
        found: list[NDArray[np.uint8]] = []
        for bits in self._best_first(model, context, deadline, stratified=False):
            worth = int(model.values(bits[None, :])[0])
            if value is None:
                value = worth
            if worth < value:
                break
            found.append(bits)
            if len(found) << len(unmentioned) > limit:
                from hassle.solve.sampling import sample_optima

                return sample_optima(model, context, value, limit, rng, time_limit=seconds_until(deadline))
        if value is None:
            return no_optima(len(model.variables))
        rows = _expanded(np.array(found), unmentioned)
        return Optima(value, rows, len(rows), True)

    def _deadline(self) -> float | None:
        return None if self.time_limit is None else time.monotonic() + self.time_limit

    def _best_first(
        self, model: Model, context: Context, deadline: float | None, stratified: bool
    ) -> Iterator[NDArray[np.uint8]]:
        """Feasible assignments from the best down, one for each choice of the variables that occur in a clause."""
        from pysat.examples.rc2 import RC2, RC2Stratified

        mentioned = sorted(mentioned_variables(model, context.within(model.schema)))
        formula, sat_solver = weighted_formula(model, context)
        # Stratification finds one optimum sooner, but needs at least one soft clause to start from.
        kind = RC2Stratified if stratified and formula.soft else RC2
        with keyboard_interrupts(), kind(formula, solver=sat_solver, adapt=True) as rc2:
            stop = _stop_flag(rc2)
            while True:
                solution = self._compute(rc2, deadline, stop)
                if solution is None:
                    return
                true = {lit for lit in solution if lit > 0}
                bits = np.array([v + 1 in true for v in range(len(model.variables))], dtype=np.uint8)
                yield bits
                rc2.add_clause([-(v + 1) if bits[v] else v + 1 for v in mentioned])

    def _compute(self, rc2, deadline: float | None, stop: threading.Event):  # type: ignore[no-untyped-def]
        """RC2's next solution."""
        stop.clear()

        def interrupt() -> None:
            stop.set()
            rc2.interrupt()

        try:
            return interruptible(partial(rc2.compute, expect_interrupt=True), interrupt, seconds_until(deadline))
        except TimeoutError:
            raise ResourceError(f"RC2 did not finish within {self.time_limit:g} s; allow more time") from None


class _StoppedError(Exception):
    """RC2 was told to stop between two calls of its SAT solver."""


def _stop_flag(rc2) -> threading.Event:  # type: ignore[no-untyped-def]
    """A flag that keeps RC2 from calling its SAT solver again: with many short calls, hardly any is interrupted."""
    flag, solve_limited = threading.Event(), rc2.oracle.solve_limited

    def solve_unless_stopped(*arguments: Any, **options: Any) -> bool | None:
        if flag.is_set():
            raise _StoppedError
        result: bool | None = solve_limited(*arguments, **options)
        return result

    rc2.oracle.solve_limited = solve_unless_stopped
    return flag


def mentioned_variables(model: Model, context: Context) -> set[int]:
    """The variables that occur in a clause or in the context; all others are free to be anything."""
    return {v for constraint in model.constraints for v in constraint.variables} | set(context.variables)


def weighted_formula(model: Model, context: Context):  # type: ignore[no-untyped-def]
    """The model in the context as PySAT's WCNF, and the name of a SAT solver that understands it."""
    from pysat.formula import WCNF, WCNFPlus

    clausal = clausal_model(model, context, keep_counts=True)
    formula = WCNFPlus() if clausal.counts else WCNF()
    fresh = clausal.variables + 1
    for clause in clausal.hard:
        _require(formula, clause)
    for count in clausal.counts:
        formula.append([[-lit for lit in count.literals], len(count.literals) - count.need], is_atmost=True)
    for clause, units in clausal.soft:
        if units < 0 and len(clause) == 1:
            formula.append([-clause[0]], weight=-units)
        elif units < 0 and clause:
            formula.append([-fresh, *clause])
            for lit in clause:
                formula.append([fresh, -lit])
            formula.append([-fresh], weight=-units)
            fresh += 1
        elif units > 0 and clause:
            formula.append(list(clause), weight=units)
    return formula, "gluecard3" if clausal.counts else "g3"


def _require(formula, clause: Clause) -> None:  # type: ignore[no-untyped-def]
    # PySAT has no empty clause: a contradiction on variable 1 says the same.
    for part in [list(clause)] if clause else [[1], [-1]]:
        formula.append(part)


def _expanded(rows: NDArray[np.uint8], unmentioned: list[int]) -> NDArray[np.uint8]:
    """Every row with every choice of the unmentioned variables."""
    for v in unmentioned:
        other = rows.copy()
        other[:, v] = 1 - other[:, v]
        rows = np.concatenate([rows, other])
    return rows
