"""``docs/reproduction.md``, made from committed results: every question, the paper's claim, our figures, our verdict.

The verdicts (:data:`VERDICTS`) are written by people, the figures are not: they come from each experiment's rows. A
test makes the page anew and fails when it differs from the committed one.
"""

from __future__ import annotations

import json
from pathlib import Path

from hassle.experiments.catalogue import EXPERIMENTS
from hassle.experiments.driver import table_of
from hassle.experiments.experiment import Experiment
from hassle.experiments.store import read_rows

HEAD = """# Reproduction of the paper's experiments

Kumar, Kolb, Teso, De Raedt, *Learning MAX-SAT from Contextual Examples for Combinatorial Optimisation*.

This page is made by `make reproduction` from the rows in `results/`; do not edit it. Shares are in per cent, ours as
the mean ± its standard error over so many runs; "paper" columns repeat what the paper's text and tables say. Each
folder holds its `manifest.json`, and `hassle experiment --rerun results/NAME/manifest.json -o DIR` repeats it.
As in the paper, local search and MILP are told how many clauses to learn; `auto` and `convex` are told nothing.
"""

# What we make of each question; empty until the results are in.
VERDICTS: dict[str, str] = {}


def reproduction_page(results: Path) -> str:
    """The page, from the experiments that have results."""
    parts = [HEAD]
    for name, experiment in EXPERIMENTS.items():
        if (results / name / "rows.csv").exists():
            parts.append(_section(experiment, results / name))
    return "\n".join(parts)


def _section(experiment: Experiment, folder: Path) -> str:
    rows = read_rows(folder / "rows.csv")
    failed = sum(row["error"] is not None for row in rows)
    cutoff = max((row["cutoff"] for row in rows if row.get("cutoff") is not None), default=None)
    options = json.loads((folder / "manifest.json").read_text())["options"]
    lines = [
        f"## {experiment.name}: {experiment.question}",
        "",
        f"**The paper:** {experiment.claim}",
        "",
        f"**Ours** ({options['models']} models × {options['datasets']} data sets, cutoff {cutoff:g} s"
        + (f", {failed} failed runs" if failed else "")
        + f"; [rows](../results/{experiment.name}/rows.csv), "
        f"[figure](../results/{experiment.name}/{experiment.name}.svg)):",
        "",
        table_of(experiment, rows),
        "",
    ]
    if experiment.notes:
        lines += [experiment.notes, ""]
    if experiment.name in VERDICTS:
        lines += [f"**Verdict:** {VERDICTS[experiment.name]}", ""]
    return "\n".join(lines)
