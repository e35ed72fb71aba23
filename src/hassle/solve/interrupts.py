"""Ctrl-C while a SAT solver computes.

PySAT's solvers catch the signal themselves and raise an error of their own, which looks like a failure of the solver.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_PYSAT_MESSAGE = "Caught keyboard interrupt"


@contextmanager
def keyboard_interrupts() -> Iterator[None]:
    """Inside, Ctrl-C is a KeyboardInterrupt, whoever catches it first."""
    try:
        yield
    except Exception as error:
        if str(error) == _PYSAT_MESSAGE:
            raise KeyboardInterrupt from None
        raise
