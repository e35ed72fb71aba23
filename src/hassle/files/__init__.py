"""Files: examples as CSV, JSON Lines, Excel, Parquet or Arrow, models as WCNF, OPB, WBO, CNF or JSON, schemas as TOML.

A module each.

The format is told by the file's extension, else by its content; ``-`` is standard input or output. What is read back is
what was written, and every error names the file and, where it can, the line.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from hassle.data import Dataset
from hassle.errors import DataWarning, InputError
from hassle.exits.linear import lp_text, mps_text
from hassle.exits.minizinc import minizinc_text
from hassle.exits.script import script_text
from hassle.files.arrow import ARROW, PARQUET, arrow_sheet
from hassle.files.atomic import check_target, write_text
from hassle.files.attributes import attributes_in
from hassle.files.cnf import cnf_text, read_cnf
from hassle.files.csv_examples import csv_sheet, csv_text
from hassle.files.decode import STANDARD, read_bytes, read_in_pieces, read_text, shown_name
from hassle.files.excel import excel_book, excel_sheet
from hassle.files.jsonl_examples import jsonl_text, read_jsonl
from hassle.files.kinds import holds_examples, holds_model
from hassle.files.long_table import long_table
from hassle.files.model_json import model_from_json, model_json_text, model_to_json, read_model_json
from hassle.files.opb import opb_text, read_opb, read_wbo, wbo_text
from hassle.files.schema_toml import read_schema_toml, schema_toml_text
from hassle.files.sheet import LABEL, Sheet
from hassle.files.sheet_examples import Reading, Table, examples_in
from hassle.files.sheet_grids import grids_in, only_sheets
from hassle.files.wcnf import read_wcnf, wcnf_text
from hassle.logic import Schema
from hassle.model import Model

__all__ = [
    "check_examples_target",
    "check_model_target",
    "model_from_json",
    "model_to_json",
    "read_examples",
    "read_model",
    "read_schema",
    "read_table",
    "write_examples",
    "write_model",
    "write_schema",
]

# The extensions of examples; those in BINARY are tables as CSV is, but no text.
JSON_LINES, EXCEL = (".jsonl", ".ndjson"), ".xlsx"
BINARY = (EXCEL, PARQUET, *ARROW)
EXAMPLES = (".csv", ".tsv", *JSON_LINES, *BINARY)
EXAMPLE_WRITERS: dict[str, Callable[[Dataset], str]] = {
    ".csv": csv_text,
    ".tsv": lambda data: csv_text(data, "\t"),
    ".jsonl": jsonl_text,
    ".ndjson": jsonl_text,
}
MODEL_READERS: dict[str, Callable[[str], Model]] = {
    ".wcnf": read_wcnf,
    ".opb": read_opb,
    ".wbo": read_wbo,
    ".cnf": read_cnf,
    ".dimacs": read_cnf,
    ".json": read_model_json,
}
MODEL_WRITERS: dict[str, Callable[[Model], str]] = {
    ".wcnf": wcnf_text,
    ".opb": opb_text,
    ".wbo": wbo_text,
    ".cnf": cnf_text,
    ".dimacs": cnf_text,
    ".json": model_json_text,
}
# What others read and we do not; each is said by an exit.
MODEL_EXPORTS: dict[str, Callable[[Model], str]] = {
    ".mzn": minizinc_text,
    ".lp": lp_text,
    ".mps": mps_text,
    ".py": script_text,
}
SCHEMA_WRITERS: dict[str, Callable[[Schema], str]] = {".toml": schema_toml_text}


def read_examples(path: str | PathLike[str], **options: Any) -> Dataset:
    """Examples from a CSV, JSONL, Excel, Parquet or Arrow file; the options are those of :func:`read_table`."""
    return read_table(path, **options).data


def read_table(
    path: str | PathLike[str],
    *,
    schema: Schema | str | PathLike[str] | None = None,
    given: str | Iterable[str] = (),
    attributes: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
    labels_from: str | PathLike[str] | None = None,
    **options: Any,
) -> Table:
    """Examples from a file, and what its columns were recognised as.

    ``schema``, or the TOML file that holds it, says what the columns mean. The values of the columns in ``given`` are
    part of each row's context. ``attributes`` are tables of what is said of the members of dimensions, which are then
    recognised in the names of columns. With ``labels_from``, a table with a row per example, the file is a long table
    with a row per cell (:mod:`hassle.files.long_table`). The other options are those of
    :class:`hassle.files.sheet_examples.Reading`.
    Examples that contradict each other are kept and reported as a :class:`hassle.errors.DataWarning`.
    """
    name = shown_name(path)
    if _extension(path) in MODEL_READERS.keys() - {".json"}:
        raise InputError("is named like a model, not like examples", fix="name a .csv or .jsonl file", file=name)
    known = schema if schema is None or isinstance(schema, Schema) else read_schema(schema)
    how = Reading(schema=known, **options)
    if how.sheet is not None and _extension(path) != EXCEL:
        raise InputError("has no sheets", fix="leave out --sheet, or name an .xlsx file", file=name)
    if how.each_sheet:
        table = _read_grids(path, labels_from, how)
    elif labels_from is not None:
        table = _read_long_table(path, labels_from, how)
    else:
        table = _read_table(path, name, how)
    for file in [attributes] if isinstance(attributes, str | PathLike) else attributes:
        described = attributes_in(_sheet(file, Reading()), table.data.schema)
        table = replace(table, data=replace(table.data, schema=described))
    if given:
        try:
            table = replace(table, data=table.data.given(given))
        except InputError as error:
            raise error.at(file=name) from None
    _warn_of_contradictions(table.data)
    return table


def _read_table(path: str | PathLike[str], name: str, how: Reading) -> Table:
    if _extension(path) in BINARY:
        try:
            return examples_in(_sheet(path, how), how)
        except InputError as error:
            raise error.at(file=name) from None
    text, rest = read_in_pieces(path)
    try:
        if _extension(path) in JSON_LINES or (_extension(path) not in EXAMPLES and text.lstrip().startswith("{")):
            if how.all_good or how.label != LABEL:
                raise InputError("labels are told by line in JSON Lines", fix="leave out --label and --all-good")
            return Table(read_jsonl(text, name, how.ignored, how.labels, how.schema, rest))
        table = examples_in(csv_sheet(text, name, how, (how.label.lower(),), rest), how)
        if len(table.data.schema.columns) == 1 and not how.labels and holds_model(text):
            raise InputError("is no table")
        return table
    except InputError as error:
        if holds_model(text):
            fix = "name the examples, a .csv or .jsonl file; where a command takes both, the model comes first"
            raise InputError("holds a model, not examples", fix=fix, file=name) from None
        raise error.at(file=name) from None


def _sheet(path: str | PathLike[str], how: Reading, wanted: Sequence[str] = ()) -> Sheet:
    """The cells of a table in a file, of any kind."""
    name, extension = shown_name(path), _extension(path)
    try:
        if extension == EXCEL:
            return excel_sheet(read_bytes(path), name, how)
        if extension in BINARY:
            return arrow_sheet(read_bytes(path), extension, name, how)
        text, rest = read_in_pieces(path)
        return csv_sheet(text, name, how, wanted, rest)
    except InputError as error:
        raise error.at(file=name) from None


def _read_long_table(path: str | PathLike[str], labels_from: str | PathLike[str], how: Reading) -> Table:
    cells = _sheet(path, replace(how, schema=None, ignore=()))  # both tables have columns to ignore
    labels = _sheet(labels_from, Reading(), (how.label.lower(),))
    try:
        return long_table(cells, labels, how)
    except InputError as error:
        raise error.at(file=labels.source) from None


def _read_grids(path: str | PathLike[str], labels_from: str | PathLike[str] | None, how: Reading) -> Table:
    """A workbook with a sheet per example."""
    name = shown_name(path)
    try:
        if _extension(path) != EXCEL:
            raise InputError("has no sheets", fix="leave out --each-sheet, or name an .xlsx file")
        cells, told = grids_in(excel_book(read_bytes(path)), name)
        if labels_from is not None:
            told = _sheet(labels_from, Reading(), (how.label.lower(),))
        elif told is None and how.labels and not how.all_good:
            fix = "add a row 'label' to each, or a sheet with the columns sheet and label, or say --all-good"
            raise InputError("no sheet says whether it was good", fix=fix)
        return long_table(cells, told or only_sheets(cells), how)
    except InputError as error:
        raise error.at(file=name) from None


def write_examples(data: Dataset, path: str | PathLike[str], extension: str | None = None) -> None:
    """The examples to a file, CSV or JSONL by its extension, or by the one given; CSV on standard output."""
    write_text(path, _rendered(data, path, EXAMPLE_WRITERS, extension or _written(path, ".csv")))


def read_model(path: str | PathLike[str]) -> Model:
    """A model from a WCNF, OPB, WBO, CNF or JSON file."""
    name = shown_name(path)
    if _extension(path) in EXAMPLES:
        raise InputError("is named like examples, not like a model", fix="name a .wcnf, .json or .cnf file", file=name)
    text = read_text(path)
    read = MODEL_READERS.get(_extension(path)) or _model_reader(text)
    try:
        return read(text)
    except InputError as error:
        if holds_examples(text):
            fix = "name the model, a .wcnf, .json or .cnf file; where a command takes both, the model comes first"
            raise InputError("holds examples, not a model", fix=fix, file=name) from None
        raise error.at(file=name) from None


def write_model(model: Model, path: str | PathLike[str], extension: str | None = None) -> None:
    """The model to a file in the format of its extension, or of the one given; WCNF on standard output."""
    writers = MODEL_WRITERS | MODEL_EXPORTS
    write_text(path, _rendered(model, path, writers, extension or _written(path, ".wcnf")))


def read_schema(path: str | PathLike[str]) -> Schema:
    """A schema from a TOML file."""
    try:
        return read_schema_toml(read_text(path))
    except InputError as error:
        raise error.at(file=shown_name(path)) from None


def write_schema(schema: Schema, path: str | PathLike[str]) -> None:
    """The schema to a TOML file."""
    write_text(path, _rendered(schema, path, SCHEMA_WRITERS, _written(path, ".toml")))


def check_model_target(path: str | PathLike[str], extension: str | None = None) -> None:
    """Raise at once what :func:`write_model` would raise after long work, as far as it can be known before."""
    _check_extension(path, MODEL_WRITERS | MODEL_EXPORTS, extension or _written(path, ".wcnf"))
    check_target(path)


def check_examples_target(path: str | PathLike[str], extension: str | None = None) -> None:
    """Raise at once what :func:`write_examples` would raise after long work, as far as it can be known before."""
    _check_extension(path, EXAMPLE_WRITERS, extension or _written(path, ".csv"))
    check_target(path)


def _extension(path: str | PathLike[str]) -> str:
    return os.path.splitext(os.fspath(path))[1].lower()


def _model_reader(text: str) -> Callable[[str], Model]:
    if text.lstrip().startswith("{"):
        return read_model_json
    lines = [line.strip() for line in text.split("\n") if not line.startswith("c")]
    if any(line.split()[:2] == ["p", "cnf"] for line in lines):
        return read_cnf
    if any(line.startswith("soft:") for line in lines):
        return read_wbo
    return read_opb if any(line.startswith("*") or line.endswith(";") for line in lines) else read_wcnf


def _written(path: str | PathLike[str], standard: str) -> str:
    """The extension that says how to write there."""
    return standard if os.fspath(path) == STANDARD else _extension(path)


def _rendered(value: object, path: str | PathLike[str], writers: dict[str, Callable[..., str]], extension: str) -> str:
    _check_extension(path, writers, extension)
    try:
        return writers[extension](value)
    except InputError as error:
        raise error.at(file=os.fspath(path)) from None


def _check_extension(path: str | PathLike[str], writers: Iterable[str], extension: str) -> None:
    if extension not in writers:
        raise InputError(
            f"the extension {extension!r} names no format that can be written here"
            if extension
            else "has no extension",
            fix=f"use {', '.join(writers)}",
            file=os.fspath(path),
        )


def _warn_of_contradictions(data: Dataset) -> None:
    groups = data.contradictions
    if groups:
        lines = ", ".join(str(data.line(k)) for k in groups[0][:6])
        more = f" (and {len(groups) - 1} more such groups)" if len(groups) > 1 else ""
        warnings.warn(
            f"{data.source}: lines {lines} hold the same assignment in the same context, but both positive and "
            f"negative{more}; no model fits them all",
            DataWarning,
            stacklevel=4,  # whoever asked for the examples
        )
