"""Temporary files and folders: what a killed run leaves behind, the next one removes.

Whoever makes one holds a lock on it (``flock``) while it is in use. The system lets go of the lock when its process
ends, however that ends, and in whatever container it ran. So what bears our mark and can be locked is left over. Where
there are no such locks (Windows, some network drives), nothing is removed. A user's own files are never touched:
folders are known by a file inside, drafts by a name that nobody would choose, and both must belong to the same user.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

FOLDER_PREFIX = "hassle-"
# The file by which a temporary folder is known as ours; its lock is the folder's.
MARK = ".hassle-in-use"
DRAFT = re.compile(r"\.hassle-[0-9a-f]{16}\.draft")

_searched: set[Path] = set()


def new_draft(folder: Path) -> tuple[Path, int, int | None]:
    """A new file for what is being written: its name, a handle to write to, and the lock to close when it is done."""
    while True:
        draft = folder / f".hassle-{secrets.token_hex(8)}.draft"
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        if fcntl is None:
            return draft, handle, None
        lock = os.dup(handle)  # keeps the lock when the handle is closed
        if _locked(lock) is not False and os.fstat(lock).st_nlink:
            return draft, handle, lock
        # Another process took it for left over, before it was locked.
        os.close(handle)
        os.close(lock)
        with contextlib.suppress(OSError):
            os.unlink(draft)


def remove_drafts(folder: Path) -> None:
    """Remove the drafts in a folder that nobody is writing; looks into each folder once in the life of a process."""
    if not _first_time(folder):
        return
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if DRAFT.fullmatch(entry.name) and _is_ours(entry.path, stat.S_ISREG):
                with contextlib.suppress(OSError), _taken_over(Path(entry.path)) as left_over:
                    if left_over:
                        os.unlink(entry.path)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is removed at the end, or by the next process that wants one."""
    remove_folders()
    folder, lock = _new_folder()
    try:
        yield folder
    finally:
        _remove_folder(folder)
        if lock is not None:
            os.close(lock)


def lasting_folder() -> Path:
    """The same for as long as this process lasts."""
    remove_folders()
    folder, _ = _new_folder()  # the lock goes with the process
    owner = os.getpid()
    atexit.register(lambda: _remove_folder(folder) if os.getpid() == owner else None)  # not in forked children
    return folder


def remove_folders() -> None:
    """Remove our temporary folders that nobody uses; looks once in the life of a process."""
    home = Path(tempfile.gettempdir())
    if not _first_time(home / f"{FOLDER_PREFIX}*"):
        return
    with contextlib.suppress(OSError):
        for entry in os.scandir(home):
            mark = Path(entry.path) / MARK
            if (
                entry.name.startswith(FOLDER_PREFIX)
                and _is_ours(entry.path, stat.S_ISDIR)
                and _is_ours(mark, stat.S_ISREG)
            ):
                with contextlib.suppress(OSError), _taken_over(mark) as left_over:
                    if left_over:
                        _remove_folder(Path(entry.path))


def _new_folder() -> tuple[Path, int | None]:
    folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
    unmarked = folder / "unmarked"
    lock = os.open(unmarked, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    if fcntl is None:
        os.close(lock)
        return folder, None
    _locked(lock)
    os.rename(unmarked, folder / MARK)  # never marked without being locked
    return folder, lock


def _remove_folder(folder: Path) -> None:
    """The mark last: where something cannot be removed now, it can be later."""
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(folder)):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            elif entry.name != MARK:
                os.unlink(entry.path)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(folder / MARK)
        os.rmdir(folder)


def _first_time(folder: Path) -> bool:
    if folder in _searched:
        return False
    _searched.add(folder)
    return True


def _is_ours(path: str | Path, kind: Callable[[int], bool]) -> bool:
    """Whether this is a file or folder, not a link to one, of the user who runs this."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return kind(found.st_mode) and (not hasattr(os, "getuid") or found.st_uid == os.getuid())


@contextmanager
def _taken_over(path: Path) -> Iterator[bool]:
    """Whether nobody holds the file's lock; then it is ours inside."""
    if fcntl is None:
        yield False
        return
    handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW)  # network drives lock what may be written only
    try:
        yield _locked(handle) is True
    finally:
        os.close(handle)


def _locked(handle: int) -> bool | None:
    """Try to lock the file: False where somebody else has, None where files cannot be locked."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
