"""From a sheet to examples: which column is the label, which the context, and what the others mean.

Every other column is a decision. A schema says what it means, or its cells do (:mod:`hassle.files.recognition`): a
column that was meant to teach something must not vanish silently, so one that cannot be a decision is an error unless
it is ignored by name, or all such columns are (``ignore_undecidable``).

A column ``weight`` holds the weights of the examples where its cells are positive numbers. It is a decision where a
schema says so, where its cells are 0 and 1, and where they are words. Rows labelled ``better`` and ``worse`` are
comparisons (:mod:`hassle.files.sheet_comparisons`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from hassle.data import LABELS, Dataset, Label, Partial, as_weight
from hassle.errors import DataWarning, InputError
from hassle.files.decode import clipped
from hassle.files.recognition import BITS, STYLES, Recognised, Undecidable, empty_means_no, recognise
from hassle.files.sheet import CONTEXT, LABEL, WEIGHT, Sheet, SheetColumn, is_empty, is_filled, meant, no_label, said
from hassle.files.sheet_comparisons import BETTER, WORSE, comparisons_in, is_example, label_code
from hassle.logic import EMPTY, Choice, Column, Context, Schema, YesNo, as_schema
from hassle.logic.columns import Value, without_decimals
from hassle.logic.names import listing

Encode = Callable[[str], tuple[int, ...]]

# What to do about empty cells.
MISSING = ("error", "unknown")


@dataclass(frozen=True)
class Reading:
    """How a table is to be read.

    ``ignore`` names columns to leave out, ``ignore_undecidable`` leaves out those that cannot be decisions. Without
    ``labels``, they are neither needed nor looked at, and all examples count as negative. ``schema`` says what the
    columns mean. ``missing``: empty cells are an ``error``, or ``unknown``, of which good
    rows are used as far as they go (:class:`hassle.data.Partial`) and the others left out with a warning.
    ``sheet`` names the sheet of an Excel file. ``label`` names the column of the labels, where that is not its name;
    with ``all_good`` there is none, and every row is a positive example. With ``each_sheet``, every sheet of an Excel
    file is an example (:mod:`hassle.files.sheet_grids`).
    """

    ignore: str | Collection[str] = ()
    labels: bool = True
    label: str = LABEL
    all_good: bool = False
    schema: Schema | None = None
    missing: str = "error"
    ignore_undecidable: bool = False
    sheet: str | None = None
    each_sheet: bool = False

    def __post_init__(self) -> None:
        if self.missing not in MISSING:
            raise InputError(f"missing cells cannot be {self.missing!r}", fix=f"use {' or '.join(MISSING)}")
        if self.all_good and self.label != LABEL:
            raise InputError("every row is said to be good, and a column to hold labels", fix="say one of them")

    @property
    def ignored(self) -> frozenset[str]:
        return frozenset({self.ignore} if isinstance(self.ignore, str) else self.ignore)

    @property
    def known(self) -> tuple[Column, ...]:
        return () if self.schema is None else self.schema.columns


@dataclass(frozen=True)
class Table:
    """The examples that were read; what columns were ``recognised`` as, and why others were ``left_out``."""

    data: Dataset
    recognised: tuple[Recognised, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)


def examples_in(sheet: Sheet, how: Reading) -> Table:
    """The examples that a sheet holds."""
    try:
        columns = whatever_case(_with_label(sheet.columns, how), sheet.source, {column.name for column in how.known})
        label = _label_column(columns) if how.labels and not how.all_good else None
        context = columns.get(CONTEXT)
        weight = _weight_column(columns, how, sheet.source)
        decisions = {name: column for name, column in columns.items() if name not in (LABEL, CONTEXT)}
        if weight is not None:
            del decisions[WEIGHT]
        if not decisions or (how.schema is not None and not how.schema.columns):
            raise InputError("there is no column for a variable", fix="add one column per variable")
        if how.schema is not None:
            decisions = _in_order_of(how.schema, decisions)
    except InputError as error:
        raise error.at(line=sheet.header_line) from None
    if not sheet.lines:
        raise InputError("there are no examples after the header", fix="add one row per example")
    if how.missing == "unknown" and (gaps := gaps_in(decisions, how.known)):
        return _with_gaps(sheet, decisions, gaps, how)
    recognised: list[Recognised] = []
    left_out: dict[str, str] = {}
    if how.schema is None:
        recognised, left_out = _recognised(decisions, how, sheet.header_line)
        schema = _schema([each.column for each in recognised])
        encodings: list[Encode] = [each.encode for each in recognised]
    else:
        schema = how.schema
        encodings = [encoding(column, decisions[column.name]) for column in schema.columns]
    bits = np.empty((len(sheet.lines), len(schema.variables)), dtype=np.uint8)
    for start, end, name, encode in zip(schema.starts, schema.starts[1:], schema.column_names, encodings, strict=False):
        bits[:, start:end] = decisions[name].understood(encode)
    unlabelled = Label.POSITIVE if how.labels and how.all_good else Label.NEGATIVE
    codes = np.full(len(sheet.lines), unlabelled.code, dtype=np.int8)
    if label:
        codes[:] = label.understood(label_code)
    index: dict[Context, int] = {} if context else {EMPTY: 0}
    context_of = np.zeros(len(sheet.lines), dtype=np.int32)
    if context:
        context_of[:] = context.understood(lambda cell: index.setdefault(Context.parse(cell, schema), len(index)))
    lines = np.array(sheet.lines, dtype=np.int64)
    weights = np.ones(len(lines)) if weight is None else weight.understood(_cell_weight, np.float64)
    data = _dataset(schema, list(index), context_of, bits, codes, weights, sheet.source, lines)
    return Table(data, tuple(recognised), left_out)


def _with_gaps(sheet: Sheet, decisions: dict[str, SheetColumn], gaps: set[int], how: Reading) -> Table:
    """The whole rows as examples, and the good ones among those with gaps as far as they go."""
    if len(gaps) == len(sheet.lines):
        raise InputError("every row has empty cells", fix="fill some of them in", line=sheet.lines[0])
    recognised: list[Recognised] = []
    left_out: dict[str, str] = {}
    if how.schema is None:
        recognised, left_out = _recognised(decisions, how, sheet.header_line)
        kept = {name: column for name, column in sheet.columns.items() if name not in left_out}
        sheet, how = replace(sheet, columns=kept), replace(how, schema=_schema([each.column for each in recognised]))
    data = examples_in(sheet.without_rows(gaps), how).data
    rows = sheet.without_rows(set(range(len(sheet.lines))) - gaps)
    partial, unused = partial_in(rows, data.schema, how) if how.labels else ((), rows.lines)
    if unused:
        _warn_of_gaps(sheet, unused)
    return Table(replace(data, partial=partial), tuple(recognised), left_out)


def partial_in(sheet: Sheet, schema: Schema, how: Reading) -> tuple[tuple[Partial, ...], list[int]]:
    """What the good ones of these rows say, which have gaps; and the lines of the others."""
    columns = whatever_case(_with_label(sheet.columns, how), None, set(schema.column_names))
    codes = np.full(len(sheet.lines), Label.POSITIVE.code)
    if not how.all_good:
        codes = _label_column(columns).understood(label_code)
    index: dict[Context, int] = {EMPTY: 0}
    places = np.zeros(len(sheet.lines), dtype=np.int64)
    if CONTEXT in columns:
        places = columns[CONTEXT].understood(lambda cell: index.setdefault(Context.parse(cell, schema), len(index)))
    contexts, weight = list(index), _weight_column(columns, how, None)
    weights = np.ones(len(codes)) if weight is None else weight.understood(_cell_weight, np.float64)
    literals: list[list[int]] = [[] for _ in sheet.lines]
    for column, start in zip(schema.columns, schema.starts, strict=False):
        own = columns[column.name]
        meant_no = isinstance(column, YesNo) and empty_means_no(own.distinct)
        known = np.arange(len(own.cells)) if meant_no else own.places(is_filled)
        kept = own.at(known)
        bits = kept.understood(encoding(column, kept)).reshape(len(known), -1).tolist() if len(known) else []
        for k, row in zip(known.tolist(), bits, strict=True):
            literals[k] += [start + v + 1 if bit else -(start + v + 1) for v, bit in enumerate(row)]
    good = codes == Label.POSITIVE.code
    return tuple(
        Partial(contexts[places[k]], tuple(literals[k]), float(weights[k]), sheet.lines[k])
        for k in np.flatnonzero(good).tolist()
    ), [sheet.lines[k] for k in np.flatnonzero(~good).tolist()]


def _dataset(
    schema: Schema,
    contexts: list[Context],
    context_of: NDArray[np.int32],
    bits: NDArray[np.uint8],
    codes: NDArray[np.int8],
    weights: NDArray[np.float64],
    source: str | None,
    lines: NDArray[np.int64],
) -> Dataset:
    """The examples and comparisons among the rows."""
    kept = is_example(codes)
    if kept.all():
        return Dataset(schema, tuple(contexts), context_of, bits, codes, source, lines, weights)
    where = [contexts[c] for c in context_of]
    return Dataset.from_arrays(
        schema,
        [contexts[c] for c in context_of[kept]],
        bits[kept],
        codes[kept],
        source,
        lines[kept],
        weights[kept],
        comparisons_in(schema, where, bits, codes, weights, source, lines),
    )


def _cell_weight(cell: str) -> float:
    return as_weight(cell.strip() or None)


def columns_of(data: Dataset) -> dict[str, list[Value]]:
    """What a table of the data has under each name: the context where there are any, the values, the label, the weight.

    Comparisons are two rows each, below the examples, and partial examples below them have gaps.
    """
    schema, pairs = data.schema, data.comparisons
    _check_names(data)
    contexts = [data.contexts[c] for c in data.context_of]
    contexts += [context for context in pairs.each_context() for _ in range(2)]
    contexts += [each.context for each in data.partial]
    rows = np.stack([pairs.better, pairs.worse], axis=1).reshape(-1, len(data.variables))
    assignments = np.concatenate([data.assignments, rows])
    table: dict[str, list[Value]] = {}
    if any(context != EMPTY for context in contexts):
        texts = {context: context.text(schema) for context in dict.fromkeys(contexts)}
        table[CONTEXT] = [texts[context] for context in contexts]
    for column, start, end in zip(schema.columns, schema.starts, schema.starts[1:], strict=False):
        bits = assignments[:, start:end]
        table[column.name] = (
            bits[:, 0].tolist() if isinstance(column, YesNo) else list(map(column.decode, bits.tolist()))
        )
    gaps = [each.values(schema) for each in data.partial]
    for name in schema.column_names:
        table[name] += [known.get(name, "") for known in gaps]
    table[LABEL] = [*(LABELS[code].value for code in data.labels), *([BETTER, WORSE] * len(pairs))]
    table[LABEL] += [Label.POSITIVE.value] * len(gaps)
    if data.weighted:
        weights = np.concatenate([data.weights, np.repeat(pairs.weights, 2), [each.weight for each in data.partial]])
        table[WEIGHT] = [repr(weight) for weight in weights.tolist()]  # 2.0, which can be no decision
    return table


def _check_names(data: Dataset) -> None:
    """Refuse columns whose names mean something else in a table."""
    for column in data.schema.columns:
        taken = column.name in (LABEL, CONTEXT) or (
            column.name == WEIGHT and (data.weighted or are_weights([str(value) for value in column.values]))
        )
        if taken:
            raise InputError(
                f"a column named {column.name!r} cannot stand in a table, which has that name for another purpose",
                fix="rename it, or write JSONL",
            )


def _schema(columns: list[Column]) -> Schema:
    schema = Schema(tuple(columns))
    return as_schema(schema.variables) if schema.plain else schema


def _recognised(
    decisions: dict[str, SheetColumn], how: Reading, header_line: int | None
) -> tuple[list[Recognised], dict[str, str]]:
    found, left_out = recognised_in(decisions, how, header_line)
    if not found:
        raise InputError("no column can be a decision", fix="add one column per variable")
    return found, left_out


def recognised_in(
    decisions: dict[str, SheetColumn], how: Reading, header_line: int | None
) -> tuple[list[Recognised], dict[str, str]]:
    """What the columns mean, and why others are left out; empty cells say nothing where they are unknown."""
    found: list[Recognised] = []
    refused: dict[str, Undecidable] = {}
    orders: dict[frozenset[str], tuple[str, ...]] = {}
    for name, column in decisions.items():
        try:
            told = known_cells(column, how)
            each = recognise(name, told.cells, told.lines)
            if isinstance(each.column, Choice):  # columns of the same values have them in the same order
                order = orders.setdefault(frozenset(each.column.values), each.column.values)
                each = replace(each, column=replace(each.column, values=order))
            found.append(each)
        except Undecidable as error:
            refused[name] = error
    if refused and not how.ignore_undecidable:
        raise _all_refused(refused).at(line=header_line)
    return found, {name: error.what for name, error in refused.items()}


def _all_refused(refused: dict[str, Undecidable]) -> InputError:
    """What is wrong with the first of them, and how to leave out all."""
    first, *others = refused.values()
    if not others:
        return first
    options = " ".join(f"--ignore {name!r}" for name in refused)
    what = f"{first.what}; neither can {listing([repr(name) for name in [*refused][1:]])}"
    return InputError(what, fix=f"leave them out with {options}, or with --ignore-undecidable")


def known_cells(column: SheetColumn, how: Reading) -> SheetColumn:
    """The column without the cells that are unknown, if any may be."""
    whole = how.missing == "error" or column.empty or empty_means_no(column.distinct)
    return column if whole else column.filled


def encoding(column: Column, cells: SheetColumn) -> Encode:
    """What cells mean as values of a schema's column; yes-or-no is written in one style throughout."""
    if not isinstance(column, YesNo):
        return column.encode
    words = dict.fromkeys(without_decimals(cell.strip().lower()) for cell in cells.distinct)
    if words.keys() <= BITS.keys():
        return lambda cell: (BITS[without_decimals(cell.strip().lower())],)
    # Where no style fits, the first cell that is not empty shows the one that was meant.
    shown = next(filter(None, words), "")
    fitting = [style for style in STYLES if words.keys() <= set(style)] + [style for style in STYLES if shown in style]
    yes, no = (*fitting, STYLES[0])[0]

    def bit(cell: str) -> tuple[int, ...]:
        word = cell.strip().lower()
        if word not in (yes, no):
            what = f"{clipped(cell)} is neither {yes} nor {no or 'empty'}" if word else "the cell is empty"
            raise InputError(what, fix="write yes-or-no in one way: 1 and 0, true and false, yes and no, x and nothing")
        return (int(word == yes),)

    return bit


