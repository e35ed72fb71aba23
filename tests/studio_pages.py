"""What browser tests of the studio share: a Chromium found by name, a studio of its own, and small tables."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

# Debian's name first; never downloaded.
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# Set where a browser must be there: its absence is then a failure.
INSIST = "HASSLE_NEEDS_BROWSER"

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def find_chromium() -> str:
    """The browser's path; skips the test loudly, or fails it, where there is none."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    said = "there is no Chromium here: the studio's page is NOT tested (apt-get install chromium)"
    if os.environ.get(INSIST):
        pytest.fail(said)
    warnings.warn(said, stacklevel=2)
    pytest.skip(said)


class Studio:
    """A studio in a process of its own, in a folder of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "hassle", "studio", "--no-browser", "--json", "--port", "0", *arguments]
        self.folder = folder
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.said = json.loads(self.process.stdout.readline())
        self.address = self.said["address"]

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(30)


def rooms_csv(copies: int = 3) -> str:
    """Meetings in small or large rooms, on a busy or a quiet day: quick to learn, with all kinds of columns."""
    rows = []
    for day in ("busy", "quiet"):
        for standup in ("small", "large"):
            for review in ("small", "large"):
                for party in ("yes", "no"):
                    chairs = 2 if day == "busy" else 3
                    good = standup != review and not (day == "busy" and party == "yes")
                    rows.append(f"{day},{standup},{review},{party},{chairs},{'good' if good else 'bad'}")
    return "\n".join(["day,standup,review,party,chairs,label", *(rows * copies)]) + "\n"


def ward_study(more: str = "") -> bytes:
    """The bundled ward as a study whose rules are the true ones, and ``more``, as if they had been learned."""
    from hassle.bundled import WARD_EXAMPLES, ward_truth
    from hassle.studio.study import rules_text

    truth = ward_truth()
    return _study("ward.jsonl", WARD_EXAMPLES.read_bytes(), rules_text(truth.rules, truth.schema) + more)


def rooms_study() -> bytes:
    """The same for the rooms."""
    return _study("rooms.csv", rooms_csv().encode(), "must day = quiet | !party\n0.5 standup = large\n")


def _study(name: str, content: bytes, rules: str) -> bytes:
    from hassle.studio.source import Source
    from hassle.studio.study import Learned, Study, study_text

    learned = Learned(rules, 1, 1, "perfect", 1.0)
    return study_text(Study.of(Source(name, content)).stepped("Learned", learned=learned)).encode()
