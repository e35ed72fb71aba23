"""``hassle solve``: the best assignment(s) in a context, and what each soft clause got."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hassle.cli.options import MANY, ContextText, Json, ModelFile, Seed, SolverName, TimeLimit, Verbose
from hassle.cli.output import emit, working
from hassle.cli.plans import plan_line, plan_lines
from hassle.errors import InputError

if TYPE_CHECKING:
    from hassle.logic import Context
    from hassle.model import Model
    from hassle.solve import Optima

EXAMPLE = "hassle solve model.wcnf --contexts next_week.csv -o plan.csv"

# So many best assignments are shown as tables, where their names show dimensions; more of them a line each.
TABLES = 3


def solve(
    model: ModelFile,
    context: ContextText = None,
    contexts: Annotated[
        str | None,
        typer.Option(
            "--contexts", metavar="FILE", help="Plan for each context of a file: one per line, or a CSV column."
        ),
    ] = None,
    fill: Annotated[
        str | None,
        typer.Option(
            "--fill", metavar="FILE", help="Plan the empty cells of a sheet, CSV or Excel; what stands there is given."
        ),
    ] = None,
    sheet: Annotated[
        str | None, typer.Option("--sheet", metavar="NAME", help="With --fill: which sheet of an Excel file.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="PLAN", help="With --contexts or --fill: where the plan goes, .csv or .tsv."
        ),
    ] = None,
    all_: Annotated[
        int,
        typer.Option("--all", min=1, metavar="[N]", help=f"All best assignments, at most N ({MANY} without a number)."),
    ] = 1,
    schema: Annotated[
        str | None,
        typer.Option(
            "--schema", metavar="FILE", help="Use the model's families on another schema, such as a larger ward."
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option("--plot", metavar="FILE", help="Draw the plan, where it is a table, to a PNG, SVG or PDF file."),
    ] = None,
    solver: SolverName = "auto",
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    json: Json = False,
    verbose: Verbose = False,
) -> int:
    """Find the best assignment in a context, or in each of many; exit code 1 if there is no feasible one."""
    if fill is not None:
        from hassle.cli.filling import fill as fill_sheet

        _check_alone("--fill", context, all_, schema, plot, contexts)
        return fill_sheet(model, fill, output, sheet, solver, time_limit, json)
    if sheet is not None:
        raise InputError("--sheet is for the Excel file of --fill", fix="leave it out")
    if contexts is not None:
        from hassle.cli.planning import plan_all

        _check_alone("--contexts", context, all_, schema, plot)
        return plan_all(model, contexts, output, solver, time_limit, json)
    if output is not None:
        fix = "add one of them, or redirect the output"
        raise InputError("--output is for the plan of --contexts or --fill", fix=fix)
    from hassle.logic import Assignment, as_context
    from hassle.model import Model
    from hassle.solve import optima

    if plot is not None:
        from hassle.evaluation.drawing import check_picture

        check_picture(plot)
    started = time.monotonic()
    solved = Model.read(model) if schema is None else _elsewhere(Model.read(model), schema)
    where = as_context(context, solved.schema)
    with working("solving"):
        if all_ == 1:
            best = _one(solved, where, solver, time_limit)
        else:
            best = optima(solved, where, limit=all_, solver=solver, seed=seed, time_limit=time_limit)
    if plot is not None and best.value is not None:
        from hassle.cli.plan_plot import plot_plan

        plot_plan(Assignment.of(solved.schema, best.assignments[0]), plot)
    record = {
        "status": "infeasible" if best.value is None else "optimal",
        "value": None if best.value is None else solved.decimal(best.value),
        "assignments": [dict(Assignment.of(solved.schema, row)) for row in best.assignments.tolist()],
        "count": best.count,
        "complete": best.complete,
        "context": where.text(solved.schema),
        "soft": _earnings(solved, best),
        **_shares(solved, best, where),
        "seconds": time.monotonic() - started,
    }
    emit(record, _text(solved, record, best), json)
    return 1 if best.value is None else 0


def _elsewhere(model: Model, schema: str) -> Model:
    """The model on another schema; what cannot be said there is told."""
    from hassle.files import read_schema
    from hassle.model import rule_text

    other = read_schema(schema)
    lost = model.lost_in(other)
    moved = model.transferred(other)
    for rule in lost:
        typer.echo(f"Left out, as it cannot be said there: {rule_text(rule.what, model.schema)}", err=True)
    return moved


def _check_alone(
    plan: str, context: str | None, all_: int, schema: str | None, plot: str | None, contexts: str | None = None
) -> None:
    for option, given in (
        ("--contexts", contexts is not None),
        ("--context", context is not None),
        ("--all", all_ != 1),
        ("--schema", schema is not None),
        ("--plot", plot is not None),
    ):
        if given:
            raise InputError(f"{option} and {plan} exclude each other", fix="leave one out")


def _one(model: Model, context: Any, solver: str, time_limit: float | None) -> Optima:
    """One best assignment, through the way that looks for no others."""
    from hassle.solve import Optima, solver_for
    from hassle.solve.protocol import no_optima

    best = solver_for(model, context, solver, time_limit=time_limit).best(model, context)
    if best is None:
        return no_optima(len(model.variables))
    return Optima(best.value, best.bits[None, :], None, False)


def _earnings(model: Model, best: Optima) -> list[dict[str, Any]]:
    """What each soft clause got from the first assignment shown."""
    if best.value is None or not len(best.assignments):
        return []
    return [
        {"clause": model.text(soft.constraint), "weight": soft.weight, "satisfied": satisfied}
        for soft, satisfied in zip(model.soft, model.earned(best.assignments[0]), strict=True)
    ]


def _shares(model: Model, best: Optima, context: Context) -> dict[str, Any]:
    """What a committee says: the share that calls each assignment best, and the one that most of them call best."""
    from hassle.solve.committee import committee_of

    committee = committee_of(model)
    if committee is None:
        return {"shares": None, "committee": None}
    elected = committee.solve(context)
    return {
        "shares": [float(share) for share in committee.shares(best.assignments, context)],
        "committee": {
            "members": len(committee),
            "assignment": None if elected is None else dict(elected[0]),
            "share": None if elected is None else float(elected[1]),
        },
    }


def _text(model: Model, record: dict[str, Any], best: Optima) -> str:
    from hassle.logic import Assignment, as_bits
    from hassle.model import constraint_words

    where = f" where {record['context']}" if record["context"] else ""
    if best.value is None:
        return f"No assignment is feasible{where}."
    lines = [f"Best value {record['value']:f}{where}"]
    if best.count is not None:
        lines[0] += f"; {best.count} best assignment{'s' if best.count != 1 else ''}"
        lines[0] += "" if best.complete else f", {len(best.assignments)} drawn uniformly"
    for row, share in zip(best.assignments, record["shares"] or [None] * len(best.assignments), strict=True):
        assignment = Assignment.of(model.schema, row)
        sure = "" if share is None else f"  ({share:.0%} of the committee call it best)"
        first, *more = plan_lines(assignment) if len(best.assignments) <= TABLES else [plan_line(assignment)]
        lines += [f"  {first}{sure}", *(f"  {line}" for line in more)]
    elected = record["committee"]
    if elected and elected["share"] and elected["share"] > max(record["shares"]):
        wanted = plan_line(Assignment.of(model.schema, as_bits(elected["assignment"], model.schema)))
        lines.append(f"  {elected['share']:.0%} of the committee would rather have {wanted}")
    earned = zip(model.soft, model.earned(best.assignments[0]), strict=True)
    rows = [
        f"  {'got ' if satisfied else 'lost'}  {soft.weight:>6f}  {constraint_words(soft.constraint, model.schema)}"
        for soft, satisfied in earned
    ]
    if rows:
        lines += ["Preferences" + (" (of the first)" if len(best.assignments) > 1 else ""), *rows]
    return "\n".join(lines)
