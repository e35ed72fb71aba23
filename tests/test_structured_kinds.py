"""Candidate families: what the fast counts say is what the families' own instances say."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hassle.learners.structured.kinds import Rows, kinds_of
from hassle.logic import Arrangement, Choice, Dimension, Number, Schema, YesNo
from hassle.model.families import Family
from hassle.model.rules import parse_family


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


def with_given(*sizes: int) -> Schema:
    """The same with numbers along the second dimension and the third, a single number, and what is asked for."""
    schema = arranged(*sizes)
    _, second, third = (dimension.members for dimension in schema.dimensions)
    numbers = [Number(f"need_{b}_{c}", i % 2, 3) for i, (b, c) in enumerate(itertools.product(second, third))]
    asked = [YesNo(f"ask_{c}_{b}") for c in third for b in second[1:]]
    return Schema(
        (*schema.columns, *numbers, Number("most", 0, 3), *asked),
        schema.dimensions,
        (
            *schema.arrangements,
            Arrangement("need", ("b", "c"), "need_{b}_{c}"),
            Arrangement("ask", ("c", "b"), "ask_{c}_{b}"),
        ),
    )


SCHEMAS = {
    "two dimensions": arranged(3, 4),
    "three": arranged(3, 4, 2),
    "four": arranged(2, 3, 2, 3),
    "with holes": arranged(3, 3, 2, missing=2),
    "of choices": arranged(3, 3, 3, choice=True),
    "with exceptions": arranged(5, 3, 2),
    "with numbers and requests given": with_given(3, 3, 2),
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
    for column, start, end in zip(schema.columns, schema.starts, schema.starts[1:], strict=False):
        if isinstance(column, Number):
            rows[:, start:end] = np.sort(rows[:, start:end])[:, ::-1]
    seen = 0
    for kind in kinds_of(schema, rows):
        counts = kind.broken(Rows(schema, rows))
        assert counts.shape == (len(rows), kind.columns)
        chosen = rng.permutation(kind.columns)[:8]
        for column in chosen.tolist():
            for opposite in (False, True)[: 1 + kind.two_sided]:
                what = kind.family(column, opposite)
                slow = np.array([broken_instances(what, schema, row) for row in rows])
                fast = kind.instances - counts[:, column] if opposite else counts[:, column]
                # Instances that always hold, or speak of no cell, are dropped: that is the same for every row.
                assert len(set((fast - slow).tolist())) == 1, what
                if not schema.arrangements or ("holes" not in name and "given" not in name):
                    assert (fast == slow).all(), what
                seen += 1
    assert seen > 100


SAID = {
    "three": [
        "for every a with kind=x, b: at most 1 of at[a, b, *]",
        "for every a, b: at most at[a, b-1..b-1, *] + at[a, b+2..b+2, *] + 1 of at[a, b..b+1, *]",
        "for every a, b: at most at[a, b..b, c1] + 1 of at[a, b-1..b-1, c1], at[a, b+1..b+1, c1]",
        "for every a, other a: at most at[other a, *, *] + 1 of at[a, *, *]",
        "for every a: at most at[a, b3, *] of at[a, b2, *]",
        "at most at[a0, *, *] + 1 of at[a2, *, *]",
        "for every b: at most 1 of at[a0, b, *]",
        "for every a: at most 2 of at[a, *, *]",
    ],
    "four": [
        "for every a, c: at most 1 of at[a, *, c, *]",
        "for every a, b: at most 1 of at[a, b, c0, *], at[a, b+1..b+1, c1, *]",
    ],
    "with exceptions": [
        "for every a but a3, b: at most 1 of at[a, b, *]",
        "for every b, c: at least 2 of at[{a1, a2, a4}, b, c]",
    ],
    "with numbers and requests given": [
        "for every b, c: at least need[b, c] of at[*, b, c]",
        "for every b, c: at most need[b, c] + 1 of at[*, b, c]",
        "for every b: at most most of at[*, b, *]",
        "for every a, b, c: !ask[c, b] | !at[a, b, c]",
        "for every b, c: ask[c, b] | at[*, b, c]",
    ],
}


@pytest.mark.parametrize("name", SAID)
def test_the_candidates_say_what_planners_say(name):
    schema = SCHEMAS[name]
    rng = np.random.default_rng(1)
    rows = (rng.random((80, len(schema.variables))) < rng.random((80, 1))).astype(np.uint8)
    candidates = {
        kind.family(column, opposite)
        for kind in kinds_of(schema, rows)
        for column in range(kind.columns)
        for opposite in (False, True)[: 1 + kind.two_sided]
    }
    for said in SAID[name]:
        (family,) = parse_family(said, schema)
        assert family in candidates, said


def test_nothing_is_looked_for_in_what_was_given_alone():
    schema = SCHEMAS["with numbers and requests given"]
    decided = {v for v, name in enumerate(schema.variables) if not name.startswith(("need", "most", "ask"))}
    given = set(range(len(schema.variables))) - decided
    rows = np.random.default_rng(1).integers(0, 2, (20, len(schema.variables)), dtype=np.uint8)
    for kind in kinds_of(schema, rows, given=given):
        (family,) = [kind.family(0)]
        instances = family.instances(schema) if isinstance(family, Family) else (family,)
        assert all(decided & set(each.variables) for each in instances), family


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
