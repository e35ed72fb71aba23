"""The neighbourhoods: every rule of the paper's Appendix E one by one, and the naive one from the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hassle.kernels.moves import (
    ANYTHING,
    KINDS,
    NO_LITERAL,
    POSITIVE_INFEASIBLE,
    POSITIVE_SUBOPTIMAL,
    SHOULD_BE_INFEASIBLE,
    SHOULD_BE_SUBOPTIMAL,
    SUBOPTIMAL_AS_PRINTED,
    changed_cost,
    changed_sign,
    write_moves,
)

HARD = np.int32(5000)
NEGATIVE = SHOULD_BE_INFEASIBLE | SHOULD_BE_SUBOPTIMAL


def neighbours(clauses, error, x, best=None, longest=None):
    """The moves for an error as a set of (clause, kind, literal), literals DIMACS-style, 0 for none.

    `clauses` are (literals, cost) pairs; x and best are texts of 0 and 1.
    """
    variables = len(x)
    signs = np.zeros((len(clauses), variables), dtype=np.int8)
    for row, (literals, _) in zip(signs, clauses, strict=True):
        for literal in literals:
            row[abs(literal) - 1] = np.sign(literal)
    costs = np.array([cost for _, cost in clauses], dtype=np.int32)
    found = np.zeros((len(clauses) * (2 * variables + 3), 3), dtype=np.int64)
    bits, best_bits = (np.array([int(bit) for bit in text], dtype=np.uint8) for text in (x, best or x))
    everything = np.ones(len(clauses), dtype=np.bool_)
    count = write_moves(signs, costs, HARD, longest or variables, everything, error, bits, best_bits, found)
    moves = [
        (int(clause), KINDS[kind], 0 if literal == NO_LITERAL else int(literal // 2 + 1) * (1 if literal % 2 else -1))
        for clause, kind, literal in found[:count]
    ]
    assert len(set(moves)) == len(moves)  # no neighbour twice
    return set(moves)


def _in(literals, *assignments):
    """Is the clause satisfied by all of these?"""
    return all(any((bits[abs(lit) - 1] == "1") == (lit > 0) for lit in literals) for bits in assignments)


class TestPositivePredictedInfeasible:
    def test_rule_1_any_change_of_a_hard_clause_that_x_violates(self):
        clauses = [((1, -2), HARD), ((1, 2), HARD), ((1,), 500)]
        assert neighbours(clauses, POSITIVE_INFEASIBLE, "010") == {
            (0, "soften", 0),
            (0, "add", 3),
            (0, "add", -3),
            (0, "remove", 1),
            (0, "remove", -2),
            (0, "flip", 1),
            (0, "flip", -2),
        }


class TestPositivePredictedSuboptimal:
    def test_rule_1_a_hard_clause_that_x_satisfies_loses_a_literal_of_the_optimum(self):
        clauses = [((1, 2, 3), HARD)]
        assert neighbours(clauses, POSITIVE_SUBOPTIMAL, "100", "011") == {(0, "remove", 2), (0, "remove", 3)}

    def test_rule_2_a_soft_clause_that_only_x_satisfies_becomes_hard_or_heavier(self):
        clauses = [((1,), 500)]
        assert neighbours(clauses, POSITIVE_SUBOPTIMAL, "10", "01") == {(0, "harden", 0), (0, "strengthen", 0)}

    def test_rule_3_a_soft_clause_that_only_the_optimum_satisfies(self):
        """gets a literal of x, loses a literal of the optimum, or becomes lighter"""
        clauses = [((2, 3), 500)]
        assert neighbours(clauses, POSITIVE_SUBOPTIMAL, "1000", "0110") == {
            (0, "add", 1),
            (0, "add", -4),
            (0, "remove", 2),
            (0, "remove", 3),
            (0, "lighten", 0),
        }

    def test_rule_4_a_soft_clause_that_neither_satisfies_gets_a_literal_of_x_only(self):
        clauses = [((3,), 500)]
        assert neighbours(clauses, POSITIVE_SUBOPTIMAL, "1001", "0101") == {(0, "add", 1), (0, "add", -2)}

    def test_rule_5_a_soft_clause_that_both_satisfy_loses_a_literal_of_the_optimum_only(self):
        """The appendix prints an addition, which changes nothing where both satisfy the clause already."""
        clauses = [((1, 2, 3), 500)]
        assert neighbours(clauses, POSITIVE_SUBOPTIMAL, "101", "011") == {(0, "remove", 2)}

    def test_rule_5_as_printed_adds_it(self):
        clauses = [((3,), 500)]
        assert neighbours(clauses, SUBOPTIMAL_AS_PRINTED, "101", "011") == {(0, "add", -1), (0, "add", 2)}

    def test_the_other_rules_are_the_same_as_printed(self):
        clauses = [((1, 2, 3), HARD), ((1,), 500), ((2,), 400), ((-3,), 300)]
        for x, best in (("101", "011"), ("100", "011"), ("110", "000")):
            ours, printed = (
                neighbours(clauses, error, x, best) for error in (POSITIVE_SUBOPTIMAL, SUBOPTIMAL_AS_PRINTED)
            )
            both = {j for j, (literals, cost) in enumerate(clauses) if cost != HARD and _in(literals, x, best)}
            assert {move for move in ours if move[0] not in both} == {move for move in printed if move[0] not in both}


class TestNegativePredictedPositive:
    def test_rule_1_a_hard_clause_that_x_satisfies_loses_a_literal_of_x(self):
        clauses = [((1, 2, -3), HARD)]
        assert neighbours(clauses, NEGATIVE, "100") == {(0, "remove", 1), (0, "remove", -3)}

    def test_rule_2_a_soft_clause_that_neither_satisfies_becomes_hard_or_heavier(self):
        clauses = [((1,), 500)]
        assert neighbours(clauses, NEGATIVE, "01") == {(0, "harden", 0), (0, "strengthen", 0)}
        assert neighbours(clauses, NEGATIVE, "01", "11") == set()

    def test_rule_3_a_soft_clause_that_both_satisfy_loses_a_literal_of_x_or_becomes_lighter(self):
        clauses = [((1, 2), 500)]
        assert neighbours(clauses, NEGATIVE, "10") == {(0, "remove", 1), (0, "lighten", 0)}

    @pytest.mark.parametrize(
        ("error", "kept"),
        [
            (SHOULD_BE_INFEASIBLE, {(0, "remove", 1), (1, "harden", 0)}),
            (SHOULD_BE_SUBOPTIMAL, {(1, "strengthen", 0), (2, "remove", 1), (2, "lighten", 0)}),
        ],
    )
    def test_a_known_reason_narrows_the_rules(self, error, kept):
        clauses = [((1, 2), HARD), ((2,), 500), ((1, 3), 400)]
        assert neighbours(clauses, error, "100") == kept
        assert kept < neighbours(clauses, NEGATIVE, "100")


models = st.integers(1, 4).flatmap(
    lambda n: st.tuples(
        st.lists(
            st.tuples(
                st.lists(
                    st.integers(1, n).flatmap(lambda v: st.sampled_from((v, -v))),
                    min_size=1,
                    max_size=n,
                    unique_by=abs,
                ),
                st.sampled_from((1, 2, 500, 998, 999, int(HARD))),
            ),
            min_size=1,
            max_size=4,
        ),
        st.text("01", min_size=n, max_size=n),
        st.text("01", min_size=n, max_size=n),
        st.integers(1, n),
    )
)


def naive_neighbours(clauses, variables, longest):
    """All single changes, from the paper's list of them: hardness, weight, and one literal of one clause."""
    found = set()
    for j, (literals, cost) in enumerate(clauses):
        if cost == HARD:
            found.add((j, "soften", 0))
        else:
            found.add((j, "harden", 0))
            if max(1, cost // 2) != cost:
                found.add((j, "lighten", 0))
            if min(999, (1000 + cost) // 2) != cost:
                found.add((j, "strengthen", 0))
        for literal in literals:
            found.add((j, "flip", literal))
            if len(literals) > 1:
                found.add((j, "remove", literal))
        if len(literals) < longest:
            absent = set(range(1, variables + 1)) - {abs(literal) for literal in literals}
            found |= {(j, "add", sign * v) for v in absent for sign in (1, -1)}
    return found


@settings(max_examples=200, deadline=None)
@given(models)
def test_the_naive_neighbourhood_is_every_single_change(drawn):
    clauses, x, best, longest = drawn
    assert neighbours(clauses, ANYTHING, x, best, longest) == naive_neighbours(clauses, len(x), longest)


@settings(max_examples=200, deadline=None)
@given(
    models,
    st.sampled_from((POSITIVE_INFEASIBLE, POSITIVE_SUBOPTIMAL, SHOULD_BE_INFEASIBLE, SHOULD_BE_SUBOPTIMAL, NEGATIVE)),
)
def test_every_pruned_neighbour_is_a_naive_neighbour(drawn, error):
    clauses, x, best, longest = drawn
    assert neighbours(clauses, error, x, best, longest) <= naive_neighbours(clauses, len(x), longest)


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("harden", 300, int(HARD)),
        ("soften", int(HARD), 999),  # the paper's weight 1, kept below 1
        ("lighten", 700, 350),  # w / 2
        ("lighten", 1, 1),
        ("strengthen", 700, 850),  # (1 + w) / 2
        ("strengthen", 999, 999),
        ("add", 700, 700),
    ],
)
def test_what_a_move_does_to_weight_and_hardness(kind, before, after):
    assert changed_cost(np.int32(before), KINDS.index(kind), HARD) == after


@pytest.mark.parametrize(
    ("kind", "literal", "sign"),
    [("add", 3, 1), ("add", 2, -1), ("remove", 3, 0), ("remove", 2, 0), ("flip", 3, -1), ("flip", 2, 1)],
)
def test_what_a_move_does_to_a_literal(kind, literal, sign):
    assert changed_sign(KINDS.index(kind), literal) == sign
