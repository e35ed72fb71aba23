"""SIGTERM, which batch systems send when the time is up, is treated like Ctrl-C: the best so far is kept.

Both raise KeyboardInterrupt. Python loses an exception that comes up in a destructor or while a compiled module is
imported: then it is raised as soon as that is over. They also raise a flag, which a long run looks at.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType

INTERRUPTED, TERMINATED = 130, 143
# How soon a signal that came at a bad moment is looked at again.
_LATER_SECONDS = 0.02

_terminated = False
_flag = threading.Event()


def take_signals() -> None:
    """The first of the two signals raises the flag; a second SIGTERM ends the process at once."""
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:  # not where whoever started us has it ignored
        signal.signal(signal.SIGTERM, _terminate)
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _interrupt)


def ignore_signals() -> None:
    """Neither Ctrl-C nor one that came at a bad moment raises anything from now on."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, signal.SIG_IGN)


def new_flag() -> threading.Event:
    """The flag that a signal raises from now on."""
    global _flag
    _flag = threading.Event()
    return _flag


def _interrupt(number: int, frame: FrameType | None) -> None:
    if not _flag.is_set():  # else the code that this interrupts may be raising it, and hold its lock
        _flag.set()
    if hasattr(signal, "SIGALRM") and _would_be_lost(frame):
        signal.setitimer(signal.ITIMER_REAL, _LATER_SECONDS)
    else:
        raise KeyboardInterrupt


def _would_be_lost(frame: FrameType | None) -> bool:
    """Whether an exception raised here may never reach the command."""
    while frame is not None:
        if frame.f_code.co_name == "__del__" or frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _terminate(number: int, frame: FrameType | None) -> None:
    global _terminated
    _terminated = True
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _interrupt(number, frame)


def told_apart(code: int) -> int:
    """The exit code, which says by which of the two signals a command was interrupted."""
    return TERMINATED if code == INTERRUPTED and _terminated else code
