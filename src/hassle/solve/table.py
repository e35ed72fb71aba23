"""Solving by enumerating a context's completions: the fastest way where the context leaves few variables free."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hassle.errors import ResourceError
from hassle.kernels.codes import INFEASIBLE_LOSS
from hassle.kernels.coverage import Places, Uncovered
from hassle.kernels.table import Constraints, Listed, least_losses, losses_of, pick_ranked
from hassle.logic import EMPTY, Context
from hassle.memory import allowed_memory, shown_bytes
from hassle.model import Model
from hassle.solve.protocol import Best, Optima, no_optima
from hassle.tables.completions import Completions, Tables, completions, list_tables
from hassle.tables.limits import BATCH, MEMORY_BUDGET, SMALL_TABLE, WORD_BITS, largest_table, table_memory


class TableSolver:
    name = "table"

    def best(self, model: Model, context: Context) -> Best | None:
        listed, losses = losses_of_completions(model, context)
        place = int(losses.argmin()) if len(losses) else None
        if place is None or losses[place] == INFEASIBLE_LOSS:
            return None
        return Best(int(model.weights.sum() - losses[place]), rows_at(listed, np.array([place]))[0])

    def optima(self, model: Model, context: Context, limit: int, rng: np.random.Generator) -> Optima:
        listed, losses = losses_of_completions(model, context)
        least = losses.min(initial=INFEASIBLE_LOSS)
        if least == INFEASIBLE_LOSS:
            return no_optima(len(model.variables))
        count = int(np.count_nonzero(losses == least))
        if count <= limit:
            places = np.flatnonzero(losses == least)
        else:
            places = np.empty(limit, dtype=np.int64)
            if limit:
                ranks = np.sort(rng.choice(count, size=limit, replace=False))
                pick_ranked(losses, least, ranks, places)
        return Optima(int(model.weights.sum() - least), rows_at(listed, places), count, count <= limit)


def losses_in(model: Model, context: Context) -> NDArray[np.int64]:
    """The loss of every completion of the context in the domain, in the order of :func:`completions`."""
    return losses_of_completions(model, context)[1]


def losses_of_completions(model: Model, context: Context) -> tuple[Completions, NDArray[np.int64]]:
    """The completions of the context in the domain, and the loss of each."""
    listed = completions(context, model.schema)
    if not listed.fits(1 << SMALL_TABLE) and not listed.fits(1 << largest_table()):
        raise ResourceError(_too_large(listed))
    losses, _ = losses_in_tables(model, list_tables([context], model.schema))
    return listed, losses


def losses_of_all(model: Model) -> NDArray[np.int64]:
    """The loss of every 0/1 vector, variable v being bit v of its place; INFEASIBLE_LOSS outside of the domain."""
    listed, losses = losses_of_completions(model, EMPTY)
    if listed.full:
        return losses
    result = np.full(1 << len(model.variables), INFEASIBLE_LOSS, dtype=np.int64)
    known = listed.assignments(listed.words()).astype(np.int64)
    result[known @ (np.int64(1) << np.arange(len(model.variables)))] = losses
    return result


def rows_at(listed: Completions, places: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The assignments at these places in the list of completions."""
    return listed.assignments(places if listed.full else listed.words()[places])


def best_values(model: Model, contexts: Sequence[Context]) -> list[int | None]:
    """The best value in each context, in units; None where the context is infeasible."""
    constraints = constraint_arrays(model)
    total = int(model.weights.sum())
    batch = max(1, BATCH // max(1, len(constraints.needs)))
    result: list[int | None] = []
    for start in range(0, len(contexts), batch):
        tables = list_tables(contexts[start : start + batch], model.schema)
        least = _write_losses(constraints, tables, np.empty(tables.largest, dtype=np.int64))
        result += [None if loss == INFEASIBLE_LOSS else total - loss for loss in least.tolist()]
    return result


def example_values(model: Model, assignments: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """For each assignment: its value in units, and whether it is feasible (the value counts only then)."""
    losses = np.empty(len(assignments), dtype=np.int64)
    losses_of(assignments, constraint_arrays(model), losses)
    return model.weights.sum() - losses, (losses != INFEASIBLE_LOSS) & model.schema.admits(assignments)


def constraint_arrays(model: Model) -> Constraints:
    """A model's constraints for kernels: the soft ones first, as many as there are weights, then the hard ones."""
    constraints = (*model.soft_constraints, *model.hard)
    return Constraints(
        starts=np.cumsum([0, *(len(constraint.literals) for constraint in constraints)], dtype=np.int64),
        literals=np.array([lit for constraint in constraints for lit in constraint.literals], dtype=np.int32),
        needs=np.array([constraint.need for constraint in constraints], dtype=np.int32),
        weights=model.weights,
    )


def losses_in_tables(model: Model, tables: Tables) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The loss of every point of the tables, and the least of each table: much faster than example by example."""
    losses = np.empty(int(tables.offsets[-1]), dtype=np.int64)
    return losses, _write_losses(constraint_arrays(model), tables, losses)


def _write_losses(constraints: Constraints, tables: Tables, losses: NDArray[np.int64]) -> NDArray[np.int64]:
    """The least loss of each table; ``losses`` is for those of all or, if there is less room, of one at a time."""
    least = np.empty(len(tables), dtype=np.int64)
    shape = len(constraints.needs), len(tables)
    tests = Uncovered(
        left=np.empty(shape, dtype=np.int16),
        masks=np.empty(shape, dtype=np.int32),
        values=np.empty(shape, dtype=np.int32),
    )
    listed = Listed(words=tables.words, starts=tables.starts, offsets=tables.offsets, full=tables.full)
    least_losses(Places(fixed_true=tables.fixed_true, bits=tables.bits), listed, constraints, tests, losses, least)
    return least


def _too_large(listed: Completions) -> str:
    if listed.points <= 1 << largest_table():
        return (
            f"the context leaves {len(listed.free)} variables open, more than the {WORD_BITS} that tables are made "
            "for; use --solver rc2"
        )
    points = f"2^{len(listed.free)}" if listed.full else f"{listed.points:,}"
    return (
        f"a table of the context's {points} completions needs {shown_bytes(table_memory(0) * listed.points)}, "
        f"more than the {shown_bytes(min(MEMORY_BUDGET, allowed_memory()))} allowed; use --solver rc2"
    )
