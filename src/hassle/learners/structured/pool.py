"""The pool: in each context the positives, and alternatives that they are to beat.

Alternatives are the labelled negatives, completions near the positives, and what the solver finds later. They are
assumed to be no better than the positives, and labelled negatives to be worse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.logic import Context, Schema

Bits = NDArray[np.uint8]

POSITIVE, NEGATIVE, NEAR, CUT = range(4)


@dataclass
class Pool:
    """Assignments, each in a context and of a sort; grows, and never holds an assignment twice in a context."""

    data: Dataset
    rows: list[Bits] = field(default_factory=list)
    context_of: list[int] = field(default_factory=list)
    sort: list[int] = field(default_factory=list)
    example: list[int] = field(default_factory=list)
    known: set[tuple[int, bytes]] = field(default_factory=set)

    def add(self, context: int, row: Bits, sort: int, example: int = -1) -> bool:
        """Whether the assignment, which keeps the context and the domain, is new there."""
        key = (context, row.tobytes())
        if key in self.known:
            return False
        self.known.add(key)
        self.rows.append(row)
        self.context_of.append(context)
        self.sort.append(sort)
        self.example.append(example)
        return True

    def first(self, count: int) -> Pool:
        """The first so many assignments."""
        kept = (self.rows[:count], self.context_of[:count], self.sort[:count], self.example[:count])
        return Pool(self.data, *kept, {(c, row.tobytes()) for c, row in zip(kept[1], kept[0], strict=True)})

    def __len__(self) -> int:
        return len(self.rows)


def first_pool(data: Dataset, near: int, rng: np.random.Generator, enough: Callable[[], bool] = lambda: False) -> Pool:
    """The labelled examples, and about ``near`` completions near each positive, until there is ``enough``."""
    pool = Pool(data)
    for sort, wanted in ((POSITIVE, data.positive), (NEGATIVE, ~data.positive)):
        for k in np.flatnonzero(wanted).tolist():
            pool.add(int(data.context_of[k]), data.assignments[k], sort, k)
    moves = Moves(data.schema)
    for k in np.flatnonzero(data.positive).tolist():
        if enough():
            break
        c = int(data.context_of[k])
        for row in moves.near(data.assignments[k], data.contexts[c], near, rng):
            pool.add(c, row, NEAR)
    return pool


@dataclass
class Moves:
    """Small changes of an assignment: a column gets another value, or two columns exchange theirs."""

    schema: Schema

    def near(self, row: Bits, context: Context, count: int, rng: np.random.Generator) -> Iterable[Bits]:
        """So many assignments, or fewer, that differ from this one in a few columns and keep the context."""
        free = self._free_columns(context)
        if not len(free):
            return []
        found = np.repeat(row[None, :], count, axis=0)
        for i in range(count):
            if i % 2 and len(free) > 1:
                self._exchange(found[i], free, rng)
                if rng.random() < 0.5:
                    self._change(found[i], int(rng.choice(free)), rng)
            else:
                for c in rng.choice(free, size=min(len(free), int(rng.integers(1, 4))), replace=False).tolist():
                    self._change(found[i], c, rng)
        found = found[context.within(self.schema).holds(found)]
        return [each for each in found if (each != row).any()]

    def _free_columns(self, context: Context) -> NDArray[np.int64]:
        fixed = np.zeros(len(self.schema.variables), dtype=np.bool_)
        fixed[[abs(lit) - 1 for lit in context.within(self.schema).literals]] = True
        starts = np.array(self.schema.starts)
        sizes = np.diff(starts)
        return np.flatnonzero(np.add.reduceat(fixed, starts[:-1]) < sizes)

    def _change(self, row: Bits, column: int, rng: np.random.Generator) -> None:
        start, end = self.schema.starts[column], self.schema.starts[column + 1]
        if end - start == 1:
            row[start] ^= 1
            return
        values = self.schema.columns[column]
        if values.kind == "number":
            row[start:end] = np.arange(end - start) < rng.integers(end - start + 1)
        else:
            row[start:end] = 0
            row[int(rng.integers(start, end))] = 1

    def _exchange(self, row: Bits, free: NDArray[np.int64], rng: np.random.Generator) -> None:
        """Two columns of the same shape exchange their values, preferably different ones."""
        for _ in range(5):
            one, other = rng.choice(free, size=2, replace=False).tolist()
            a, b = self.schema.starts[one], self.schema.starts[other]
            size = self.schema.starts[one + 1] - a
            if size != self.schema.starts[other + 1] - b or (row[a : a + size] == row[b : b + size]).all():
                continue
            row[a : a + size], row[b : b + size] = row[b : b + size].copy(), row[a : a + size].copy()
            return
