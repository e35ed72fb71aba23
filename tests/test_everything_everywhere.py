"""Whatever data holds (choices, numbers, weights, comparisons, gaps, given columns) comes back from every table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import all_assignments, contexts, schemas
from test_frames_and_excel import excel, read_excel

from hassle.data import LABELS, Dataset, Partial
from hassle.files.csv_examples import csv_text, read_csv
from hassle.files.jsonl_examples import jsonl_text, read_jsonl
from hassle.files.sheet_examples import Reading
from hassle.logic import EMPTY, Schema
from hassle.logic.formula import FALSE

TAKEN = {"label", "context", "weight"}
WEIGHTS = st.sampled_from([1.0, 1.0, 2.0, 0.5, 0.1]) | st.floats(1e-3, 1e3)


def in_domain(schema: Schema) -> np.ndarray:
    rows = all_assignments(len(schema.variables))
    return rows[schema.admits(rows)]


def partial_of(draw: st.DrawFn, schema: Schema, context, row: np.ndarray, weight: float) -> Partial:
    """What some columns of the row say, not all and not none."""
    known = draw(st.lists(st.booleans(), min_size=len(schema.columns), max_size=len(schema.columns)))
    if all(known) or not any(known):
        known = [place == 0 for place in range(len(known))]
    literals = [
        v + 1 if row[v] else -(v + 1)
        for column, start in zip(schema.columns, schema.starts, strict=False)
        if known[schema.column_names.index(column.name)]
        for v in range(start, start + len(column.atoms))
    ]
    return Partial(context, tuple(literals), weight)


@st.composite
def all_sorts(draw: st.DrawFn) -> Dataset:
    """Examples, comparisons and partial examples with weights, over columns of any kind; some may be given."""
    schema = draw(schemas().filter(lambda schema: not TAKEN & {name.lower() for name in schema.column_names}))
    rows = in_domain(schema)
    situations = [EMPTY, *draw(st.lists(contexts(len(schema.variables), counts=True), max_size=2))]
    inside = [(context, rows[context.holds(rows)]) for context in situations]
    inside = [(context, own) for context, own in inside if len(own)]
    weight = WEIGHTS if draw(st.booleans()) else st.just(1.0)

    def drawn(own: np.ndarray) -> np.ndarray:
        return own[draw(st.integers(0, len(own) - 1))]

    chosen = st.sampled_from(range(len(inside)))
    examples = [
        (inside[c][0], drawn(inside[c][1]), draw(st.sampled_from(LABELS)), draw(weight))
        for c in draw(st.lists(chosen, min_size=1, max_size=6))
    ]
    pairs = []
    for c in draw(st.lists(chosen, max_size=3)):
        better, worse = drawn(inside[c][1]), drawn(inside[c][1])
        if (better != worse).any():
            pairs.append((inside[c][0], better, worse, draw(weight)))
    data = Dataset.build(schema, examples, pairs)
    if len(schema.columns) > 1:
        found = [
            partial_of(draw, schema, inside[c][0], drawn(inside[c][1]), draw(weight))
            for c in draw(st.lists(chosen, max_size=2))
        ]
        data = replace(data, partial=tuple(each for each in found if each.narrowed.within(schema).rest != FALSE))
    if not pairs and not data.partial and draw(st.booleans()):
        data = data.given(draw(st.sampled_from(schema.column_names)))
    return data


@settings(max_examples=60, deadline=None)
@given(all_sorts())
def test_all_that_data_holds_comes_back(data):
    how = Reading(schema=data.schema, missing="unknown")
    assert read_jsonl(jsonl_text(data)) == data
    assert read_csv(csv_text(data), schema=data.schema, missing="unknown") == data
    assert read_excel(excel(data), how) == data
    for backend in ("pandas", "polars"):
        assert Dataset.from_frame(data.to_frame(backend), schema=data.schema, missing="unknown") == data


@settings(max_examples=20, deadline=None)
@given(all_sorts(), st.data())
def test_given_columns_are_contexts_in_every_table(data, draw):
    """``given`` while reading is ``given`` of what was read."""
    name = draw.draw(st.sampled_from(data.schema.column_names))
    plain = Dataset.build(data.schema, [(e.context, e.assignment, e.label) for e in data])
    expected = plain.given(name)
    assert read_csv(csv_text(plain), schema=data.schema).given(name) == expected
    for backend in ("pandas", "polars"):
        assert Dataset.from_frame(plain.to_frame(backend), schema=data.schema, given=[name]) == expected
