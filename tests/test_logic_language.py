"""The context language: what is printed reads back, what cannot be read is told with its column."""

import re

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import TRICKY_NAMES, all_assignments, formulas, names, variables

from hassle.errors import InputError
from hassle.logic import formula_text, parse_formula
from hassle.logic.formula import FALSE, TRUE, And, Iff, Implies, Literal, Not, Or, evaluate, variables_in
from hassle.logic.parser import MAX_NESTING

ABC = ("a", "b", "c", "d")
A, B, C, D = map(Literal, (1, 2, 3, 4))


@st.composite
def named_formulas(draw):
    named = draw(variables())
    return draw(formulas(len(named))), named


@given(named_formulas())
def test_printing_and_parsing_gives_the_same_formula(case):
    formula, named = case
    assert parse_formula(formula_text(formula, named), named) == formula


@given(names())
def test_every_name_reads_back(name):
    assert parse_formula(formula_text(Literal(1), (name,)), (name,)) == Literal(1)


@pytest.mark.parametrize("name", TRICKY_NAMES)
def test_tricky_names_read_back(name):
    assert parse_formula(formula_text(Literal(-1), (name,)), (name,)) == Literal(-1)


@given(formulas(4))
def test_evaluation_follows_the_definition(formula):
    rows = all_assignments(4)
    truth = np.broadcast_to(evaluate(formula, lambda v: rows[:, v] == 1), len(rows))
    assert truth.tolist() == [naive.formula_holds(formula, bits) for bits in rows.tolist()]


@given(formulas(4))
def test_variables_in_are_those_of_the_text(formula):
    words = set(re.findall(r"\w+", formula_text(formula, ABC)))
    assert {ABC[v] for v in variables_in(formula)} == words - {"true", "false"}


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("", TRUE),
        ("  ", TRUE),
        ("TRUE", TRUE),
        ("not true", FALSE),
        ("a", A),
        ("~a", Literal(-1)),
        ("!!a", A),
        ("NOT not not a", Literal(-1)),
        ("a, !b ,c", And((A, Literal(-2), C))),
        ("a and b or c", Or((And((A, B)), C))),
        ("a & (b | c)", And((A, Or((B, C))))),
        ("a & a & b & a", And((A, B))),
        ("!a & (b | c) -> d", Implies(And((Literal(-1), Or((B, C)))), D)),
        ("a -> b -> c", Implies(A, Implies(B, C))),
        ("(a -> b) -> c", Implies(Implies(A, B), C)),
        ("a <-> b -> c", Iff(A, Implies(B, C))),
        ("a <-> b <-> c", Iff(A, Iff(B, C))),
        ("!(a & b)", Not(And((A, B)))),
        ("'a' | \"b\"", Or((A, B))),
        ("a -> false", Literal(-1)),
        ("true -> a", A),
        ("a <-> false", Literal(-1)),
    ],
)
def test_texts_mean_what_they_say(text, formula):
    assert parse_formula(text, ABC) == formula


@pytest.mark.parametrize(
    ("text", "column", "word"),
    [
        ("a &", 4, "too early"),
        ("a & & b", 5, "unexpected '&'"),
        ("a b", 3, "unexpected 'b'"),
        ("(a | b", 1, "never closed"),
        ("a | b)", 6, "unexpected ')'"),
        ("a @ b", 3, "unexpected '@'"),
        ("a | 'b", 5, "close the quotation"),
        ("a | bb", 5, "unknown variable 'bb'"),
        ("a, b | c", 4, "only literals"),
        ("a,", 3, "too early"),
        ("-a", 1, "unexpected '-'"),
        ("a\n& &", 5, "unexpected '&'"),
    ],
)
def test_errors_point_at_the_column(text, column, word):
    with pytest.raises(InputError) as caught:
        parse_formula(text, ABC)
    assert f"column {column}:" in str(caught.value)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_name_suggests_the_nearest():
    with pytest.raises(InputError, match="did you mean 'ana_monday'"):
        parse_formula("ana_mondey", ("ana_monday", "ben"))


@pytest.mark.parametrize(
    "text",
    ["(" * 3000 + "a" + ")" * 3000, " -> ".join(["a"] * 3000), " <-> ".join(["a", "b"] * 1500), "!(" * 999 + "a"],
)
def test_deep_nesting_is_an_error_and_not_a_crash(text):
    with pytest.raises(InputError, match=f"nested more than {MAX_NESTING} deep") as caught:
        parse_formula(text, ABC)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("opening", ["(", "!(a & ", "a | (", "(b -> ", "(b <-> "])
def test_every_parenthesis_counts_once(opening):
    levels = MAX_NESTING // (2 if "-" in opening else 1)  # an arrow and its parenthesis are two
    deepest = opening * levels + "c" + ")" * levels
    formula = parse_formula(deepest, ABC)
    assert parse_formula(formula_text(formula, ABC), ABC) == formula
    assert hash(formula) is not None
    assert len(variables_in(formula)) == len(set(deepest) & set("abc"))
    with pytest.raises(InputError, match=f"nested more than {MAX_NESTING} deep"):
        parse_formula(f"({deepest})", ABC)


def test_many_operators_between_parentheses_are_an_error_and_not_a_crash():
    text = "a"
    for _ in range(MAX_NESTING):
        text = f"!({text}) & b | c -> a <-> b"
    with pytest.raises(InputError, match="more than 200 operators stand within each other"):
        parse_formula(text, ABC)


def test_long_formulas_are_fine_where_they_are_flat():
    assert parse_formula(" & ".join(["a", "b"] * 5000), ABC) == And((A, B))
    assert parse_formula("!" * 10001 + "a", ABC) == Literal(-1)


@given(st.text(st.sampled_from("ab!~&|()<->, '\"\\\n") | st.characters(), max_size=12))
def test_any_text_is_a_formula_or_an_input_error(text):
    try:
        formula = parse_formula(text, ABC)
    except InputError:
        return
    assert parse_formula(formula_text(formula, ABC), ABC) == formula
