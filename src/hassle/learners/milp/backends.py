"""Handing a programme to a solver: HiGHS, SCIP or CP-SAT from the OR-Tools wheel, Gurobi where it has a licence.

The solver runs in a process of its own (:mod:`hassle.learners.milp.worker`) while this one watches: it keeps the time
limit, passes on bound and incumbent a few times a second, and turns Ctrl-C into "stop and hand over what you have".
A solver that does not stop when told is ended, and the best solution it had passed on is used; HiGHS, which can neither
be told nor asked, keeps its solutions in a file.

Three outcomes are kept apart: a solution (optimal or not), a proof that there is none, and neither within the limit.
"""

from __future__ import annotations

import math
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ortools.math_opt.python import mathopt
from ortools.math_opt.python.mathopt import Variable

from hassle.errors import InputError, SolverError
from hassle.files.leftovers import temporary_folder
from hassle.learners.budget import Budget
from hassle.learners.milp import worker

SOLVERS = ("highs", "scip", "cp-sat", "gurobi")

# How often the watcher looks up, and how long a solver may take to stop once its time is up or it was asked to.
GLANCE_SECONDS = 0.1
PATIENCE_SECONDS = 0.7


@dataclass
class Watch:
    """What the running solver has said so far."""

    bound: float | None = None
    incumbent: float | None = None
    solution: Mapping[Any, int] | None = None

    def text(self) -> str:
        """Bound, incumbent and the gap between them, as far as they are known."""
        known = {"bound": self.bound, "incumbent": self.incumbent}
        parts = [f"{name} {value:g}" for name, value in known.items() if value is not None]
        if self.bound is not None and self.incumbent is not None:
            parts.append(f"gap {abs(self.bound - self.incumbent) / max(1.0, abs(self.incumbent)):.1%}")
        return ", ".join(parts)


@dataclass(frozen=True)
class Answer:
    """How a solver's run ended. ``values`` is a solution or None; ``impossible`` says that there is none, proved.

    ``optimal`` says that no solution has a better objective, ``bound`` is the best objective not yet excluded.
    """

    values: Mapping[Variable, int] | None
    impossible: bool = False
    optimal: bool = False
    bound: float | None = None

    def value(self, variable: Variable) -> int:
        assert self.values is not None
        return self.values[variable]


@dataclass(frozen=True)
class Backend:
    """One solver and how to run it; SCIP searches with one thread whatever ``threads`` says."""

    solver: str = "highs"
    threads: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if self.solver not in SOLVERS:
            raise InputError(f"there is no MILP solver {self.solver!r}", fix=f"choose one of {', '.join(SOLVERS)}")
        if self.threads < 1:
            raise InputError(f"threads is {self.threads}", fix="give a whole number, 1 or more")

    def prepare(self) -> None:
        """Start the solver's process now, so that it is ready when the programme is."""
        SolverProcess.take(self.threads).give_back()

    def solve(
        self,
        milp: mathopt.Model,
        budget: Budget,
        *,
        hint: Mapping[Variable, int] | None = None,
        watched: Callable[[Watch], None] = lambda watch: None,
    ) -> Answer:
        """Run until solved or until the budget is exhausted."""
        with temporary_folder() as folder:
            improvements = folder / "improvements"
            request = {
                "kind": "solve",
                "solver": self.solver,
                "threads": self.threads,
                "seed": self.seed % 2**31,
                "deadline": time.monotonic() + budget.seconds_left if math.isfinite(budget.seconds_left) else None,
                "minimise": not milp.objective.is_maximize and any(True for _ in milp.objective.linear_terms()),
                "improvements": str(improvements),
                "hint": None if hint is None else {variable.id: value for variable, value in hint.items()},
            }
            process = SolverProcess.take(self.threads)
            try:
                reply = process.ask(request, milp.export_model().SerializeToString(), budget, watched)
                if reply is not None:
                    return _answer(reply, milp, self.solver)
                values = last_improvement(improvements) if self.solver == "highs" else process.watch.solution
                return Answer(_by_variable(values, milp), bound=process.watch.bound)
            finally:
                process.give_back()


