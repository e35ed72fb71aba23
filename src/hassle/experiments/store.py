"""Where runs are kept: one small file per finished run, written atomically, and the tables made from them.

A run is done when its file exists, so a grid that was killed at any moment goes on where it was: nothing that was
finished is lost, and nothing is done twice. The file's name is the run's key, so changed settings are other runs.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hassle.errors import InputError
from hassle.experiments.run import Run
from hassle.files.atomic import write_text


class Store:
    """A folder of finished runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = folder / "runs"

    def prepare(self) -> None:
        try:
            self.runs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"{self.folder}: cannot be made a folder ({error.strerror})", fix="choose another"
            ) from None

    def missing(self, runs: Iterable[Run]) -> list[Run]:
        return [run for run in runs if not self._path(run).exists()]

    def keep(self, run: Run, record: dict[str, Any]) -> None:
        write_text(self._path(run), json.dumps(record, sort_keys=True) + "\n")

    def records(self, runs: Iterable[Run]) -> list[dict[str, Any]]:
        """The records of the finished ones among these runs, in their order."""
        return [json.loads(self._path(run).read_text()) for run in runs if self._path(run).exists()]

    def _path(self, run: Run) -> Path:
        return self.runs / f"{run.key}.json"


def rows_of(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """One flat row per run and cutoff; a failed run has one row with its error."""
    rows = []
    for record in records:
        settings = {name: value for name, value in record["run"].items() if name != "cutoffs"}
        settings["step_limit"] = settings.pop("steps")  # a row's ``steps`` are those made
        if settings["cnf"]:
            settings["cnf"] = Path(settings["cnf"]).name
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
