"""Schemas: values as 0/1 and back, the domain, contexts within it, comparisons and arrangements."""

import itertools
import operator

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import contexts, schemas

from hassle.errors import InputError
from hassle.logic import (
    EMPTY,
    Arrangement,
    Assignment,
    Choice,
    Constraint,
    Context,
    Dimension,
    Number,
    Schema,
    YesNo,
    as_bits,
    as_schema,
    parse_formula,
)
from hassle.logic.columns import WIDEST_RANGE
from hassle.logic.formula import FALSE, Literal
from hassle.logic.names import quoted

WARD = Schema((YesNo("ana"), Choice("shift", ("day", "late", "night")), Number("staff", -1, 2)))
SIGNS = {
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
}


def values_of(column):
    """Every value of a column, from what the kinds mean."""
    if isinstance(column, YesNo):
        return [0, 1]
    return list(column.values) if isinstance(column, Choice) else list(range(column.low, column.high + 1))


def all_values(schema):
    return list(itertools.product(*map(values_of, schema.columns)))


def domain_of(schema):
    return [bits for bits in naive.all_assignments(len(schema.variables)) if naive.in_domain(schema, bits)]


def test_variables_are_the_atoms_of_the_columns():
    assert WARD.variables == ("ana", "shift=day", "shift=late", "shift=night", "staff>=0", "staff>=1", "staff>=2")
    assert WARD.column_names == ("ana", "shift", "staff")
    assert (WARD.starts, WARD.column_of.tolist()) == ((0, 1, 4, 7), [0, 1, 1, 1, 2, 2, 2])
    assert WARD.column("staff") == (WARD.columns[2], 4)
    assert not WARD.plain
    plain = Schema.of(["a", "b"])
    assert (plain.variables, plain.domain, plain.plain) == (("a", "b"), (), True)
    assert as_schema(("a", "b")) == plain
    assert as_schema(WARD) is WARD


@given(schemas())
@settings(max_examples=40)
def test_the_domain_is_exactly_the_encodings_of_values(schema):
    encoded = {tuple(schema.encode(values).tolist()) for values in all_values(schema)}
    rows = naive.all_assignments(len(schema.variables))
    inside = set(domain_of(schema))
    assert encoded == inside
    assert {bits for bits in rows if all(naive.constraint_holds(each, bits) for each in schema.domain)} == inside
    assert schema.admits(np.array(rows, dtype=np.uint8)).tolist() == [bits in inside for bits in rows]


@given(schemas())
@settings(max_examples=40)
def test_values_survive_encoding(schema):
    for values in all_values(schema):
        bits = schema.encode(values)
        assert schema.decode(bits) == values
        written = [f" {value} " for value in values]
        assert schema.encode(written).tolist() == bits.tolist()
        named = dict(zip(schema.column_names, values, strict=True))
        assert as_bits(named, schema).tolist() == as_bits(list(values), schema).tolist() == bits.tolist()
        assignment = Assignment.of(schema, bits)
        assert dict(assignment) == named
        assert as_bits(assignment, schema).tolist() == bits.tolist()


def test_bits_must_mean_values():
    assert as_bits("1010110", WARD).tolist() == [1, 0, 1, 0, 1, 1, 0]
    for wrong in ("1000110", "1011110", "1010101"):
        with pytest.raises(InputError, match="means no values of the columns"):
            as_bits(wrong, WARD)
    with pytest.raises(InputError, match="2 values for 3"):
        as_bits([1, "day"], WARD)


ONE_STEP = Schema((Number("n", 1, 2),))  # as many variables as columns, which are no bits all the same


