"""Files out: whole or not at all.

A file is written under another name in the same directory, flushed to the disk, and then renamed over the old one, so a
reader never sees half a file and a failed write leaves the old one as it was. The old file's permissions are kept. What
a killed write leaves behind, the next one into the same directory removes.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from os import PathLike
from pathlib import Path

from hassle.errors import InputError
from hassle.files.decode import STANDARD
from hassle.files.leftovers import new_draft, remove_drafts


def write_text(path: str | PathLike[str], text: str) -> None:
    """The text to a file, in UTF-8; ``-`` is standard output."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | PathLike[str], data: bytes) -> None:
    """The bytes to a file; ``-`` is standard output."""
    if os.fspath(path) == STANDARD:
        if sys.stdout is None:
            raise InputError("is closed", fix="name a file", file="standard output")
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        _write(Path(os.path.realpath(path)), data)  # through a link: the file behind it is replaced, not the link
    except IsADirectoryError:
        raise InputError("is a directory", fix="name a file in it", file=os.fspath(path)) from None
    except FileNotFoundError:
        folder = os.path.dirname(os.path.realpath(path) if os.path.islink(path) else path)
        link = "is a link, and " if os.path.islink(path) else ""
        what = f"{link}there is no directory {os.fspath(folder)!r}"
        raise InputError(what, fix="make it first", file=os.fspath(path)) from None
    except PermissionError:
        raise InputError("may not be written", fix="check the directory's permissions", file=os.fspath(path)) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot be written ({reason})", file=os.fspath(path)) from None


def _write(target: Path, data: bytes) -> None:
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        target.write_bytes(data)  # a device or a pipe, such as /dev/null, must not be replaced by a file
        return
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError
    remove_drafts(target.parent)
    draft, handle, lock = new_draft(target.parent)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(draft, stat.S_IMODE(mode))
        os.replace(draft, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise
    finally:
        if lock is not None:
            os.close(lock)
