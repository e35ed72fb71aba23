"""Handing a programme to a solver: HiGHS, SCIP or CP-SAT from the OR-Tools wheel, Gurobi where it has a licence.

The solver runs in a thread of its own while the caller's thread watches: it keeps the time limit, passes on bound and
incumbent a few times a second, and turns Ctrl-C into "stop and hand over what you have". CP-SAT and Gurobi are told to
stop through MathOpt. HiGHS and SCIP cannot be told (MathOpt's way with SCIP fills stderr with errors), so they are left
behind; HiGHS's best solution is read from the file in which it keeps its improvements, SCIP's is lost.

Three outcomes are kept apart: a solution (optimal or not), a proof that there is none, and neither within the limit.
"""

from __future__ import annotations

import datetime
import math
import re
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ortools.math_opt.python import mathopt
from ortools.math_opt.python.mathopt import Variable
from ortools.math_opt.solvers import highs_pb2
from ortools.util.python import solve_interrupter

from hassle.errors import InputError, SolverError
from hassle.learn.budget import Budget

SOLVERS = {
    "highs": mathopt.SolverType.HIGHS,
    "scip": mathopt.SolverType.GSCIP,
    "cp-sat": mathopt.SolverType.CP_SAT,
    "gurobi": mathopt.SolverType.GUROBI,
}

# How often the watching thread looks up, and how long it waits for a solver that overruns its limit.
GLANCE_SECONDS = 0.1
PATIENCE_SECONDS = 0.5


@dataclass
class Watch:
    """What the running solver has said so far; written by its thread, read by the watching one."""

    bound: float | None = None
    incumbent: float | None = None

    def text(self) -> str:
        """Bound, incumbent and the gap between them, as far as they are known."""
        parts = [
            f"{name} {value:g}"
            for name, value in (("bound", self.bound), ("incumbent", self.incumbent))
            if value is not None and math.isfinite(value)
        ]
        if len(parts) == 2:
            parts.append(f"gap {self.gap():.1%}")
        return ", ".join(parts)

    def gap(self) -> float:
        assert self.bound is not None
        assert self.incumbent is not None
        return abs(self.bound - self.incumbent) / max(1.0, abs(self.incumbent))


@dataclass(frozen=True)
class Answer:
    """How a solver's run ended. ``values`` is a solution or None; ``impossible`` says that there is none, proved.

    ``optimal`` says that no solution has a better objective, ``bound`` is the best objective not yet excluded.
    """

    values: Mapping[Variable, int] | None
    impossible: bool = False
    optimal: bool = False
    bound: float | None = None
    nodes: int = 0

    def value(self, variable: Variable) -> int:
        assert self.values is not None
        return self.values[variable]


@dataclass(frozen=True)
class Backend:
    """One solver and how to run it. ``threads`` is for CP-SAT and Gurobi; the others search with one."""

    solver: str = "highs"
    threads: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if self.solver not in SOLVERS:
            raise InputError(f"there is no MILP solver {self.solver!r}", fix=f"choose one of {', '.join(SOLVERS)}")
        if self.threads < 1:
            raise InputError(f"threads is {self.threads}", fix="give a whole number, 1 or more")

    def solve(
        self,
        milp: mathopt.Model,
        budget: Budget,
        *,
        hint: Mapping[Variable, int] | None = None,
        watched: Callable[[Watch], None] = lambda watch: None,
        any_solution: bool = False,
    ) -> Answer:
        """Run until solved, until the budget is exhausted, or (``any_solution``) until a first solution is found."""
        with tempfile.TemporaryDirectory(prefix="hassle-") as folder:
            run = _Run(self, milp, budget, hint, any_solution, Path(folder) / "improvements")
            return run.watch(watched)


