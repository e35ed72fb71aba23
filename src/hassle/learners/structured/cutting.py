"""Cuts: assignments that beat the positives of their contexts, looked for in pieces of work (see ``places``).

One search for each positive and what lies near it: they have nothing to do with each other, and take most of the time
of a round.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np
from numpy.typing import NDArray

from hassle.learners.places import Place, Shared, each, in_pieces
from hassle.learners.structured.search import Bits, Search

# What nearly beats a positive (by no more than this it falls short) is an alternative worth knowing, too.
NEARLY = 0.5
# Of what is equally good, so many are kept of each search: how many there are tells how much a model leaves open.
TIES = 8


@dataclass(frozen=True)
class Beginning:
    """Where a search begins: in a context, at ``start``, with what there is to beat; the seed decides its chances."""

    context: int
    positive: Bits
    start: Bits
    seed: int


@dataclass(frozen=True)
class Cut:
    """Assignments, equally good, that beat a positive or nearly do."""

    found: tuple[Bits, ...]
    beats: bool


Free = tuple[NDArray[np.int64], ...]


def cuts(
    place: Place,
    search: Search,
    free: Shared[Free],
    beginnings: Sequence[Beginning],
    steps: int,
    seconds_left: Callable[[], float],
) -> list[Cut | None]:
    """What is found from each beginning, in so many steps; ``free`` holds the open variables of each context."""
    shared = Shared(search)
    pieces = in_pieces(beginnings, place)
    handed = [(shared, free, piece, steps, seconds_left()) for piece in pieces]
    found = each(place, lambda: seconds_left() <= 0, piece_of_cuts, handed)
    return list(
        chain.from_iterable(
            repeat(None, len(piece)) if own is None else own for piece, own in zip(pieces, found, strict=True)
        )
    )


def piece_of_cuts(
    search: Search, free: Free, beginnings: Sequence[Beginning], steps: int, seconds: float
) -> list[Cut | None]:
    """The same for some beginnings, one after another, as long as there is time."""
    deadline = time.monotonic() + seconds if seconds < math.inf else math.inf
    return [
        None if time.monotonic() > deadline else _cut(search, free[begin.context], begin, steps) for begin in beginnings
    ]


def _cut(search: Search, free: NDArray[np.int64], begin: Beginning, steps: int) -> Cut | None:
    own = search.cost(begin.positive)
    found, cost = search.improved(begin.start, free, steps, begin.seed, TIES)
    return Cut(tuple(found), cost < own - 1e-6) if cost < own + NEARLY else None
