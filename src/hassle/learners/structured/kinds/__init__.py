"""Kinds of candidate families, one class each: what it says, how many there are, and who breaks it how often.

To add a kind, write its class in the file of its subject, or in a new one, with a function that yields those of an
arrangement; list that in :func:`kinds_of`, and it is tested with the others against the families' own instances.
"""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from hassle.learners.structured.kinds.across import across
from hassle.learners.structured.kinds.counts import bounds, counts
from hassle.learners.structured.kinds.exceptions import exceptions
from hassle.learners.structured.kinds.groups import gaps, together
from hassle.learners.structured.kinds.kind import Counts, Kind, Rows
from hassle.learners.structured.kinds.plain import Pairs, Single
from hassle.learners.structured.kinds.sequences import sequences
from hassle.logic import Number, Schema
from hassle.model.families import cells_of, numbers_at

__all__ = ["Counts", "Kind", "Rows", "kinds_of"]

# Pairs of literals are looked at where there are at most so many variables.
MOST_FOR_PAIRS = 120


def kinds_of(
    schema: Schema, positives: NDArray[np.uint8], most_columns: int | None = None, given: Collection[int] = ()
) -> list[Kind]:
    """All kinds of candidates for the schema; bounds of counts are those that the positives come near to.

    ``given`` are the variables that every context fixes: what speaks of them alone cannot be decided. With
    ``most_columns``, kinds with the fewest siblings come first and those that would exceed it are left out.
    """
    found: list[Kind] = []
    rows, known = Rows(schema, positives), set(given)
    arranged = set[int]()
    for arrangement in schema.arrangements:
        own = {int(v) for v in cells_of(schema, arrangement).ravel() if v >= 0}
        arranged |= own
        if own <= known:  # numbers, or what was given
            continue
        plain = list(counts(schema, arrangement, rows, math.inf if most_columns is None else most_columns))
        bounded = list(bounds(schema, arrangement, rows))
        found += [*plain, *bounded, *exceptions([*plain, *bounded])]
        found += sequences(schema, arrangement)
        found += together(schema, arrangement)
        found += gaps(schema, arrangement)
        found += across(schema, arrangement)
    arranged |= _in_numbers(schema)
    free = [v for v in range(len(schema.variables)) if v not in arranged and v not in known]
    if free:
        found.append(Single(tuple(free)))
    if (free or not schema.plain) and len(schema.variables) <= MOST_FOR_PAIRS:
        found.append(Pairs(schema))
    found = [kind for kind in found if kind.columns and kind.instances > 0]
    if most_columns is None:
        return found
    found.sort(key=lambda kind: kind.siblings)
    totals = np.cumsum([kind.columns for kind in found])
    return [kind for kind, total in zip(found, totals, strict=True) if total <= most_columns]


def _in_numbers(schema: Schema) -> set[int]:
    """The variables of numbers that are arranged."""
    found = set[int]()
    for arrangement in schema.arrangements:
        where = numbers_at(schema, arrangement)
        for column in () if where is None else where[where >= 0].tolist():
            assert isinstance(schema.columns[column], Number)
            found |= set(range(schema.starts[column], schema.starts[column + 1]))
    return found
