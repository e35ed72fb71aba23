"""What is learned beside what is true: pairs, and brute force as their judge."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hassle.bundled import ward_truth
from hassle.cli.comparing import _lose_the_same, paired
from hassle.cli.demo import counted
from hassle.logic import Constraint, Schema, YesNo
from hassle.model import Model, Rule
from hassle.model.rules import parse_family

SCHEMA = Schema(tuple(YesNo(name) for name in "abcd"))
EVERYTHING = np.array(list(itertools.product([0, 1], repeat=4)), dtype=np.uint8)
literals = st.lists(st.integers(1, 4), min_size=1, max_size=3, unique=True).flatmap(
    lambda variables: st.tuples(*(st.sampled_from([v, -v]) for v in variables))
)
constraints = literals.flatmap(lambda own: st.integers(1, len(own)).map(lambda need: Constraint(own, need)))


@settings(max_examples=60, deadline=None)
@given(st.lists(constraints, max_size=2), constraints, constraints)
def test_two_wishes_are_the_same_if_all_plans_lose_as_much_by_both(hard, one, other):
    true = Model(SCHEMA, tuple(Rule(each) for each in hard))
    plans = EVERYTHING[true.feasible(EVERYTHING)]
    expected = bool((one.held_by(plans) == other.held_by(plans)).all())
    assert _lose_the_same(Rule(one), Rule(other), true) == expected


def test_the_truth_is_paired_with_itself():
    truth = ward_truth()
    assert counted(paired(truth, truth, hard=True)) == {"learned": 6, "true": 6, "both": 6}
    assert counted(paired(truth, truth, hard=False)) == {"learned": 9, "true": 9, "both": 9}


def test_other_words_for_the_same_are_a_pair_and_others_are_not():
    truth = ward_truth()
    wishes = [rule for rule in truth.rules if rule.weight is not None]
    [eva] = parse_family("at most 0 of works[eva, mon, *]", truth.schema)
    [finn] = parse_family("at most 0 of works[finn, mon, *]", truth.schema)
    pairs = paired(Model(truth.schema, (Rule(eva, wishes[0].weight), Rule(finn, wishes[0].weight))), truth, hard=False)
    assert counted(pairs) == {"learned": 2, "true": 9, "both": 1}
    assert pairs[0][0].what == eva
    assert [pairs[0][1].what] == parse_family("for every shift: !works[eva, mon, shift]", truth.schema)
    assert pairs[-1] == (Rule(finn, wishes[0].weight), None)
