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
from collections.abc import Iterator
from contextlib import contextmanager
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
        _check_standard_output()
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    with _failures_told(path):
        _write(_behind_links(path), data)


def write_new(path: str | PathLike[str], text: str) -> None:
    """The text to a file that is not there yet, whole from its first moment; ``FileExistsError`` where there is one."""
    target = Path(path)
    if target.exists():
        raise FileExistsError
    with _failures_told(path):
        remove_drafts(target.parent)
        draft, handle, lock = new_draft(target.parent)
        try:
            with open(handle, "wb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            there = _take_name(draft, target)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(draft)
            if lock is not None:
                os.close(lock)
    if there:
        raise FileExistsError


def _take_name(draft: Path, target: Path) -> bool:
    """Give a draft its name; True where somebody else had taken it."""
    try:
        os.link(draft, target)
    except FileExistsError:
        return True
    except OSError:  # a drive without links: empty for a moment, but nobody else's
        try:
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        except FileExistsError:
            return True
        os.replace(draft, target)
    return False


def check_target(path: str | PathLike[str]) -> None:
    """Raise what writing this file would raise, as far as it can be known before: by making a draft beside it."""
    if os.fspath(path) == STANDARD:
        _check_standard_output()
        return
    with _failures_told(path):
        target = _behind_links(path)
        mode = _mode(target)
        if mode is None or stat.S_ISREG(mode):
            _try_draft(target.parent)
        elif not os.access(target, os.W_OK):  # a device or a pipe, which opening might change or wait for
            raise PermissionError


def check_folder(path: str | PathLike[str]) -> None:
    """The same for files in a folder that may have to be made first, with those around it."""
    with _failures_told(path):
        folder = _behind_links(path)
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
        if not folder.is_dir():
            raise InputError(f"{str(folder)!r} is not a directory", fix="name another one", file=os.fspath(path))
        _try_draft(folder)


def _try_draft(folder: Path) -> None:
    draft, handle, lock = new_draft(folder)
    os.unlink(draft)
    os.close(handle)
    if lock is not None:
        os.close(lock)


def _check_standard_output() -> None:
    if sys.stdout is None:
        raise InputError("is closed", fix="name a file", file="standard output")


def _behind_links(path: str | PathLike[str]) -> Path:
    """Through a link: the file behind it is replaced, not the link."""
    return Path(os.path.realpath(path))


@contextmanager
def _failures_told(path: str | PathLike[str]) -> Iterator[None]:
    """Inside, whatever makes writing to the path fail is an error of one line."""
    name = os.fspath(path)
    try:
        yield
    except IsADirectoryError:
        raise InputError("is a directory", fix="name a file in it", file=name) from None
    except FileNotFoundError:
        linked = os.path.islink(path)
        folder = _behind_links(path).parent if linked else Path(path).parent
        missing = f"{'is a link, and ' if linked else ''}there is no directory {str(folder)!r}"
        raise InputError(missing, fix="make it first", file=name) from None
    except PermissionError:
        raise InputError("may not be written", fix="check the directory's permissions", file=name) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot be written ({reason})", file=name) from None


def _mode(target: Path) -> int | None:
    """What kind of file there is, None where there is none; an error where it is a directory."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError
    return mode


def _write(target: Path, data: bytes) -> None:
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        target.write_bytes(data)  # a device or a pipe, such as /dev/null, must not be replaced by a file
        return
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
