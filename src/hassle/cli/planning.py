"""``hassle solve --contexts``: a plan for each context of a file, as CSV or as one JSON object."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hassle.cli.output import emit
from hassle.errors import InputError

if TYPE_CHECKING:
    from hassle.files.context_list import ContextList
    from hassle.solve import Plan

DELIMITERS = {".csv": ",", ".tsv": "\t"}
STANDARD = "-"
# Shorter waits need no word.
PATIENCE = 2.0

# What is said of contexts without a plan.
REASONS = {"infeasible": "no feasible assignment", "unknown": "no answer in time"}


def plan_all(model: str, contexts: str, output: str | None, solver: str, time_limit: float | None, json: bool) -> int:
    from hassle.files.atomic import write_text
    from hassle.files.context_list import read_contexts
    from hassle.model import Model
    from hassle.solve import solve_all

    started = time.monotonic()
    delimiter = delimiter_for(output)
    solved = Model.read(model)
    table = read_contexts(contexts, solved.schema)
    added = ("status", "value", *solved.schema.column_names)
    to_csv = output not in (None, STANDARD) or not json
    if to_csv:
        _check_columns(table.header, added, contexts)
    with progress() as watch:
        plans = solve_all(solved, table.contexts, solver=solver, time_limit=time_limit, watch=watch)
    if to_csv:
        write_text(output or STANDARD, table.text(added, map(_cells, plans, [len(added)] * len(plans)), delimiter))
    counts = Counter[str](plan.status for plan in plans)
    for status, reason in REASONS.items():
        if counts[status]:
            print(f"hassle: {reason} in {counts[status]} of {len(plans)} contexts", file=sys.stderr)
    if json or output not in (None, STANDARD):
        record = {
            "plans": [_record(table, k, plan) for k, plan in enumerate(plans)],
            "contexts": len(plans),
            **{status: counts[status] for status in ("optimal", *REASONS)},
            "seconds": time.monotonic() - started,
        }
        emit(record, f"Wrote plans for {len(plans)} contexts, {counts['optimal']} of them feasible, to {output}", json)
    return 0 if counts["optimal"] == len(plans) else 1


def delimiter_for(output: str | None) -> str:
    extension = ".csv" if output in (None, STANDARD) else os.path.splitext(output)[1].lower()
    if extension not in DELIMITERS:
        raise InputError("plans are written as .csv or .tsv", fix="name such a file", file=output)
    return DELIMITERS[extension]


def _check_columns(header: Sequence[str], added: Sequence[str], file: str) -> None:
    """See to it that no two columns of the plan have the same name."""
    for name, number in Counter([*header, *added]).items():
        if number > 1:
            fix = "rename that column or variable, or use --json without -o"
            raise InputError(f"the plan would have two columns {name!r}", fix=fix, file=file)


def _cells(plan: Plan, columns: int) -> list[str]:
    """What a row of the CSV gets: status, value, and one cell per column."""
    if plan.assignment is None:
        return [plan.status] + [""] * (columns - 1)
    return [plan.status, f"{plan.value:f}", *map(str, plan.assignment.values())]


def _record(table: ContextList, k: int, plan: Plan) -> dict[str, Any]:
    cells = dict(zip(table.header, table.rows[k], strict=True))
    return {
        "line": table.lines[k],
        "context": cells.pop(table.header[table.place]),
        "columns": cells,
        "status": plan.status,
        "value": plan.value,
        "assignment": None if plan.assignment is None else dict(plan.assignment),
    }


@contextmanager
def progress() -> Iterator[Callable[[int, int], None]]:
    """Show on a terminal how far it is, once it has taken longer than one waits without asking."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from threading import Timer

    from rich.console import Console

    status = Console(stderr=True).status("solving")
    timer = Timer(PATIENCE, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done, total: status.update(f"solved {done} of {total} contexts")
    finally:
        timer.cancel()
        timer.join()
        status.stop()
