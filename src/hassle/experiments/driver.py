"""One experiment from its options to its files: rows, table, figure and manifest in a folder."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from hassle.errors import DataWarning, InputError
from hassle.experiments.catalogue import find_experiment
from hassle.experiments.experiment import Experiment, Row
from hassle.experiments.figures import draw
from hassle.experiments.grid import Watcher, carry_out
from hassle.experiments.manifest import manifest, read_options, write_manifest
from hassle.experiments.options import Options
from hassle.experiments.store import Store, rows_of, write_rows
from hassle.experiments.summary import markdown_table
from hassle.files.atomic import write_text
from hassle.learners.options import usable_cores


@dataclass(frozen=True)
class Outcome:
    """What was done and where it was written."""

    table: str
    rows: int
    runs: int
    failed: tuple[str, ...]
    files: tuple[str, ...]


def conduct(options: Options, folder: Path, jobs: int | None, cluster: str | None, watch: Watcher) -> Outcome:
    """Carry out what is missing of the experiment, and write its files anew from all runs.

    So many runs at a time, by default as many as there are cores for.
    """
    experiment = find_experiment(options.name)
    options = options.settled()
    runs = experiment.runs(options.scale())
    store = Store(folder)
    store.prepare()
    _check_folder(folder, options)
    write_manifest(folder / "manifest.json", manifest(options, runs))
    _tell_outdated(store)
    try:
        at_once = jobs or max(1, usable_cores() // max((run.cores for run in runs), default=1))
        carry_out(runs, store, at_once, cluster, watch)
    finally:
        store.close()
    records = store.records(runs)
    rows = rows_of(records)
    write_rows(folder / "rows.csv", rows)
    table = table_of(experiment, rows)
    write_text(folder / "table.md", table + "\n")
    good = [row for row in rows if not row["error"]]
    figures = draw(experiment, [*good, *experiment.published], folder / experiment.name) if good else []
    failed = tuple(record["error"] for record in records if record["error"])
    files = [folder / "rows.csv", folder / "table.md", *figures, folder / "manifest.json"]
    return Outcome(table, len(rows), len(runs), failed, tuple(map(str, files)))


def _tell_outdated(store: Store) -> None:
    count = store.outdated()
    if count:
        warnings.warn(
            f"{store.runs}: {count} runs were made by another version of the learners and are done again",
            DataWarning,
            stacklevel=2,
        )


def _check_folder(folder: Path, options: Options) -> None:
    """Refuse a folder that holds something else, which would be overwritten; more models or data sets are no harm."""
    if not (folder / "manifest.json").exists():
        return
    anew = "delete it to go on with the runs that are there, or name another folder with -o"
    earlier = read_options(str(folder / "manifest.json"), anew)
    earlier = replace(earlier, models=options.models, datasets=options.datasets)
    differing = [name for name, value in asdict(options).items() if asdict(earlier)[name] != value]
    if differing:
        raise InputError(
            f"{folder} holds an experiment with another {' and '.join(differing)}", fix="name another folder with -o"
        )


def table_of(experiment: Experiment, rows: list[dict[str, Any]]) -> str:
    """The experiment's table; over several cutoffs, that of the last one."""
    last = max((row["cutoff"] for row in rows if row.get("cutoff") is not None), default=None)
    shown: list[Row] = [row for row in rows if not row.get("error") and row.get("cutoff") == last]
    shown += experiment.published
    by = tuple(column for column in experiment.by if column != "cutoff")
    paper = {tuple(part for part in key if part != "last"): figures for key, figures in experiment.paper.items()}
    table = markdown_table(shown, by, experiment.measures, paper)
    if experiment.second is None:
        return table
    second = experiment.second
    return f"{table}\n\n{second.title}\n\n" + markdown_table(
        second.choose(shown), second.by, second.measures, second.paper
    )
