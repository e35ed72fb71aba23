"""How long generating may take: asked often, and an error once the time is up."""

from __future__ import annotations

from collections.abc import Callable

from hassle.errors import ResourceError
from hassle.learners.budget import Budget

SecondsLeft = Callable[[], float | None]


def unlimited() -> float | None:
    return None


def limited(time_limit: float | None) -> SecondsLeft:
    """Says how many seconds are left from now on, and raises ResourceError when there are none."""
    if time_limit is None:
        return unlimited
    budget = Budget(time_limit)

    def seconds_left() -> float:
        if budget.exhausted:
            raise ResourceError(
                f"the problem was not made within {time_limit:g} s, so nothing is written; allow more time, or ask for "
                "fewer variables, clauses or contexts"
            )
        return budget.seconds_left

    return seconds_left
