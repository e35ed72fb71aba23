"""Drawing a model's optima uniformly where there are too many to list and too many variables for a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hassle.logic import Context
from hassle.model import Model
from hassle.solve.diagram import Diagram, diagram_of
from hassle.solve.optima_cnf import OptimaProblem
from hassle.solve.protocol import Optima


def sample_optima(
    model: Model,
    context: Context,
    value: int,
    limit: int,
    rng: np.random.Generator,
    *,
    time_limit: float | None = None,
) -> Optima:
    """``limit`` optima drawn uniformly without repetition, or all of them; ``value`` is the best value, in units."""
    diagram = diagram_of(OptimaProblem.optima(model, context, value), time_limit=time_limit)
    rows = draw_distinct(diagram, len(model.variables), limit, rng)
    return Optima(value, rows, diagram.count, diagram.count <= limit)


def draw_distinct(diagram: Diagram, variables: int, limit: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """``limit`` different assignments, each set of them as likely as every other; all where there are no more."""
    wanted = min(limit, diagram.count)
    drawn: dict[bytes, NDArray[np.uint8]] = {}
    while len(drawn) < wanted:
        bits = diagram.draw(rng, variables)
        drawn.setdefault(bits.tobytes(), bits)
    return np.array(list(drawn.values()), dtype=np.uint8).reshape(-1, variables)
