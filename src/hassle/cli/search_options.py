"""The options of the paper's learners that other learners do not have, for every command that learns."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from hassle.cli.options import with_options_of

SLS = "With sls:"

# Whoever names one of these, and no learner, means local search.
ONLY_OF_SLS = (
    *("strategy", "neighbourhood", "searches", "share", "focus", "patience"),
    *("restart_probability", "noise", "random_walk", "paper", "start"),
)


def options(
    paper: Annotated[
        bool,
        typer.Option("--paper", help="With sls: Algorithm 1 as printed; with milp: Appendix D, one shot."),
    ] = False,
    searches: Annotated[int | None, typer.Option("--searches", min=1, help=f"{SLS} searches in all.")] = None,
    share: Annotated[
        float | None, typer.Option("--share", metavar="S", help=f"{SLS} share of the clauses that a step considers.")
    ] = None,
    focus: Annotated[
        bool | None,
        typer.Option("--focus/--no-focus", help=f"{SLS} prefer changes that correct the example picked."),
    ] = None,
    patience: Annotated[
        float | None,
        typer.Option(
            "--patience",
            metavar="S",
            help=f"{SLS} share of the time without improvement after which a search restarts; 1: never.",
            show_default="0.25",
        ),
    ] = None,
    restart_probability: Annotated[
        float | None, typer.Option("--restart-probability", metavar="P", help="With walksat: of a new random model.")
    ] = None,
    noise: Annotated[
        float | None,
        typer.Option("--noise", metavar="P", help="With novelty: of the second best.", show_default="0.5"),
    ] = None,
    random_walk: Annotated[
        float | None,
        typer.Option("--random-walk", metavar="P", help="With novelty+: of a random change.", show_default="0.1"),
    ] = None,
    start: Annotated[
        str | None, typer.Option("--start", metavar="MODEL", help="With sls and milp: a model to start from.")
    ] = None,
) -> None:
    """The options of local search; ``--paper`` and ``--start`` are the exact learner's, too."""


def searches(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command these options, which it gets by name besides its own, after them."""
    return with_options_of(options, last=True)(command)


def search_part(given: dict[str, Any]) -> dict[str, Any]:
    """Take these options out of all that a command was given; None where an option was not."""
    from hassle.files import read_model

    said = {name: given.pop(name) for name in inspect.signature(options).parameters}
    said["paper"] = said["paper"] or None
    if said["start"] is not None:
        said["start"] = read_model(said["start"])
    return said


def meant_learner(learner: str | None, given: dict[str, Any]) -> str:
    """The learner that was named, or that the other options imply."""
    return learner or ("sls" if any(given.get(name) is not None for name in ONLY_OF_SLS) else "auto")
