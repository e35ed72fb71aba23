"""The fit of a model to good decisions: the share of the alternatives that a positive beats.

The score alone is satisfied by a model that calls everything best. Where there are no negatives, what a model is worth
shows in how far it sets the positives apart: of all other assignments that a positive's context allows, the *fit* is
the share that the model calls worse, on average over the positives. A model without rules has fit 0, for everything is
equally good; one that has each positive as the only best answer has fit 1. A positive that the model forbids beats
nothing.

Where a context allows too many assignments to look at them all, random ones stand for them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.logic import Context, Schema
from hassle.model import Model
from hassle.solve import aligned
from hassle.tables.completions import completions

# Alternatives that are all looked at; random ones instead of more; and times as many that are drawn, where a context is
# more than literals.
MOST_LISTED, DRAWN, TRIES = 2**12, 256, 8
# Contexts that are looked at, of very many.
MOST_CONTEXTS = 1000


def fit_of(model: Model, data: Dataset, seed: int = 0) -> float | None:
    """The share of the alternatives that a positive beats, weighed by the examples; None without any alternative."""
    model = aligned(model, data.schema)
    rng = np.random.default_rng(seed)
    shares, weights = [], []
    wanted = [c for c, rows in enumerate(data.rows_by_context) if data.positive[rows].any()]
    for c in rng.permutation(wanted)[:MOST_CONTEXTS].tolist() if len(wanted) > MOST_CONTEXTS else wanted:
        rows = data.rows_by_context[c][data.positive[data.rows_by_context[c]]]
        others = alternatives(data.contexts[c], data.schema, rng)
        worth, allowed = model.values(others), model.feasible(others)
        own, legal = model.values(data.assignments[rows]), model.feasible(data.assignments[rows])
        for k, value, feasible in zip(rows.tolist(), own.tolist(), legal.tolist(), strict=True):
            # The positive itself may be among them, and is no alternative.
            count = int((others != data.assignments[k]).any(axis=1).sum())
            if count:
                shares.append(int((~allowed | (worth < value)).sum()) / count if feasible else 0.0)
                weights.append(float(data.weights[k]))
    return float(np.average(shares, weights=weights)) if shares else None


def alternatives(context: Context, schema: Schema, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Assignments that the context allows: all of them where they are few, else random ones."""
    listed = completions(context, schema)
    if listed.fits(MOST_LISTED):
        return listed.assignments(listed.words())
    drawn = _random(listed.context, schema, DRAWN * (1 if context.rest is None else TRIES), rng)
    return drawn[context.holds(drawn)][:DRAWN]


def _random(context: Context, schema: Schema, count: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """So many assignments of the domain that have the context's literals, every column drawn by itself."""
    result = np.empty((count, len(schema.variables)), dtype=np.uint8)
    fixed = {abs(lit) - 1: int(lit > 0) for lit in context.literals}
    for column, start in zip(schema.columns, schema.starts, strict=False):
        codes = np.array([column.encode(value) for value in column.values], dtype=np.uint8)
        known = [(v - start, fixed[v]) for v in range(start, start + codes.shape[1]) if v in fixed]
        possible = codes[[all(code[v] == bit for v, bit in known) for code in codes.tolist()]]
        result[:, start : start + codes.shape[1]] = possible[rng.integers(0, len(possible), count)]
    return result
