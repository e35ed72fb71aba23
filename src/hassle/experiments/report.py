"""``docs/reproduction.md``, made from committed results: every question, the paper's claim, our figures, our verdict.

The verdicts are written by people (``verdict.md`` beside the rows: the verdict, an empty line, why), the figures are
not: they come from each experiment's rows. A test makes the page anew and fails when it differs from the committed one.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hassle.experiments.catalogue import EXPERIMENTS
from hassle.experiments.driver import table_of
from hassle.experiments.experiment import Experiment, Row, Scale
from hassle.experiments.manifest import read_options
from hassle.experiments.options import Options
from hassle.experiments.run import core_hours, version_of
from hassle.experiments.store import read_rows

HEAD = """# Reproduction of the paper's experiments

Kumar, Kolb, Teso, De Raedt, *Learning MAX-SAT from Contextual Examples for Combinatorial Optimisation*.

This page is made by `make reproduction` from the rows in `results/`; do not edit it. Shares are in per cent, ours as
the mean ± its standard error over so many runs; "paper" columns repeat what the paper's text and tables say. Each
folder holds its `manifest.json`, and `hassle experiment --rerun results/NAME/manifest.json -o DIR` repeats it.

- **Settings** are the paper's: 8 variables, 10 hard and 10 soft clauses, 100 contexts with 2 positives and 2 negatives
  each, unless a question varies them; how many models and data sets we ran (the paper: 5 × 5), each question says.
  Local search and MILP are told how many clauses to learn,
  as in the paper; `auto`, `statistical` and `cuts` are told nothing.
- **Cutoffs** are seconds where the paper's are an hour (a day for the benchmark): our local search needs microseconds
  per neighbour, where the paper called a solver per context. Every run has one core of a
  two-core machine, but where the page says two.
- **Data**: every negative satisfies its context, as the paper defines an example. Every context gives two positives and
  two negatives: contexts that cannot are redrawn. They are conjunctions that exclude the true model's best assignments,
  or, where too few such are left, some of them.
- **Version**: rows hold the version of the learners that made them. Where it is not the present one, the page says so.
- **Paper size**: `--full` takes the paper's cutoffs, and says beforehand how many core-hours that is:

{costs}
- **MILP** is solved by CP-SAT, where the paper had Gurobi; docs/milp.md says how our programme differs from Appendix D.
"""


def reproduction_page(results: Path) -> str:
    """The page, from the experiments that have results."""
    found = [experiment for name, experiment in EXPERIMENTS.items() if (results / name / "rows.csv").exists()]
    sections = [_section(experiment, results / experiment.name) for experiment in found]
    beyond = results / "full.md"  # what was run at the paper's size
    parts = [HEAD.format(costs=_costs()), _overview(found, results), *sections]
    if beyond.exists():
        parts.append(beyond.read_text(encoding="utf-8"))
    return "\n".join(parts)


def _costs() -> str:
    """What ``--full`` costs at most, per experiment."""
    hours = {
        name: core_hours(experiment.runs(Scale(full=True)))
        for name, experiment in EXPERIMENTS.items()
        if not experiment.from_files and name != "growth"
    }
    return "\n".join(
        [
            "  | " + " | ".join(hours) + " |",
            "  |" + "---|" * len(hours),
            "  | " + " | ".join(f"{value:,.0f} h" for value in hours.values()) + " |",
        ]
    )


def is_outdated(rows: Iterable[Row]) -> bool:
    """Whether some rows were made by another version of the learners."""
    return any((row.get("version") or 1) != version_of(str(row["method"])) for row in rows)


def _overview(experiments: Iterable[Experiment], results: Path) -> str:
    lines = ["| | question | verdict |", "|---|---|---|"]
    for experiment in experiments:
        verdict, _ = _finding(results / experiment.name)
        lines.append(f"| [{experiment.name}](#{experiment.name}) | {experiment.question} | {verdict} |")
    return "\n".join((*lines, ""))


def _finding(folder: Path) -> tuple[str, str]:
    """Our verdict in a word or two, and why."""
    verdict, _, why = (folder / "verdict.md").read_text(encoding="utf-8").partition("\n\n")
    return verdict.strip(), why.strip()


def _section(experiment: Experiment, folder: Path) -> str:
    rows = read_rows(folder / "rows.csv")
    failed = sum(row["error"] is not None for row in rows)
    options = read_options(str(folder / "manifest.json"))
    files = f"../results/{experiment.name}"
    verdict, why = _finding(folder)
    parts = [
        f"## {experiment.name}",
        f"**{experiment.question}**",
        f"**The paper:** {experiment.claim}",
        f"**Ours** ({_size(experiment, options, rows)}, {_limit(options, rows)}"
        + (f", {failed} failed runs" if failed else "")
        + f"; [rows]({files}/rows.csv)):",
        "*Some were made by an earlier version of the learners.*" * is_outdated(rows),
        table_of(experiment, rows),
        experiment.notes,
        f"![{experiment.name}: the figure]({files}/{experiment.name}.svg)",
        f"**Verdict: {verdict}.** {why}",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _size(experiment: Experiment, options: Options, rows: Iterable[Row]) -> str:
    if experiment.from_files:
        return f"{len({row['problem'] for row in rows})} problems"
    return f"{options.models} models × {options.datasets} data sets"


def _limit(options: Options, rows: Iterable[Row]) -> str:
    """How long each run lasted."""
    steps = {row["method"]: row["step_limit"] for row in rows if row["step_limit"]}
    if steps:
        return ", ".join(f"{count:,} steps of {method}" for method, count in steps.items())
    return f"cutoff {options.cutoff:g} s"
