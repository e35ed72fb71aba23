"""Constraints: at least so many of these literals, whatever is asked of them, and as clauses for solvers."""

from collections import Counter

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import all_assignments, clauses, constraints, literals

from hassle.errors import InputError
from hassle.logic import Constraint, as_constraint, clauses_of, coverage
from hassle.logic.cnf import constraint_clauses, definition
from hassle.logic.constraint import FALSE, TRUE
from hassle.logic.formula import at_least

N = 4
ROWS = naive.all_assignments(N)


@st.composite
def anything(draw, n=N):
    """Any constraint, those included that always hold or never can."""
    lits = draw(clauses(n))
    return Constraint(lits, draw(st.integers(-1, len(lits) + 2)))


def meaning(constraint):
    return [naive.constraint_holds(constraint, bits) for bits in ROWS]


@given(anything())
def test_holding_is_counting(constraint):
    expected = meaning(constraint)
    rows = np.array(ROWS, dtype=np.uint8)
    assert [constraint.holds(bits) for bits in ROWS] == expected
    assert [constraint.holds(bits) for bits in rows] == expected
    assert constraint.held_by(rows).tolist() == expected
    assert coverage([constraint, TRUE], rows)[:, 0].tolist() == expected
    assert [naive.formula_holds(at_least(constraint), bits) for bits in ROWS] == expected


@given(anything())
def test_the_negation_holds_where_the_constraint_does_not(constraint):
    assert meaning(constraint.negation) == [not holds for holds in meaning(constraint)]
    assert constraint.negation.negation == constraint


@given(anything(), clauses(N))
def test_what_is_left_to_ask_speaks_of_the_other_variables(constraint, true):
    left = constraint.given(set(true))
    assert not {abs(lit) for lit in left.literals} & {abs(lit) for lit in true}
    agreeing = [bits for bits in ROWS if all(naive.clause_holds((lit,), bits) for lit in true)]
    holds = [naive.constraint_holds(constraint, bits) for bits in agreeing]
    assert [naive.constraint_holds(left, bits) for bits in agreeing] == holds
    assert (left == TRUE) == all(holds)
    assert (left == FALSE) == (not any(holds))


@given(constraints(N), st.permutations(range(N)))
def test_the_same_over_other_variables(constraint, number):
    moved = constraint.mapped(number)
    assert list(moved.variables) == sorted(moved.variables)
    for bits in ROWS:
        assert naive.constraint_holds(moved, bits) == naive.constraint_holds(constraint, [bits[v] for v in number])


@given(st.lists(literals(N), max_size=N, unique_by=abs), st.integers(-1, N + 1))
def test_at_least_so_many(lits, need):
    """Refused just where it says nothing, or can never hold; a clause may be empty."""
    if not (1 <= need <= len(lits) or (need == 1 and not lits)):
        with pytest.raises(InputError, match="never" if need > len(lits) else "always"):
            Constraint.of(lits, need)
        return
    constraint = Constraint.of(lits, need)
    assert constraint == Constraint.of(reversed(lits), need) == Constraint(tuple(sorted(lits, key=abs)), need)
    assert constraint.is_clause == (need == 1)
    for bits in ROWS:
        assert constraint.holds(bits) == (sum((bits[abs(lit) - 1] == 1) == (lit > 0) for lit in lits) >= need)


@given(st.lists(literals(N), max_size=N, unique_by=abs), st.integers(-1, N + 1))
def test_at_most_so_many(lits, most):
    if not 0 <= most < len(lits):
        with pytest.raises(InputError, match="never" if most < 0 else "always"):
            Constraint.at_most(most, lits)
        return
    constraint = Constraint.at_most(most, lits)
    for bits in ROWS:
        assert constraint.holds(bits) == (sum((bits[abs(lit) - 1] == 1) == (lit > 0) for lit in lits) <= most)


@pytest.mark.parametrize("lits", [[1, 2, 1], [1, 2, -1], [2, 2]])
def test_a_count_names_a_variable_once(lits):
    with pytest.raises(InputError, match=f"names variable {abs(lits[0])} twice"):
        Constraint.of(lits, 2)


def test_clauses_are_constraints_and_counts_are_no_clauses():
    assert as_constraint((1, -2)) == Constraint((1, -2), 1)
    assert clauses_of([Constraint((1, -2)), FALSE]) == [(1, -2), ()]
    with pytest.raises(InputError, match="1 of the 2 constraints are counts"):
        clauses_of([Constraint((1, -2)), Constraint((1, 2, 3), 2)])


def extensions(clauses, total):
    """How often each assignment of the first N variables occurs among the clauses' solutions."""
    rows = all_assignments(total)
    solutions = rows[coverage([Constraint(clause) for clause in clauses], rows).all(axis=1)]
    return Counter(tuple(row[:N]) for row in solutions.tolist()), solutions


@given(anything())
@settings(max_examples=60, deadline=None)
def test_as_clauses_it_has_the_same_solutions_each_extended_in_one_way(constraint):
    clauses, fresh = constraint_clauses(constraint, N + 1)
    assert extensions(clauses, fresh - 1)[0] == {bits: 1 for bits in ROWS if naive.constraint_holds(constraint, bits)}


@given(anything())
@settings(max_examples=60, deadline=None)
def test_a_literal_can_stand_for_it(constraint):
    name, clauses, fresh = definition(constraint, N + 1)
    counts, solutions = extensions(clauses, fresh - 1)
    assert counts == dict.fromkeys(ROWS, 1)
    for bits in solutions.tolist():
        assert naive.clause_holds((name,), bits) == naive.constraint_holds(constraint, bits)


def test_large_counts_take_few_clauses():
    """Named by whichever of the count and its negation needs less: 49 of 50 is as cheap as 2 of 50."""
    most, fresh = constraint_clauses(Constraint(tuple(range(1, 51)), 49), 51)
    two, same = constraint_clauses(Constraint(tuple(range(1, 51)), 2), 51)
    assert fresh == same < 51 + 4 * 50
    assert len(most) == len(two) < 12 * 50
