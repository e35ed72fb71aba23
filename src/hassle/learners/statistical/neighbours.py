"""The neighbours of a context: what could have been recorded in its place (:mod:`hassle.kernels.evidence`).

A neighbour differs from its context in one *circumstance*. A column that the context fixes is one, and has another
value in the neighbour; so the neighbour leaves as many points open. Each literal about a column that is not fixed
(``shift != night``) is one, and is turned around.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from hassle.logic import Clause, Context, Schema
from hassle.logic.columns import Column


def circumstances(context: Context, schema: Schema) -> list[list[Clause]]:
    """For each circumstance: what the context's literals would be if it were different, in each way it could be."""
    found = []
    for place, group in groupby(context.literals, key=lambda lit: int(schema.column_of[abs(lit) - 1])):
        own = tuple(group)
        others = tuple(lit for lit in context.literals if lit not in own)
        for turned in _instead(own, schema.columns[place], schema.starts[place]):
            found.append([tuple(sorted((*others, *literals), key=abs)) for literals in turned])
    return found


def draw_neighbours(context: Context, schema: Schema, count: int, rng: np.random.Generator) -> list[Context]:
    """So many neighbours, each in another circumstance."""
    possible = circumstances(context, schema)
    result = []
    for turned in rng.permutation(len(possible))[:count]:
        ways = possible[turned]
        result.append(Context(ways[rng.integers(len(ways)) if len(ways) > 1 else 0], context.rest))
    return result


def _instead(literals: Clause, column: Column, start: int) -> list[list[Clause]]:
    """The circumstances in a column, given the context's literals about it."""
    codes = np.array([column.encode(value) for value in column.values], dtype=np.int64)
    atoms, signs = np.abs(literals) - 1 - start, np.array(literals) > 0
    left = (codes[:, atoms] == signs).all(axis=1)
    if left.sum() != 1:
        return [[tuple(-lit if i == k else lit for i, lit in enumerate(literals))] for k in range(len(literals))]
    return [[_fixing(codes, value, start) for value in np.flatnonzero(~left).tolist()]]


def _fixing(codes: NDArray[np.int64], value: int, start: int) -> Clause:
    """Literals that leave a column just this value: all its atoms."""
    return tuple(start + 1 + k if bit else -(start + 1 + k) for k, bit in enumerate(codes[value].tolist()))
