"""What the schema makes of the examples: how they are arranged, values that hardly occur, members with few examples."""

from __future__ import annotations

from statistics import median

import numpy as np

from hassle.data import Dataset
from hassle.evaluation.finding import Finding
from hassle.logic import Schema, YesNo
from hassle.logic.arranging import arranged
from hassle.logic.names import listing

# With so many examples a value that is rarer than this share is told; and so is one that never occurs.
ENOUGH, RARE = 20, 0.02
# A member of a dimension has too few examples if it has this share of what the others usually have, or less.
THIN = 0.25


def schema_findings(data: Dataset) -> list[Finding]:
    if len(data) < ENOUGH:
        return []
    schema = arranged(data.schema)
    return [*_arrangement(schema), *_rare_values(data), *_thin_members(data, schema)]


def _arrangement(schema: Schema) -> list[Finding]:
    """How the decisions are arranged, where they are."""
    found = []
    for arrangement in schema.arrangements:
        dimensions = [schema.dimension(name) for name in arrangement.dimensions]
        shape = " × ".join(f"{len(each.members)} {each.name}" for each in dimensions)
        members = "; ".join(
            f"{each.name}: {listing(each.members, 4)}{', in order' if each.ordered else ''}" for each in dimensions
        )
        what = f"the decisions are arranged as {shape} ({members})"
        found.append(Finding("arranged", "note", what, "if that is wrong, correct what `hassle schema` prints"))
    return found


def _rare_values(data: Dataset) -> list[Finding]:
    """Values of choices and numbers that hardly any example has."""
    rare = []
    for column, start in zip(data.schema.columns, data.schema.starts, strict=False):
        if isinstance(column, YesNo):
            continue
        own = data.assignments[:, start : start + len(column.atoms)]
        for value in column.values:
            count = int((own == np.array(column.encode(str(value)), dtype=np.uint8)).all(axis=1).sum())
            if count <= RARE * len(data):
                rare.append(f"{column.name} = {value} ({count})")
    if not rare:
        return []
    what = f"hardly any of the {len(data)} examples has {listing(rare, 6)}"
    return [Finding("rare-value", "note", what, "add examples with them, or take them out of the schema")]


def _thin_members(data: Dataset, schema: Schema) -> list[Finding]:
    """Members of dimensions that occur in few examples, where others occur in many."""
    found = []
    for arrangement in schema.arrangements:
        cells = schema.cells(arrangement)
        for axis, name in enumerate(arrangement.dimensions):
            dimension = schema.dimension(name)
            counts = []
            for k in range(len(dimension.members)):
                own = np.take(cells, k, axis=axis).ravel()
                counts.append(int(data.assignments[:, own[own >= 0]].any(axis=1).sum()))
            usual = median(counts)
            thin = [k for k, count in enumerate(counts) if count <= THIN * usual]
            if thin:
                told = listing([f"{dimension.members[k]} ({counts[k]})" for k in thin], 6)
                what = f"of {name}, {told} occur in few examples, where others occur in {usual:g}"
                found.append(Finding("thin-dimension", "note", what, "rules about them rest on little: add examples"))
    return found
