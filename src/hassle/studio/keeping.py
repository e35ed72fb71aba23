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
from hassle.files.atomic import write_new
from hassle.studio.study import Study, study_text

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

EXTENSION = ".hassle"
# Seconds in which changes are gathered before they are written, and until a write that failed is tried again.
GATHERING, RETRYING = 0.2, 2.0


def new_file(folder: Path, name: str, study: Study) -> Path:
    """A new file for the study of this name, with the study in it: a studio may be killed before it says more."""
    stem = re.sub(r"[^\w. -]", "_", os.path.splitext(name)[0]).strip(". ")[:60] or "study"
    for number in range(1, 10_000):
        path = folder / f"{stem}{'' if number == 1 else f'-{number}'}{EXTENSION}"
        try:
            write_new(path, study_text(study))
            return path
        except FileExistsError:
            continue
        except InputError as error:
            raise InputError(f"no study can be kept here: {error}", fix="start where you may write") from None
    raise InputError("there are too many studies of this name", fix="move some of them away", file=str(folder))


class Keeper:
    """Writes the latest study to its file, from a thread of its own; ``failed`` hears why it could not."""

    def __init__(self, path: Path, failed: Callable[[str], None]) -> None:
        self.path = path
        self._failed = failed
        self._lock = _locked(path)
        self._latest: Study | None = None  # what is not written yet
        self._keeping = threading.Lock()
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
        with self._keeping:
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
            self._changed.wait(None if self._latest is None else RETRYING)
            self._closing.wait(GATHERING)
            self._changed.clear()
            self._write()

    def _write(self) -> None:
        study = self._latest
        if study is None:
            return
        try:
            study.save(self.path)
        except Exception as error:  # whatever it is: told, and tried again, as nothing else would save the study
            self._failed(str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}")
            return
        with self._keeping:
            if self._latest is study:
                self._latest = None
        self._failed("")


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
