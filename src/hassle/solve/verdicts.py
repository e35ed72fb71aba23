"""Verdicts on assignments: of one, and of a whole dataset, each context solved once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.errors import InputError
from hassle.kernels.codes import INFEASIBLE, OPTIMAL, SUBOPTIMAL
from hassle.logic import Context, Schema, as_context, as_schema
from hassle.model import Model, Verdict
from hassle.solve.choice import QUICK_TABLE, log, solver_for
from hassle.tables.completions import listable


def best_value(model: Model, context: object = None, *, solver: str = "auto") -> int | None:
    """The best value in the context in units, or None where no assignment is feasible."""
    where = as_context(context, model.schema)
    best = solver_for(model, where, solver).best(model, where)
    return None if best is None else best.value


def best_values(model: Model, contexts: Sequence[Context], *, solver: str = "auto") -> list[int | None]:
    """The best value in each context; those with few free variables are done together in one pass."""
    result: list[int | None] = [None] * len(contexts)
    by_table = np.zeros(len(contexts), dtype=np.bool_)
    if solver in ("auto", "table"):
        by_table = listable(contexts, model.schema, 1 << QUICK_TABLE)
    tabled = np.flatnonzero(by_table).tolist()
    if tabled:
        log.info("%d of %d contexts: solver table", len(tabled), len(contexts))
        from hassle.solve import table

        for c, value in zip(tabled, table.best_values(model, [contexts[c] for c in tabled]), strict=True):
            result[c] = value
    for c in np.flatnonzero(~by_table).tolist():
        result[c] = best_value(model, contexts[c], solver=solver)
    return result


def verdict(model: Model, assignment: object, context: object = None, *, solver: str = "auto") -> Verdict:
    """What the model says of the assignment in the context."""
    where = as_context(context, model.schema)
    return model.verdict_against(assignment, where, best_value(model, where, solver=solver))


def verdicts(model: Model, data: Dataset, *, solver: str = "auto") -> NDArray[np.int8]:
    """The verdict on each example, as a code (its place in :data:`hassle.model.VERDICTS`)."""
    from hassle.solve.table import example_values

    model = aligned(model, data.schema)
    optima = best_values(model, data.contexts, solver=solver)
    values, feasible = example_values(model, data.assignments)
    solvable = np.array([value is not None for value in optima], dtype=np.bool_)
    best = np.array([0 if value is None else value for value in optima], dtype=np.int64)
    optimal = values == best[data.context_of]
    feasible &= solvable[data.context_of]
    return np.where(feasible, np.where(optimal, OPTIMAL, SUBOPTIMAL), INFEASIBLE).astype(np.int8)


def agrees(codes: NDArray[np.int8], data: Dataset) -> NDArray[np.bool_]:
    """For each example: whether the verdict agrees with the label (optimal = positive, anything else = negative).

    A stated reason (``infeasible``, ``suboptimal``) is information for learners; the score asks only whether the
    example is called good or bad, as the paper's does.
    """
    return (codes == OPTIMAL) == data.positive


def aligned(model: Model, names: Schema | Iterable[str]) -> Model:
    """The model over the same variables in the order of a dataset or another model, whose schema it takes over."""
    if names in (model.schema, model.variables):
        return model
    schema = as_schema(names)
    if set(model.variables) != set(schema.variables):
        odd = sorted(set(model.variables) ^ set(schema.variables))
        owner = "the model" if odd[0] in model.variables else "the examples"
        raise InputError(
            f"the model and the examples speak of different variables: only {owner} has {odd[0]!r}",
            fix="use the same names in both",
        )
    return model.reordered(schema)
