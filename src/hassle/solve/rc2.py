"""Solving with RC2, PySAT's core-guided MaxSAT solver: for contexts that leave too many variables for a table.

RC2 maximises the weight of satisfied soft clauses with positive integer weights. A clause C with weight -w < 0 is the
same, up to a constant, as rewarding its violation with w; for that C gets a fresh variable that is equivalent to it.
Every fresh variable is determined by the model's own, so no assignment is ever found twice.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hassle.errors import ResourceError
from hassle.logic import Clause, Context
from hassle.model import Model
from hassle.model.clausal import clausal_model
from hassle.solve.interrupts import keyboard_interrupts
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

                return sample_optima(model, context, value, limit, rng, time_limit=_left(deadline))
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
        formula = weighted_formula(model, context)
        # Stratification finds one optimum sooner, but needs at least one soft clause to start from.
        kind = RC2Stratified if stratified and formula.soft else RC2
        with keyboard_interrupts(), kind(formula, adapt=True) as rc2:
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
        """RC2's next solution. It computes in a thread of its own, so that waiting for it can end any time."""
        stop.clear()
        with ThreadPoolExecutor(max_workers=1) as pool:
            running = pool.submit(rc2.compute, expect_interrupt=True)
            try:
                return running.result(_left(deadline))
            except TimeoutError:
                raise ResourceError(f"RC2 did not finish within {self.time_limit:g} s; allow more time") from None
            finally:
                stop.set()
                # Again and again, as RC2 forgets an interruption that comes between two calls of its SAT solver.
                while not running.done():
                    rc2.interrupt()
                    wait([running], timeout=0.05)


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


def _left(deadline: float | None) -> float | None:
    """How many seconds are left until then."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())


def mentioned_variables(model: Model, context: Context) -> set[int]:
    """The variables that occur in a clause or in the context; all others are free to be anything."""
    return {v for constraint in model.constraints for v in constraint.variables} | set(context.variables)


def weighted_formula(model: Model, context: Context):  # type: ignore[no-untyped-def]
    """The model in the context as PySAT's WCNF."""
    from pysat.formula import WCNF

    formula = WCNF()
    clausal = clausal_model(model, context)
    fresh = clausal.variables + 1
    for clause in clausal.hard:
        _require(formula, clause)
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
    return formula


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
