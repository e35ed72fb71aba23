"""Where runs are kept: one small file per finished run, written atomically, and the tables made from them.

A run is done when its file is there and whole, so a grid that was killed at any moment goes on where it was: nothing
that was finished is lost, and nothing is done twice. The file's name is the run's key, so changed settings and other
versions of the learners are other runs. A file that a full disk, a copy or an editor has damaged is told and its run
done again.

Several drivers may work in one folder: each claims a run before it begins, by locking a byte of one file that stands
for the run. The system lets go of a claim when its driver ends, however it does.
"""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import warnings
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hassle.errors import DataWarning, InputError
from hassle.experiments.run import Run, version_of
from hassle.files.atomic import write_text
from hassle.files.leftovers import remove_drafts

# Damaged files that a warning names.
MOST_NAMED = 3


class Store:
    """A folder of finished runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = folder / "runs"
        self._claims: int | None = None

    def prepare(self) -> None:
        try:
            self.runs.mkdir(parents=True, exist_ok=True)
            remove_drafts(self.runs)
        except OSError as error:
            raise InputError(
                f"{self.folder}: cannot be made a folder ({error.strerror})", fix="choose another"
            ) from None

    def claim(self, run: Run) -> bool:
        """Take the run, unless another driver has it."""
        if self._claims is None:
            self._claims = os.open(self.folder / ".claims", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.lockf(self._claims, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(run))
        except OSError:
            return False
        return True

    def release(self, run: Run) -> None:
        """Give the run back, done or not."""
        if self._claims is not None:
            fcntl.lockf(self._claims, fcntl.LOCK_UN, 1, _place(run))

    def close(self) -> None:
        """Give back all runs."""
        if self._claims is not None:
            os.close(self._claims)
            self._claims = None

    def has(self, run: Run) -> bool:
        """Whether the run is done."""
        return self._record(run) is not None

    def outdated(self) -> int:
        """How many runs here were made by other versions of the learners, and so count for nothing."""
        return sum(_is_outdated(path) for path in self.runs.glob("*.json"))

    def missing(self, runs: Iterable[Run]) -> list[Run]:
        """The runs that are to be done; those whose files are damaged are told."""
        undone = [run for run in runs if self._record(run) is None]
        damaged = [self._path(run).name for run in undone if self._path(run).exists()]
        if damaged:
            more = f" and {len(damaged) - MOST_NAMED} more" if len(damaged) > MOST_NAMED else ""
            warnings.warn(
                f"{self.runs}: damaged, so that the runs are done again: {', '.join(damaged[:MOST_NAMED])}{more}",
                DataWarning,
                stacklevel=2,
            )
        return undone

    def keep(self, run: Run, record: dict[str, Any]) -> None:
        write_text(self._path(run), json.dumps(record, sort_keys=True) + "\n")

    def records(self, runs: Iterable[Run]) -> list[dict[str, Any]]:
        """The records of the finished ones among these runs, in their order."""
        return [record for run in runs if (record := self._record(run)) is not None]

    def _record(self, run: Run) -> dict[str, Any] | None:
        """The run's record, None where there is none or where it is damaged."""
        try:
            record = json.loads(self._path(run).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        return record if _is_whole(record, run) else None

    def _path(self, run: Run) -> Path:
        return self.runs / f"{run.key}.json"


def _place(run: Run) -> int:
    """The byte that stands for the run."""
    return int(run.key[:12], 16)


def _is_outdated(path: Path) -> bool:
    """Whether a record names another version of its learner; one that names none is of version 1."""
    try:
        run = json.loads(path.read_text(encoding="utf-8"))["run"]
        return int(run.get("version", 1)) != version_of(run["method"])
    except (OSError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return False


def _is_whole(record: object, run: Run) -> bool:
    """Whether this is what :func:`hassle.experiments.run.attempt` makes of the run."""
    if not isinstance(record, dict) or record.get("run") != json.loads(json.dumps(asdict(run))):
        return False
    rows, error = record.get("rows"), record.get("error", "")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return False
    return (error is None and len(rows) == len(run.cutoffs)) or (isinstance(error, str) and error != "")


def rows_of(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """One flat row per run and cutoff; a failed run has one row with its error."""
    rows = []
    for record in records:
        settings = {name: value for name, value in record["run"].items() if name != "cutoffs"}
        settings["step_limit"] = settings.pop("steps")  # a row's ``steps`` are those made
        for file in ("cnf", "problem"):
            settings[file] = settings[file] and Path(settings[file]).name
        for row in record["rows"] or [{}]:
            rows.append({**settings, **row, "error": record["error"]})
    return rows


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """The rows as a CSV file, with every column that any of them has."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    write_text(path, text.getvalue())


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows back from a CSV file, numbers as numbers and empty cells as None."""
    with path.open(newline="") as file:
        return [{name: _value(text) for name, text in row.items()} for row in csv.DictReader(file)]


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return round(value, 6) if isinstance(value, float) else value


def _value(text: str) -> Any:
    if text in ("", "True", "False"):
        return {"": None, "True": True, "False": False}[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
