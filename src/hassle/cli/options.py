"""Options that several commands share, so that they read and work alike everywhere."""

from __future__ import annotations

import inspect
import logging
import sys
from collections.abc import Callable, Collection
from typing import Annotated

import typer

# What a bare --all means.
MANY = 1000


def _be_verbose(wanted: bool) -> bool:
    if wanted:
        logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="hassle: %(message)s")
    return wanted


Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Say on stderr which methods are chosen.", callback=_be_verbose)
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of all random choices.")]
SolverName = Annotated[
    str,
    typer.Option("--solver", metavar="auto|table|rc2|cp-sat", help="Force a solver; auto chooses by size and counts."),
]
TimeLimit = Annotated[
    float | None, typer.Option("--time-limit", min=0.001, metavar="SECONDS", help="Give up after so many seconds.")
]
ContextText = Annotated[
    str | None, typer.Option("--context", "-c", metavar="FORMULA", help="What holds, such as '!ana_mon & ben_tue'.")
]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="A model: WCNF, OPB, WBO, JSON or CNF; - for stdin.")]
ExamplesFile = Annotated[str, typer.Argument(metavar="EXAMPLES", help="Examples: CSV, Excel or JSONL; - for stdin.")]


def with_options_of(
    other: Callable[..., object], without: Collection[str] = (), last: bool = False
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Give a command all options of another one, which it gets by name (`**options`), among its own or after them."""

    def extended(command: Callable[..., int]) -> Callable[..., int]:
        own = inspect.signature(command, eval_str=True)
        mine = [item for item in own.parameters.values() if item.kind is not inspect.Parameter.VAR_KEYWORD]
        taken = {item.name for item in mine} | set(without)
        more = [item for item in inspect.signature(other, eval_str=True).parameters.values() if item.name not in taken]
        first = len(mine) if last else 2
        setattr(command, "__signature__", own.replace(parameters=[*mine[:first], *more, *mine[first:]]))  # noqa: B010
        return command

    return extended
