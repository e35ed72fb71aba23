"""``hassle demo``: a first look. Learns from the bundled ward and plans a situation that is not in the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hassle.cli.learn import shown_progress
from hassle.cli.options import Json, Seed
from hassle.cli.output import emit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hassle.cli.comparing import Pair
    from hassle.data import Dataset
    from hassle.learners import LearnResult
    from hassle.logic import Assignment, Schema
    from hassle.model import Model

EXAMPLE = "hassle demo"

# A situation that no example of the bundled data was made in.
NEW_SITUATION = "Carla is away on Tuesday and Wednesday, Eva on Friday, and Ben was promised Thursday's early shift"
NEW_CONTEXT = (
    "!carla_tue_early & !carla_tue_night & !carla_wed_early & !carla_wed_night"
    " & !eva_fri_early & !eva_fri_night & ben_thu_early"
)


def demo(
    learner: Annotated[str, typer.Option("--learner", help="How to learn.")] = "auto",
    time_limit: Annotated[
        float, typer.Option("--time-limit", min=0, metavar="SECONDS", help="When to stop learning.")
    ] = 30.0,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Learn from past rosters of a small ward, show what was learned beside the truth, and plan a new situation."""
    from hassle.bundled import ward_examples, ward_truth
    from hassle.cli.comparing import paired
    from hassle.learners import learn
    from hassle.solve import best_value, solve, verdict

    data, truth = ward_examples(), ward_truth()
    with shown_progress() as listener:
        result = learn(data, learner, time_limit=time_limit, seed=seed, listener=listener)
    best = solve(result.model, NEW_CONTEXT)
    optimum = best_value(truth, NEW_CONTEXT)
    assert optimum is not None
    rules, wishes = (paired(result.model, truth, hard=hard) for hard in (True, False))
    record = {
        "learner": result.learner,
        "seconds": result.seconds,
        "examples": len(data),
        "contexts": len(data.contexts),
        "correct": result.correct,
        "score": result.score,
        "context": NEW_CONTEXT,
        "assignment": None if best is None else dict(best),
        "value": None if best is None else truth.value(best),
        "best_value": truth.decimal(optimum),
        "verdict": None if best is None else verdict(truth, best, NEW_CONTEXT),
        "rules": counted(rules),
        "preferences": counted(wishes),
    }
    emit(record, _text(data, truth, result, (rules, wishes), record, best), json)


def counted(pairs: Sequence[Pair]) -> dict[str, int]:
    """How many rules (or wishes) were learned, how many are true, and how many are both."""
    learned, true = (sum(pair[i] is not None for pair in pairs) for i in (0, 1))
    return {"learned": learned, "true": true, "both": learned + true - len(pairs)}


def _text(
    data: Dataset,
    truth: Model,
    result: LearnResult,
    pairs: tuple[list[Pair], list[Pair]],
    record: dict[str, Any],
    best: Assignment | None,
) -> str:
    """What the demo says; the pairs are rules and wishes, learned and true."""
    people, days, kinds = (len(dimension.members) for dimension in data.schema.dimensions)
    lines = [
        f"{len(data)} past rosters of a ward of {people} nurses, {days} days and {kinds} shifts, each good or bad in "
        f"its situation ({len(data.contexts)} situations).",
        f"Learned in {result.seconds:.0f} s; the learned model explains {result.correct} of {result.examples} rosters.",
        "",
        "Rules, learned and true",
        *_compared(pairs[0], data.schema),
        "",
        "Wishes, learned and true",
        *_compared(pairs[1], data.schema),
        "",
        f"A new situation: {NEW_SITUATION}.",
    ]
    if best is None:
        return "\n".join([*lines, "The learned model finds no roster for it."])
    judged = f"worth {record['value']:f}, where the best is worth {record['best_value']:f}"
    if record["verdict"] == "infeasible":
        judged = "against the rules"
    elif record["verdict"] == "optimal":
        judged = "the best there is"
    lines += ["The learned model plans", *_roster(best, truth), "What had to give", *_given_up(result.model, best)]
    return "\n".join([*lines, f"By the true model that is {judged}."])


def _compared(pairs: Sequence[Pair], schema: Schema) -> list[str]:
    """In words: what is learned and true first, then what is only one of both; the weights of wishes beside them."""
    from hassle.model.words import rule_words

    lines = []
    for learned, true in pairs:
        shown = true or learned
        assert shown is not None
        name = "learned only" if true is None else "true only" if learned is None else "both"
        weights = (f"{rule.weight:.2f}" if rule is not None else "" for rule in (learned, true))
        beside = "" if shown.weight is None else "".join(f"{text:>6}" for text in weights) + "  "
        lines.append(f"  {name:<14}{beside}{rule_words(shown.what, schema)}")
        if learned and true and learned.what != true.what:
            lines.append(f"  {'':<{14 + len(beside)}}(learned as: {rule_words(learned.what, schema)})")
    return lines


def _roster(assignment: Assignment, truth: Model) -> list[str]:
    """The assignment as a table of nurses and days, with the shift in each cell."""
    nurses, days, shifts = (dimension.members for dimension in truth.schema.dimensions)
    width, cell = max(map(len, nurses)), max(map(len, shifts))
    lines = ["  " + " " * width + "  " + "  ".join(f"{day:<{cell}}" for day in days)]
    for nurse in nurses:
        done = [
            "+".join(shift for shift in shifts if assignment[f"{nurse}_{day}_{shift}"]) or "·".ljust(cell)
            for day in days
        ]
        lines.append(f"  {nurse:<{width}}  " + "  ".join(f"{each:<{cell}}" for each in done))
    return [line.rstrip() for line in lines]


def _given_up(model: Model, best: Assignment) -> list[str]:
    """The wishes that the plan does not fulfil everywhere, with how often."""
    from hassle.model.words import rule_words

    bits, lines = model.bits(best), []
    for rule in model.rules:
        lost = sum(not each.holds(bits) for each in rule.instances(model.schema))
        if lost and rule.weight is not None:
            times = "" if lost == 1 else f"  ({lost} times)"
            lines.append(f"  {rule.weight:.2f}  {rule_words(rule.what, model.schema)}{times}")
    return lines or ["  nothing"]
