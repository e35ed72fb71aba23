"""Members before anything is known: random models, so that the first questions are about what such models differ on."""

from __future__ import annotations

import numpy as np

from hassle.logic import Constraint, Schema
from hassle.model import Model

# Rules and wishes of a random model, and their literals, at most.
MOST_EACH, LONGEST = 4, 3


def prior_models(schema: Schema, count: int, rng: np.random.Generator) -> list[Model]:
    """Random models of a few short clauses each."""
    return [_random(schema, rng) for _ in range(count)]


def _random(schema: Schema, rng: np.random.Generator) -> Model:
    hard = [_clause(schema, rng) for _ in range(int(rng.integers(MOST_EACH + 1)))]
    soft = [(_clause(schema, rng), int(rng.integers(1, 1001))) for _ in range(int(rng.integers(1, MOST_EACH + 1)))]
    return Model.from_units(schema, dict.fromkeys(hard), dict(soft).items())


def _clause(schema: Schema, rng: np.random.Generator) -> Constraint:
    variables = len(schema.variables)
    chosen = rng.choice(variables, size=min(variables, int(rng.integers(1, LONGEST + 1))), replace=False)
    return Constraint.of((int(v) + 1) * (1 if rng.random() < 0.5 else -1) for v in chosen)
