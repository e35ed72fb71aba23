"""Numba only: arrays in, arrays out, no objects.

Compiled kernels are kept on disk, beside their source or, where that is read-only, in the user's cache directory. Where
neither may be written to (a read-only installation without a home, as in containers), Numba would refuse to load them;
then a directory serves that lasts as long as the process. ``NUMBA_CACHE_DIR`` names a better one.
"""

from __future__ import annotations

import numba
from numba.core import event

from hassle.compiling import clock
from hassle.files.leftovers import lasting_folder


def _probe() -> None:
    """A function that could be kept on disk."""


try:
    numba.njit(cache=True)(_probe)
except RuntimeError:
    numba.config.CACHE_DIR = str(lasting_folder())  # type: ignore[attr-defined]


class _ClockWatch(event.Listener):
    """Tells the clock of every compilation; what is found on disk is none."""

    def on_start(self, event: event.Event) -> None:
        clock.start()

    def on_end(self, event: event.Event) -> None:
        clock.stop()


event.register("numba:compile", _ClockWatch())