def gaps_in(decisions: dict[str, SheetColumn], known: Collection[Column]) -> set[int]:
    """The places of the rows with empty cells that mean nothing."""
    meaningful = {column.name for column in known if isinstance(column, Choice) and "" in column.values}
    return {
        k
        for name, column in decisions.items()
        if name not in meaningful and not column.empty and not empty_means_no(column.distinct)
        for k in column.places(is_empty).tolist()
    }


def _warn_of_gaps(sheet: Sheet, lines: Collection[int]) -> None:
    left_out, where = ("are left out", "lines") if len(lines) > 1 else ("is left out", "line")
    warnings.warn(
        f"{said(sheet.source)}{len(lines)} of {len(sheet.lines)} examples {left_out}, because cells are empty ({where} "
        f"{listing(list(map(str, lines)))}); only good ones with gaps teach something",
        DataWarning,
        stacklevel=5,
    )


def _in_order_of(schema: Schema, columns: dict[str, SheetColumn]) -> dict[str, SheetColumn]:
    """The file's columns in the order of the schema's, which are the same."""
    for name in schema.column_names:
        if name not in columns:
            raise InputError(f"there is no column {name!r}, which the schema has", fix=meant(name, columns))
    for name in columns:
        if name not in schema.column_names:
            raise InputError(
                f"column {name!r} is not in the schema", fix=f"describe it there, or ignore it (--ignore {name!r})"
            )
    return {name: columns[name] for name in schema.column_names}


