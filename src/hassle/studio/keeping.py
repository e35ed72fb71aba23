"""Keeping a study on the disk as it grows: whole at any moment, and at most a fraction of a second behind.

No file is ever written over by another study: a new one gets a name that is free, and a study that is open in another
studio is opened as a copy.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from hassle.errors import InputError
from hassle.studio.study import Study

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

EXTENSION = ".hassle"
# Seconds in which changes are gathered before they are written.
GATHERING = 0.2


def free_path(folder: Path, name: str) -> Path:
    """A new file for the study of this name, made at once so that nobody else takes it."""
    stem = re.sub(r"[^\w. -]", "_", os.path.splitext(name)[0]).strip(". ")[:60] or "study"
    for number in range(1, 10_000):
        path = folder / f"{stem}{'' if number == 1 else f'-{number}'}{EXTENSION}"
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
            return path
        except FileExistsError:
            continue
        except OSError as error:
            raise InputError(
                f"a study cannot be kept here ({error.strerror})", fix="start where you may write", file=str(folder)
            ) from None
    raise InputError("there are too many studies of this name", fix="move some of them away", file=str(folder))


class Keeper:
    """Writes the latest study to its file, from a thread of its own; ``failed`` hears why it could not."""

    def __init__(self, path: Path, failed: Callable[[str], None]) -> None:
        self.path = path
        self._failed = failed
        self._lock = _locked(path)
        self._latest: Study | None = None
        self._changed, self._closing = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    @staticmethod
    def is_open_elsewhere(path: Path) -> bool:
        """Whether another studio has the file open."""
        lock = _locked(path)
        if lock is None:
            return fcntl is not None
        os.close(lock)
        return False

    def keep(self, study: Study) -> None:
        self._latest = study
        self._changed.set()

    def close(self) -> None:
        """Write what is left, and let go of the file."""
        self._closing.set()
        self._changed.set()
        self._thread.join()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _work(self) -> None:
        while not self._closing.is_set():
            self._changed.wait()
            self._closing.wait(GATHERING)
            self._changed.clear()
            self._write()

    def _write(self) -> None:
        study, self._latest = self._latest, None
        if study is None:
            return
        try:
            study.save(self.path)
            self._failed("")
        except InputError as error:
            self._failed(str(error))


def _locked(path: Path) -> int | None:
    """A lock on the study's name, held until it is closed or the process ends; None where another has it."""
    if fcntl is None:
        return None
    key = hashlib.sha256(os.path.realpath(path).encode()).hexdigest()[:24]
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"hassle-studio-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(folder / f"{key}.lock", os.O_CREAT | os.O_RDWR, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle
