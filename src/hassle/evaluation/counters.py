"""Model counting under a clock: Ganak where it is exact, ApproxMC where only an estimate can be had in time.

Two exact ways. Ganak (a projected model counter) is the stronger one on plain clauses. Where the optimum leaves soft
constraints open or something counts, though, it needs their weighted sum and the counts as clauses, which can be many;
the diagrams of :mod:`hassle.solve.diagram` do not, so they are tried first there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from hassle.errors import ResourceError, SolverError
from hassle.logic import Clause
from hassle.solve.diagram import diagram_of
from hassle.solve.optima_cnf import Cnf, OptimaProblem

# How long a diagram may take before Ganak is asked instead.
DIAGRAM_SECONDS = 5.0
ANCHORS = 16
_PROCESS = Path(__file__).with_name("counter_process.py")


@dataclass(frozen=True)
class Clock:
    """Time until ``deadline`` (None: as long as it takes)."""

    deadline: float | None

    @classmethod
    def of(cls, seconds: float | None) -> Clock:
        return cls(None if seconds is None else time.monotonic() + seconds)

    def left(self, at_most: float | None = None) -> float | None:
        """Seconds left, never negative; None: no limit."""
        limits = [] if self.deadline is None else [max(0.0, self.deadline - time.monotonic())]
        return min([*limits, *([] if at_most is None else [at_most])], default=None)


def count_exactly(problem: OptimaProblem, clock: Clock) -> int:
    """The number of the problem's assignments; ResourceError where the clock runs out first."""
    ganak = is_installed("pyganak")
    counts = not all(constraint.is_clause for constraint in problem.constraints)
    if problem.demands or counts or not ganak:
        try:
            return diagram_of(problem, time_limit=clock.left(DIAGRAM_SECONDS if ganak else None)).count
        except ResourceError:
            if not ganak:
                raise
    return _counted("ganak", problem.cnf(), clock)


def count_roughly(problem: OptimaProblem, clock: Clock, seed: int) -> int:
    """ApproxMC's estimate: with probability 0.8 within a factor 1.8 of the number (ε = 0.8, δ = 0.2)."""
    if not is_installed("pyapproxmc"):
        raise ResourceError("pyapproxmc is not installed, so nothing can be estimated; install it or allow more time")
    cnf = problem.cnf()
    if () in cnf.clauses:
        return 0
    anchored = _anchored(cnf, np.random.default_rng(seed))
    return _counted("approxmc", anchored, clock, seed=1 + seed % 2**31) // (2**ANCHORS - 1)


def _anchored(cnf: Cnf, rng: np.random.Generator) -> Cnf:
    """The clauses with a rider that multiplies their number of models by 2^ANCHORS - 1 and ties every variable down.

    pyapproxmc 4.4 forgets the factor 2 of a variable on which nothing depends any more once it has simplified the
    clauses: of "x or not y" and "not y" it counts one model, not two. So a bit string is added that may be anything but
    the exclusive or of a random code for each true variable. Every variable then matters whatever is simplified, unless
    the codes of variables that follow from each other cancel out: a chance of 2^-ANCHORS for each.
    """
    codes = rng.integers(1, 2**ANCHORS, size=cnf.originals)
    clauses: list[Clause] = []
    anchors, differing = [], []
    fresh = cnf.variables
    for bit in range(ANCHORS):
        fresh += 1
        anchors.append(fresh)
        parity = fresh
        for v in (np.flatnonzero(codes >> bit & 1) + 1).tolist():
            fresh += 1
            clauses += [(-fresh, parity, v), (-fresh, -parity, -v), (fresh, -parity, v), (fresh, parity, -v)]
            parity = fresh
        differing.append(parity)
    return _moved_up(cnf.with_clauses([*clauses, tuple(differing)]), anchors, fresh)


def _moved_up(cnf: Cnf, anchors: list[int], variables: int) -> Cnf:
    """The same clauses with the anchors numbered right after the original variables, as counted ones must be."""
    order = [*range(1, cnf.originals + 1), *anchors]
    order += sorted(set(range(1, variables + 1)) - set(order))
    number = {v: place for place, v in enumerate(order, start=1)}
    renamed = tuple(tuple(number[abs(lit)] * (1 if lit > 0 else -1) for lit in clause) for clause in cnf.clauses)
    return Cnf(renamed, variables, cnf.originals + len(anchors))


def is_installed(package: str) -> bool:
    return find_spec(package) is not None


def _counted(counter: str, cnf: Cnf, clock: Clock, seed: int = 0) -> int:
    if () in cnf.clauses:
        return 0
    mentioned = sorted({abs(lit) for clause in cnf.clauses for lit in clause if abs(lit) <= cnf.originals})
    if not cnf.clauses:
        return 1 << cnf.originals
    request = {"counter": counter, "clauses": cnf.clauses, "projection": mentioned, "seed": seed}
    return _answer(request, clock) << (cnf.originals - len(mentioned))


def _answer(request: dict[str, object], clock: Clock) -> int:
    left = clock.left()
    try:
        # -P keeps this folder off the search path, where its files would hide modules of the standard library.
        done = subprocess.run(
            [sys.executable, "-P", str(_PROCESS)],
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=left,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ResourceError(f"{request['counter']} did not finish in time; allow more time") from None
    if done.returncode or not done.stdout.isdigit():
        complaint = done.stderr.decode(errors="replace").strip().splitlines()
        raise SolverError(f"{request['counter']} failed: {complaint[-1] if complaint else done.returncode}")
    return int(done.stdout)
