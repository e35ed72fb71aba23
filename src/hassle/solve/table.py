"""Solving by enumerating a context's completions: the fastest way where the context leaves few variables free."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hassle.errors import ResourceError
from hassle.kernels.table import INFEASIBLE, fill_losses, least_losses, losses_of, pick_ranked
from hassle.logic import Context
from hassle.memory import allowed_memory, shown_bytes
from hassle.model import Model
from hassle.solve.protocol import Best, Optima, no_optima
from hassle.solve.tables import (
    MEMORY_BUDGET,
    SMALL_TABLE,
    ClauseArrays,
    allowed_words,
    assignments_of,
    free_counts,
    largest_table,
    places_of,
    table_memory,
)


class TableSolver:
    name = "table"

    def best(self, model: Model, context: Context) -> Best | None:
        losses = losses_in(model, context)
        word = int(losses.argmin())
        if losses[word] == INFEASIBLE:
            return None
        bits = assignments_of(np.array([word]), context, len(model.variables))[0]
        return Best(int(model.weights.sum() - losses[word]), bits)

    def optima(self, model: Model, context: Context, limit: int, rng: np.random.Generator) -> Optima:
        losses = losses_in(model, context)
        least = losses.min()
        if least == INFEASIBLE:
            return no_optima(len(model.variables))
        count = int(np.count_nonzero(losses == least))
        if count <= limit:
            words = np.flatnonzero(losses == least)
        else:
            words = np.empty(limit, dtype=np.int64)
            if limit:
                ranks = np.sort(rng.choice(count, size=limit, replace=False))
                pick_ranked(losses, least, ranks, words)
        rows = assignments_of(words, context, len(model.variables))
        return Optima(int(model.weights.sum() - least), rows, count, count <= limit)


def losses_in(model: Model, context: Context) -> NDArray[np.int64]:
    """The loss of every completion of the context, in the order of their words."""
    variables = len(model.variables)
    free = variables - len(context.literals)
    if free > SMALL_TABLE and free > largest_table():
        most = shown_bytes(min(MEMORY_BUDGET, allowed_memory()))
        raise ResourceError(
            f"a table of the context's 2^{free} completions needs {shown_bytes(table_memory(free))}, "
            f"more than the {most} allowed; use --solver rc2"
        )
    arrays = ClauseArrays.of(model)
    losses = np.empty(1 << free, dtype=np.int64)
    fill_losses(places_of([context], variables)[0], arrays.starts, arrays.literals, arrays.weights, losses)
    if context.rest is not None:
        losses[~allowed_words(context, variables)] = INFEASIBLE
    return losses


def best_values(model: Model, contexts: Sequence[Context]) -> list[int | None]:
    """The best value in each context, in units; None where the context is infeasible.

    Conjunctions of literals go through one kernel call; contexts with a general part one by one.
    """
    total = int(model.weights.sum())
    least = np.empty(len(contexts), dtype=np.int64)
    plain = np.array([context.rest is None for context in contexts], dtype=np.bool_)
    if plain.any():
        chosen = [context for context in contexts if context.rest is None]
        variables = len(model.variables)
        arrays = ClauseArrays.of(model)
        free = free_counts(chosen, variables)
        scratch = np.empty(1 << int(free.max()), dtype=np.int64)
        found = np.empty(len(chosen), dtype=np.int64)
        least_losses(places_of(chosen, variables), free, arrays.starts, arrays.literals, arrays.weights, scratch, found)
        least[plain] = found
    for c in np.flatnonzero(~plain).tolist():
        least[c] = losses_in(model, contexts[c]).min()
    return [None if loss == INFEASIBLE else total - loss for loss in least.tolist()]


def example_values(model: Model, assignments: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """For each assignment: its value in units, and whether it is feasible (the value counts only then)."""
    arrays = ClauseArrays.of(model)
    losses = np.empty(len(assignments), dtype=np.int64)
    losses_of(assignments, arrays.starts, arrays.literals, arrays.weights, losses)
    return arrays.weights.sum() - losses, losses != INFEASIBLE
