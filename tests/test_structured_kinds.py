"""Candidate families: what the fast counts say is what the families' own instances say."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hassle.learners.structured.kinds import cells_tensor, kinds_of
from hassle.logic import Arrangement, Choice, Dimension, Schema, YesNo
from hassle.model.families import Family


def arranged(*sizes: int, ordered: int = 1, missing: int = 0, choice: bool = False) -> Schema:
    """A schema with dimensions of these sizes, the one at ``ordered`` in order, without the first few cells."""
    letters = "abcd"[: len(sizes)]
    members = [tuple(f"{letter}{i}" for i in range(size)) for letter, size in zip(letters, sizes, strict=True)]
    names = ["_".join(index) for index in itertools.product(*members)]
    dimensions = tuple(
        Dimension(letter, each, i == ordered, {"kind": tuple("xy"[j % 2] for j in range(len(each)))} if i == 0 else {})
        for i, (letter, each) in enumerate(zip(letters, members, strict=True))
    )
    pattern = "_".join(f"{{{letter}}}" for letter in letters)
    if choice:
        columns = tuple(Choice("_".join(index), members[-1]) for index in itertools.product(*members[:-1]))
        pattern = "=".join(pattern.rsplit("_", 1))
        return Schema(columns, dimensions, (Arrangement("at", tuple(letters), pattern),))
    return Schema(tuple(map(YesNo, names[missing:])), dimensions, (Arrangement("at", tuple(letters), pattern),))


SCHEMAS = {
    "two dimensions": arranged(3, 4),
    "three": arranged(3, 4, 2),
    "four": arranged(2, 3, 2, 3),
    "with holes": arranged(3, 3, 2, missing=2),
    "of choices": arranged(3, 3, 3, choice=True),
}


def broken_instances(what, schema, row) -> int:
    """From the definition: the instances that do not hold."""
    instances = what.instances(schema) if isinstance(what, Family) else (what,)
    return sum(not each.holds(row) for each in instances)


@pytest.mark.parametrize("name", SCHEMAS)
def test_broken_instances_are_those_of_the_families(name):
    schema = SCHEMAS[name]
    rng = np.random.default_rng(0)
    rows = (rng.random((6, len(schema.variables))) < rng.random((6, 1))).astype(np.uint8)
    seen = 0
    for kind in kinds_of(schema, rows):
        counts = kind.broken(cells_tensor(schema, kind.arrangement, rows))
        assert counts.shape == (len(rows), kind.columns)
        chosen = rng.permutation(kind.columns)[:8]
        for column in chosen.tolist():
            for opposite in (False, True)[: 1 + kind.two_sided]:
                what = kind.family(column, opposite)
                slow = np.array([broken_instances(what, schema, row) for row in rows])
                fast = kind.instances - counts[:, column] if opposite else counts[:, column]
                # Instances that always hold, or speak of no cell, are dropped: that is the same for every row.
                assert len(set((fast - slow).tolist())) == 1, what
                if not schema.arrangements or "holes" not in name:
                    assert (fast == slow).all(), what
                seen += 1
    assert seen > 100


def test_every_candidate_is_another_one():
    schema = SCHEMAS["three"]
    rows = (np.random.default_rng(1).random((50, len(schema.variables))) < 0.5).astype(np.uint8)
    families = [
        kind.family(column, opposite)
        for kind in kinds_of(schema, rows)
        for column in range(kind.columns)
        for opposite in (False, True)[: 1 + kind.two_sided]
    ]
    assert len(set(families)) == len(families)


def test_the_number_of_candidates_can_be_bounded():
    schema = SCHEMAS["four"]
    rows = (np.random.default_rng(1).random((50, len(schema.variables))) < 0.5).astype(np.uint8)
    everything = sum(kind.columns for kind in kinds_of(schema, rows))
    some = kinds_of(schema, rows, everything // 3)
    assert 0 < sum(kind.columns for kind in some) <= everything // 3
    assert {kind.siblings for kind in some} >= {1}, "families for everybody come first"
