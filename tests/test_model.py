"""Models: exact weights, values from the definition, verdicts, words."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import all_assignments, contexts, models, schemas

from hassle.errors import InputError
from hassle.logic import Choice, Constraint, Number, Schema, YesNo, as_schema
from hassle.model import Model, Rule, constraint_words, exact_weight, model_formulas, model_words
from hassle.model.weights import LARGEST_SUM, UNITS, from_units, in_units, unit_for
from hassle.model.words import hard_words

ABC = ("a", "b", "c")


@given(models(counts=True))
def test_values_follow_the_definition(model):
    rows = all_assignments(len(model.variables))
    values, feasible = model.values(rows), model.feasible(rows)
    for bits, units, may in zip(rows.tolist(), values.tolist(), feasible.tolist(), strict=True):
        assert model.decimal(units) == model.value(bits) == naive.value(model, bits)
        assert may == all(naive.constraint_holds(clause, bits) for clause in model.hard)
        assert model.broken(bits) == tuple(c for c in model.hard if not naive.constraint_holds(c, bits))
        assert model.earned(bits) == tuple(naive.constraint_holds(soft.constraint, bits) for soft in model.soft)


@given(st.data())
def test_verdicts_against_a_known_optimum_follow_the_definition(data):
    model = data.draw(models(max_variables=3))
    context = data.draw(contexts(len(model.variables)))
    _, best = naive.optima(model, context)
    optimum = None if best is None else in_units(best, model.unit)
    for bits in naive.all_assignments(len(model.variables)):
        assert model.verdict_against(bits, context, optimum) == naive.verdict(model, context, bits)


@given(models(counts=True, min_variables=2), st.permutations(range(8)))
def test_hard_rules_come_first_whatever_the_order_given(model, order):
    more = Constraint((1, 2))
    assert model.with_hard(more).hard == (*model.hard, more)
    shuffled = tuple(model.rules[i] for i in order if i < len(model.rules))
    mixed = replace(model, rules=shuffled)
    assert mixed.rules == (
        *(rule for rule in shuffled if rule.weight is None),
        *(rule for rule in shuffled if rule.weight is not None),
    )


@given(models())
def test_building_from_texts_gives_the_same_model(model):
    texts = [model.text(clause) for clause in model.hard]
    soft = [(model.text(item.constraint), item.weight) for item in model.soft]
    assert Model.build(model.variables, texts, soft, model.unit) == model
    numbers = [(list(item.constraint.literals), item.weight) for item in model.soft]
    assert Model.build(model.variables, [list(clause.literals) for clause in model.hard], numbers, model.unit) == model


@given(models(counts=True, over=schemas()))
def test_counts_over_a_schema_are_built_from_their_texts(model):
    def text(constraint):
        """The text, unless it would be a conjunction: a count that needs all."""
        return model.text(constraint) if constraint.need < max(2, len(constraint.literals)) else constraint

    soft = [(text(item.constraint), item.weight) for item in model.soft]
    assert Model.build(model.schema, map(text, model.hard), soft, model.unit) == model


@given(st.integers(-(10**18), 10**18), st.sampled_from(UNITS))
def test_units_and_decimals_are_the_same_numbers(units, unit):
    weight = from_units(units, unit)
    assert Fraction(weight) == Fraction(units, unit)
    assert in_units(weight, unit) == units
    assert exact_weight(str(weight)) == exact_weight(Fraction(units, unit)) == weight
    assert Fraction(unit_for([weight], 1)) * Fraction(units, unit) % 1 == 0


@pytest.mark.parametrize(
    ("value", "weight"),
    [
        (0.1, "0.1"),
        (np.float64(0.3), "0.3"),
        (np.int32(-2), "-2"),
        ("1e-6", "0.000001"),
        (Fraction(1, 8), "0.125"),
        ("-0.50", "-0.5"),
        (-0.0, "0"),
        (Decimal("1E+3"), "1000"),
        ("0.1" + "0" * 40, "0.1"),
    ],
)
def test_weights_are_taken_at_their_face_value(value, weight):
    assert exact_weight(value) == Decimal(weight)
    assert str(exact_weight(value)) == weight


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1e-7, "finer than"),
        (0.1 + 0.2, "finer than"),
        ("0.1" + "0" * 40 + "1", "finer than"),  # decimal arithmetic alone would round it to 0.1
        ("1e-2000000", "finer than"),
        (Fraction(1, 3), "finer than"),
        ("1e30", "too large"),
        (float("inf"), "not finite"),
        ("nan", "not finite"),
        ("heavy", "not a weight"),
        (None, "not a weight"),
        (True, "not a weight"),
    ],
)
def test_weights_that_cannot_be_held_are_errors(value, message):
    with pytest.raises(InputError, match=message):
        exact_weight(value)


def test_the_unit_is_as_fine_as_the_weights_need():
    assert Model.build(ABC, soft=[("a", 0.5)]).unit == 1000
    assert Model.build(ABC, soft=[("a", 0.5), ("b", "0.00001")]).unit == 10**5
    with pytest.raises(InputError, match="not a multiple of 1/10"):
        Model.build(ABC, soft=[("a", 0.25)], unit=10)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"hard": ["a & (b | c)"]}, "not a constraint"),
        ({"hard": ["a <-> b"]}, "not a constraint"),
        ({"hard": [["a", "b & c"]]}, "'b & c' is no part of a clause"),
        ({"hard": ["a | !a"]}, "always holds"),
        ({"hard": ["a | dd"]}, "unknown variable 'dd'"),
        ({"hard": [[1, 4]]}, "4 is not a literal"),
        ({"hard": [7]}, "7 is not a constraint"),
        ({"unit": 7}, "unit 7"),
        ({"soft": [("a", LARGEST_SUM)]}, "sum to more"),
        ({"variables": ["a", "a"]}, "named twice"),
    ],
)
def test_bad_models_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        Model.build(**{"variables": ABC, **arguments})


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a -> b", "!a | b"),
        ("a & b -> c", "!a | !b | c"),
        ("a -> b -> c", "!a | !b | c"),
        ("!(a & !b)", "!a | b"),
        ("!(a | b)", "!a & !b"),
        ("!(a -> b)", "a & !b"),
        ("!(at least 2 of a, b, c)", "at most 1 of a, b, c"),
    ],
)
def test_any_formula_that_says_one_constraint_is_one(text, same):
    assert Model.build(ABC, [text], [(text, 0.5)]) == Model.build(ABC, [same], [(same, 0.5)])


def test_clauses_beyond_the_variables_are_refused():
    with pytest.raises(InputError, match="variable 4, but there are 3"):
        Model.from_units(ABC, [(1, -4)])


def test_models_compare_by_what_they_say_and_not_by_how_they_came_to_be():
    rules = (Rule(Constraint((1,))), Rule(Constraint((2,)), Decimal("0.5")))
    one = Model(as_schema(ABC), rules, about={"learner": "sls"})
    assert one == Model.build(ABC, ["a"], [("b", 0.5)])
    assert hash(one) == hash(Model.build(ABC, ["a"], [("b", "0.500")]))
    assert one != Model.build(ABC, ["a"], [("b", 0.5)], unit=10)


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        ((1,), "a"),
        ((-1,), "not a"),
        ((1, 2), "at least one of a or b"),
        ((1, 2, 3), "at least one of a, b or c"),
        ((-1, -2), "not both a and b"),
        ((-1, -2, -3), "not all of a, b and c"),
        ((-1, 2), "if a then b"),
        ((-1, 2, 3), "if a then b or c"),
        ((), "nothing can satisfy this (an empty clause)"),
    ],
)
def test_clauses_in_words(clause, words):
    assert constraint_words(Constraint(clause), ABC) == words


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (Constraint((1, 2, 3), 2), "at least 2 of a, b and c"),
        (Constraint((1, -2, 3), 2), "at least 2 of a, not b and c"),
        (Constraint((-1, -2, -3), 2), "at most 1 of a, b and c"),
        (Constraint((-1, -2), 2), "none of a and b"),
        (Constraint((1, 2), 2), "all of a and b"),
        (Constraint((1, -2), 2), "all of a and not b"),
        (Constraint((), 0), "this always holds"),
    ],
)
def test_counts_in_words(constraint, words):
    assert constraint_words(constraint, ABC) == words


def test_columns_in_words():
    schema = Schema((YesNo("the boss"), Choice("shift", ("day", "night")), Number("staff", 1, 3)))
    texts = ("shift = night", "shift != night", "staff < 3", "shift != night | 'the boss' | staff >= 2")
    model = Model.build(schema, texts)
    assert [constraint_words(constraint, schema) for constraint in model.hard] == [
        "shift = night",
        "not shift = night",
        "not staff >= 3",
        "if shift = night then 'the boss' or staff >= 2",
    ]


@pytest.mark.parametrize(
    ("hard", "words"),
    [
        (["at least 2 of a, b, c", "at most 2 of a, b, c"], [("exactly 2 of a, b and c", [0, 1])]),
        (["at most 1 of a, b, c", "c", "a | b | c"], [("exactly 1 of a, b and c", [0, 2]), ("c", [1])]),
        (["a | !b", "b | !a"], [("exactly 1 of a and not b", [0, 1])]),
        (
            ["at least 1 of a, b, c", "at most 2 of a, b, c"],
            [("at least one of a, b or c", [0]), ("not all of a, b and c", [1])],
        ),
        (
            ["a | b", "!a | !b", "a | b"],
            [("exactly 1 of a and b", [0, 1]), ("at least one of a or b", [2])],
        ),
    ],
)
def test_two_bounds_that_meet_are_said_in_one(hard, words):
    assert hard_words(Model.build(ABC, hard)) == words


@given(models(counts=True) | models(counts=True, over=schemas()))
def test_every_constraint_is_told_once(model):
    # Names cannot hold line breaks, so a line is a constraint.
    assert len(model_formulas(model).splitlines()) == len(model.constraints)
    told = hard_words(model)
    assert sorted(place for _, places in told for place in places) == list(range(len(model.hard)))
    assert all(len(places) == 1 or words.startswith("exactly ") for words, places in told)
    expected = 3 + max(1, len(told)) + max(1, len(model.soft))
    assert len(model_words(model).split("\n")) == expected