@pytest.mark.parametrize(
    ("given", "bits"),
    [
        ([1], [0]),
        ((2,), [1]),
        ({"n": 1}, [0]),
        (np.array([2]), [1]),
        ("0", [0]),
        ("1", [1]),
        (np.array([1], dtype=np.uint8), [1]),
        (np.array([[0]], dtype=np.uint8), [0]),
        (np.array([True]), [1]),
    ],
)
def test_lists_hold_values_and_texts_and_bytes_hold_bits(given, bits):
    assert as_bits(given, ONE_STEP).tolist() == bits


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("2", "'n>=2' has value '2'"),
        (np.array([2], dtype=np.uint8), "'n>=2' has value 2"),
        ([0], "'n' is 0"),
        ("01", "2 values for 1 variables"),
    ],
)
def test_bits_are_never_taken_for_values(given, message):
    with pytest.raises(InputError, match=message):
        as_bits(given, ONE_STEP)


@given(schemas())
@settings(max_examples=40)
def test_rows_of_a_dataset_are_the_bits_that_they_are(schema):
    for bits in domain_of(schema):
        assert as_bits(np.array(bits, dtype=np.uint8), schema).tolist() == list(bits)
        assert as_bits("".join(map(str, bits)), schema).tolist() == list(bits)


def test_a_column_may_have_one_value_only():
    """As a column of the data may hold the same value throughout; it then says nothing."""
    schema = Schema((Choice("a", ("x",)), Number("n", 2, 2)))
    assert schema.variables == ("a=x",)
    assert domain_of(schema) == [(1,)]
    assert schema.encode(["x", 2]).tolist() == [1]
    assert schema.decode([1]) == ("x", 2)
    with pytest.raises(InputError, match="'n' is 3"):
        schema.encode(["x", 3])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((2, "day", 0), "'ana' has value 2"),
        ((1, "noon", 0), "'shift' has no value 'noon'"),
        ((1, "day", 3), "'staff' is 3"),
        ((1, "day", -2), "'staff' is -2"),
        ((1, "day", 0.5), "'staff' is 0.5"),
        ((1, "day", "many"), "'staff' is 'many'"),
        ((1, "day", True), "'staff' is True"),
    ],
)
def test_values_that_a_column_does_not_know(values, message):
    with pytest.raises(InputError, match=message) as caught:
        WARD.encode(values)
    assert "\n" not in str(caught.value)


@given(st.data())
@settings(max_examples=100)
def test_a_context_within_the_schema_fixes_all_that_is_forced(data):
    schema = data.draw(schemas(max_columns=2))
    context = data.draw(contexts(len(schema.variables)))
    within = context.within(schema)
    domain = domain_of(schema)
    for bits in naive.all_assignments(len(schema.variables)):
        assert naive.context_holds(within, bits) == (bits in domain and naive.context_holds(context, bits))
    # In one column unit propagation finds all that follows, so what holds in all completions is the judge.
    agreeing = [bits for bits in domain if all(naive.clause_holds((lit,), bits) for lit in context.literals)]
    if not agreeing:
        assert within == Context((), FALSE)
        return
    forced = {
        lit
        for v in range(1, len(schema.variables) + 1)
        for lit in (v, -v)
        if all(naive.clause_holds((lit,), bits) for bits in agreeing)
    }
    assert set(within.literals) == forced | set(context.literals)
    assert list(within.literals) == sorted(within.literals, key=abs)


def test_within_a_plain_schema_nothing_is_added():
    context = Context((1, -3))
    assert context.within(Schema.of("abc")) is context
    assert EMPTY.within(WARD).literals == ()
    assert Context.parse("shift = night", WARD).within(WARD).literals == (-2, -3, 4)
    assert Context.parse("shift != day & shift != late", WARD).within(WARD).literals == (-2, -3, 4)


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("number", range(-4, 5))
def test_comparisons_of_numbers(sign, number):
    formula = parse_formula(f"staff {sign} {number}", WARD)
    for values in all_values(WARD):
        assert naive.formula_holds(formula, WARD.encode(values)) == SIGNS[sign](values[2], number)


