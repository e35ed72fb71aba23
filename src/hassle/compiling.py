"""The time that compiling kernels takes: said once, and not counted against the time limit of a run.

Numba compiles a kernel when it is first called on a machine, and keeps it on disk. :mod:`hassle.kernels` tells this
module when that begins and ends; it is apart from the kernels so that whoever keeps time need not load Numba.
"""

from __future__ import annotations

import logging
import time

ANNOUNCEMENT = "compiling kernels (once on this machine; not counted against the time limit)"

log = logging.getLogger("hassle")


class Clock:
    """How long this process has compiled, and how many kernels, what they call aside; Numba compiles one at a time."""

    def __init__(self) -> None:
        self.kernels = 0
        self._before = 0.0
        self._depth = 0
        self._began = 0.0

    @property
    def seconds(self) -> float:
        """So far, what is under way included."""
        return self._before + (time.monotonic() - self._began if self._depth else 0.0)

    def start(self) -> None:
        if not self._depth:
            if not self.kernels:
                log.warning(ANNOUNCEMENT)
            self.kernels += 1
            self._began = time.monotonic()
        self._depth += 1

    def stop(self) -> None:
        self._depth -= 1
        if not self._depth:
            self._before += time.monotonic() - self._began


clock = Clock()
