"""SIGTERM, which batch systems send when the time is up, is treated like Ctrl-C: the best so far is kept.

Both raise KeyboardInterrupt. Python loses an exception that comes up in a destructor, in some callbacks or amid an
import, so they also raise a flag, which a long run looks at.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import NoReturn

INTERRUPTED, TERMINATED = 130, 143

_terminated = False
_flag = threading.Event()


def take_signals() -> None:
    """The first of the two signals raises the flag; a second SIGTERM ends the process at once."""
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:  # not where whoever started us has it ignored
        signal.signal(signal.SIGTERM, _terminate)
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def new_flag() -> threading.Event:
    """The flag that a signal raises from now on."""
    global _flag
    _flag = threading.Event()
    return _flag


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    if not _flag.is_set():  # else the code that this interrupts may be raising it, and hold its lock
        _flag.set()
    raise KeyboardInterrupt


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    global _terminated
    _terminated = True
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _interrupt(number, frame)


def told_apart(code: int) -> int:
    """The exit code, which says by which of the two signals a command was interrupted."""
    return TERMINATED if code == INTERRUPTED and _terminated else code
