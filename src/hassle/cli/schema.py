"""``hassle schema``: what the columns of examples mean, as TOML to be edited and passed with ``--schema``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hassle.cli.options import ExamplesFile, Json, Verbose
from hassle.cli.output import emit
from hassle.cli.reading import read, reads_examples, recognised_record

if TYPE_CHECKING:
    from hassle.files.recognition import Recognised

EXAMPLE = "hassle schema decisions.csv > decisions.toml"


@reads_examples
def schema(
    examples: ExamplesFile,
    json: Json = False,
    verbose: Verbose = False,
    **reading: Any,
) -> None:
    """Print what the columns of examples mean, and why, as TOML: edit it, and pass it with --schema.

    Domains may be made wider than the data. Columns that cannot be decisions are left out.
    """
    from hassle.files.schema_data import schema_to_data
    from hassle.files.schema_toml import schema_toml_text
    from hassle.logic.arranging import arranged

    table = read(examples, {**reading, "ignore_undecidable": True})
    found = arranged(table.data.schema)
    text = schema_toml_text(found, {each.column.name: _remark(each) for each in table.recognised})
    for name, what in table.left_out.items():
        text += f"\n# {what}. With this schema, pass --ignore {name!r}."
    emit({**schema_to_data(found), "recognised": recognised_record(table)}, text.rstrip("\n"), json)


def _remark(recognised: Recognised) -> str:
    return f"{recognised.why}; teaches nothing" if recognised.constant else recognised.why
