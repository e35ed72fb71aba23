"""A process of its own in which MILP solvers run: it can be stopped or ended at any moment without harm.

Solvers called within the user's process cannot: HiGHS takes no request to stop, SCIP answers one with errors on stderr,
and a thread left behind in either may abort the process when it ends. Here they are asked to stop where they can be,
and killed where they cannot.

Started as a script, so that it imports nothing but OR-Tools. Parent and worker exchange frames (:func:`write_frame`): a
short JSON header and a block of bytes. The parent sends ``solve`` requests with a programme and, at any time, ``stop``.
The worker replies with any number of ``watch`` frames (bound and incumbent) and ``solution`` frames, and with one
``done`` or ``failed``.
"""

from __future__ import annotations

import datetime
import json
import math
import os
import queue
import re
import signal
import struct
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any, BinaryIO

_LENGTHS = struct.Struct("<II")
# Seconds between two reports on bound and incumbent.
PAUSE = 0.1

# A row of the table in a solver's log, from which bound and incumbent are read.
LOG_ROWS = {
    "highs": re.compile(r"\d+\.\d+%\s+(?P<bound>\S+)\s+(?P<incumbent>\S+)\s+\S+\s+\d+\s+\d+\s+\d+\s+\d+\s+[\d.]+s\s*$"),
    "scip": re.compile(r"\|\s*(?P<bound>\S+)\s*\|\s*(?P<incumbent>\S+)\s*\|[^|]*\|[^|]*$"),
}


def write_frame(stream: BinaryIO, header: dict[str, Any], block: bytes = b"") -> None:
    text = json.dumps(header).encode()
    stream.write(_LENGTHS.pack(len(text), len(block)) + text + block)
    stream.flush()


