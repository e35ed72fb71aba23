"""SIGTERM, which batch systems send when the time is up, is treated like Ctrl-C: the best so far is kept."""

from __future__ import annotations

import signal
from types import FrameType
from typing import NoReturn

INTERRUPTED, TERMINATED = 130, 143

_received = False


def take_termination_for_ctrl_c() -> None:
    """The first SIGTERM raises KeyboardInterrupt, the second ends the process at once."""
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:  # not where whoever started us has it ignored
        signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    global _received
    _received = True
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    raise KeyboardInterrupt


def told_apart(code: int) -> int:
    """The exit code, which says by which of the two signals a command was interrupted."""
    return TERMINATED if code == INTERRUPTED and _received else code
