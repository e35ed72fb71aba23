"""Any formula as clauses: the same solutions over the original variables, each extended in exactly one way."""

from collections import Counter

import naive
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import contexts, formulas

from hassle.logic.cnf import to_clauses
from hassle.logic.formula import FALSE, TRUE, Literal, Or

N = 3


def extensions(clauses, total):
    """How often each assignment of the first N variables occurs among the clauses' solutions."""
    solutions = (bits for bits in naive.all_assignments(total) if all(naive.clause_holds(c, bits) for c in clauses))
    return Counter(bits[:N] for bits in solutions)


@given(formulas(N, max_leaves=6, counts=True))
def test_solutions_are_kept_and_extend_uniquely(formula):
    clauses, fresh = to_clauses(formula, N + 1)
    assume(fresh <= 13)
    expected = {bits: 1 for bits in naive.all_assignments(N) if naive.formula_holds(formula, bits)}
    assert extensions(clauses, fresh - 1) == expected


@given(contexts(N))
def test_a_context_is_its_clauses(context):
    clauses, fresh = context.clauses(N + 1)
    if fresh > 12:
        return
    expected = {bits: 1 for bits in naive.all_assignments(N) if naive.formula_holds(context.formula, bits)}
    assert extensions(clauses, fresh - 1) == expected


@given(formulas(N, max_leaves=6), st.integers(N + 1, 50))
def test_fresh_variables_start_where_they_are_told_to(formula, first):
    clauses, fresh = to_clauses(formula, first)
    used = {abs(lit) for clause in clauses for lit in clause}
    assert {v for v in used if v > N} <= set(range(first, fresh))
    assert all(list(clause) == sorted(set(clause), key=abs) for clause in clauses)


def test_clauses_need_no_fresh_variables():
    assert to_clauses(Or((Literal(1), Literal(-2))), 4) == ([(1, -2)], 4)
    assert to_clauses(TRUE, 4) == ([], 4)
    assert to_clauses(FALSE, 4) == ([()], 4)
