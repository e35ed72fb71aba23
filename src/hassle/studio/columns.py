"""What the columns of the study's file are: recognised by their cells, or as the person said.

Every column gets an answer of its own: a slip in one of them is told beside it, and does not hide what the others are.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

from hassle.data import Dataset, as_label
from hassle.errors import DataWarning, InputError
from hassle.files.csv_examples import csv_sheet
from hassle.files.excel import excel_book, excel_sheet
from hassle.files.jsonl_examples import read_jsonl
from hassle.files.recognition import Undecidable, recognise
from hassle.files.sheet import CONTEXT, LABEL, Sheet, SheetColumn
from hassle.files.sheet_examples import Reading, examples_in
from hassle.logic import Choice, Column, Number, Schema, YesNo, as_schema
from hassle.logic.arranging import arranged
from hassle.studio.source import Source

KINDS = (YesNo.kind, Choice.kind, Number.kind)
# Values of a column that are listed, and rows that are shown.
MOST_VALUES, MOST_ROWS = 12, 8
# In the place of a label column's name: every row is a good plan.
ALL_GOOD = "*"


@dataclass(frozen=True)
class Roles:
    """What a person said of columns: left out, given rather than decided, the label, or of another kind."""

    ignored: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    label: str | None = None
    kinds: tuple[tuple[str, str], ...] = ()
    skip_gaps: bool = False
    sheet: str | None = None

    def to_data(self) -> dict[str, Any]:
        return asdict(self) | {"kinds": dict(self.kinds)}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Roles:
        lists = {key: tuple(map(str, data.get(key, ()))) for key in ("ignored", "used", "given")}
        label, sheet = (value if isinstance(value := data.get(key), str) else None for key in ("label", "sheet"))
        kinds = tuple((str(name), str(kind)) for name, kind in dict(data.get("kinds", {})).items() if kind in KINDS)
        return cls(**lists, label=label, kinds=kinds, skip_gaps=bool(data.get("skip_gaps")), sheet=sheet)

    def changed(self, name: str, role: str) -> Roles:
        """With one column in another role: ``decided``, ``given``, ``ignored``, ``label``, or a kind."""

        def without(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(each for each in names if each != name)

        if role in KINDS:
            kinds = (*((each, kind) for each, kind in self.kinds if each != name), (name, role))
            return replace(self, kinds=kinds, ignored=without(self.ignored), used=(*without(self.used), name))
        bare = replace(
            self,
            ignored=without(self.ignored),
            used=without(self.used),
            given=without(self.given),
            label=None if self.label == name else self.label,
        )
        match role:
            case "ignored":
                return replace(bare, ignored=(*bare.ignored, name))
            case "given":
                return replace(bare, given=(*bare.given, name), used=(*bare.used, name))
            case "label":
                return replace(bare, label=name)
            case "decided":
                return replace(bare, used=(*bare.used, name))
        raise InputError(f"there is no role {role!r}", fix=f"use decided, given, ignored, label, {', '.join(KINDS)}")


@dataclass(frozen=True)
class ColumnView:
    """A column as the page shows it; ``role`` is decided, given, ignored, label or context."""

    name: str
    role: str
    kind: str | None = None
    why: str = ""
    values: tuple[str, ...] = ()
    problem: str = ""
    line: int | None = None
    sample: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recognition:
    """All columns, the first rows, and the examples, unless ``problem`` says why there are none."""

    columns: tuple[ColumnView, ...]
    rows: int
    lines: tuple[int, ...] = ()
    data: Dataset | None = None
    problem: str = ""
    line: int | None = None
    warnings: tuple[str, ...] = ()
    fixed: bool = False
    sheets: tuple[str, ...] = ()


@lru_cache(maxsize=4)
def recognition(source: Source, roles: Roles) -> Recognition:
    """What the file holds when its columns are taken as the roles say."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        try:
            found = _of_json_lines(source, roles) if source.is_json_lines else _of_sheet(source, roles)
        except InputError as error:
            return Recognition((), 0, problem=_said(error), line=error.line)
    told = (str(each.message).removeprefix(f"{source.name}: ") for each in caught)
    return replace(found, warnings=tuple(dict.fromkeys(told)))


def _said(error: InputError) -> str:
    """What is wrong and what to do, for somebody who types no options."""
    fix = error.fix or ""
    for option in ("--ignore", "--missing", "--schema", "--sheet", "--ignore-undecidable"):
        fix = "" if option in fix else fix
    return f"{error.what}; {fix}" if fix else error.what


def _of_json_lines(source: Source, roles: Roles) -> Recognition:
    data = _arranged(read_jsonl(source.text, source.name))
    given = tuple(name for name in roles.given if name in data.schema.column_names)
    views = []
    for column, values in zip(data.schema.columns, zip(*_rows(data), strict=True), strict=True):
        role = "given" if column.name in given else "decided"
        views.append(ColumnView(column.name, role, column.kind, "the file says so", _values(column), sample=values))
    lines = tuple((data.lines if data.lines is not None else range(len(data)))[:MOST_ROWS])
    return Recognition(
        tuple(views), len(data), tuple(map(int, lines)), data.given(given) if given else data, fixed=True
    )


def _rows(data: Dataset) -> list[tuple[str, ...]]:
    return [tuple(map(str, data.schema.decode(row))) for row in data.assignments[:MOST_ROWS].tolist()]


def _values(column: Column) -> tuple[str, ...]:
    values = ("yes", "no") if isinstance(column, YesNo) else tuple(map(str, column.values))
    return values if len(values) <= MOST_VALUES else (*values[: MOST_VALUES - 1], "…")


