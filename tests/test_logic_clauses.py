"""Clauses in normal form, and the names of variables."""

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import all_assignments, clauses, literals, names

from hassle.errors import InputError
from hassle.logic import Constraint, check_names, coverage, default_names, literal, make_clause, variable_of


@given(st.lists(literals(5), max_size=6))
def test_normal_form_keeps_the_meaning(lits):
    if any(-lit in lits for lit in lits):
        with pytest.raises(InputError, match="always holds"):
            make_clause(lits)
        return
    clause = make_clause(lits)
    assert make_clause(reversed(lits)) == clause
    assert [abs(lit) for lit in clause] == sorted({abs(lit) for lit in lits})
    for bits in naive.all_assignments(5):
        assert Constraint(clause).holds(bits) == naive.clause_holds(lits, bits)


@given(st.lists(clauses(4), max_size=4))
def test_coverage_says_which_row_satisfies_which_clause(several):
    rows = all_assignments(4)
    table = coverage(several, rows)
    assert table.shape == (16, len(several))
    assert table.tolist() == [[naive.clause_holds(clause, bits) for clause in several] for bits in rows.tolist()]


@given(st.integers(0, 9), st.booleans())
def test_literals_know_their_variable(variable, positive):
    assert variable_of(literal(variable, positive)) == variable
    assert (literal(variable, positive) > 0) == positive


def test_zero_is_no_literal():
    with pytest.raises(InputError, match="0 is not a literal"):
        make_clause([1, 0])


@given(st.lists(names(), unique=True))
def test_names_of_every_kind_are_accepted(several):
    assert check_names(several) == tuple(several)


@pytest.mark.parametrize("name", ["", " a", "a ", "a\nb", "a\tb", "a\0", "\ufeffa", "a\u2028b", "\ud800", None, 7])
def test_names_that_files_could_not_keep_are_refused(name):
    with pytest.raises(InputError) as caught:
        check_names(["b", name])
    assert "\n" not in str(caught.value)


def test_repeated_names_are_refused():
    with pytest.raises(InputError, match="'b' is named twice"):
        check_names(["a", "b", "b"])
    assert default_names(2) == ("x1", "x2")
