"""``hassle label``: a verdict per example."""

from __future__ import annotations

from hassle.cli.options import ExamplesFile, Ignore, Json, ModelFile, SchemaFile, SolverName, Verbose, schema_for
from hassle.cli.output import emit, working

EXAMPLE = "hassle label model.wcnf decisions.csv"


def label(
    model: ModelFile,
    examples: ExamplesFile,
    ignore: Ignore = None,
    schema: SchemaFile = None,
    solver: SolverName = "auto",
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Print what the model says of each decision: optimal, suboptimal or infeasible, one per line; needs no labels."""
    from hassle.data import Dataset
    from hassle.model import VERDICTS, Model
    from hassle.solve import verdicts

    with working("judging"):
        judge = Model.read(model)
        data = Dataset.read(examples, ignore=ignore or (), labels=False, schema=schema_for(judge, schema))
        words = [VERDICTS[code].value for code in verdicts(judge, data, solver=solver)]
    emit({"verdicts": words}, "\n".join(words), json)
