"""The context language: what is printed reads back, what cannot be read is told with its column."""

import operator
import re

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import TRICKY_NAMES, all_assignments, formulas, literals, names, schemas, variables

from hassle.errors import InputError
from hassle.logic import Choice, Constraint, Number, Schema, YesNo, formula_text, parse_formula
from hassle.logic.formula import FALSE, TRUE, And, AtLeast, Iff, Implies, Literal, Not, Or, evaluate, variables_in
from hassle.logic.parser import MAX_NESTING

ABC = ("a", "b", "c", "d")
A, B, C, D = map(Literal, (1, 2, 3, 4))
ROWS = naive.all_assignments(4)
WARD = Schema((YesNo("ana"), Choice("shift", ("day", "late", "night")), Number("staff", 0, 3)))


@st.composite
def named_formulas(draw):
    named = draw(variables())
    return draw(formulas(len(named), counts=True)), named


@st.composite
def formulas_of_schemas(draw):
    schema = draw(schemas())
    return draw(formulas(len(schema.variables), counts=True)), schema


@given(formulas_of_schemas())
def test_choices_and_numbers_read_back(case):
    formula, schema = case
    assert parse_formula(formula_text(formula, schema), schema) == formula


@given(
    st.sampled_from(("at least", "at most", "exactly", "AT Least")),
    st.integers(0, 5),
    st.lists(literals(4), min_size=1, max_size=4, unique_by=abs),
)
def test_counts_mean_what_they_say(bound, number, lits):
    listed = ", ".join(formula_text(Literal(lit), ABC) for lit in lits)
    compare = {"at least": operator.ge, "at most": operator.le, "exactly": operator.eq}[bound.lower()]
    truth = [compare(sum((bits[abs(lit) - 1] == 1) == (lit > 0) for lit in lits), number) for bits in ROWS]
    trivial = all(truth) or not any(truth)
    for text in (f"{bound} {number} of {listed}", f"{bound} {number} of ({listed})"):
        if trivial:
            with pytest.raises(InputError, match=r"always holds|can never hold"):
                parse_formula(text, ABC)
        else:
            formula = parse_formula(text, ABC)
            assert [naive.formula_holds(formula, bits) for bits in ROWS] == truth


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
        ("at least 2 of a, !b, c", AtLeast(Constraint((1, -2, 3), 2))),
        ("AT MOST 1 of c, a, b", AtLeast(Constraint((-1, -2, -3), 2))),
        ("at least 1 of a, b", Or((A, B))),
        ("at least 2 of a, b", And((A, B))),
        ("at most 0 of a, b", And((Literal(-1), Literal(-2)))),
        ("exactly 0 of a, b", And((Literal(-1), Literal(-2)))),
        ("exactly 2 of a, b", And((A, B))),
        ("exactly 1 of (a, b)", And((Or((A, B)), Or((Literal(-1), Literal(-2)))))),
        ("not at least 2 of a, b, c", AtLeast(Constraint((-1, -2, -3), 2))),
        ("d & at least 2 of (a, b, c) -> a", Implies(And((D, AtLeast(Constraint((1, 2, 3), 2)))), A)),
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


def test_words_of_counts_are_names_where_they_count_nothing():
    named = ("exactly", "of", "at", "least")
    assert parse_formula("exactly & of", named) == And((A, B))
    assert parse_formula("at -> least", named) == Implies(C, D)
    assert parse_formula("at least 2 of at, least, of", named) == AtLeast(Constraint((2, 3, 4), 2))


@pytest.mark.parametrize(
    ("text", "column", "word"),
    [
        ("ana & shift", 7, "'shift' is not yes-or-no"),
        ("ana & shift = noon", 7, "no value 'noon'"),
        ("shift > day", 1, "has no order"),
        ("ana < 1", 1, "has no order"),
        ("ana = 2", 1, "'ana' has value '2'"),
        ("staff >= lots", 1, "write a whole number"),
        ("staff >=", 9, "a value is missing"),
        ("staff >= & ana", 10, "a value is missing"),
        ("staf >= 1", 1, "did you mean 'staff'"),
        ("at least 2 of ana", 1, "can never hold"),
        ("ana | at least 0 of ana, shift = day", 7, "always holds"),
        ("at most 2 of ana, shift = day", 1, "always holds"),
        ("exactly 3 of ana, shift = day", 1, "can never hold"),
        ("at least 2 of ana, ana", 1, "twice"),
        ("at least two of ana, shift = day", 10, "'two' is not a number"),
        ("at least -1 of ana, shift = day", 10, "'-1' is not a number"),
        ("at least 9999999999 of ana, shift = day", 10, "is not a number"),
        ("at least 2 of ana, (shift = day | ana)", 20, "only literals can be counted"),
        ("at least 2 of ana, staff = 1", 20, "only literals can be counted"),
        ("at least 2 of ana,", 19, "too early"),
        ("at least 2 of", 14, "too early"),
        ("at least 2 of (ana, shift = day", 32, "never closed"),
        ("at least 2 ana", 1, "unknown variable 'at'"),
    ],
)
def test_errors_of_comparisons_and_counts_point_at_the_column(text, column, word):
    with pytest.raises(InputError) as caught:
        parse_formula(text, WARD)
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
