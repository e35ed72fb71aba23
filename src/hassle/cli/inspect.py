"""``hassle inspect``: what examples can and cannot teach, and what is wrong with them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hassle.cli.options import ExamplesFile, Json, Verbose
from hassle.cli.output import emit, working
from hassle.cli.reading import read, reads_examples, recognised_record, tell

if TYPE_CHECKING:
    from hassle.evaluation.doctor import Inspection

EXAMPLE = "hassle inspect decisions.csv --target '!ana_mon' --plot decisions.png"


@reads_examples
def inspect(
    examples: ExamplesFile,
    target: Annotated[
        str | None, typer.Option("--target", metavar="FORMULA", help="Where the model will be used; empty: anywhere.")
    ] = None,
    max_literals: Annotated[int, typer.Option("--max-literals", min=1, help="Length of clauses to learn.")] = 3,
    epsilon: Annotated[float, typer.Option("--epsilon", help="Risk that theory shall bound.")] = 0.1,
    delta: Annotated[float, typer.Option("--delta", help="Probability with which it may fail.")] = 0.05,
    noise: Annotated[float, typer.Option("--noise", help="Share of labels thought to be flipped.")] = 0.0,
    plot: Annotated[
        str | None, typer.Option("--plot", metavar="FILE", help="Draw the data to a PNG, SVG or PDF file.")
    ] = None,
    json: Json = False,
    verbose: Verbose = False,
    **reading: Any,
) -> None:
    """Say what the examples can and cannot teach, what is wrong with them, and what to do about it."""
    from hassle.evaluation.doctor import inspect as examine

    started = time.monotonic()
    if plot is not None:
        from hassle.evaluation.drawing import check_picture

        check_picture(plot)
    table = read(examples, reading)
    tell(table)
    data = table.data
    with working("inspecting"):
        result = examine(data, target=target, max_literals=max_literals, epsilon=epsilon, delta=delta, noise=noise)
    if plot is not None:
        from hassle.evaluation.doctor_plot import plot_inspection

        plot_inspection(result, data.variables, plot)
    seconds = time.monotonic() - started
    emit({**_record(result), "recognised": recognised_record(table), "seconds": seconds}, _text(result), json)


def _record(result: Inspection) -> dict[str, Any]:
    coverage, required = result.coverage, result.required
    return {
        "examples": result.examples,
        "variables": result.variables,
        "labels": result.labels,
        "contexts": [vars(context) for context in result.contexts],
        "contradictions": [list(rows) for rows in result.contradictions],
        "least_mistakes": result.least_mistakes,
        "least_noise": float(result.least_noise),
        "silent_variables": list(result.silent),
        "contexts_without_positives": [c.context for c in result.contexts if not c.positives],
        "contexts_without_negatives": [c.context for c in result.contexts if not c.negatives],
        "coverage": None if coverage is None or coverage.share is None else float(coverage.share),
        "outside": None if coverage is None or coverage.outside is None else dict(coverage.outside),
        "theory": vars(required),
        "findings": [{**vars(finding), "rows": list(finding.rows)} for finding in result.findings],
    }


def _text(result: Inspection) -> str:
    negatives = {name: n for name, n in result.labels.items() if name != "positive" and n}
    parts = ", ".join(f"{n} {name}" for name, n in negatives.items()) or "0 negative"
    lines = [
        f"{result.examples} examples over {result.variables} variables in {len(result.contexts)} contexts: "
        f"{result.labels['positive']} positive, {parts}"
    ]
    if result.contexts:
        lines.append(
            f"Per context: {_range([c.positives for c in result.contexts])} positive, "
            f"{_range([c.negatives for c in result.contexts])} negative, "
            f"{_range([c.free for c in result.contexts])} free variables"
        )
    for finding in result.findings:
        lines += [f"{finding.severity:<8}{finding.what}{_rows(finding.rows)}", f"        → {finding.todo}"]
    if not any(finding.severity != "note" for finding in result.findings):
        lines.append("Nothing is wrong with these examples.")
    return "\n".join(lines)


def _range(numbers: list[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def _rows(rows: tuple[int, ...], most: int = 10) -> str:
    if not rows:
        return ""
    return f" (examples {', '.join(map(str, rows[:most]))}{', …' if len(rows) > most else ''})"