def whatever_case(columns: dict[str, SheetColumn], source: str | None, known: Set[str]) -> dict[str, SheetColumn]:
    """The columns with ``Label`` and ``Context`` taken for what they are, unless a schema says that they are known.

    A column of 0 and 1 is never a context.
    """
    for wanted in (LABEL, CONTEXT, WEIGHT):
        found = [name for name in columns if name.lower() == wanted and name not in known]
        if len(found) != 1 or wanted in found:
            continue
        if wanted == CONTEXT and all(cell.strip().lower() in BITS for cell in columns[found[0]].distinct):
            continue
        if wanted == WEIGHT and not are_weights(columns[found[0]].distinct):
            continue
        warnings.warn(f"{said(source)}the column {found[0]!r} is taken for {wanted!r}", DataWarning, stacklevel=5)
        taken = (replace(column, name=wanted) if column.name == found[0] else column for column in columns.values())
        columns = {column.name: column for column in taken}
    return columns


def _with_label(columns: dict[str, SheetColumn], how: Reading) -> dict[str, SheetColumn]:
    """The columns with the one that holds the labels called so."""
    if how.all_good and how.labels and LABEL in columns:
        raise InputError(f"every row is said to be good, but there is a column {LABEL!r}", fix="say one of them")
    if how.label == LABEL or (how.label not in columns and not how.labels):
        return columns
    if how.label not in columns:
        raise InputError(f"there is no column {how.label!r}", fix=meant(how.label, columns))
    if LABEL in columns:
        raise InputError(f"there are two columns of labels, {LABEL!r} and {how.label!r}", fix="ignore one (--ignore)")
    return {LABEL if name == how.label else name: column for name, column in columns.items()}


def _label_column(columns: dict[str, SheetColumn]) -> SheetColumn:
    if LABEL not in columns:
        raise no_label(columns)
    return columns[LABEL]


def _weight_column(columns: dict[str, SheetColumn], how: Reading, source: str | None) -> SheetColumn | None:
    """The column of the examples' weights, None where there is none, or where it is a decision."""
    column = columns.get(WEIGHT)
    if column is None or WEIGHT in {each.name for each in how.known}:
        return None
    if how.schema is None:
        if not are_weights(column.distinct):
            return None
        if all(cell.strip().isdigit() for cell in column.distinct if cell.strip()):  # as a number may be
            warnings.warn(
                f"{said(source)}the column {WEIGHT!r} is taken for the weights of the examples; if it is a decision, "
                "rename it, or describe it in a --schema",
                DataWarning,
                stacklevel=5,
            )
    return column


def are_weights(cells: Iterable[str]) -> bool:
    """Whether cells may be weights: positive numbers, empty where the weight is 1, and not 0 and 1 alone."""
    words = {cell.strip().lower() for cell in cells}
    if words <= BITS.keys() | {""}:
        return False
    try:
        for word in words:
            as_weight(word or None)
    except InputError:
        return False
    return True
