"""``hassle generate``: a true model and examples of it, to try learners on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hassle.cli.options import Json, Seed, TimeLimit
from hassle.cli.output import emit, working

if TYPE_CHECKING:
    from hassle.generate import Generated

EXAMPLE = "hassle generate -o problem --variables 8 --hard 10 --soft 10 --contexts 100 --seed 1"

DEFAULT_VARIABLES = 8


def generate(
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="DIR", help="Where truth.wcnf and examples.csv go; made if missing."),
    ],
    variables: Annotated[
        int | None, typer.Option("--variables", min=1, help="Variables of a random model.", show_default="8")
    ] = None,
    hard: Annotated[int, typer.Option("--hard", min=0, help="Hard clauses.")] = 10,
    soft: Annotated[int, typer.Option("--soft", min=0, help="Soft clauses, with random weights.")] = 10,
    contexts: Annotated[int, typer.Option("--contexts", min=1, help="Contexts, each changing the optimum.")] = 100,
    positives: Annotated[int, typer.Option("--positives", min=0, help="Best assignments per context.")] = 2,
    negatives: Annotated[int, typer.Option("--negatives", min=0, help="Bad assignments per context.")] = 2,
    negative_kind: Annotated[
        str,
        typer.Option("--negative-kind", metavar="both|infeasible|suboptimal", help="Why negatives are bad."),
    ] = "both",
    noise: Annotated[float, typer.Option("--noise", min=0, max=1, help="Probability that a label is wrong.")] = 0.0,
    max_literals: Annotated[
        int | None, typer.Option("--max-literals", min=1, help="Longest clause.", show_default="half the variables")
    ] = None,
    context_literals: Annotated[
        int | None,
        typer.Option("--context-literals", min=1, help="Literals per context.", show_default="half the variables"),
    ] = None,
    cnf: Annotated[
        str | None, typer.Option("--cnf", metavar="FILE", help="Take variables and clauses from a CNF file instead.")
    ] = None,
    reasons: Annotated[
        bool, typer.Option("--reasons", help="Label negatives infeasible or suboptimal instead of 0.")
    ] = False,
    allow_fewer: Annotated[
        bool, typer.Option("--allow-fewer", help="Keep contexts that cannot give so many examples of each kind.")
    ] = False,
    time_limit: TimeLimit = None,
    ward: Annotated[
        str | None,
        typer.Option(
            "--ward",
            metavar="N,D,S",
            help="A ward instead: nurses, days, shifts. Also writes truth.json, examples.jsonl, schema.toml.",
        ),
    ] = None,
    timetable: Annotated[
        str | None, typer.Option("--timetable", metavar="C,S", help="An exam timetable instead: courses, slots.")
    ] = None,
    configurator: Annotated[
        str | None, typer.Option("--configurator", metavar="N", help="A product of N choices instead.")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Make a random model and examples of it: DIR/truth.wcnf and DIR/examples.csv.

    Arranged problems (--ward, --timetable, --configurator) have truths in families: DIR/truth.json,
    DIR/examples.jsonl with its schema, and DIR/schema.toml.
    """
    from hassle.errors import InputError
    from hassle.files import read_model
    from hassle.files.atomic import check_folder
    from hassle.generate import generate as generate_problem

    if output == "-":
        raise InputError("a problem is two files, which do not fit on '-'", fix="name a folder")
    if cnf is not None and (variables is not None or max_literals is not None):
        option = "--variables" if variables is not None else "--max-literals"
        raise InputError(f"{option} and --cnf exclude each other: the file says it", fix="leave one out")
    check_folder(output)
    asked = {"ward": ward, "timetable": timetable, "configurator": configurator}
    if any(size is not None for size in asked.values()):
        from hassle.cli.generate_arranged import write_arranged

        record = write_arranged(asked, Path(output), contexts, positives, negatives, noise, seed)
        emit(record, _text(record), json)
        return
    formula = None if cnf is None else read_model(cnf)
    with working("generating"):
        try:
            problem = generate_problem(
                DEFAULT_VARIABLES if variables is None else variables,
                hard,
                soft,
                contexts,
                positives=positives,
                negatives=negatives,
                negative_kind=negative_kind,
                noise=noise,
                max_literals=max_literals,
                cnf=formula,
                context_literals=context_literals,
                reasons=reasons,
                allow_fewer=allow_fewer,
                seed=seed,
                time_limit=time_limit,
            )
        except InputError as error:
            raise error.at(file=cnf) from None
    record = _written(problem, Path(output)) | {"seed": seed, "notes": list(problem.notes)}
    emit(record, _text(record), json)


def _written(problem: Generated, directory: Path) -> dict[str, Any]:
    """Write both files, and say what is in them."""
    from hassle.errors import InputError

    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = "it is a link to nothing" if directory.is_symlink() else error.strerror
        raise InputError(
            f"the directory cannot be made ({reason})", fix="choose another one", file=str(directory)
        ) from None
    truth, examples = directory / "truth.wcnf", directory / "examples.csv"
    problem.truth.write(truth)
    problem.data.write(examples)
    return {
        "truth_file": str(truth),
        "examples_file": str(examples),
        "variables": len(problem.truth.variables),
        "hard": len(problem.truth.hard),
        "soft": len(problem.truth.soft),
        "contexts": len(problem.data.contexts),
        "changing": problem.changing,
        "examples": len(problem.data),
        "positive": int(problem.data.positive.sum()),
    }


def _text(record: dict[str, Any]) -> str:
    return "\n".join(
        [
            f"{record['truth_file']}: {record['variables']} variables, {record['hard']} hard and "
            f"{record['soft']} soft clauses",
            f"{record['examples_file']}: {record['examples']} examples, {record['positive']} positive, "
            f"in {record['contexts']} contexts",
            *(f"Note: {note}." for note in record["notes"]),
        ]
    )
