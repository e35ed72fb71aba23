"""Standard streams that do not play along: closed ones, and an stderr that nobody can write to.

What a command has to say beside its answer must not cost the user the answer. So stderr never fails, and a closed
stream's number is taken, or the next file that is opened, perhaps the model, would get what libraries print there.
"""

from __future__ import annotations

import io
import os
import sys

STDERR = 2


def prepare_streams() -> None:
    """Take the numbers of closed streams, and make stderr forget what cannot be written."""
    for number in range(STDERR + 1):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # gets the lowest free number, which is this one
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    sys.stderr = io.TextIOWrapper(_Forgetful(), encoding, "backslashreplace", write_through=True)


class _Forgetful(io.RawIOBase):
    """The process's stderr; writing to it always succeeds."""

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(STDERR, rest) :]
        except OSError:
            pass  # a full disk, or a reader that is gone: nobody is left to tell
        return len(data)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return STDERR

    def isatty(self) -> bool:
        return os.isatty(STDERR)
