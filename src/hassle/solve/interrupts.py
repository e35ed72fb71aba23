"""Ctrl-C and time limits while a solver computes.

Solvers compute in a thread of their own, so that waiting for them can end any time. PySAT's solvers also catch the
signal themselves and raise an error of their own, which looks like a failure of the solver.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from hassle.workers import Workers

_PYSAT_MESSAGE = "Caught keyboard interrupt"
# How long to wait for a solver to notice that it is to stop before it is told again.
_GLANCE_SECONDS = 0.05

Result = TypeVar("Result")


@contextmanager
def keyboard_interrupts() -> Iterator[None]:
    """Inside, Ctrl-C is a KeyboardInterrupt, whoever catches it first."""
    try:
        yield
    except Exception as error:
        if str(error) == _PYSAT_MESSAGE:
            raise KeyboardInterrupt from None
        raise


def interruptible(compute: Callable[[], Result], stop: Callable[[], None], seconds: float | None = None) -> Result:
    """What ``compute`` returns; TimeoutError after so many seconds. ``stop`` must make it end from another thread."""
    running = Workers([compute])
    try:
        running.start(1)
        running.wait(seconds)
        if not running.done:
            raise TimeoutError
        return running.outcomes[0].result()
    finally:
        running.take_back()
        # Again and again, as solvers forget an interruption that comes before or between their searches.
        while not running.done:
            stop()
            running.wait(_GLANCE_SECONDS)


def seconds_until(deadline: float | None) -> float | None:
    """How many seconds are left until then, by the monotonic clock; None: no limit."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())
