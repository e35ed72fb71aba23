"""``hassle demo``: a first look, on the bundled nurse roster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hassle.cli.options import Json
from hassle.cli.output import emit, working

if TYPE_CHECKING:
    from hassle.data import Dataset
    from hassle.logic import Assignment
    from hassle.model import Model

EXAMPLE = "hassle demo"

# A situation that no example of the bundled data was made in.
NEW_SITUATION = "Carla is ill from Tuesday on, and Ben asks for Monday off"
NEW_CONTEXT = "!carla_tue_day & !carla_tue_night & !carla_wed_day & !ben_mon_day & !ben_mon_night"


def demo(json: Json = False) -> None:
    """Show the bundled nurse roster's model at work: its rules, its verdicts and its best roster in a new context."""
    from hassle.bundled import roster_examples, roster_truth
    from hassle.solve import agrees, solve, verdicts

    data, truth = roster_examples(), roster_truth()
    with working("judging the rosters"):
        correct = int(agrees(verdicts(truth, data), data).sum())
        best = solve(truth, NEW_CONTEXT)
    assert best is not None
    record = {
        "examples": len(data),
        "contexts": len(data.contexts),
        "correct": correct,
        "score": correct / len(data),
        "context": NEW_CONTEXT,
        "value": truth.value(best),
        "assignment": dict(best),
    }
    emit(record, _text(data, truth, record, best), json)


def _text(data: Dataset, truth: Model, record: dict[str, Any], best: Assignment) -> str:
    from hassle.model import model_words

    return "\n".join(
        [
            f"{len(data)} past rosters of a small ward, each good or bad in its situation ({len(data.contexts)} "
            f"situations, {len(data.variables)} yes-or-no decisions).",
            "",
            "The model behind them:",
            "",
            model_words(truth),
            "",
            f"It explains {record['correct']} of the {record['examples']} rosters.",
            "",
            f"A new situation: {NEW_SITUATION}",
            f"  {NEW_CONTEXT}",
            f"The best roster there is worth {record['value']:f}:",
            *_roster(best),
        ]
    )


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