@dataclass
class _Run:
    """One call of a solver, in a thread of its own."""

    backend: Backend
    milp: mathopt.Model
    budget: Budget
    hint: Mapping[Variable, int] | None
    any_solution: bool
    improvements: Path
    watched: Watch = field(default_factory=Watch)
    interrupter: solve_interrupter.SolveInterrupter = field(default_factory=solve_interrupter.SolveInterrupter)
    result: mathopt.SolveResult | None = None
    failure: BaseException | None = None

    def watch(self, tell: Callable[[Watch], None]) -> Answer:
        # A daemon, so that a solver that cannot be stopped does not keep the process alive.
        thread = threading.Thread(target=self._work, daemon=True)
        thread.start()
        try:
            while thread.is_alive() and not self.budget.exhausted:
                thread.join(GLANCE_SECONDS)
                tell(self.watched)
        except KeyboardInterrupt:
            self.budget.interrupt.set()
        if thread.is_alive():
            self.interrupter.interrupt()
            thread.join(0 if self._deaf and self.budget.interrupted else PATIENCE_SECONDS)
        if thread.is_alive():
            return self._left_behind()
        if self.failure is not None:
            raise _explained(self.failure, self.backend.solver)
        assert self.result is not None
        return _answer(self.result, self.milp)

    @property
    def _deaf(self) -> bool:
        """HiGHS and SCIP can neither be stopped nor asked, only read."""
        return self.backend.solver in LOG_ROWS

    def _work(self) -> None:
        try:
            self.result = mathopt.solve(
                self.milp,
                SOLVERS[self.backend.solver],
                params=self._parameters(),
                model_params=self._start(),
                interrupter=None if self._deaf else self.interrupter,
                remove_names=True,
                **self._listeners(),
            )
        except BaseException as error:
            self.failure = error

    def _parameters(self) -> mathopt.SolveParameters:
        parameters = mathopt.SolveParameters(random_seed=self.backend.seed % 2**31)
        if math.isfinite(self.budget.seconds_left):
            parameters.time_limit = datetime.timedelta(seconds=max(0.01, self.budget.seconds_left))
        if self.any_solution:
            parameters.solution_limit = 1
        if self.backend.solver == "highs":
            parameters.highs = highs_pb2.HighsOptionsProto(
                bool_options={"mip_improving_solution_save": True},
                string_options={"mip_improving_solution_file": str(self.improvements)},
            )
        if not self._deaf:
            parameters.threads = self.backend.threads
        return parameters

    def _start(self) -> mathopt.ModelSolveParameters:
        if self.hint is None:
            return mathopt.ModelSolveParameters()
        values = {variable: float(value) for variable, value in self.hint.items()}
        return mathopt.ModelSolveParameters(solution_hints=[mathopt.SolutionHint(variable_values=values)])

    def _listeners(self) -> dict[str, object]:
        """CP-SAT and Gurobi report bounds through callbacks; HiGHS and SCIP only in their logs."""
        if self._deaf:
            return {"msg_cb": self._read_log}
        return {
            "callback_reg": mathopt.CallbackRegistration(events={mathopt.Event.MIP, mathopt.Event.MIP_SOLUTION}),
            "cb": self._read_event,
        }

    def _read_event(self, event: mathopt.CallbackData) -> mathopt.CallbackResult:
        self.watched.bound = event.mip_stats.dual_bound
        self.watched.incumbent = event.mip_stats.primal_bound
        return mathopt.CallbackResult()

    def _read_log(self, lines: list[str]) -> None:
        for line in lines:
            row = LOG_ROWS[self.backend.solver].search(line)
            if row:
                self.watched.bound, self.watched.incumbent = _number(row["bound"]), _number(row["incumbent"])

    def _left_behind(self) -> Answer:
        """The solver does not come back: what it has written down is what there is."""
        values = last_improvement(self.improvements, list(self.milp.variables()))
        return Answer(values, bound=self.watched.bound)


# A row of the table in a solver's log, from which bound and incumbent are read.
LOG_ROWS = {
    "highs": re.compile(r"\d+\.\d+%\s+(?P<bound>\S+)\s+(?P<incumbent>\S+)\s+\S+\s+\d+\s+\d+\s+\d+\s+\d+\s+[\d.]+s\s*$"),
    "scip": re.compile(r"\|\s*(?P<bound>\S+)\s*\|\s*(?P<incumbent>\S+)\s*\|[^|]*\|[^|]*$"),
}


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def last_improvement(file: Path, variables: list[Variable]) -> dict[Variable, int] | None:
    """The last complete solution in HiGHS's file of improvements, None where there is none.

    The file repeats a block: a line ``Objective V``, a line ``# Columns N``, then one line per column, the value last.
    """
    try:
        blocks = file.read_text().split("Objective ")[1:]
    except OSError:
        return None
    for block in reversed(blocks):
        rows = [line.split() for line in block.splitlines()[2:] if line.strip()]
        if len(rows) >= len(variables):
            return {var: round(float(row[-1])) for var, row in zip(variables, rows, strict=False)}
    return None


def _answer(result: mathopt.SolveResult, milp: mathopt.Model) -> Answer:
    reason = result.termination.reason
    Reason = mathopt.TerminationReason
    if reason in (Reason.INFEASIBLE, Reason.INFEASIBLE_OR_UNBOUNDED):
        # Every variable is bounded, so that "or unbounded" is out of the question.
        return Answer(None, impossible=True)
    if reason not in (Reason.OPTIMAL, Reason.FEASIBLE, Reason.NO_SOLUTION_FOUND):
        raise SolverError(f"the MILP solver stopped with {reason.name.lower()}: {result.termination.detail}")
    bound = result.termination.objective_bounds.dual_bound
    values = None
    if result.has_primal_feasible_solution():
        values = {variable: round(value) for variable, value in result.variable_values().items()}
    return Answer(
        values,
        optimal=reason == Reason.OPTIMAL,
        bound=bound if math.isfinite(bound) else None,
        nodes=result.solve_stats.node_count,
    )


def _explained(failure: BaseException, solver: str) -> BaseException:
    if solver == "gurobi":
        return InputError(
            "Gurobi cannot be used: its library or its licence is missing",
            fix="install Gurobi with a licence, or choose highs, scip or cp-sat",
        )
    # MathOpt's own translation of a failure may fail; the reason is then in the context.
    return SolverError(f"the MILP solver {solver} failed: {failure.__context__ or failure}")