@dataclass
class SolverProcess:
    """A worker process and the thread that reads its replies; kept for the next request while it is well."""

    threads: int
    process: subprocess.Popen[bytes]
    owner: int
    watch: Watch = field(default_factory=Watch)
    replies: queue.SimpleQueue[dict[str, Any]] = field(default_factory=queue.SimpleQueue)
    busy: bool = False

    @classmethod
    def take(cls, threads: int) -> SolverProcess:
        """One that is idle, or a new one. HiGHS cannot change its number of threads, so that it must be the same."""
        while _idle.get(threads):
            found = _idle[threads].pop()
            # A process inherited through a fork still belongs to the parent.
            if found.owner == os.getpid() and found.process.poll() is None:
                return found
        # Solvers write noise to stderr; what matters comes as a reply.
        process = subprocess.Popen(
            [sys.executable, worker.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        new = cls(threads, process, os.getpid())
        threading.Thread(target=new._read, daemon=True).start()
        return new

    def give_back(self) -> None:
        """Keep the process for the next request, or end it where it is still at work."""
        if self.busy:
            self.process.kill()
            self.process.wait()
        else:
            _idle.setdefault(self.threads, []).append(self)

    def ask(
        self, request: dict[str, Any], block: bytes, budget: Budget, watched: Callable[[Watch], None]
    ) -> dict[str, Any] | None:
        """The reply to a request, or None where the budget ran out and the solver did not stop in time."""
        self.watch, self.busy = Watch(), True
        self._send(request, block)
        try:
            while not budget.exhausted:
                reply = self._reply(GLANCE_SECONDS)
                watched(self.watch)
                if reply is not None:
                    return reply
        except KeyboardInterrupt:
            budget.interrupt.set()
        if request["solver"] == "highs" and budget.interrupted:
            return None
        self._send({"kind": "stop"})
        return self._reply(PATIENCE_SECONDS)

    def _reply(self, seconds: float) -> dict[str, Any] | None:
        try:
            reply = self.replies.get(timeout=seconds)
        except queue.Empty:
            return None
        if reply["kind"] == "gone":
            raise SolverError("the MILP solver's process ended unexpectedly; it may have run out of memory")
        self.busy = False
        return reply

    def _send(self, header: dict[str, Any], block: bytes = b"") -> None:
        assert self.process.stdin is not None
        try:
            worker.write_frame(self.process.stdin, header, block)  # type: ignore[arg-type]
        except OSError as error:
            raise SolverError(f"the MILP solver's process cannot be reached: {error}") from None

    def _read(self) -> None:
        assert self.process.stdout is not None
        while (frame := worker.read_frame(self.process.stdout)) is not None:  # type: ignore[arg-type]
            header = frame[0]
            if header["kind"] == "watch":
                self.watch.bound, self.watch.incumbent = header["bound"], header["incumbent"]
            elif header["kind"] == "solution":
                self.watch.solution = header["values"]
            else:
                self.replies.put(header)
        self.replies.put({"kind": "gone"})


# Idle processes by their number of threads.
_idle: dict[int, list[SolverProcess]] = {}


def last_improvement(file: Path) -> dict[int, int] | None:
    """The last complete solution in HiGHS's file of improvements, None where there is none.

    The file repeats a block: a line ``Objective V``, a line ``# Columns N``, then one line per column, the value last.
    """
    try:
        blocks = file.read_text().split("Objective ")[1:]
    except OSError:
        return None
    for block in reversed(blocks):
        lines = [line for line in block.splitlines() if line.strip()]
        columns = int(lines[1].split()[-1]) if len(lines) > 1 else len(lines)
        if len(lines) >= columns + 2:
            return {column: round(float(line.split()[-1])) for column, line in enumerate(lines[2 : columns + 2])}
    return None


def _by_variable(values: Mapping[Any, int] | None, milp: mathopt.Model) -> dict[Variable, int] | None:
    return None if values is None else {milp.get_variable(int(number)): value for number, value in values.items()}


def _answer(reply: dict[str, Any], milp: mathopt.Model, solver: str) -> Answer:
    if reply["kind"] == "failed":
        raise _explained(reply["reason"], solver)
    reason = reply["reason"]
    if reason in ("INFEASIBLE", "INFEASIBLE_OR_UNBOUNDED"):
        # Every variable is bounded, so that "or unbounded" is out of the question.
        return Answer(None, impossible=True)
    if reason not in ("OPTIMAL", "FEASIBLE", "NO_SOLUTION_FOUND"):
        raise SolverError(f"the MILP solver {solver} stopped with {reason.lower()}: {reply['detail']}")
    return Answer(_by_variable(reply["values"], milp), optimal=reason == "OPTIMAL", bound=reply["bound"])


def _explained(reason: str, solver: str) -> Exception:
    if solver == "gurobi":
        return InputError(
            "Gurobi cannot be used: its library or its licence is missing",
            fix="install Gurobi with a licence, or choose highs, scip or cp-sat",
        )
    return SolverError(f"the MILP solver {solver} failed: {reason}")
