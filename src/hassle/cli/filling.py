"""``hassle solve --fill``: a sheet whose empty cells are planned, with the value and what had to give."""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from hassle.cli.output import emit
from hassle.cli.planning import REASONS, STANDARD, delimiter_for, progress

if TYPE_CHECKING:
    from hassle.model import Model
    from hassle.solve import Plan

ADDED = ("status", "value", "lost")


def fill(
    model: str, file: str, output: str | None, sheet: str | None, solver: str, time_limit: float | None, json: bool
) -> int:
    """Plan every row of the sheet; exit code 1 where a row cannot be planned."""
    from hassle.files.atomic import check_target, write_text
    from hassle.files.filling import filled_text, read_to_fill
    from hassle.model import Model
    from hassle.solve import solve_all

    started = time.monotonic()
    delimiter = delimiter_for(output)
    if output is not None:
        check_target(output)
    solved = Model.read(model)
    rows = read_to_fill(file, solved.schema, sheet)
    with progress() as watch:
        plans = solve_all(solved, rows.contexts, solver=solver, time_limit=time_limit, watch=watch)
    lost = [_lost(solved, plan) for plan in plans]
    cells = (
        [plan.status for plan in plans],
        ["" if plan.value is None else f"{plan.value:f}" for plan in plans],
        ["; ".join(each) for each in lost],
    )
    if output not in (None, STANDARD) or not json:
        columns = rows.filled([plan.assignment for plan in plans], dict(zip(ADDED, cells, strict=True)))
        write_text(output or STANDARD, filled_text(columns, delimiter))
    counts = Counter[str](plan.status for plan in plans)
    for status, reason in REASONS.items():
        if counts[status]:
            lines = [str(rows.sheet.lines[k]) for k, plan in enumerate(plans) if plan.status == status]
            where = f"line{'s' if len(lines) > 1 else ''} {', '.join(lines[:8])}{', …' if len(lines) > 8 else ''}"
            print(f"hassle: {reason} for {counts[status]} of {len(plans)} rows ({where})", file=sys.stderr)
    if json or output not in (None, STANDARD):
        record: dict[str, Any] = {
            "plans": [
                {
                    "line": rows.sheet.lines[k],
                    "status": plan.status,
                    "value": plan.value,
                    "assignment": None if plan.assignment is None else dict(plan.assignment),
                    "filled": rows.open_columns(k),
                    "lost": lost[k],
                }
                for k, plan in enumerate(plans)
            ],
            "rows": len(plans),
            **{status: counts[status] for status in ("optimal", *REASONS)},
            "seconds": time.monotonic() - started,
        }
        emit(record, f"Filled in {counts['optimal']} of {len(plans)} rows, written to {output}", json)
    return 0 if counts["optimal"] == len(plans) else 1


def _lost(model: Model, plan: Plan) -> list[str]:
    """What had to give: the preferences that the plan does not meet, in words, the heaviest first."""
    from hassle.model import constraint_words

    if plan.assignment is None:
        return []
    soft = sorted(zip(model.soft, model.earned(plan.assignment), strict=True), key=lambda each: -each[0].weight)
    # One that costs when it holds (a negative weight) has not been lost where it does not.
    return [constraint_words(each.constraint, model.schema) for each, got in soft if got != (each.weight > 0)]
