"""A model for any data over few variables that some model explains: the last resort of ``auto``, and its proof.

Over few variables all assignments can be ranked one by one. Each gets a loss, or is infeasible, such that in every
context the positives have the least loss and the negatives do not; a solver finds such a ranking with small losses, or
proves that there is none, and then no model, however large, explains all labels. The ranking is spelled out as clauses:
a clause leaves a cube of assignments uncovered, so infeasible assignments are covered by cubes of hard clauses and
losses are taken off in cubes, the largest first.

Cost: a variable per assignment and a row per assignment and context in the solver; 3^n cubes of 2^n assignments.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hassle.data import Label
from hassle.errors import ResourceError

if TYPE_CHECKING:
    from hassle.data import Dataset
    from hassle.logic import Clause
    from hassle.model import Model

MOST_VARIABLES = 6


def explaining_model(data: Dataset, time_limit: float | None = None) -> Model | None:
    """A model that explains every example, or None where there is none; ResourceError if the time is up before."""
    from hassle.model import Model

    ranking = _rank(data, time_limit)
    if ranking is None:
        return None
    infeasible, losses = ranking
    hard, soft = as_clauses(infeasible, losses, len(data.variables))
    return Model.from_units(data.variables, hard, soft, about={"learner": "auto"})


def _rank(data: Dataset, time_limit: float | None) -> tuple[NDArray[np.bool_], NDArray[np.int64]] | None:
    """Which assignments are infeasible, and the losses of the others, such that every label is right."""
    from ortools.sat.python import cp_model

    from hassle.solve.interrupts import interruptible

    assert len(data.variables) <= MOST_VARIABLES
    points = _points(len(data.variables))
    programme = cp_model.CpModel()
    loss = [programme.new_int_var(0, len(points), "") for _ in points]
    out = [programme.new_bool_var("") for _ in points]
    words = data.assignments.astype(np.int64) @ (1 << np.arange(len(data.variables)))
    for context, rows in zip(data.contexts, data.rows_by_context, strict=True):
        inside = np.flatnonzero(context.holds(points) & data.schema.admits(points)).tolist()
        labels = data.labels[rows]
        good = sorted(set(words[rows[labels == Label.POSITIVE.code]].tolist()))
        bad = sorted(set(words[rows[labels != Label.POSITIVE.code]].tolist()))
        _require(programme, loss, out, inside, good, bad)
    programme.minimize(sum(loss) + 2 * sum(out))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    # Else the solver would leave the process without a handler of Ctrl-C, and the next one would kill it.
    solver.parameters.catch_sigint_signal = False
    if time_limit is not None:
        solver.parameters.max_time_in_seconds = time_limit
    status = interruptible(lambda: solver.solve(programme), solver.stop_search)
    if status == cp_model.INFEASIBLE:
        return None
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise ResourceError("the time was up before a ranking of all assignments was found; allow more time")
    return (
        np.array([bool(solver.value(flag)) for flag in out]),
        np.array([solver.value(amount) for amount in loss], dtype=np.int64),
    )


def _require(
    programme: Any, loss: list[Any], out: list[Any], inside: list[int], good: list[int], bad: list[int]
) -> None:
    """In one context: the good are feasible and lose least, the bad do not."""
    if good:
        first = good[0]
        for point in good:
            programme.add(out[point] == 0)
            programme.add(loss[point] == loss[first])
        for point in inside:
            programme.add(loss[point] >= loss[first]).only_enforce_if(~out[point])
        for point in bad:
            programme.add(loss[point] > loss[first]).only_enforce_if(~out[point])
        return
    for point in bad:  # nobody said what is best there: something else is, or nothing is feasible
        beaten = [out[point]]
        for other in inside:
            if other not in bad:
                better = programme.new_bool_var("")
                programme.add_implication(better, ~out[other])
                programme.add(loss[other] < loss[point]).only_enforce_if(better)
                beaten.append(better)
        programme.add_bool_or(beaten)


def as_clauses(
    infeasible: NDArray[np.bool_], losses: NDArray[np.int64], variables: int
) -> tuple[list[Clause], list[tuple[Clause, int]]]:
    """Hard clauses that exclude just the infeasible assignments, and soft ones that cost the others just their loss."""
    # Each variable false, true or left open, but not all of them open: an empty clause is not worth having.
    cubes = [cube for cube in product((0, 1, -1), repeat=variables) if max(cube) >= 0]
    points = _points(variables)
    wanted = np.array(cubes)[:, None, :]
    covers = ((wanted < 0) | (wanted == points)).all(axis=2)
    hard: list[Clause] = []
    excluding = covers & ~(covers & ~infeasible).any(axis=1)[:, None]
    left = infeasible.copy()
    while left.any():
        best = int(np.argmax((excluding & left).sum(axis=1)))
        hard.append(_violated_in(cubes[best]))
        left &= ~covers[best]
    soft: list[tuple[Clause, int]] = []
    rest = losses.copy()
    charged = covers & ~infeasible
    while rest[~infeasible].any():
        least = np.where(charged, rest, np.iinfo(np.int64).max).min(axis=1)
        gains = np.where(charged.any(axis=1), least, 0) * charged.sum(axis=1)
        best = int(np.argmax(gains))
        soft.append((_violated_in(cubes[best]), int(least[best])))
        rest = rest - least[best] * charged[best]
    return hard, soft


def _violated_in(cube: tuple[int, ...]) -> Clause:
    """The clause that just the assignments in the cube violate."""
    return tuple(-(v + 1) if value else v + 1 for v, value in enumerate(cube) if value >= 0)


def _points(variables: int) -> NDArray[np.uint8]:
    """All assignments; variable v is bit v of a row's number."""
    return ((np.arange(1 << variables)[:, None] >> np.arange(variables)) & 1).astype(np.uint8)
