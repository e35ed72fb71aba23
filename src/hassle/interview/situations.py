"""Situations to ask about: contexts like those in the data, and the decisions in them that are worth a look.

A new context has as many literals as one of the data, each drawn as often as the data has it, or, the more often the
fewer contexts there are, any other, so that nothing is beyond all questions: of a handful of contexts nobody can tell
what is given how often. Without any contexts to follow, some columns of a random assignment are given. Where a context
leaves few completions all of them are looked at, else the best decisions of members and what is near them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.logic import EMPTY, Context, Schema
from hassle.tables.completions import completions

# Literals are drawn alike, whatever the data has, as if so many contexts had been seen that have each as often; and
# tries for a context that is possible.
ALIKE, TRIES = 20, 50
# Columns that are given at most where no context shows how many are.
MOST_GIVEN = 4
# Up to so many completions of a context are all looked at.
FEW = 2**8

Bits = NDArray[np.uint8]


@dataclass(frozen=True)
class Situations:
    """Contexts, and decisions in them: row r is made in context ``where[r]``; rows of one context stand together."""

    contexts: tuple[Context, ...]
    where: NDArray[np.int64]
    rows: Bits

    @property
    def starts(self) -> NDArray[np.int64]:
        return np.searchsorted(self.where, np.arange(len(self.contexts)))

    @classmethod
    def of(cls, contexts: Sequence[Context], rows: Sequence[Bits]) -> Situations:
        kept = [(context, own) for context, own in zip(contexts, rows, strict=True) if len(own)]
        return cls(
            tuple(context for context, _ in kept),
            np.repeat(np.arange(len(kept)), [len(own) for _, own in kept]),
            np.concatenate([own for _, own in kept]) if kept else np.zeros((0, 0), dtype=np.uint8),
        )


def few_completions(context: Context, schema: Schema) -> bool:
    return completions(context, schema).fits(FEW)


def all_completions(context: Context, schema: Schema) -> Bits:
    listed = completions(context, schema)
    return listed.assignments(listed.words())


def new_context(seen: Sequence[Context], schema: Schema, rng: np.random.Generator) -> Context:
    """A context like those seen."""
    cubes = [context for context in seen if context.rest is None]
    if seen and (not cubes or rng.random() > len(cubes) / len(seen)):
        return seen[int(rng.integers(len(seen)))]  # formulas are taken as they are
    if not cubes:
        return _some_columns(schema, rng)
    length = len(cubes[int(rng.integers(len(cubes)))].literals)
    literals = np.array([lit for context in cubes for lit in context.literals], dtype=np.int64)
    variables = len(schema.variables)
    novel = ALIKE / (ALIKE + len(cubes))
    positive = ((literals > 0).sum() + ALIKE / 2) / (len(literals) + ALIKE)
    for _ in range(TRIES):
        chosen: dict[int, int] = {}
        while len(chosen) < min(length, variables):
            if rng.random() < novel or len(np.unique(np.abs(literals))) <= len(chosen):
                lit = int(rng.integers(1, variables + 1)) * (1 if rng.random() < positive else -1)
            else:
                lit = int(rng.choice(literals))
            chosen.setdefault(abs(lit), lit)
        context = Context(tuple(chosen[v] for v in sorted(chosen)))
        if completions(context, schema).count:
            return context
    return cubes[int(rng.integers(len(cubes)))]


def _some_columns(schema: Schema, rng: np.random.Generator) -> Context:
    """Up to half of the columns of a random assignment, and not many: what is given must be possible."""
    most = min(len(schema.columns) // 2, MOST_GIVEN)
    columns = rng.permutation(len(schema.columns))[: int(rng.integers(0, most + 1))]
    literals: list[int] = []
    for c in sorted(columns.tolist()):
        column, start = schema.columns[c], schema.starts[c]
        bits = column.encode(column.values[int(rng.integers(len(column.values)))])
        literals += [start + i + 1 if bit else -(start + i + 1) for i, bit in enumerate(bits)]
    return Context(tuple(literals)) if literals else EMPTY
