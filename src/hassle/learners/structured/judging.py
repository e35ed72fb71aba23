"""Judging a model on the examples, a solve for each context: in pieces of work where a cluster does them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.learners.places import Place, Shared, each, in_pieces
from hassle.model import Model
from hassle.solve import verdicts_in_time

Judged = tuple[list[int], NDArray[np.bool_]]


def judged(
    place: Place, model: Model, data: Dataset, contexts: Sequence[int], seconds_left: Callable[[], float]
) -> Judged:
    """As :func:`hassle.solve.verdicts_in_time`, which does it here: many contexts may share a table, or a solver."""
    if not place.afar:
        return verdicts_in_time(model, data, contexts, seconds_left)
    shared = Shared((model, data))
    pieces = [(shared, piece, seconds_left()) for piece in in_pieces(contexts, place)]
    found = [own for own in each(place, lambda: seconds_left() <= 0, piece_of_judging, pieces) if own is not None]
    done = [c for own, _ in found for c in own]
    return done, np.concatenate([np.zeros(0, dtype=np.bool_), *(agreed for _, agreed in found)])


def piece_of_judging(shared: tuple[Model, Dataset], contexts: Sequence[int], seconds: float) -> Judged:
    """The same for some contexts, as long as there is time."""
    deadline = time.monotonic() + seconds if seconds < math.inf else math.inf
    return verdicts_in_time(*shared, contexts, lambda: deadline - time.monotonic())
