"""``hassle evaluate``: a model against the known true one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from hassle.cli.options import ContextText, Json, ModelFile, Seed, Verbose
from hassle.cli.output import emit, working

if TYPE_CHECKING:
    from fractions import Fraction

    from hassle.evaluation.measures import Evaluation

EXAMPLE = "hassle evaluate model.wcnf --truth truth.wcnf --context '!x1 & x2'"


def evaluate(
    model: ModelFile,
    truth: Annotated[str, typer.Option("--truth", metavar="TRUE", help="The true model: WCNF, JSON or CNF.")],
    context: ContextText = None,
    method: Annotated[
        str, typer.Option("--method", metavar="auto|table|counting", help="Force a way of counting.")
    ] = "auto",
    samples: Annotated[int, typer.Option("--samples", min=1, help="Optima sampled for the regret.")] = 1000,
    time_limit: Annotated[
        float, typer.Option("--time-limit", min=0.001, metavar="SECONDS", help="For counting beyond tables.")
    ] = 60.0,
    seed: Seed = 0,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Print accuracy, infeasibility and regret of a model where the true one is known, in a context or globally."""
    from hassle.evaluation import evaluate as measure
    from hassle.model import Model

    started = time.monotonic()
    learned, true = Model.read(model), Model.read(truth)
    with working("counting"):
        result = measure(learned, true, context, method=method, samples=samples, seed=seed, time_limit=time_limit)
    emit({**result.record(), "seconds": time.monotonic() - started}, _text(result), json)


def _text(result: Evaluation) -> str:
    rows = [
        ("accuracy", result.accuracy, "accuracy"),
        ("infeasibility", result.infeasibility, "infeasibility"),
        (f"regret, {result.samples} sampled", result.regret, "regret"),
        ("regret, exact", result.regret_exact, "regret_exact"),
        ("precision", result.precision, "precision"),
        ("recall", result.recall, "recall"),
        ("F1", result.f1, "f1"),
        ("random infeasibility", result.baseline.infeasibility, "baseline.infeasibility"),
        ("random regret", result.baseline.regret, "baseline.regret"),
    ]
    lines = [f"  {title:<22}{_share(value, result.reasons.get(name, ''))}" for title, value, name in rows]
    lines += [f"  {'optima':<22}{_number(result.optima)}", f"  {'true optima':<22}{_number(result.true_optima)}"]
    lines.append(f"  {'method':<22}{result.method}")
    if result.estimated:
        lines.append(f"Estimated, not counted: {', '.join(result.estimated)}; allow more time for exact numbers.")
    return "\n".join(lines)


def _share(value: Fraction | None, reason: str) -> str:
    return f"undefined: {reason}" if value is None else f"{float(value):.4f}"


def _number(count: int | None) -> str:
    if count is None:
        return "unknown"
    return f"{count:,}" if count < 10**12 else f"{count:.4e}" if count < 10**300 else f"about 2^{count.bit_length()}"
