"""Long tables: one row per cell (``week,nurse,day,shift``), with a second table of label and context per example.

The columns that both tables have say which example a row belongs to (``week``). Of the others, the last one holds the
value (``shift``) and those before it say where it stands (``nurse,day``): they are the dimensions, and the decision of
a cell is called ``ana_mon``. What else the second table has are decisions too, or given.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from hassle.errors import InputError
from hassle.files.recognition import recognise
from hassle.files.sheet import CONTEXT, JOINT, LABEL, WEIGHT, Sheet, SheetColumn, check_ignored
from hassle.files.sheet_examples import (
    Reading,
    Table,
    are_weights,
    examples_in,
    known_cells,
    recognised_in,
    whatever_case,
)
from hassle.logic import Arrangement, Choice, Column, Dimension, Number, Schema
from hassle.logic.arranging import dimension_of


def long_table(cells: Sheet, labels: Sheet, how: Reading) -> Table:
    """The examples that the two tables hold together, one per row of the second."""
    check_ignored(how.ignored, [*cells.columns, *labels.columns])
    cells, labels = (_without(sheet, how.ignored) for sheet in (cells, labels))
    labels = replace(labels, columns=whatever_case(labels.columns, labels.source, {each.name for each in how.known}))
    keys = [name for name in labels.columns if name in cells.columns and name not in (LABEL, CONTEXT)]
    own = [column for name, column in cells.columns.items() if name not in keys]
    if not keys or len(own) < 2:
        raise InputError(
            f"{labels.source} and {cells.source} do not fit together",
            fix="let both name the example, and the longer one places and, last, the value: week,nurse,day,shift",
        )
    *index, value = own
    try:
        names = [JOINT.join(each) for each in zip(*map(_stripped, index), strict=True)]
    except InputError as error:
        raise error.at(file=cells.source) from None
    wide = _wide(cells, labels, keys, names, value, how)
    if how.schema is not None:
        return examples_in(wide, how)
    told = known_cells(value, how)
    try:
        found = recognise(value.name, told.cells, told.lines)
    except InputError as error:
        raise error.at(file=cells.source) from None
    columns = [replace(found.column, name=name) for name in dict.fromkeys(names)]
    schema = _arrangement(columns, index, value.name)
    others = {
        name: column
        for name, column in wide.columns.items()
        if name not in schema.column_names and not _is_about_examples(column, how)
    }
    recognised, left_out = recognised_in(others, how, labels.header_line)
    schema = replace(schema, columns=(*schema.columns, *(each.column for each in recognised)))
    table = examples_in(_without(wide, left_out), replace(how, schema=schema))
    arranged = (replace(found, column=column) for column in columns)
    return replace(table, recognised=(*arranged, *recognised), left_out=left_out)


def _without(sheet: Sheet, names: Collection[str]) -> Sheet:
    return replace(sheet, columns={name: column for name, column in sheet.columns.items() if name not in names})


def _is_about_examples(column: SheetColumn, how: Reading) -> bool:
    return column.name in (LABEL, CONTEXT, how.label) or (column.name == WEIGHT and are_weights(column.distinct))


def _stripped(column: SheetColumn) -> list[str]:
    for cell, line in zip(column.cells, column.lines, strict=True):
        if not cell.strip():
            raise InputError(f"a cell of column {column.name!r} is empty", fix="fill it in", line=line)
    return [cell.strip() for cell in column.cells]


def _wide(
    cells: Sheet, labels: Sheet, keys: Sequence[str], names: Sequence[str], value: SheetColumn, how: Reading
) -> Sheet:
    """One row per example, one column per cell; what is not there is empty."""
    of_example = list(zip(*(_stripped(labels.columns[key]) for key in keys), strict=True))
    place: dict[tuple[str, ...], int] = {}
    for k, key in enumerate(of_example):
        if place.setdefault(key, k) != k:
            raise InputError(f"{_said(keys, key)} stands twice", fix="give each example one row", line=labels.lines[k])
    columns = {name: [""] * len(of_example) for name in names}
    seen: set[tuple[str, int]] = set()
    rows = zip(*(_stripped(cells.columns[key]) for key in keys), strict=True)
    for key, name, cell, line in zip(rows, names, value.cells, cells.lines, strict=True):
        if key not in place:
            fix = f"add it to {labels.source}, or remove its rows"
            raise InputError(f"{_said(keys, key)} has no label", fix=fix, file=cells.source, line=line)
        if (name, place[key]) in seen:
            raise InputError(
                f"{name!r} stands twice in {_said(keys, key)}", fix="remove one", file=cells.source, line=line
            )
        seen.add((name, place[key]))
        columns[name][place[key]] = cell
    for name in columns if how.missing == "error" else ():
        if len(missing := [k for k in range(len(of_example)) if (name, k) not in seen]):
            what = f"{_said(keys, of_example[missing[0]])} has no row for {name!r}"
            fix = f"add it to {cells.source}, or take what is not there as unknown with --missing unknown"
            raise InputError(what, fix=fix, line=labels.lines[missing[0]])
    pivoted = {name: SheetColumn(name, tuple(column), labels.lines) for name, column in columns.items()}
    others = {name: column for name, column in labels.columns.items() if name not in keys}
    if twice := pivoted.keys() & others.keys():
        raise InputError(f"there are two columns {min(twice)!r}", fix="rename one")
    return replace(labels, columns={**pivoted, **others})


def _said(keys: Sequence[str], key: Sequence[str]) -> str:
    return " ".join(f"{name} {part}" for name, part in zip(keys, key, strict=True))


def _arrangement(columns: Sequence[Column], index: Sequence[SheetColumn], value: str) -> Schema:
    dimensions: list[Dimension] = [dimension_of(each.name, tuple(dict.fromkeys(_stripped(each)))) for each in index]
    pattern = JOINT.join(f"{{{each.name}}}" for each in index)
    if isinstance(columns[0], Choice):
        dimensions.append(dimension_of(value, columns[0].values))
        pattern += f"={{{value}}}"
    arrangement = Arrangement(value, tuple(each.name for each in dimensions), pattern)
    # A number has no variable of its own for an index, so that there is nothing to arrange.
    arranged = not isinstance(columns[0], Number)
    return Schema(tuple(columns), tuple(dimensions), (arrangement,) if arranged else ())
