"""Examples of arranged problems: optimal decisions found by CP-SAT, and near misses.

Contexts are drawn until enough of them are feasible. A near miss is a decision that differs from an optimal one in few
places, keeps the context, and is not optimal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset, Label
from hassle.errors import InputError
from hassle.logic import Constraint, Context, Number, Schema
from hassle.logic.formula import at_least, conjunction
from hassle.model import Model
from hassle.solve.cp_sat import CPSATSolver

# So many situations in a row that nothing satisfies mean that the problem has none to offer.
PATIENCE = 200
TRIES = 200

Bits = NDArray[np.uint8]
Situation = Callable[[np.random.Generator], Context]


def arranged_examples(
    truth: Model,
    situation: Situation,
    contexts: int,
    rng: np.random.Generator,
    *,
    positives: int = 2,
    negatives: int = 2,
) -> Dataset:
    """Up to so many optimal decisions and near misses in each of so many distinct feasible contexts."""
    where, rows, labels = [], [], []
    for context, best in feasible_situations(truth, situation, contexts, rng):
        good = _optima(truth, context, best, positives, rng)
        worth = int(truth.values(best[None, :])[0])
        bad = _near_misses(truth, context, good, worth, negatives, rng)
        where += [context] * (len(good) + len(bad))
        rows += [*good, *bad]
        labels += [Label.POSITIVE.code] * len(good) + [Label.NEGATIVE.code] * len(bad)
    return Dataset.from_arrays(truth.schema, where, np.array(rows, dtype=np.uint8), labels)


def feasible_situations(
    truth: Model, situation: Situation, count: int, rng: np.random.Generator
) -> Iterator[tuple[Context, Bits]]:
    """Distinct contexts with an optimal decision each."""
    seen, failures = set[Context](), 0
    while len(seen) < count:
        context = situation(rng)
        best = None if context in seen else _solver(rng).best(truth, context)
        if best is None:
            failures += 1
            if failures > PATIENCE:
                raise InputError("there are too few situations that can be planned", fix="ask for fewer contexts")
            continue
        failures = 0
        seen.add(context)
        yield context, best.bits


def _optima(truth: Model, context: Context, best: Bits, count: int, rng: np.random.Generator) -> list[Bits]:
    """The best assignment and others that are worth as much."""
    found, worth = [best], int(truth.values(best[None, :])[0])
    while len(found) < count:
        # Different from those found: a constraint of the context, as it is no part of the truth.
        others = [Constraint(tuple(-(v + 1) if bit else v + 1 for v, bit in enumerate(row))) for row in found]
        where = Context.of(conjunction([context.formula, *map(at_least, others)]))
        other = _solver(rng).better_than(truth, where, worth - 1)
        if other is None:
            break
        found.append(other.bits)
    return found[:count]


def _solver(rng: np.random.Generator) -> CPSATSolver:
    return CPSATSolver(seed=int(rng.integers(2**31 - 1)))


def _near_misses(
    truth: Model, context: Context, good: list[Bits], worth: int, count: int, rng: np.random.Generator
) -> list[Bits]:
    found: dict[bytes, Bits] = {}
    for _ in range(TRIES):
        if len(found) == count:
            break
        row = neighbour(good[int(rng.integers(len(good)))], context, truth.schema, int(rng.integers(1, 4)), rng)
        if context.holds(row[None, :])[0] and not (
            truth.feasible(row[None, :])[0] and truth.values(row[None, :])[0] == worth
        ):
            found[row.tobytes()] = row
    return list(found.values())


def neighbour(row: Bits, context: Context, schema: Schema, changes: int, rng: np.random.Generator) -> Bits:
    """The row with so many columns changed that the context does not fix."""
    result = row.copy()
    fixed = {abs(lit) - 1 for lit in context.within(schema).literals}
    columns = [c for c in range(len(schema.columns)) if not fixed >= set(range(schema.starts[c], schema.starts[c + 1]))]
    for c in rng.permutation(columns)[:changes]:
        start, end = schema.starts[c], schema.starts[c + 1]
        if end == start + 1:
            result[start] ^= 1
        elif isinstance(schema.columns[c], Number):
            result[start:end] = np.arange(end - start) < rng.integers(end - start + 1)
        else:
            result[start:end] = 0
            result[int(rng.integers(start, end))] = 1
    return result
