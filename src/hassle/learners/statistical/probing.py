"""What models that may each be the truth say of decisions in situations like those of the data.

*Probes* are random contexts that fix as many columns as contexts of the data do. Every completion of each is judged by
all the models: how many call it optimal, how many infeasible, and how much it loses. What is to be expected of a model
is then the mean of that over its own answers.

Measured on 18 problems of 12 to 20 variables with 16 + 16 clauses and 100 contexts (one chain of 54 s each): with 200
probes instead of 40, .890 instead of .876 of the answers in fresh contexts were optimal, and .014 infeasible instead of
.026.

Cost: models times points times literals.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.kernels.codes import INFEASIBLE_LOSS
from hassle.logic import Context, Schema
from hassle.model import Model
from hassle.solve.table import losses_in_tables, rows_at
from hassle.tables.completions import Tables, completions, list_tables

PROBES, PROBE_POINTS = 200, 2**10
LEAST_POINTS, MOST_POINTS = 2**15, 2**17
POINTS_PER_SECOND = 2**17  # with a few hundred models
MOST_GLOBAL = 2**16  # assignments that are all listed
CAUTION = 4.0  # an infeasible answer is of no use, a missed one of little harm

Floats = NDArray[np.float64]
Losses = NDArray[np.int64]


@dataclass(frozen=True)
class Probes:
    """The completions of those of some contexts that have any, one after the other."""

    contexts: tuple[Context, ...]
    schema: Schema
    tables: Tables

    @classmethod
    def of(cls, contexts: Sequence[Context], schema: Schema) -> Probes:
        possible = tuple(context for context in contexts if completions(context, schema).count)
        return cls(possible, schema, list_tables(possible, schema))

    @property
    def points(self) -> int:
        return int(self.tables.offsets[-1])

    @property
    def first(self) -> NDArray[np.int64]:
        """Where the completions of each context begin."""
        return self.tables.offsets[:-1]

    @property
    def sizes(self) -> NDArray[np.int64]:
        return self.tables.sizes

    def assignments(self, chosen: NDArray[np.int64]) -> NDArray[np.uint8]:
        """What these points, in ascending order, are."""
        where = np.searchsorted(chosen, self.tables.offsets)
        rows = [
            rows_at(completions(context, self.schema), chosen[start:end] - first)
            for context, first, (start, end) in zip(self.contexts, self.first.tolist(), pairwise(where), strict=True)
        ]
        return np.concatenate([*rows, np.zeros((0, len(self.schema.variables)), dtype=np.uint8)])

    def losses(self, model: Model) -> tuple[Losses, Losses]:
        """The loss of every point, and the least of each context."""
        return losses_in_tables(model, self.tables)

    def best(self, losses: Losses, least: Losses) -> NDArray[np.bool_]:
        """Which points are optimal."""
        return (losses == np.repeat(least, self.sizes)) & (losses != INFEASIBLE_LOSS)


def contexts_like(data: Dataset, rng: np.random.Generator) -> Iterator[Context]:
    """Contexts that fix as many columns as some context of the data, and so many that few completions are left.

    Where the data fixes nothing and all assignments can be listed, there are none.
    """
    schema, situations = data.schema, data.situations
    sizes = np.array([float(len(column.values)) for column in schema.columns])
    varying = np.flatnonzero(sizes > 1)
    for _ in range(PROBES):
        fixed = _columns_fixed(situations[int(rng.integers(len(situations)))], schema)
        order = rng.permutation(varying)
        few = int(np.searchsorted(np.cumprod(sizes[order[::-1]]), PROBE_POINTS, side="right"))
        chosen = order[: max(fixed, len(order) - few)]
        if not len(chosen):
            continue
        literals: list[int] = []
        for i in chosen.tolist():
            column, start = schema.columns[i], schema.starts[i]
            code = column.encode(column.values[int(rng.integers(len(column.values)))])
            literals += [v + 1 if bit else -(v + 1) for v, bit in enumerate(code, start)]
        yield Context(tuple(sorted(literals, key=abs)))


def probes_like(data: Dataset, rng: np.random.Generator, seconds: float = math.inf) -> Probes:
    """So many that it takes no more than about these seconds to choose by them, but some in any case."""
    most = max(LEAST_POINTS, min(MOST_POINTS, seconds * POINTS_PER_SECOND))
    contexts: list[Context] = []
    points = 0
    for context in contexts_like(data, rng):
        points += completions(context, data.schema).points
        if contexts and points > most:
            break
        contexts.append(context)
    return Probes.of(contexts, data.schema)


class Opinion:
    """What the ``truths`` say of every point of the probes, each as likely to be right as any other.

    Somebody who asks has a context in which there is an answer. So a truth that has none there has no say, and a
    context counts as much as truths have an answer in it; ``answered`` is the share of them, by context.
    """

    def __init__(self, probes: Probes, truths: Sequence[Model]) -> None:
        self.probes = probes
        points, contexts = probes.points, len(probes.contexts)
        self.optimal, self.infeasible, self.lost = np.zeros((3, points))
        saying = np.zeros(contexts)
        for truth in truths:
            losses, least = probes.losses(truth)
            best = probes.best(losses, least)
            possible = least != INFEASIBLE_LOSS
            saying += possible
            has_say = np.repeat(possible, probes.sizes)
            feasible = losses != INFEASIBLE_LOSS
            value = np.maximum(1, int(truth.weights.sum()) - least)
            self.optimal += best
            self.infeasible += has_say & ~feasible
            self.lost += np.where(
                feasible, (losses - np.repeat(least, probes.sizes)) / np.repeat(value, probes.sizes), 0
            )
        say = np.repeat(np.maximum(1, saying), probes.sizes)
        self.optimal, self.infeasible, self.lost = self.optimal / say, self.infeasible / say, self.lost / say
        self.answered = saying / max(1, len(truths))
        self.chance = saying / max(1.0, saying.sum())

    def merit(self, model: Model) -> float:
        """What to expect of the answers of a model: optimal ones less infeasible ones less regret."""
        if not len(self.chance):
            return 0.0
        chosen = self.probes.best(*self.probes.losses(model))
        worth = np.where(chosen, self.optimal - CAUTION * self.infeasible - self.lost, 0.0)
        answers = np.add.reduceat(chosen.astype(np.int64), self.probes.first)
        means = np.where(answers > 0, np.add.reduceat(worth, self.probes.first) / np.maximum(1, answers), -CAUTION)
        return float(means @ self.chance)

    def merits(self, models: Sequence[Model]) -> Floats:
        return np.array([self.merit(model) for model in models])


def _columns_fixed(context: Context, schema: Schema) -> int:
    """How many columns the context fixes altogether; one that never varies has nothing to fix."""
    fixed = {abs(lit) - 1 for lit in context.within(schema).literals}
    return sum(start < end and fixed.issuperset(range(start, end)) for start, end in pairwise(schema.starts))
