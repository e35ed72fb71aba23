"""One experiment from its options to its files: rows, table, figure and manifest in a folder."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hassle.errors import InputError
from hassle.experiments.catalogue import find_experiment
from hassle.experiments.experiment import Experiment, Scale
from hassle.experiments.figures import draw
from hassle.experiments.grid import Watcher, carry_out
from hassle.experiments.manifest import manifest, write_manifest
from hassle.experiments.store import Store, rows_of, write_rows
from hassle.experiments.summary import markdown_table


@dataclass(frozen=True)
class Options:
    """What determines an experiment's results; how many machines carry it out does not."""

    name: str
    full: bool = False
    models: int = 5
    datasets: int = 5
    cutoff: float | None = None
    cnf_dir: str | None = None

    def scale(self) -> Scale:
        return Scale(self.models, self.datasets, self.cutoff, self.full, cnf_files(self.cnf_dir))


@dataclass(frozen=True)
class Outcome:
    """What was done and where it was written."""

    table: str
    rows: int
    runs: int
    failed: tuple[str, ...]
    files: tuple[str, ...]


def conduct(options: Options, folder: Path, jobs: int, cluster: str | None, watch: Watcher) -> Outcome:
    """Carry out what is missing of the experiment, and write its files anew from all runs."""
    experiment = find_experiment(options.name)
    runs = experiment.runs(options.scale())
    store = Store(folder)
    store.prepare()
    write_manifest(folder / "manifest.json", manifest(asdict(options), len(runs)))
    carry_out(runs, store, jobs, cluster, watch)
    records = store.records(runs)
    rows = rows_of(records)
    write_rows(folder / "rows.csv", rows)
    table = table_of(experiment, rows)
    Path(folder / "table.md").write_text(table + "\n")
    figures = draw(experiment, [row for row in rows if not row["error"]], folder / experiment.name)
    failed = tuple(record["error"] for record in records if record["error"])
    files = [folder / "rows.csv", folder / "table.md", *figures, folder / "manifest.json"]
    return Outcome(table, len(rows), len(runs), failed, tuple(map(str, files)))


def table_of(experiment: Experiment, rows: list[dict[str, Any]]) -> str:
    """The experiment's table; over several cutoffs, that of the last one."""
    last = max((row["cutoff"] for row in rows if row.get("cutoff") is not None), default=None)
    shown = [row for row in rows if not row.get("error") and row.get("cutoff") == last]
    by = tuple(column for column in experiment.by if column != "cutoff")
    paper = {tuple(part for part in key if part != "last"): figures for key, figures in experiment.paper.items()}
    table = markdown_table(shown, by, experiment.measures, paper)
    if experiment.second is None:
        return table
    second = experiment.second
    return f"{table}\n\n{second.title}\n\n" + markdown_table(
        second.choose(shown), second.by, second.measures, second.paper
    )


def cnf_files(folder: str | None) -> tuple[str, ...]:
    """The DIMACS files of a folder, in order."""
    if folder is None:
        return ()
    files = tuple(str(path) for path in sorted(Path(folder).glob("*.cnf")))
    if not files:
        raise InputError(f"{folder}: there are no .cnf files", fix="name a folder of DIMACS files")
    return files
