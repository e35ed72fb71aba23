"""Verdicts on assignments: of one, and of a whole dataset, each context solved once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.errors import InputError, ResourceError
from hassle.kernels.codes import INFEASIBLE, OPTIMAL, SUBOPTIMAL
from hassle.logic import Context, Schema, as_context, as_schema
from hassle.model import Model, Verdict
from hassle.solve.choice import QUICK_TABLE, log, solver_for
from hassle.tables.completions import listable, points_in

# Completions of contexts, and examples in them, that are judged between two looks at the clock. Making a table takes as
# long as looking at so many completions for each variable.
BLOCK = 2**QUICK_TABLE
LISTING = 16


def best_value(
    model: Model, context: object = None, *, solver: str = "auto", time_limit: float | None = None
) -> int | None:
    """The best value in the context in units, or None where no assignment is feasible."""
    where = as_context(context, model.schema)
    best = solver_for(model, where, solver, time_limit=time_limit).best(model, where)
    return None if best is None else best.value


def best_values(
    model: Model, contexts: Sequence[Context], *, solver: str = "auto", time_limit: float | None = None
) -> list[int | None]:
    """The best value in each context; those with few free variables are done together in one pass.

    The time limit is that of each question to a solver.
    """
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
        result[c] = best_value(model, contexts[c], solver=solver, time_limit=time_limit)
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


def verdicts_in_time(
    model: Model, data: Dataset, contexts: Sequence[int], seconds_left: Callable[[], float]
) -> tuple[list[int], NDArray[np.bool_]]:
    """Which of these contexts there was time for, in order, and for each of their examples: is the label agreed with?

    The examples are those of the first context, then those of the second, and so on.
    """
    from hassle.solve.table import example_values

    model = aligned(model, data.variables)
    done: list[int] = []
    agreed = [np.zeros(0, dtype=np.bool_)]
    for block in _blocks(data, contexts):
        left = seconds_left()
        if left <= 0:
            break
        try:
            values = best_values(model, [data.contexts[c] for c in block], time_limit=left)
        except ResourceError:
            break
        rows = [data.rows_by_context[c] for c in block]
        assignments = data.assignments[np.concatenate(rows)]
        assignments.flags.writeable = False  # as the dataset's: kernels are compiled for one kind
        worth, feasible = example_values(model, assignments)
        solvable = np.repeat([value is not None for value in values], [len(own) for own in rows])
        best = np.repeat([value or 0 for value in values], [len(own) for own in rows])
        agreed.append((feasible & solvable & (worth == best)) == data.positive[np.concatenate(rows)])
        done += block
    return done, np.concatenate(agreed)


def _blocks(data: Dataset, contexts: Sequence[int]) -> Iterator[list[int]]:
    """The contexts in pieces that take about as long: one for a solver, or some for tables."""
    points = points_in(data.contexts, data.schema)
    listing = LISTING * len(data.variables)
    block: list[int] = []
    size = 0.0
    for c in contexts:
        work = min(float(points[c]), 2.0**QUICK_TABLE) + len(data.rows_by_context[c]) + listing
        if block and size + work > BLOCK:
            yield block
            block, size = [], 0.0
        block.append(c)
        size += work
    if block:
        yield block


def agrees(codes: NDArray[np.int8], data: Dataset) -> NDArray[np.bool_]:
    """For each example: whether the verdict agrees with the label (optimal = positive, anything else = negative).

    A stated reason (``infeasible``, ``suboptimal``) is information for learners; the score asks only whether the
    example is called good or bad, as the paper's does.
    """
    return (codes == OPTIMAL) == data.positive


def feasibility_agrees(model: Model, data: Dataset) -> NDArray[np.bool_]:
    """For each example: whether the verdict of a model without soft constraints agrees with the label.

    No solver is needed for that: what is feasible is as good as anything, hence optimal.
    """
    assert not model.soft
    return model.feasible(data.assignments) == data.positive


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