@given(st.data())
@settings(max_examples=60)
def test_comparisons_of_any_column_with_any_of_its_values(data):
    schema = data.draw(schemas())
    place = data.draw(st.integers(0, len(schema.columns) - 1))
    column = schema.columns[place]
    value = data.draw(st.sampled_from(values_of(column)))
    sign = data.draw(st.sampled_from(list(SIGNS)))
    text = f"{quoted(column.name)}{sign}{quoted(str(value))}"
    if sign not in ("=", "==", "!=") and not isinstance(column, Number):
        with pytest.raises(InputError, match="has no order"):
            parse_formula(text, schema)
        return
    formula = parse_formula(text, schema)
    for values in all_values(schema):
        assert naive.formula_holds(formula, schema.encode(values)) == SIGNS[sign](values[place], value)


def test_yes_and_no_can_be_compared():
    assert parse_formula("ana = 1", WARD) == parse_formula("ana = yes", WARD) == parse_formula("ana != false", WARD)
    assert parse_formula("ana = 1", WARD) == Literal(1)
    assert parse_formula("ana = no", WARD) == Literal(-1)


NURSES = Dimension("nurse", ("ana", "ben"), attributes={"grade": ("senior", "junior")})
DAYS = Dimension("day", ("mon", "tue"), ordered=True)


def test_an_arrangement_says_which_variable_stands_where():
    columns = tuple(Choice(f"{nurse}_mon", ("off", "night")) for nurse in NURSES.members)
    schema = Schema(
        (*columns, YesNo("ben_tue=night")),
        (NURSES, DAYS),
        (Arrangement("nights", ("nurse", "day"), "{nurse}_{day}=night"), Arrangement("days", ("day",), "{day}")),
    )
    nights, days = (schema.cells(arrangement) for arrangement in schema.arrangements)
    assert nights.tolist() == [[1, -1], [3, 4]]
    assert days.tolist() == [-1, -1]
    for i, j in np.ndindex(2, 2):
        name = f"{NURSES.members[i]}_{DAYS.members[j]}=night"
        assert (name in schema.variables) == (nights[i, j] >= 0)
        assert nights[i, j] < 0 or schema.variables[nights[i, j]] == name
    assert schema.dimension("nurse").group("grade", "senior") == ("ana",)
    assert hash(schema) == hash(Schema(schema.columns, schema.dimensions, schema.arrangements))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Schema((YesNo("a"), Number("a", 0, 1))), "'a' is named twice"),
        (lambda: Schema((YesNo("a=x"), Choice("a", ("x", "y")))), "'a=x' is named twice"),
        (lambda: Schema((Number(" a", 0, 1),)), "cannot be a variable's name"),
        (lambda: Choice("a", ()), "choice 'a' has the values "),
        (lambda: Choice("a", ("x", "x")), "choice 'a' has the values x, x"),
        (lambda: Choice("a", ("x", " y")), "blanks around"),
        (lambda: Number("a", 3, 2), "ranges from 3 to 2"),
        (lambda: Number("a", 0, WIDEST_RANGE + 1), f"ranges from 0 to {WIDEST_RANGE + 1}"),
        (lambda: Dimension("day", ()), "'day' needs members"),
        (lambda: Dimension("day", ("mon", "mon")), "'day' needs members, each once"),
        (lambda: Dimension("day", ("mon",), attributes={"free": ("no", "yes")}), "2 values for 1 members"),
        (lambda: Schema((), (DAYS, DAYS)), "two dimensions have the same name"),
        (lambda: Schema((), (DAYS,), (Arrangement("x", ("dog",), "{dog}"),)), "unknown dimension 'dog'"),
        (lambda: Schema((), (DAYS,), (Arrangement("x", ("day",), "a"),)), "does not mention {day}"),
        (lambda: WARD.column("staf"), "unknown column 'staf'; did you mean 'staff'"),
    ],
)
def test_bad_schemas_are_refused(make, message):
    with pytest.raises(InputError) as caught:
        make()
    text = str(caught.value)
    assert message.split("; ")[0] in text
    assert message.split("; ")[-1] in text
    assert "\n" not in text


def test_the_domain_in_constraints():
    assert WARD.domain == (
        Constraint((2, 3, 4)),
        Constraint((-2, -3, -4), 2),
        Constraint((5, -6)),
        Constraint((6, -7)),
    )
