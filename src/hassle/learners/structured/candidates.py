"""All candidates as one list: their price, what they say, and how often each assignment breaks each of them.

A candidate is a column of some kind, or its opposite. Candidate ``2 * column`` is the column's family and
``2 * column + 1`` the opposite one; ``price`` is infinite where a kind has no opposite.

The price is what it takes to say the family: more where its shape is less usual (``complexity``), and the more families
of its shape there are, so that a rule for everybody is cheaper than one for Ana on Tuesday.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.learners.structured.kinds import Kind, Rows, kinds_of
from hassle.logic import Constraint, Schema
from hassle.memory import allowed_memory
from hassle.model.families import Family

# How much of the logarithm of the number of siblings is added to the price.
NAMING = 0.5
# Columns, unless somebody says how many: every assignment of the pool has a byte for each, of which there are about so
# many for a positive, in this share of the memory allowed. More than so many are never looked at: that takes too long.
SHARE, ROWS_PER_POSITIVE, FEWEST_COLUMNS, MOST_COLUMNS = 0.25, 120, 2_000, 60_000
# Seconds to count such a byte (measured: 3 to 5), and the share of the time of a run that may go into it.
COUNTING_SECONDS, COUNTING_SHARE = 4e-8, 0.4
# Rows of a pool that are counted at a time.
CHUNK = 4096


def given_in(data: Dataset) -> frozenset[int]:
    """The variables that every context fixes: demand, requests, whatever was not decided."""
    contexts = iter(data.contexts)
    found = set(next(contexts).within(data.schema).literals) if len(data.contexts) else set[int]()
    given = {abs(lit) - 1 for lit in found}
    for context in contexts:
        if not given:
            break
        given &= {abs(lit) - 1 for lit in context.within(data.schema).literals}
    return frozenset(given)


def _go_on() -> None:
    """There is time."""


@dataclass(frozen=True)
class Candidates:
    """The candidates for a schema; those that are ``left_out`` are not for sale."""

    schema: Schema
    kinds: tuple[Kind, ...]
    left_out: tuple[int, ...] = ()

    @classmethod
    def of(
        cls,
        schema: Schema,
        positives: NDArray[np.uint8],
        most: int | None = None,
        given: Collection[int] = (),
        seconds: float = math.inf,
    ) -> Candidates:
        """At most ``most`` columns; without a number, as many as a pool of the usual size has room and time for.

        ``seconds`` is how long the run may take.
        """
        if most is None:
            rows = ROWS_PER_POSITIVE * max(1, len(positives))
            room = SHARE * allowed_memory() / rows
            counted = COUNTING_SHARE * seconds / (COUNTING_SECONDS * rows)
            most = max(FEWEST_COLUMNS, int(min(MOST_COLUMNS, room, counted)))
        return cls(schema, tuple(kinds_of(schema, positives, most, given)))

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first column of each kind, and at the end the number of columns."""
        return np.concatenate([[0], np.cumsum([kind.columns for kind in self.kinds])]).astype(np.int64)

    @property
    def columns(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def prices(self) -> NDArray[np.float64]:
        """The price of each candidate."""
        result = np.full(2 * self.columns, np.inf)
        for kind, start, end in zip(self.kinds, self.starts, self.starts[1:], strict=False):
            price = kind.complexity + NAMING * np.log(kind.siblings)
            result[2 * start : 2 * end : 2] = price
            if kind.two_sided:
                result[2 * start + 1 : 2 * end : 2] = price
        result[list(self.left_out)] = np.inf
        return result

    @cached_property
    def instances(self) -> NDArray[np.int16]:
        """How many instances the family of each column has."""
        return np.repeat([kind.instances for kind in self.kinds], [kind.columns for kind in self.kinds]).astype(
            np.int16
        )

    def family(self, candidate: int) -> Constraint | Family:
        column, opposite = divmod(int(candidate), 2)
        place = int(np.searchsorted(self.starts, column, side="right")) - 1
        return self.kinds[place].family(column - int(self.starts[place]), bool(opposite))

    def broken(self, assignments: NDArray[np.uint8], checkpoint: Callable[[], None] = _go_on) -> NDArray[np.uint8]:
        """For each assignment and column: how many instances it breaks; more than 255 count as 255.

        On the way ``checkpoint`` is called, which may raise an error.
        """
        result = np.empty((len(assignments), self.columns), dtype=np.uint8)
        for first in range(0, len(assignments), CHUNK):
            rows = Rows(self.schema, assignments[first : first + CHUNK])
            for kind, start, end in zip(self.kinds, self.starts, self.starts[1:], strict=False):
                checkpoint()
                counts = kind.broken(rows)
                result[first : first + CHUNK, start:end] = np.minimum(counts, 255)
        return result

    def signed(self, broken: NDArray[np.uint8], candidates: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float64]:
        """The columns of these candidates; an opposite is broken where its column holds (up to a constant)."""
        chosen = np.asarray(candidates, dtype=np.int64)
        signs = np.where(chosen % 2, -1.0, 1.0)
        return np.asarray(broken[:, chosen // 2] * signs, dtype=np.float64)
