"""How kernels are compiled.

A ``kernel`` is called from Python and kept on disk, with all that it calls. A ``part`` is called by kernels only (from
Python it would crash; its ``py_func`` does not): without a way in, and not kept by itself, it is compiled sooner, and
somebody waits for that on the first run.

Compiled kernels are kept beside their source or, where that is read-only, in the user's cache directory. Where neither
may be written to (a read-only installation without a home, as in containers), Numba would refuse to load them; then a
directory serves that lasts as long as the process. ``NUMBA_CACHE_DIR`` names a better one.
"""

from __future__ import annotations

import numba
from numba import njit
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

kernel = njit(cache=True, nogil=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]
part = njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)  # type: ignore[call-overload]
inlined = njit(nogil=True, inline="always")

# What NumPy has too: a copy between slices, or a minimum, brings Numba's checks and error messages along, which take
# seconds to compile.


@part
def copy_row(source, target):
    """Copy the entries of an array of one dimension to another of the same length."""
    for i in range(target.size):
        target[i] = source[i]


@part
def least_of(values):
    """The least entry of an array of one dimension that has any."""
    least = values[0]
    for i in range(1, values.size):
        least = min(least, values[i])
    return least