def read_frame(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """The next frame, or None when the other side is gone."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    text_length, block_length = _LENGTHS.unpack(lengths)
    text, block = stream.read(text_length), stream.read(block_length)
    if len(block) < block_length or len(text) < text_length:
        return None
    return json.loads(text), block


class Worker:
    """Serves requests one by one; a second thread listens for ``stop`` and for the parent's end."""

    def __init__(self, requests: BinaryIO, replies: BinaryIO) -> None:
        from ortools.util.python import solve_interrupter

        self.requests, self.replies = requests, replies
        self.waiting: queue.SimpleQueue[tuple[dict[str, Any], bytes]] = queue.SimpleQueue()
        self.new_interrupter = solve_interrupter.SolveInterrupter
        self.interrupter = self.new_interrupter()
        self.last_report = 0.0

    def serve(self) -> None:
        threading.Thread(target=self._listen, daemon=True).start()
        while True:
            header, block = self.waiting.get()
            try:
                reply = self._solve(header, block)
            except BaseException as error:
                # MathOpt's own translation of a failure may fail; the reason is then in the context.
                reply = {"kind": "failed", "reason": str(error.__context__ or error)}
            write_frame(self.replies, reply)

    def _listen(self) -> None:
        while True:
            frame = read_frame(self.requests)
            if frame is None:
                os._exit(0)
            if frame[0]["kind"] == "stop":
                self.interrupter.interrupt()
            else:
                self.interrupter = self.new_interrupter()
                self.waiting.put(frame)

    def _solve(self, header: dict[str, Any], block: bytes) -> dict[str, Any]:
        from ortools.math_opt import model_pb2
        from ortools.math_opt.python import mathopt

        milp = mathopt.Model.from_model_proto(model_pb2.ModelProto.FromString(block))
        solver = header["solver"]
        result = mathopt.solve(
            milp,
            _solver_type(solver),
            params=_parameters(header),
            model_params=_start(header, milp),
            **self._listeners(solver),
        )
        return _reply(result)

    def _listeners(self, solver: str) -> dict[str, Any]:
        """What each solver can be asked for while it runs: HiGHS only its log, SCIP no bounds but in its log."""
        from ortools.math_opt.python import mathopt

        listeners: dict[str, Any] = {}
        if solver in LOG_ROWS:
            listeners["msg_cb"] = lambda lines: self._read_log(solver, lines)
        if solver != "highs":
            events = {mathopt.Event.MIP_SOLUTION} | (set() if solver == "scip" else {mathopt.Event.MIP})
            listeners["callback_reg"] = mathopt.CallbackRegistration(events=events)
            listeners["cb"] = self._read_event
            listeners["interrupter"] = self.interrupter
        return listeners

    def _read_log(self, solver: str, lines: Sequence[str]) -> None:
        for line in lines:
            row = LOG_ROWS[solver].search(line)
            if row:
                self._report(_number(row["bound"]), _number(row["incumbent"]))

    def _read_event(self, event: Any) -> Any:
        from ortools.math_opt.python import mathopt

        if event.event == mathopt.Event.MIP_SOLUTION:
            write_frame(self.replies, {"kind": "solution", "values": _whole(event.solution)})
        self._report(event.mip_stats.dual_bound, event.mip_stats.primal_bound)
        return mathopt.CallbackResult()

    def _report(self, bound: float | None, incumbent: float | None) -> None:
        if time.monotonic() >= self.last_report + PAUSE:
            self.last_report = time.monotonic()
            write_frame(self.replies, {"kind": "watch", "bound": _finite(bound), "incumbent": _finite(incumbent)})


def _solver_type(name: str) -> Any:
    from ortools.math_opt.python.mathopt import SolverType

    return {
        "highs": SolverType.HIGHS,
        "scip": SolverType.GSCIP,
        "cp-sat": SolverType.CP_SAT,
        "gurobi": SolverType.GUROBI,
    }[name]


def _parameters(header: dict[str, Any]) -> Any:
    from ortools.math_opt.python import mathopt
    from ortools.math_opt.solvers import highs_pb2

    # Solvers stop at a gap of 0.01 % by default, which is no proof.
    parameters = mathopt.SolveParameters(random_seed=header["seed"], relative_gap_tolerance=0.0)
    if header["deadline"] is not None:
        # The clock has run on while this process was starting.
        parameters.time_limit = datetime.timedelta(seconds=max(0.01, header["deadline"] - time.monotonic()))
    if header["solver"] == "highs":
        # HiGHS cannot be asked for its best solution when it is stopped, but it can write down each one it finds.
        parameters.highs = highs_pb2.HighsOptionsProto(
            int_options={"threads": header["threads"]},
            bool_options={"mip_improving_solution_save": True},
            string_options={"mip_improving_solution_file": header["improvements"]},
        )
    elif header["solver"] != "scip":
        parameters.threads = header["threads"]
        # Alone, CP-SAT looks for solutions and proves next to no bound; this search does both, in half the time.
        parameters.cp_sat.optimize_with_lb_tree_search = header["threads"] == 1 and header["minimise"]
    return parameters


def _start(header: dict[str, Any], milp: Any) -> Any:
    from ortools.math_opt.python import mathopt

    if header["hint"] is None:
        return mathopt.ModelSolveParameters()
    values = {milp.get_variable(int(variable)): float(value) for variable, value in header["hint"].items()}
    return mathopt.ModelSolveParameters(solution_hints=[mathopt.SolutionHint(variable_values=values)])


def _reply(result: Any) -> dict[str, Any]:
    values = None
    if result.has_primal_feasible_solution():
        values = _whole(result.variable_values())
    return {
        "kind": "done",
        "reason": result.termination.reason.name,
        "detail": result.termination.detail,
        "bound": _finite(result.termination.objective_bounds.dual_bound),
        "values": values,
    }


def _whole(values: Any) -> dict[int, int]:
    """Values by the variable's number; all variables are whole, whatever a solver's tolerance makes of them."""
    return {variable.id: round(value) for variable, value in values.items()}


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def main() -> None:
    # Ctrl-C reaches every process of the terminal; what it means for this one is the parent's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Solvers may print; the pipe to the parent is kept out of their reach.
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    Worker(sys.stdin.buffer, replies).serve()


if __name__ == "__main__":
    main()
