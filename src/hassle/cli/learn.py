"""``hassle learn``: a model from examples, with whichever learner, and the best so far on Ctrl-C."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hassle.cli.options import ExamplesFile, Json, Seed, Verbose
from hassle.cli.output import emit, write_or_rescue
from hassle.cli.reading import read, reads_examples, recognised_record, tell
from hassle.cli.search_options import meant_learner, search_part, searches
from hassle.cli.signals import INTERRUPTED, new_flag

if TYPE_CHECKING:
    from hassle.learners import HeldOut, LearnResult, Progress

EXAMPLE = "hassle learn examples.csv -o model.wcnf --time-limit 10"

NOT_WRITTEN = 2

# What the text says of how a run ended.
ENDINGS = {
    "perfect": "every example is explained",
    "target": "the target score is reached",
    "time": "the time is up",
    "steps": "the steps are used up",
    "interrupted": "interrupted",
    "proved": "no better model exists",
}


@reads_examples
@searches
def learn(
    examples: ExamplesFile,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="MODEL", help="Where the model goes: .wcnf or .json; - for stdout."),
    ] = None,
    learner: Annotated[
        str | None,
        typer.Option(
            "--learner", metavar="auto|statistical|structured|cuts|sls|milp", help="How to learn.", show_default="auto"
        ),
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option("--strategy", metavar="walksat|novelty|novelty+|adaptive-novelty+", help="How to search."),
    ] = None,
    neighbourhood: Annotated[
        str | None, typer.Option("--neighbourhood", metavar="pruned|naive", help="Which changes a step tries.")
    ] = None,
    constraints: Annotated[
        int | None, typer.Option("--constraints", min=1, metavar="N", help="Clauses in the model, at most.")
    ] = None,
    max_literals: Annotated[
        int | None, typer.Option("--max-literals", min=1, metavar="K", help="Literals in a clause, at most.")
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", min=0, metavar="SECONDS", help="When to stop.", show_default="60 without --steps"),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option("--steps", min=0, metavar="N", help="Steps of each search; the same seed repeats them."),
    ] = None,
    target_score: Annotated[
        float, typer.Option("--target-score", min=0, max=1, help="A score that is good enough.")
    ] = 1.0,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Searches at a time.", show_default="one per core")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster", metavar="ADDRESS", help="Work on a Dask cluster (tcp://host:8786), or on a local one (local)."
        ),
    ] = None,
    milp_solver: Annotated[
        str | None,
        typer.Option("--milp-solver", metavar="highs|scip|cp-sat|gurobi", help="Solver of --learner milp."),
    ] = None,
    threads: Annotated[int | None, typer.Option("--threads", min=1, help="Threads of that solver.")] = None,
    smallest: Annotated[
        bool, typer.Option("--smallest", help="With milp: the fewest clauses that fit, up to --constraints.")
    ] = False,
    minimum_error: Annotated[
        bool, typer.Option("--minimum-error", help="With milp: the fewest errors, for data that no model fits.")
    ] = False,
    local_search: Annotated[
        int | None,
        typer.Option("--local-search", min=0, metavar="STEPS", help="With milp: local search for a start."),
    ] = None,
    committee: Annotated[
        int | None,
        typer.Option(
            "--committee", min=1, metavar="N", help="With auto, structured: N models, and how far they agree."
        ),
    ] = None,
    no_contexts: Annotated[
        bool, typer.Option("--no-contexts", help="Hide the contexts, as other learners would see the data.")
    ] = False,
    hold_out: Annotated[
        float | None,
        typer.Option("--hold-out", metavar="SHARE", help="Judge on contexts not learned from, in half of the time."),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            "--memory", metavar="SIZE", help="What it may take, such as 2GB.", show_default="half of what is free"
        ),
    ] = None,
    known: Annotated[
        str | None,
        typer.Option(
            "--known", metavar="RULES", help="A file of rules, one per line: hard or weighted, respected, not learned."
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option("--plot", metavar="FILE", help="Draw the score over time; with --hold-out, what to expect too."),
    ] = None,
    seed: Seed = 0,
    json: Json = False,
    verbose: Verbose = False,
    **more: Any,
) -> int:
    """Learn a model whose optima, in each context, are the positive examples.

    Ctrl-C, or SIGTERM, ends the run with the best model so far. The score is about the examples learned from;
    --hold-out 0.2, or `hassle crossval`, says what to expect in contexts that were not.
    """
    from hassle.files import check_model_target
    from hassle.files.rules import read_rules
    from hassle.learners import learn as run
    from hassle.learners.caveats import EMPTY_MODEL
    from hassle.memory import allowing_memory

    if output is not None:
        check_model_target(output)
    if plot is not None:
        from hassle.evaluation.drawing import check_picture

        check_picture(plot)
    given: dict[str, Any] = {
        "strategy": strategy,
        "neighbourhood": neighbourhood,
        "constraints": constraints,
        "max_literals": max_literals,
        "jobs": jobs,
        "milp_solver": milp_solver,
        "threads": threads,
        "smallest": smallest or None,
        "minimum_error": minimum_error or None,
        "local_search": local_search,
        "committee": committee,
        **search_part(more),
    }
    with allowing_memory(memory):
        table = read(examples, more)
    tell(table)
    data = table.data
    rules = None if known is None else read_rules(known, data.schema)
    if no_contexts:
        data = data.without_contexts()
    with shown_progress() as listener:
        result = run(
            data,
            meant_learner(learner, given),
            time_limit=time_limit,
            steps=steps,
            target_score=target_score,
            seed=seed,
            listener=listener,
            interrupt=new_flag(),
            hold_out=hold_out,
            known=rules,
            memory=memory,
            cluster=cluster,
            **{option: value for option, value in given.items() if value is not None},
        )
    failure = None
    if output is not None and not (json and output == "-"):  # the JSON object holds the model
        output, failure = write_or_rescue(result.model, output)
        if result.committee is not None and output is not None and output.endswith(".wcnf"):
            print("hassle: warning: WCNF cannot hold the committee; write a .json file to keep it", file=sys.stderr)
    if plot is not None:
        from hassle.learners.learning_plot import plot_learning

        plot_learning(
            result, plot, None if hold_out is None else data.subset(data.held_out(hold_out, seed).nonzero()[0])
        )
    for note in result.notes:
        print(f"hassle: {'warning' if note == EMPTY_MODEL else 'note'}: {note}", file=sys.stderr)
    if json or output != "-":
        emit({**as_record(result), "recognised": recognised_record(table)}, as_text(result, output), json)
    if failure is not None:
        print(f"hassle: {failure}", file=sys.stderr)
        return NOT_WRITTEN
    return INTERRUPTED if result.stopped == "interrupted" else 0


def as_record(result: LearnResult) -> dict[str, Any]:
    """The documented JSON keys; `model` is as in a model file."""
    from hassle.files.model_json import model_to_json

    return {
        "learner": result.learner,
        "score": result.score,
        "examples": result.examples,
        "correct": result.correct,
        "stopped": result.stopped,
        "seconds": result.seconds,
        "steps": result.steps,
        "neighbours": result.neighbours,
        "seed": result.seed,
        "constraints": result.constraints,
        "hard": len(result.model.hard),
        "soft": len(result.model.soft),
        "model": model_to_json(result.model),
        "fit": result.fit,
        "comparisons": None if result.comparisons is None else result.comparisons.record(),
        "hold_out": None if result.hold_out is None else result.hold_out.record(),
        "notes": list(result.notes),
        **result.extras(),
    }


def _work(result: LearnResult) -> str:
    """How much was tried, in the words of the learner."""
    if "moves" in result.details:
        return f"{result.details['moves']:,} moves tried, {result.details['moves_made']:,} made"
    return f"{result.steps:,} steps, {result.neighbours:,} neighbours"


def as_text(result: LearnResult, output: str | None) -> str:
    from hassle.model import model_words

    lines = [
        f"{_explained(result)}, {_ending(result)} after {result.seconds:.1f} s"
        + (f" ({_work(result)})" if result.steps else "")
        + ".",
        f"{len(result.model.hard)} hard and {len(result.model.soft)} soft constraints"
        + (f", written to {output}." if output else "."),
    ]
    if result.fit is not None:
        lines.insert(1, f"Fit {result.fit:.4f}: so large a share of the alternatives is worse than the good examples.")
    if result.hold_out is not None:
        lines.insert(1, hold_out_text(result.hold_out))
    return "\n".join(lines if output else [*lines, "", model_words(result.model)])


def _ending(result: LearnResult) -> str:
    if result.stopped == "perfect" and result.correct < result.examples:  # examples that break what is known count
        return "every other one is explained"
    return ENDINGS[result.stopped]


def _explained(result: LearnResult) -> str:
    """How many of the examples and comparisons are explained."""
    compared = result.comparisons
    parts = [] if compared is None else [f"{compared.correct} of the {compared.comparisons} comparisons"]
    if result.score is not None:
        parts.insert(0, f"Score {result.score:.4f}: {result.correct} of the {result.examples} examples")
    return " and ".join(parts) + " learned from" if parts else "No score, as the model was judged on no example"


def hold_out_text(found: HeldOut) -> str:
    return (
        f"To expect elsewhere: {found.score:.4f}, {found.correct} of {found.examples} examples in {found.contexts} "
        f"contexts held out, by a model learned from the other {found.learned_from} examples."
    )


@contextmanager
def shown_progress() -> Iterator[Callable[[Progress], None]]:
    """A listener that draws score, speed and time left on a terminal, and nothing elsewhere."""
    from hassle.learners.budget import silent

    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as status:

        def show(progress: Progress) -> None:
            status.update(progress_line(progress))

        yield show


def progress_line(progress: Progress) -> str:
    """One line that says where a run stands."""
    if progress.note:
        return progress.note
    parts = [f"score {progress.correct / max(1, progress.examples):.4f}"]
    if progress.neighbours and progress.seconds:
        parts.append(f"{progress.neighbours / progress.seconds:,.0f} {progress.tried}/s")
    if progress.seconds_left != float("inf"):
        parts.append(f"{progress.seconds_left:.0f} s left")
    return ", ".join(parts)
