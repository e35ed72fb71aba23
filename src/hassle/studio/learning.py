"""The studio's side of learning: starts the process, hands it studies, passes on what it tells.

A closed page does not touch it; a closed studio ends it, as its standard input ends. A run that does not stop in time
is ended with its process, and the next one gets a new process.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

from hassle.errors import HassleError
from hassle.studio.study import Study, study_text

# Seconds that a run may take to stop before its process is ended.
PATIENCE = 6.0

Event = dict[str, Any]


class Learning:
    """At most one run at a time; ``heard`` is called with each event of the latest one, from another thread."""

    def __init__(self, heard: Callable[[Event], None]) -> None:
        self._heard = heard
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._patience: threading.Timer | None = None
        self.run = 0
        self.running = False

    def prepare(self) -> None:
        """Have the process there, so that a run begins at once."""
        with self._lock:
            self._ready()

    def start(self, study: Study, seconds: float, seed: int) -> int:
        """Learn from the study, in place of the run before; the number of the run."""
        with self._lock:
            self.run += 1
            self.running = True
            text = study_text(study)
            self._say({"do": "learn", "run": self.run, "study": text, "seconds": seconds, "seed": seed})
            return self.run

    def stop(self) -> None:
        """Ask the run to end with the best so far."""
        with self._lock:
            if self.running and self._process is not None:
                self._say({"do": "stop"})
                self._end_if_late(self._process, self.run)

    def drop(self) -> None:
        """Forget the run: nothing that it tells is passed on any more."""
        with self._lock:
            if self.running:
                self.run += 1
                self.running = False
                self._say({"do": "stop"})

    def close(self) -> None:
        with self._lock:
            self.run += 1
            self.running = False
            process, self._process = self._process, None
            if self._patience is not None:
                self._patience.cancel()
        if process is not None:
            process.kill()
            process.wait()

    def _say(self, request: Event) -> None:
        process = self._ready()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        except (BrokenPipeError, OSError):  # it was ended from outside: once more with a new one
            self._process = None
            if request["do"] == "learn":
                process = self._ready()
                assert process.stdin is not None
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()

    def _ready(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "hassle.studio.learning_process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                start_new_session=True,
            )
            threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()
        return self._process

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if not line.endswith("\n"):
                break  # it was ended in the middle of a word
            event = json.loads(line)
            with self._lock:
                current = event.get("run") == self.run
                if current and event["event"] in ("done", "failed"):
                    self.running = False
            if current or event["event"] == "ready":
                try:
                    self._heard(event)
                except Exception as error:  # what was learned cannot be used: said, and not silently lost
                    said = str(error) if isinstance(error, HassleError) else f"internal error: {error!r}"
                    self._heard({"event": "failed", "run": self.run, "error": said})
        with self._lock:
            lost = self.running and self._process is process
            if lost:
                self.running = False
                self._process = None
            run = self.run
        if lost:
            self._heard({"event": "failed", "run": run, "error": "learning ended unexpectedly; start it again"})

    def _end_if_late(self, process: subprocess.Popen[str], run: int) -> None:
        def end() -> None:
            with self._lock:  # held, so that no other run begins in the process that is ended
                if self.running and self.run == run:
                    process.kill()

        self._patience = threading.Timer(PATIENCE, end)
        self._patience.daemon = True
        self._patience.start()
