"""Contexts: split into literals and a rest without changing what they mean."""

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import all_assignments, contexts, formulas, schemas, variables

from hassle.errors import InputError
from hassle.logic import EMPTY, Assignment, Context, as_bits, as_context
from hassle.logic.formula import FALSE

ABC = ("a", "b", "c")


@st.composite
def named_contexts(draw):
    named = draw(variables())
    return draw(contexts(len(named))), named


@given(st.data())
def test_texts_of_columns_of_any_kind_read_back(data):
    schema = data.draw(schemas())
    context = data.draw(contexts(len(schema.variables), counts=True))
    assert Context.parse(context.text(schema), schema) == context


@given(named_contexts())
def test_text_reads_back(case):
    context, named = case
    assert Context.parse(context.text(named), named) == context


@given(formulas(4, counts=True))
def test_splitting_keeps_the_meaning(formula):
    context = Context.of(formula)
    rows = all_assignments(4)
    assert context.holds(rows).tolist() == [naive.formula_holds(formula, bits) for bits in rows.tolist()]
    assert context.holds(rows).dtype == np.bool_
    assert list(context.literals) == sorted(context.literals, key=abs)
    assert set(context.free(4)) == set(range(4)) - {abs(lit) - 1 for lit in context.literals}


@given(contexts(4, counts=True))
def test_what_is_asked_holds_wherever_the_context_does(context):
    rows = all_assignments(4)
    inside = rows[context.holds(rows)]
    assert all(constraint.holds(row) for constraint in context.asked for row in inside)


def test_clauses_and_counts_are_asked():
    context = Context.parse("!a & (b | !c) & (a | b | c -> b) & at least 2 of a, b, c", ABC)
    assert [(each.literals, each.need) for each in context.asked] == [((2, -3), 1), ((1, 2, 3), 2)]


def test_the_same_conjunction_is_the_same_context_however_written():
    texts = ["a & !b", "!b & a", "!b, a", "a and not b and a", "(a & ~b)", "true & a & !b"]
    assert {Context.parse(text, ABC) for text in texts} == {Context((1, -2))}


def test_contradictions_are_the_context_that_never_holds():
    for text in ("a & !a", "false", "a & b & false", "!a, a"):
        assert Context.parse(text, ABC) == Context((), FALSE)
    assert Context.parse("false", ABC).text(ABC) == "false"


def test_what_callers_may_pass():
    for missing in (float("nan"), np.nan, np.float32("nan")):
        assert as_context(missing, ABC) == EMPTY
    assert as_context(None, ABC) == as_context("", ABC) == as_context([], ABC) == EMPTY
    assert as_context([1, -3], ABC) == as_context(["a", "!c"], ABC) == as_context("a & !c", ABC) == Context((1, -3))
    assert as_context(("a | b", np.int64(-3)), ABC) == Context.parse("(a | b) & !c", ABC)
    for wrong in (7, [0], [4], ["a", 1.5], Context((4,))):
        with pytest.raises(InputError):
            as_context(wrong, ABC)


def test_assignments_in_every_form():
    expected = [1, 0, 1]
    for value in ("101", [1, 0, 1], (True, False, True), {"c": 1, "a": 1, "b": 0}, np.array([1.0, 0.0, 1.0])):
        assert as_bits(value, ABC).tolist() == expected
    assert as_bits(Assignment.of(ABC, expected), ABC).tolist() == expected
    assert as_bits(["true", " False", "1"], ABC).tolist() == expected


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("10", "2 values for 3 variables"),
        ("1x1", "'b' has value 'x'"),
        ([1, 0, 2], "'c' has value 2"),
        ([1, None, 0], "'b' has value None"),
        ({"a": 1, "b": 0}, "says nothing of c"),
        ({"a": 1, "b": 0, "c": 1, "dd": 1}, "unknown variable 'dd'"),
        (5, "5 is not an assignment"),
    ],
)
def test_what_is_no_assignment(value, message):
    with pytest.raises(InputError, match=message):
        as_bits(value, ABC)


def test_an_assignment_is_a_mapping():
    one = Assignment.of(ABC, [1, 0, 1])
    other = Assignment.of(("c", "b", "a"), (1, 0, 1))
    assert dict(one) == {"a": 1, "b": 0, "c": 1}
    assert one == other
    assert hash(one) == hash(other)
    assert str(one) == "101"
    assert one.true_variables == ("a", "c")
    with pytest.raises(KeyError):
        one["d"]
