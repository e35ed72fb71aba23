"""What is better said in another way is not for sale; brute force over all assignments is the judge."""

import itertools
from collections import defaultdict

import numpy as np
import pytest

from hassle.learners.structured.candidates import Candidates
from hassle.learners.structured.synonyms import better_said, scattered, uniform
from hassle.logic import Arrangement, Choice, Dimension, Number, Schema, YesNo
from hassle.model.families import Family
from hassle.model.rules import parse_family

COURSES, SLOTS = ("maths", "art", "sport"), ("mon", "tue", "wed")

CHOICES = Schema(
    tuple(Choice(course, SLOTS) for course in COURSES),
    (Dimension("course", COURSES), Dimension("slot", SLOTS, ordered=True)),
    (Arrangement("held", ("course", "slot"), "{course}={slot}"),),
)
CELLS = Schema(
    tuple(YesNo(f"{course}_{slot}") for course in COURSES for slot in SLOTS),
    CHOICES.dimensions,
    (Arrangement("held", ("course", "slot"), "{course}_{slot}"),),
)


def all_assignments(schema):
    options = [
        np.eye(end - start, dtype=np.uint8) if end - start > 1 else np.array([[0], [1]], dtype=np.uint8)
        for start, end in itertools.pairwise(schema.starts)
    ]
    return np.array([np.concatenate(chosen) for chosen in itertools.product(*options)])


def counted(family, schema, rows):
    """How many instances each assignment breaks, one by one."""
    instances = family.instances(schema) if isinstance(family, Family) else (family,)
    return tuple(sum(not each.held_by(row[None, :])[0] for each in instances) for row in rows)


@pytest.mark.parametrize("schema", [CHOICES, CELLS], ids=["choices", "cells"])
def test_one_of_those_that_say_the_same_stays_and_it_can_be_kept(schema):
    rows = all_assignments(schema)
    candidates = Candidates.of(schema, rows[::7])
    left_out = set(better_said(candidates, rows[::7], np.random.default_rng(0)))
    assert left_out
    same = defaultdict(list)
    for candidate in np.flatnonzero(np.isfinite(candidates.prices)).tolist():
        own = np.array(counted(candidates.family(candidate), schema, rows))
        if own.min() < own.max():
            same[tuple(own - own.min())].append((candidate, int(own.min())))
        else:
            assert candidate not in left_out  # it says nothing, which is another matter
    for group in same.values():
        staying = [(candidate, least) for candidate, least in group if candidate not in left_out]
        can_be_kept = any(least == 0 for _, least in group)
        assert len(staying) == can_be_kept
        assert all(least == 0 for _, least in staying)


def test_of_different_slots_it_is_said_that_no_two_share_one():
    rows = all_assignments(CHOICES)
    candidates = Candidates.of(CHOICES, rows[::7])
    left_out = set(better_said(candidates, rows[::7], np.random.default_rng(0)))
    known = {candidates.family(c): c for c in np.flatnonzero(np.isfinite(candidates.prices)).tolist()}
    [apart] = parse_family("for every slot: at most 1 of held[{maths, art}, slot]", CHOICES)
    [meant] = parse_family("for every slot: at least 1 of held[{maths, art}, slot]", CHOICES)
    assert known[apart] not in left_out
    assert known[meant] in left_out


def test_what_is_asked_of_everything_alike_is_kept_by_some_assignment():
    parts = tuple(f"p{i}" for i in range(12))
    schema = Schema(
        (*(Choice(part, SLOTS) for part in parts), YesNo("extra"), Number("most", 0, 3)),
        (Dimension("part", parts), Dimension("slot", SLOTS)),
        (Arrangement("held", ("part", "slot"), "{part}={slot}"),),
    )
    row = scattered(schema, np.zeros((1, len(schema.variables)), dtype=np.uint8), 1, np.random.default_rng(3))[0]
    rows = uniform(schema, row)
    for slot in SLOTS:
        [family] = parse_family(f"for every part: held[part, {slot}]", schema)
        assert 0 in counted(family, schema, rows)
    assert set(rows[:, schema.starts[12]].tolist()) == {0, 1}
    assert (rows[:, schema.starts[13] :] == row[schema.starts[13] :]).all()


def test_scattered_assignments_are_of_the_schema():
    schema = Schema((Choice("shift", ("early", "late", "night")), Number("most", 0, 4), YesNo("on")))
    rows = scattered(schema, np.array([[1, 0, 0, 1, 1, 0, 0, 1]], dtype=np.uint8), 4000, np.random.default_rng(1))
    assert (rows[:, :3].sum(1) == 1).all()
    assert (np.diff(rows[:, 3:7].astype(int), axis=1) <= 0).all()
    assert len(np.unique(rows, axis=0)) == 3 * 5 * 2
