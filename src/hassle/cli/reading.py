"""Reading examples for a command: the options that say how, and a short table of what was recognised."""

from __future__ import annotations

import inspect
import sys
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hassle.cli.options import with_options_of

if TYPE_CHECKING:
    from hassle.files.sheet_examples import Table
    from hassle.logic import Column

# Lines of the table of what was recognised, and columns named in one of them.
MOST_LINES, MOST_NAMES = 12, 3


def options(
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="COLUMN", help="A column that is no decision; repeatable.")
    ] = None,
    ignore_undecidable: Annotated[
        bool,
        typer.Option("--ignore-undecidable", help="Leave out columns that cannot be decisions: ids, dates, texts."),
    ] = False,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--given", metavar="COLUMN", help="A column that was given: part of each row's context; repeatable."
        ),
    ] = None,
    label: Annotated[
        str | None, typer.Option("--label", metavar="COLUMN", help="The column of the labels, if not `label`.")
    ] = None,
    all_good: Annotated[
        bool, typer.Option("--all-good", help="There is no column of labels: every row was a good decision.")
    ] = False,
    missing: Annotated[
        str,
        typer.Option(
            "--missing",
            metavar="error|unknown",
            help="What empty cells are; unknown: good rows teach what they can.",
        ),
    ] = "error",
    attributes: Annotated[
        list[str] | None,
        typer.Option("--attributes", metavar="FILE", help="A table about nurses, days, …: `nurse,senior`; repeatable."),
    ] = None,
    labels_from: Annotated[
        str | None,
        typer.Option("--labels-from", metavar="FILE", help="A row per example, where EXAMPLES has a row per cell."),
    ] = None,
    sheet: Annotated[str | None, typer.Option("--sheet", metavar="NAME", help="Which sheet of an Excel file.")] = None,
    each_sheet: Annotated[
        bool,
        typer.Option("--each-sheet", help="Every sheet of an Excel file is an example, a grid: nurses × days."),
    ] = False,
    schema: Annotated[
        str | None,
        typer.Option("--schema", metavar="FILE", help="What the columns mean, as `hassle schema` prints it."),
    ] = None,
) -> None:
    """The options of every command that reads examples."""


def reads_examples(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of reading, which it gets by name besides its own, after them."""
    return with_options_of(options, last=True)(command)


def reading_part(given: dict[str, Any]) -> dict[str, Any]:
    """Take the options of reading out of all that a command was given."""
    return {name: given.pop(name) for name in inspect.signature(options).parameters}


def read(path: str, how: dict[str, Any], **more: Any) -> Table:
    """The examples in a file, read as the options say; ``more`` stands in for what was not said."""
    from hassle.files import read_table

    said = {name: value for name, value in how.items() if value is not None}
    return read_table(path, **{**more, **said})


def tell(table: Table) -> None:
    """Say on stderr what the columns were recognised as, unless all are yes-or-no."""
    lines = recognised_lines(table)
    if lines:
        print("\n".join([f"hassle: columns of {table.data.source}:", *lines]), file=sys.stderr)


def recognised_lines(table: Table) -> list[str]:
    from hassle.logic import YesNo

    if all(isinstance(each.column, YesNo) for each in table.recognised) and not table.left_out:
        return []
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for each in table.recognised:
        note = " always, so it teaches nothing" if each.constant else ""
        groups[each.column.kind, values_text(each.column) + note].append(each.column.name)
    for name, what in table.left_out.items():
        groups["left out", what.partition(": ")[2]].append(name)
    rows = [(_names(names), kind, what) for (kind, what), names in groups.items()]
    width = max(len(names) for names, _, _ in rows[:MOST_LINES])
    lines = [f"  {names:<{width}}  {kind:<9}  {what}" for names, kind, what in rows[:MOST_LINES]]
    if len(rows) > MOST_LINES:
        lines.append(f"  … and more: hassle schema {table.data.source}")
    return lines


def recognised_record(table: Table) -> list[dict[str, Any]]:
    """What was recognised, for programs: one object per column."""
    from hassle.files.schema_data import column_data

    kept = [
        {"column": each.column.name, **column_data(each.column), "why": each.why, "constant": each.constant}
        for each in table.recognised
    ]
    left_out = table.left_out.items()
    return [*kept, *({"column": name, "kind": "left out", "why": what, "constant": False} for name, what in left_out)]


def values_text(column: Column) -> str:
    from hassle.logic import Choice, Number
    from hassle.logic.names import listing

    match column:
        case Choice(values=values):
            return listing(values)
        case Number(low=low, high=high):
            return f"{low} to {high}" if low != high else str(low)
    return "yes or no"


def _names(names: list[str]) -> str:
    from hassle.logic.names import listing

    return listing(names, MOST_NAMES)
