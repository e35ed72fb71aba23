"""``hassle score``: the share of examples that a model gets right, and why it gets the others wrong."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hassle.cli.options import ExamplesFile, Json, ModelFile, SolverName, Verbose
from hassle.cli.output import emit, working
from hassle.cli.plans import plan_line
from hassle.cli.reading import read, reads_examples

if TYPE_CHECKING:
    from hassle.evaluation.score import Mistake, Score

EXAMPLE = "hassle score model.wcnf decisions.csv --explain"

# Without --explain, so many mistakes are listed.
SHOWN = 20


@reads_examples
def score(
    model: ModelFile,
    examples: ExamplesFile,
    explain: Annotated[
        bool, typer.Option("--explain", help="For each mistake, the rules it breaks or the assignment that beats it.")
    ] = False,
    solver: SolverName = "auto",
    json: Json = False,
    verbose: Verbose = False,
    **reading: Any,
) -> None:
    """Print the share of examples that the model gets right, and each one it gets wrong, with the reason."""
    from hassle.evaluation.score import score as judge
    from hassle.model import Model

    started = time.monotonic()
    judged = Model.read(model)
    data = read(examples, reading, schema=judged.schema).data
    with working("judging"):
        result = judge(judged, data, solver=solver)
    emit({**_record(result), "seconds": time.monotonic() - started}, _text(result, explain), json)


def _record(result: Score) -> dict[str, Any]:
    return {
        "score": None if result.score is None else float(result.score),
        "examples": result.examples,
        "correct": result.correct,
        "comparisons": result.comparisons,
        "disagreed": list(result.disagreed),
        "wrong": [
            {
                "row": mistake.row,
                "line": mistake.line,
                "context": mistake.context,
                "label": mistake.label.value,
                "verdict": mistake.verdict.value,
                "reason": mistake.reason,
                "broken": list(mistake.broken),
                "better": None if mistake.better is None else dict(mistake.better),
                "differences": [{"clause": item.clause, "gain": item.gain} for item in mistake.differences],
            }
            for mistake in result.mistakes
        ],
    }


def _text(result: Score, explain: bool) -> str:
    from hassle.logic.names import listing

    share = "no examples" if result.score is None else f"{float(result.score):.2%}"
    lines = [f"Score {share}: {result.correct} of {result.examples} examples"]
    if result.comparisons:
        agreed = result.comparisons - len(result.disagreed)
        which = f"; not with {listing(list(map(str, result.disagreed)), 10)}" if result.disagreed else ""
        told = f"{agreed} of {result.comparisons} comparisons agreed with{which}"
        lines = [told] if result.score is None else [*lines, told]
    shown = result.mistakes if explain else result.mistakes[:SHOWN]
    for mistake in shown:
        lines += _mistake_lines(mistake, explain)
    if len(shown) < len(result.mistakes):
        lines.append(f"  … and {len(result.mistakes) - len(shown)} more; --explain or --json lists them all")
    return "\n".join(lines)


def _mistake_lines(mistake: Mistake, explain: bool) -> list[str]:
    place = f"example {mistake.row}" + (f" (line {mistake.line})" if mistake.line is not None else "")
    lines = [f"  {place}: {mistake.label.value}, but the model says {mistake.verdict.value}: {mistake.reason}"]
    if not explain:
        return lines
    if mistake.context:
        lines.append(f"      context  {mistake.context}")
    if mistake.better is not None:
        lines.append(f"      better   {plan_line(mistake.better)}")
    lines += [f"      {item.gain:>+8f}  {item.clause}" for item in mistake.differences]
    return lines
