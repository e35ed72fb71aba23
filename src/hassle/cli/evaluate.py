"""``hassle evaluate``: a model against the known true one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from hassle.cli.options import ContextText, Json, ModelFile, Seed, Verbose
from hassle.cli.output import emit, working

if TYPE_CHECKING:
    from fractions import Fraction

    from hassle.evaluation.decisions import Decisions
    from hassle.evaluation.measures import Evaluation

EXAMPLE = "hassle evaluate model.wcnf --truth truth.wcnf --context '!x1 & x2'"


def evaluate(
    model: ModelFile,
    truth: Annotated[str, typer.Option("--truth", metavar="TRUE", help="The true model: WCNF, JSON or CNF.")],
    context: ContextText = None,
    contexts: Annotated[
        int | None,
        typer.Option("--contexts", min=1, metavar="N", help="Judge decisions too, in N random contexts."),
    ] = None,
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
    """Print accuracy, infeasibility and regret of a model where the true one is known, in a context or globally.

    --contexts N asks for a decision in each of N random contexts: how many are truly optimal, how many break the rules.
    """
    from hassle.evaluation import evaluate as measure
    from hassle.evaluation.decisions import decision_quality, random_contexts
    from hassle.model import Model

    started = time.monotonic()
    learned, true = Model.read(model), Model.read(truth)
    with working("counting"):
        result = measure(learned, true, context, method=method, samples=samples, seed=seed, time_limit=time_limit)
        decisions = None
        if contexts is not None:
            decisions = decision_quality(learned, true, random_contexts(true, contexts, seed), time_limit=time_limit)
    record = result.record() | ({} if decisions is None else {"decisions": decisions.record()})
    text = _text(result) + ("" if decisions is None else f"\n{_decisions_text(decisions, contexts)}")
    emit({**record, "seconds": time.monotonic() - started}, text, json)


def _decisions_text(decisions: Decisions, asked: int | None) -> str:
    lines = [
        f"Decisions in {decisions.contexts} random contexts" + (f" of {asked}" if decisions.contexts != asked else ""),
        f"  {'truly optimal':<22}{float(decisions.optimal):.4f}",
        f"  {'against the rules':<22}{float(decisions.infeasible):.4f}",
        f"  {'no answer':<22}{float(decisions.unanswered):.4f}",
        f"  {'regret':<22}{_share(decisions.regret, 'no feasible answer, or nothing to lose')}",
    ]
    return "\n".join(lines)


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
