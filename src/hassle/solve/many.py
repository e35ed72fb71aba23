"""Plans for many contexts in one go; each distinct context is solved once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from hassle.errors import ResourceError
from hassle.logic import Assignment, Context, as_context
from hassle.model import Model
from hassle.solve.choice import solver_for


@dataclass(frozen=True)
class Plan:
    """What a model plans in a context: a best assignment and its value, where the ``status`` is ``optimal``.

    ``infeasible`` means that there is no feasible assignment, ``unknown`` that the time was up before it was found.
    """

    context: Context
    status: Literal["optimal", "infeasible", "unknown"]
    assignment: Assignment | None = None
    value: Decimal | None = None


def solve_all(
    model: Model,
    contexts: Iterable[object],
    *,
    solver: str = "auto",
    time_limit: float | None = None,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> list[Plan]:
    """A plan for each context, in order; ``time_limit`` holds for all together.

    Contexts that fix much are solved first, as they take least. ``watch`` is told how many distinct contexts are done,
    and of how many.
    """
    given = [as_context(context, model.schema) for context in contexts]
    distinct = sorted(dict.fromkeys(given), key=lambda context: -len(context.literals))
    deadline = None if time_limit is None else time.monotonic() + time_limit
    plans: dict[Context, Plan] = {}
    for context in distinct:
        watch(len(plans), len(distinct))
        plans[context] = _plan(model, context, solver, deadline)
    return [plans[context] for context in given]


def _plan(model: Model, context: Context, solver: str, deadline: float | None) -> Plan:
    left = None if deadline is None else deadline - time.monotonic()
    if left is not None and left <= 0:
        return Plan(context, "unknown")
    try:
        best = solver_for(model, context, solver, time_limit=left).best(model, context)
    except ResourceError:
        if deadline is None or time.monotonic() < deadline:
            raise  # not for want of time
        return Plan(context, "unknown")
    if best is None:
        return Plan(context, "infeasible")
    return Plan(context, "optimal", Assignment.of(model.schema, best.bits), model.decimal(best.value))
