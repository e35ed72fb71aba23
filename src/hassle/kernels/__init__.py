"""Numba only: arrays in, arrays out, no objects.

Compiled kernels are kept on disk, beside their source or in the user's cache directory. Where neither may be written
to (a read-only installation without a home, as in containers), Numba would refuse to load them; then a directory serves
that lasts as long as the process. ``NUMBA_CACHE_DIR`` names a better one.
"""

from __future__ import annotations

from tempfile import TemporaryDirectory

import numba


def _probe() -> None:
    """A function that could be kept on disk."""


try:
    numba.njit(cache=True)(_probe)
except RuntimeError:
    _lasting = TemporaryDirectory(prefix="hassle-kernels-")
    numba.config.CACHE_DIR = _lasting.name  # type: ignore[attr-defined]
