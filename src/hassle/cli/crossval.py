"""``hassle crossval``: what score to expect in contexts that were not learned from."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hassle.cli.learn import learn, progress_line, shown_progress
from hassle.cli.options import ExamplesFile, Json, Seed, Verbose, with_options_of
from hassle.cli.output import emit
from hassle.cli.reading import read, reading_part, tell
from hassle.cli.search_options import meant_learner, search_part
from hassle.cli.signals import INTERRUPTED, new_flag

if TYPE_CHECKING:
    from hassle.learners import Progress
    from hassle.learners.crossval import CrossValidation, Fold

EXAMPLE = "hassle crossval examples.csv --folds 10 --time-limit 60"

# Options of `learn` that make no sense here: there is no model to write or to draw, and contexts are what is divided.
NOT_HERE = ("output", "plot", "hold_out", "committee", "no_contexts")


@with_options_of(learn, without=NOT_HERE)
def crossval(
    examples: ExamplesFile,
    folds: Annotated[
        int, typer.Option("--folds", "-k", min=2, metavar="K", help="Parts that are held out one after another.")
    ] = 5,
    seed: Seed = 0,
    json: Json = False,
    verbose: Verbose = False,
    **options: Any,
) -> int:
    """Say what score to expect in new contexts: learn several times, each time without some of the contexts.

    The options are those of `hassle learn`; the time limit is for all folds together. Ctrl-C keeps the folds done.
    """
    from hassle.files.rules import read_rules
    from hassle.learners.crossval import cross_validate
    from hassle.memory import allowing_memory

    with allowing_memory(options["memory"]):
        table = read(examples, reading_part(options))
    tell(table)
    if options["known"] is not None:
        options["known"] = read_rules(options["known"], table.data.schema)
    options = {**options, **search_part(options)}
    learner = meant_learner(options.pop("learner"), options)
    done: list[Fold] = []

    with shown_progress() as show:

        def listen(progress: Progress) -> None:
            show(replace(progress, note=f"fold {len(done) + 1}: {progress_line(progress)}"))

        def watch(fold: Fold) -> None:
            done.append(fold)
            print(f"hassle: {_fold_text(fold)}", file=sys.stderr)

        result = cross_validate(
            table.data,
            learner,
            folds=folds,
            seed=seed,
            listener=listen,
            watch=watch,
            interrupt=new_flag(),
            # An option that is None or False was not given, but for the one that is on by default.
            **{
                name: value
                for name, value in options.items()
                if value is not None and (value is not False or name == "focus")
            },
        )
    for note in result.notes:
        print(f"hassle: note: {note}", file=sys.stderr)
    emit(_record(result), _text(result), json)
    return INTERRUPTED if result.stopped == "interrupted" else 0


def _record(result: CrossValidation) -> dict[str, Any]:
    """The documented JSON keys."""
    names = ("learner", "score", "spread", "baseline", "training_score", "examples", "contexts", "correct")
    return {
        **{name: getattr(result, name) for name in names},
        "folds": [fold.record() for fold in result.folds],
        "stopped": result.stopped,
        "seconds": result.seconds,
        "seed": result.seed,
        "notes": list(result.notes),
    }


def _text(result: CrossValidation) -> str:
    if result.score is None:
        return "Interrupted before the first fold was done: there is no score."
    spread = "" if result.spread is None else f" ± {result.spread:.4f}"
    many = len(result.judged)
    done = f"{many} folds" if many == result.wanted else f"{many} of {result.wanted} folds"
    return "\n".join(
        [
            f"Expect a score of {result.score:.4f}{spread} in contexts that were not learned from.",
            f"Mean{' and standard deviation' if spread else ''} of {done}: {result.correct} of {result.examples} "
            f"examples in {result.contexts} contexts, after {result.seconds:.1f} s"
            + (", interrupted." if result.stopped == "interrupted" else "."),
            f"For comparison: {result.training_score:.4f} on the examples learned from, "
            f"{result.baseline:.4f} for always giving the more frequent label.",
        ]
    )


def _fold_text(fold: Fold) -> str:
    if fold.held_out is None:
        return f"fold {fold.number} of {fold.of}: no model was found"
    return (
        f"fold {fold.number} of {fold.of}: score {fold.held_out.score:.4f}, {fold.held_out.correct} of {fold.examples} "
        f"examples, {fold.contexts} context{'s' if fold.contexts > 1 else ''}"
    )
