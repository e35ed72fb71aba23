"""``hassle label``: a verdict per example."""

from __future__ import annotations

from typing import Any

from hassle.cli.options import ExamplesFile, Json, ModelFile, SolverName, Verbose
from hassle.cli.output import emit, working
from hassle.cli.reading import read, reads_examples

EXAMPLE = "hassle label model.wcnf decisions.csv"


@reads_examples
def label(
    model: ModelFile,
    examples: ExamplesFile,
    solver: SolverName = "auto",
    json: Json = False,
    verbose: Verbose = False,
    **reading: Any,
) -> None:
    """Print what the model says of each decision: optimal, suboptimal or infeasible, one per line; needs no labels."""
    from hassle.model import VERDICTS, Model
    from hassle.solve import verdicts

    with working("judging"):
        judge = Model.read(model)
        data = read(examples, reading, schema=judge.schema, labels=False).data
        words = [VERDICTS[code].value for code in verdicts(judge, data, solver=solver)]
    emit({"verdicts": words}, "\n".join(words), json)
