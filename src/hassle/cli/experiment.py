"""``hassle experiment``: the paper's questions as reproducible grids."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hassle.cli.options import Json
from hassle.cli.output import emit
from hassle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hassle.experiments.grid import GridProgress, Watcher
    from hassle.experiments.options import Options

EXAMPLE = "hassle experiment q5 -o out"


def experiment(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="q1 … q7, benchmark, efficiency, growth or gen."),
    ] = None,
    out: Annotated[str, typer.Option("--out", "-o", metavar="DIR", help="Folder for rows, table and figures.")] = "",
    full: Annotated[bool, typer.Option("--full/--quick", help="The paper's cutoffs (hours!), or seconds.")] = False,
    models: Annotated[int, typer.Option("--models", min=1, help="True models per setting.")] = 5,
    datasets: Annotated[int, typer.Option("--datasets", min=1, help="Data sets per model.")] = 5,
    cutoff: Annotated[
        float | None, typer.Option("--cutoff", min=0.001, metavar="SECONDS", help="Time limit of each run.")
    ] = None,
    cnf_dir: Annotated[
        str | None, typer.Option("--cnf-dir", metavar="DIR", help="SATLIB files for the benchmark; else our own.")
    ] = None,
    problems: Annotated[
        str | None,
        typer.Option("--problems", metavar="DIR", help="For gen: files NAME.csv and NAME.wcnf, examples and truths."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, help="Runs at a time on this machine; else what its cores suffice for."),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option("--cluster", metavar="ADDRESS", help="Run on a Dask cluster (tcp://host:8786).")
    ] = None,
    rerun: Annotated[
        str | None, typer.Option("--rerun", metavar="MANIFEST", help="Repeat an experiment from its manifest.json.")
    ] = None,
    json: Json = False,
) -> int:
    """Carry out one of the paper's experiments; the same command goes on where it was interrupted."""
    from pathlib import Path

    from hassle.experiments.driver import conduct
    from hassle.experiments.manifest import read_options
    from hassle.experiments.options import Options

    if not out:
        raise InputError("there is no folder for the results", fix="name one with -o DIR")
    if (name is None) == (rerun is None):
        raise InputError("an experiment is given by its name or by --rerun MANIFEST", fix="give one of the two")
    options = read_options(rerun) if rerun else Options(str(name), full, models, datasets, cutoff, cnf_dir, problems)
    if options.full:
        _warn_of_cost(options)
    with _watching(options.name) as watch:
        outcome = conduct(options, Path(out), jobs, cluster, watch)
    for error in sorted(set(outcome.failed)):
        print(f"hassle: warning: {outcome.failed.count(error)} runs failed: {error}", file=sys.stderr)
    record: dict[str, Any] = {
        "experiment": options.name,
        "runs": outcome.runs,
        "rows": outcome.rows,
        "failed": len(outcome.failed),
        "files": list(outcome.files),
    }
    written = ", ".join(os.path.relpath(file, out) for file in outcome.files)
    emit(record, f"{outcome.table}\n\nWrote {written} to {out}", json)
    return 1 if len(outcome.failed) == outcome.runs else 0


def _warn_of_cost(options: Options) -> None:
    """Before hours begin, say how many."""
    from hassle.experiments.catalogue import find_experiment
    from hassle.experiments.run import core_hours

    runs = find_experiment(options.name).runs(options.scale())
    print(
        f"hassle: warning: {len(runs)} runs at the paper's cutoffs are up to {core_hours(runs):,.0f} core-hours; "
        "Ctrl-C, and the same command goes on later",
        file=sys.stderr,
    )


@contextmanager
def _watching(name: str) -> Iterator[Watcher]:
    """A bar with the time left on a terminal; elsewhere a line now and then."""
    if not sys.stderr.isatty():
        yield _report_tenths(name)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn(name), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[note]}"))
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(name, total=None, note="starting")

        def watch(now: GridProgress) -> None:
            bar.update(task, total=now.total, completed=now.done, note=_note(now))

        yield watch


def _report_tenths(name: str) -> Watcher:
    told = -1

    def watch(now: GridProgress) -> None:
        nonlocal told
        tenth = 10 * now.done // now.total
        if tenth > told:
            told = tenth
            print(f"hassle: {name}: {now.done} of {now.total} runs, {_note(now)}", file=sys.stderr)

    return watch


def _note(now: GridProgress) -> str:
    left = "" if now.seconds_left is None else f"{int(now.seconds_left) // 60}:{int(now.seconds_left) % 60:02d} left"
    return f"{left}, {now.failed} failed" if now.failed else left
