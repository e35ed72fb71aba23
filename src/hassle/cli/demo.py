"""``hassle demo``: a first look. Learns from the bundled nurse roster and plans a situation that is not in the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hassle.cli.learn import shown_progress
from hassle.cli.options import Json, Seed
from hassle.cli.output import emit

if TYPE_CHECKING:
    from hassle.data import Dataset
    from hassle.learners import LearnResult
    from hassle.logic import Assignment, Constraint
    from hassle.model import Model

EXAMPLE = "hassle demo"

# A situation that no example of the bundled data was made in.
NEW_SITUATION = "Carla is ill from Tuesday on, and Ben asks for Monday off"
NEW_CONTEXT = "!carla_tue_day & !carla_tue_night & !carla_wed_day & !ben_mon_day & !ben_mon_night"

# The ward's rules and wishes each speak of three shifts at most.
MAX_LITERALS = 3


def demo(
    learner: Annotated[str, typer.Option("--learner", help="How to learn.")] = "auto",
    time_limit: Annotated[
        float, typer.Option("--time-limit", min=0, metavar="SECONDS", help="When to stop learning.")
    ] = 30.0,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Learn from past rosters of a small ward, show what was learned beside the truth, and plan a new situation."""
    from hassle.bundled import roster_examples, roster_truth
    from hassle.learners import learn
    from hassle.solve import best_value, solve, verdict

    data, truth = roster_examples(), roster_truth()
    with shown_progress() as listener:
        result = learn(data, learner, max_literals=MAX_LITERALS, time_limit=time_limit, seed=seed, listener=listener)
    best = solve(result.model, NEW_CONTEXT)
    optimum = best_value(truth, NEW_CONTEXT)
    assert optimum is not None
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
        "rules": counted(result.model.hard, truth.hard),
        "preferences": counted(wishes(result.model), wishes(truth)),
    }
    emit(record, _text(data, truth, result, record, best), json)


def wishes(model: Model) -> tuple[Constraint, ...]:
    return model.soft_constraints


def counted(learned: tuple[Constraint, ...], true: tuple[Constraint, ...]) -> dict[str, int]:
    """How many clauses were learned, how many are true, and how many are both."""
    return {"learned": len(learned), "true": len(true), "both": len(set(learned) & set(true))}


def _text(data: Dataset, truth: Model, result: LearnResult, record: dict[str, Any], best: Assignment | None) -> str:
    lines = [
        f"{len(data)} past rosters of a small ward, each good or bad in its situation ({len(data.contexts)} "
        f"situations, {len(data.variables)} yes-or-no decisions).",
        f"Learned in {result.seconds:.0f} s; the learned model explains {result.correct} of the {len(data)} rosters.",
        "",
        "Rules, learned and true",
        *_compared(result.model.hard, truth.hard, truth.variables),
        "",
        "Preferences, learned and true",
        *_compared(wishes(result.model), wishes(truth), truth.variables),
        "",
        f"A new situation: {NEW_SITUATION}",
        f"  {NEW_CONTEXT}",
    ]
    if best is None:
        return "\n".join([*lines, "The learned model finds no roster for it."])
    judged = f"worth {record['value']:f}, where the best is worth {record['best_value']:f}"
    if record["verdict"] == "infeasible":
        judged = "against the rules"
    return "\n".join([*lines, "The learned model plans", *_roster(best), f"By the true model that is {judged}."])


def _compared(learned: tuple[Constraint, ...], true: tuple[Constraint, ...], names: tuple[str, ...]) -> list[str]:
    """The clauses in words: those that are learned and true first, then those that are only one of both."""
    from hassle.model import constraint_words

    groups = {
        "both": [clause for clause in true if clause in learned],
        "true only": [clause for clause in true if clause not in learned],
        "learned only": [clause for clause in dict.fromkeys(learned) if clause not in true],
    }
    return [f"  {name:<12}  {constraint_words(clause, names)}" for name, group in groups.items() for clause in group]


def _roster(assignment: Assignment) -> list[str]:
    """The assignment as a table of nurses and shifts."""
    nurses = list(dict.fromkeys(name.split("_", 1)[0] for name in assignment))
    shifts = list(dict.fromkeys(name.split("_", 1)[1] for name in assignment))
    width = max(map(len, nurses))
    lines = ["  " + " " * width + "  " + "  ".join(shifts)]
    for nurse in nurses:
        marks = [("work" if assignment[f"{nurse}_{shift}"] else "-").center(len(shift)) for shift in shifts]
        lines.append(f"  {nurse:<{width}}  {'  '.join(marks)}")
    return lines