def _of_sheet(source: Source, roles: Roles) -> Recognition:
    sheets: tuple[str, ...] = ()
    if source.is_excel:
        sheets = tuple(excel_book(source.content))
        wanted = roles.sheet if roles.sheet in sheets else next(iter(sheets), None)
        sheet = excel_sheet(source.content, source.name, Reading(sheet=wanted))
    else:
        sheet = csv_sheet(source.text, source.name, Reading(), (LABEL,))
    if not sheet.lines:
        raise InputError("there are no examples after the header", fix="add one row per example")
    label = _label_of(sheet, roles)
    views, decided = [], dict[str, Column]()
    for name, column in sheet.columns.items():
        view, kind = _view(column, roles, label)
        views.append(view)
        if kind is not None:
            decided[name] = kind
    found = Recognition(tuple(views), len(sheet.lines), tuple(sheet.lines[:MOST_ROWS]), sheets=sheets)
    if label is None:
        return replace(found, problem="no column says which plans were good; click the one that does")
    broken = next((view for view in views if view.problem), None)
    if broken is not None:
        return replace(found, problem=f"column {broken.name!r}: {broken.problem}", line=broken.line)
    if not decided:
        return replace(found, problem="no column can be a decision; add one column per decision")
    try:
        data = _examples(sheet, decided, label, roles.skip_gaps)
        given = [view.name for view in views if view.role == "given"]
        return replace(found, data=data.given(given) if given else data)
    except InputError as error:
        return replace(found, problem=_said(error), line=error.line)


def _label_of(sheet: Sheet, roles: Roles) -> str | None:
    if roles.label == ALL_GOOD or roles.label in sheet.columns:
        return roles.label
    return next((name for name in sheet.columns if name.lower() == LABEL and name not in roles.ignored), None)


def _view(column: SheetColumn, roles: Roles, label: str | None) -> tuple[ColumnView, Column | None]:
    """What the column is, and as which decision it is read, if as any."""
    name, sample = column.name, tuple(column.cells[:MOST_ROWS])
    bare = ColumnView(name, "ignored", sample=sample)
    if name == label:
        problem, line = _label_problem(column)
        return replace(bare, role="label", why="says which plans were good", problem=problem, line=line), None
    if name == CONTEXT and name not in roles.used and name not in roles.ignored:
        return replace(bare, role="context", why="what was given, as a formula"), None
    if name in roles.ignored or (name.lower() == LABEL and name not in roles.used):
        return replace(bare, why="left out"), None
    role = "given" if name in roles.given else "decided"
    try:
        kind, why = _kind(column, dict(roles.kinds).get(name), roles.skip_gaps)
    except Undecidable as error:
        if name not in roles.used:
            return replace(bare, why=error.what.partition(": ")[2] or error.what), None
        return replace(bare, role=role, problem=error.what.partition(": ")[2] or error.what, line=error.line), None
    except InputError as error:
        what = error.what.removeprefix(f"column {name!r}").removeprefix(": ").strip()
        return replace(bare, role=role, problem=what, line=error.line), None
    return replace(bare, role=role, kind=kind.kind, why=why, values=_values(kind)), kind


def _label_problem(column: SheetColumn) -> tuple[str, int | None]:
    try:
        column.understood(lambda cell: as_label(cell).code)
    except InputError as error:
        return error.what.removeprefix(f"column {column.name!r}: ") + "; write good or bad", error.line
    return "", None


def _kind(column: SheetColumn, wanted: str | None, skip_gaps: bool) -> tuple[Column, str]:
    cells, lines = column.cells, column.lines
    filled = [k for k, cell in enumerate(cells) if cell.strip()]
    if skip_gaps and 0 < len(filled) < len(cells):
        cells, lines = tuple(cells[k] for k in filled), tuple(lines[k] for k in filled)
    if wanted is None:
        found = recognise(column.name, cells, lines)
        return found.column, f"{found.why}; it never varies" if found.constant else found.why
    words = list(Counter(cell.strip() for cell in cells))
    if wanted == YesNo.kind:
        return YesNo(column.name), "as you said"
    if wanted == Choice.kind:
        return Choice(column.name, tuple(words)), "as you said"
    for cell, line in zip(cells, lines, strict=True):
        if not cell.strip().lstrip("-").isdecimal():
            raise InputError(f"{cell!r} is no whole number", line=line)
    numbers = sorted(map(int, words))
    return Number(column.name, numbers[0], numbers[-1]), "as you said"


def _examples(sheet: Sheet, decided: dict[str, Column], label: str, skip_gaps: bool) -> Dataset:
    kept = {name: column for name, column in sheet.columns.items() if name in decided}
    if CONTEXT in sheet.columns and CONTEXT not in decided:
        kept[CONTEXT] = sheet.columns[CONTEXT]
    if label == ALL_GOOD:
        kept[LABEL] = SheetColumn(LABEL, ("1",) * len(sheet.lines), sheet.lines)
    else:
        kept[LABEL] = replace(sheet.columns[label], name=LABEL)
    schema = Schema(tuple(decided.values()))
    schema = as_schema(schema.variables) if schema.plain else schema
    how = Reading(schema=schema, missing="unknown" if skip_gaps else "error")
    return _arranged(examples_in(replace(sheet, columns=kept), how).data)


def _arranged(data: Dataset) -> Dataset:
    """The examples over a schema whose dimensions its names show, so that rules and plans can speak of them."""
    schema = arranged(data.schema)
    return data if schema is data.schema else replace(data, schema=schema)
