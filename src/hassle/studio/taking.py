"""What a person takes away: the plan as a spreadsheet, the model in every format, the report, the study itself."""

from __future__ import annotations

import csv
import io
import os

from hassle.errors import InputError
from hassle.files import EXAMPLE_WRITERS, MODEL_EXPORTS, MODEL_WRITERS
from hassle.logic import Assignment
from hassle.studio.layout import Items, layout
from hassle.studio.study import Study, rules_text, study_text
from hassle.studio.workbook import workbook

TEXT, BINARY = "text/plain; charset=utf-8", "application/octet-stream"
# A spreadsheet would take a cell that begins so for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")

# Every format of `hassle convert`.
MODELS = MODEL_WRITERS | MODEL_EXPORTS

Taken = tuple[str, str, bytes]


def stem(study: Study) -> str:
    return os.path.splitext(study.source.name)[0] if study.source else "study"


def choices(study: Study) -> dict[str, list[str]]:
    """The files that can be taken, by kind."""
    return {
        "model": [f"model{ending}" for ending in MODELS],
        "examples": [f"examples{ending}" for ending in EXAMPLE_WRITERS],
    }


def take(study: Study, what: str) -> Taken:
    """One of the files: ``model.wcnf``, ``examples.csv``, ``rules.txt``, ``report.html``, ``study.hassle``."""
    kind, ending = os.path.splitext(what)
    if what == "study.hassle":
        return f"{stem(study)}.hassle", BINARY, study_text(study).encode()
    if study.source is None:
        raise InputError("there is nothing to take away yet", fix="open a file first")
    if kind == "model" and ending in MODELS:
        return f"{stem(study)}{ending}", TEXT, MODELS[ending](study.model).encode()
    if kind == "examples" and ending in EXAMPLE_WRITERS:
        return f"{stem(study)}-examples{ending}", TEXT, EXAMPLE_WRITERS[ending](study.data).encode()
    if what == "rules.txt":
        return f"{stem(study)}-rules.txt", TEXT, rules_text(study.rules, study.schema).encode()
    if what == "report.html":
        from hassle.studio.report import report

        return f"{stem(study)}-report.html", "text/html; charset=utf-8", report(study).encode()
    raise InputError(f"there is no {what!r} to take away", fix="load the page again")


def plan_file(study: Study, on: list[int], ending: str) -> Taken:
    """The plan as ``.csv`` or ``.xlsx``: the table as the page shows it, and the other columns under it."""
    rows = plan_rows(study, on)
    if ending == ".xlsx":
        kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        return f"{stem(study)}-plan.xlsx", kind, workbook(rows)
    if ending != ".csv":
        raise InputError(f"plans are not written as {ending!r}", fix="take .csv or .xlsx")
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows([[_harmless(cell) for cell in row] for row in rows])
    return f"{stem(study)}-plan.csv", "text/csv; charset=utf-8", out.getvalue().encode("utf-8-sig")


def plan_rows(study: Study, on: list[int]) -> list[list[str]]:
    schema = study.schema
    items = Items.of(schema)
    assignment = Assignment.of(schema, items.bits(on))
    holding, drawn = set(items.on(assignment)), layout(schema)
    rows: list[list[str]] = []
    if (table := drawn["table"]) is not None:
        rows.append([table["of"][0], *table["columns"]])
        for name, cells in zip(table["rows"], table["cells"], strict=True):
            marks = [" ".join(mark[1] or "x" for mark in cell if mark[0] in holding) for cell in cells]
            rows.append([name, *marks])
        if drawn["others"]:
            rows.append([])
    rows += [[each["name"], _value(assignment[each["name"]], each["kind"])] for each in drawn["others"]]
    return rows


def _value(value: int | str, kind: str) -> str:
    return ("no", "yes")[int(value)] if kind == "yes-or-no" else str(value)


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) else cell
