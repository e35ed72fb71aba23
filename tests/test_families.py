"""Families: what an index stands for, what happens at the edges, and that texts are read as they are printed."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hassle.errors import InputError
from hassle.logic import Arrangement, Constraint, Dimension, Number, Schema, YesNo
from hassle.model import Model, Rule, model_rules, parse_rules
from hassle.model.families import All, Cells, Every, Family, Having, Here, Members
from hassle.model.family_words import family_words
from hassle.model.rules import family_text, parse_family

NURSES, DAYS, SHIFTS = ("ana", "ben", "day"), ("mon", "tue", "wed"), ("early", "the night", "at")


def ward(nurses=NURSES, days=DAYS, shifts=SHIFTS) -> Schema:
    return Schema(
        tuple(YesNo(f"{n}_{d}_{s}") for n in nurses for d in days for s in shifts),
        (
            Dimension("nurse", nurses, attributes={"senior": ("yes", "no", "yes", "no")[: len(nurses)]}),
            Dimension("day", days, ordered=True),
            Dimension("shift", shifts),
        ),
        (Arrangement("works", ("nurse", "day", "shift"), "{nurse}_{day}_{shift}"),),
    )


WARD = ward()
MEMBERS = {"nurse": NURSES, "day": DAYS, "shift": SHIFTS}
INDEX = {
    index: v + 1 for v, index in enumerate(itertools.product(range(len(NURSES)), range(len(DAYS)), range(len(SHIFTS))))
}


def instances(text: str, schema: Schema = WARD) -> list[tuple[list[int], int]]:
    (family,) = parse_family(text, schema)
    return [(list(each.literals), each.need) for each in family.instances(schema)]


def test_a_count_for_every_day():
    expected = [([INDEX[n, d, 0] for n in range(3)], 2) for d in range(3)]
    assert instances("for every day: at least 2 of works[*, day, early]") == expected


def test_at_most_is_at_least_of_the_negations():
    expected = [([-INDEX[n, d, s] for s in range(3)], 2) for n in range(3) for d in range(3)]
    assert instances("for every nurse, day: at most 1 of works[nurse, day, *]") == expected


def test_an_exclusion_ends_with_the_week():
    expected = [([-INDEX[n, d, 1], -INDEX[n, d + 1, 0]], 1) for n in range(3) for d in range(2)]
    said = "for every nurse, day: !works[nurse, day, 'the night'] | !works[nurse, day+1, early]"
    assert instances(said) == expected


def test_a_lone_day_is_lone_at_the_edges_too():
    said = "for every nurse, day: !works[nurse, day, early] | works[nurse, day-1, *] | works[nurse, day+1, *]"
    found = instances(said)
    around = [[1], [0, 2], [1]]
    expected = [
        (sorted([-INDEX[n, d, 0], *(INDEX[n, e, s] for e in around[d] for s in range(3))], key=abs), 1)
        for n in range(3)
        for d in range(3)
    ]
    assert found == expected


def test_windows_are_whole():
    expected = [([INDEX[0, d, 0], INDEX[0, d + 1, 0]], 1) for d in range(2)]
    assert instances("for every day: at least 1 of works[ana, day..day+1, early]") == expected


def test_attributes_and_exceptions():
    assert instances("at least 1 of works[senior=yes, mon, early]") == [([INDEX[0, 0, 0], INDEX[2, 0, 0]], 1)]
    assert instances("for every nurse but ana: works[nurse, mon, early]") == [([INDEX[n, 0, 0]], 1) for n in (1, 2)]
    assert instances("for every nurse with senior=yes but {day}: works[nurse, mon, early]".replace("{day}", "day")) == [
        ([INDEX[0, 0, 0]], 1)
    ]


def test_cells_that_the_schema_does_not_have_are_not_done():
    schema = Schema(WARD.columns[1:], WARD.dimensions, WARD.arrangements)  # without ana_mon_early
    assert instances("at least 2 of works[*, mon, early]", schema) == [([INDEX[1, 0, 0] - 1, INDEX[2, 0, 0] - 1], 2)]
    assert instances("at most 1 of works[*, mon, early]", schema) == [([-INDEX[1, 0, 0] + 1, -INDEX[2, 0, 0] + 1], 1)]
    assert instances("works[ana, mon, early]", schema) == [], "an instance without any cell is none"
    assert instances("at least 3 of works[*, mon, early]", schema) == [([], 1)], "what can never hold is kept"


def test_a_soft_family_pays_once_per_instance_that_holds():
    model = Model.build(WARD, (), [("for every day: at least 1 of works[*, day, early]", "0.5")])
    done = {(0, 0, 0), (1, 0, 0), (2, 2, 0)}
    bits = np.array([index in done for index in INDEX], dtype=np.uint8)
    assert float(model.value(bits)) == 1.0
    assert len(model.rules) == 1
    assert len(model.soft) == 3


def test_exactly_is_two_rules():
    rules = parse_rules("must for every day: exactly 1 of works[*, day, early]", WARD)
    assert [rule.what.most for rule in rules] == [False, True]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("must for every week: works[ana, mon, early]", "unknown dimension 'week'"),
        ("must works[anna, mon, early]", "did you mean 'ana'?"),
        ("must works[ana, mon]", "has 3 places, not 2"),
        ("must at least 2 of works[ana, day, early]", "unknown day 'day'"),
        ("must for every nurse: works[nurse+1, mon, early]", "has no order"),
        ("must for every day: works[ana, day..day-1, early]", "ends before it begins"),
        ("must works[ana, mon, early", "a ] is missing"),
        ("often works[ana, mon, early]", "begin with 'must' or with a weight"),
        ("must at least x of works[ana, mon, early]", "a whole number is missing"),
        ("must works[age=3, mon, early]", "unknown attribute 'age'"),
        ("must plays[ana, mon, early]", "unknown arrangement 'plays'"),
        ("must for every day: works[day, mon, early]", "stands where a nurse is asked for"),
        ("must at least 2 of works[ana, mon, early], works[ana, mon, *]", "names a cell twice"),
        ("must for every nurse: works[other nurse, mon, early]", "begin with: for every other nurse"),
        ("must for every other nurse: works[other nurse, mon, early]", "is beside nobody"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(text, said):
    with pytest.raises(InputError) as error:
        Model(WARD, parse_rules(f"# rules\n\n{text}", WARD))
    assert said in str(error.value)


def places(dimension: str, members, running: bool, ordered: bool, others: bool):
    found = [
        st.just(All()),
        st.lists(st.sampled_from(members), min_size=1, max_size=2, unique=True).map(lambda x: Members(tuple(x))),
    ]
    if dimension == "nurse":
        found.append(st.sampled_from([Having("senior", "yes"), Having("senior", "no")]))
    if running:
        offsets = st.integers(-2, 2) if ordered else st.just(0)
        found.append(offsets.map(lambda first: Here(dimension, first)))
        if others:
            found.append(st.just(Here(dimension, other=True)))
        if ordered:
            found.append(st.tuples(offsets, st.integers(0, 2)).map(lambda p: Here(dimension, p[0], p[0] + p[1])))
    return st.one_of(found)


@st.composite
def families(draw):
    names = (("nurse", NURSES, False), ("day", DAYS, True), ("shift", SHIFTS, False))
    running = draw(st.sets(st.sampled_from([name for name, _, _ in names])))
    every = []
    for name, members, _ in names:
        if name in running:
            but = draw(st.lists(st.sampled_from(members), max_size=2, unique=True))
            having = draw(st.sampled_from([None, ("senior", "yes")])) if name == "nurse" else None
            every.append(Every(name, having, tuple(but)))
    others = "nurse" in running and draw(st.booleans())
    if others:
        every.append(Every("nurse", other=True))
    one = st.builds(
        Cells,
        st.just("works"),
        st.tuples(
            *(
                places(name, members, name in running, ordered, others and name == "nurse")
                for name, members, ordered in names
            )
        ),
        st.booleans(),
    )
    cells, than = draw(st.lists(one, min_size=1, max_size=3)), draw(st.lists(one, max_size=2))
    bound, most = draw(st.integers(-2 if than else 0, 3)), draw(st.booleans())
    return Family(tuple(every), tuple(cells), bound if most or than else max(1, bound), most, tuple(than))


@given(families())
def test_printing_and_reading_are_inverse(family):
    assert parse_family(family_text(family), WARD) == [family]


@given(st.lists(st.tuples(families(), st.sampled_from([None, "0.5", "-2", "0.125"])), max_size=4))
def test_rules_are_read_as_they_are_printed(said):
    from decimal import Decimal

    rules = tuple(Rule(what, None if weight is None else Decimal(weight)) for what, weight in said)
    rules += (Rule(Constraint((1, -5))), Rule(Constraint((1, 3, 4), 2), Decimal(1)))

    class Shown:
        schema = WARD

    Shown.rules = rules
    assert parse_rules(model_rules(Shown), WARD) == rules


def naive_count(cells: Cells, bits, now) -> int | None:
    """How many cells count, by the words of the documentation; None where a span reaches outside."""
    members = []
    for place, (name, names) in zip(cells.places, MEMBERS.items(), strict=True):
        match place:
            case All():
                members.append(list(names))
            case Members(chosen):
                members.append(list(chosen))
            case Having(_, value):
                members.append([n for n, own in zip(NURSES, ("yes", "no", "yes"), strict=True) if own == value])
            case Here(_, first, last, other):
                span = range(now[name, other] + first, now[name, other] + (first if last is None else last) + 1)
                if last is not None and any(not 0 <= i < len(names) for i in span):
                    return None
                members.append([names[i] if 0 <= i < len(names) else None for i in span])
    found = 0
    for index in itertools.product(*members):
        done = None not in index and bits["_".join(index)]
        found += bool(done) != cells.negated
    return found


def naive_instance(family: Family, bits, now) -> bool | None:
    """Whether an instance holds, by the words of the documentation; None where it is dropped."""
    counts = [naive_count(cells, bits, now) for cells in family.cells]
    others = [naive_count(cells, bits, now) for cells in family.than]
    if None in counts or None in others:
        return None
    bound = family.bound + sum(others)
    return sum(counts) <= bound if family.most else sum(counts) >= bound


@given(families(), st.integers(0, 2**27 - 1))
def test_instances_hold_when_the_words_say_so(family, number):
    bits = np.array([number >> v & 1 for v in range(27)], dtype=np.uint8)
    by_name = dict(zip(WARD.variables, bits.tolist(), strict=True))
    places = [
        [i for i, m in enumerate(MEMBERS[e.dimension]) if m not in e.but and (not e.having or i != 1)]
        for e in family.every
    ]
    broken = 0
    for index in itertools.product(*places):
        now = dict(zip([(e.dimension, e.other) for e in family.every], index, strict=True))
        if now.get(("nurse", True), -1) != now.get(("nurse", False), -2):
            broken += naive_instance(family, by_name, now) is False
    try:
        found = family.instances(WARD)
    except InputError:
        return  # counts that name a cell twice are refused
    # Instances without any cell of the schema are none, whatever the words would say of them.
    without = sum(not each.literals for each in found)
    assert sum(not each.holds(bits) for each in found) <= broken or without
    assert sum(not each.holds(bits) for each in found) == broken or any(
        isinstance(place, Here) and place.first for cells in (*family.cells, *family.than) for place in cells.places
    )


def shop() -> Schema:
    """Who works on which day, how many are needed then, and how many may come at all."""
    people, days = ("ana", "ben", "carla"), ("mon", "tue")
    return Schema(
        (
            *(YesNo(f"{n}_{d}") for n in people for d in days),
            *(Number(f"demand_{d}", 1, 3) for d in days),
            Number("most", 0, 4),
        ),
        (Dimension("person", people), Dimension("day", days, ordered=True)),
        (Arrangement("works", ("person", "day"), "{person}_{day}"), Arrangement("demand", ("day",), "demand_{day}")),
    )


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("for every day: at least demand[day] of works[*, day]", lambda day, demand, most: day >= demand),
        ("for every day: at least demand[day] - 1 of works[*, day]", lambda day, demand, most: day >= demand - 1),
        ("for every day: at most demand[day] + 1 of works[*, day]", lambda day, demand, most: day <= demand + 1),
        ("for every day: at most most of works[*, day]", lambda day, demand, most: day <= most),
        ("for every day: at least 2 of demand[day]", lambda day, demand, most: demand >= 2),
    ],
)
def test_a_bound_may_be_a_number_that_was_given(text, holds):
    schema = shop()
    (family,) = parse_family(text, schema)
    assert family_text(family) == text
    (instances,) = [family.instances(schema)]
    for people in itertools.product((0, 1), repeat=6):
        for demands in itertools.product((1, 2, 3), repeat=2):
            for most in (0, 2, 4):
                row = schema.encode([*people, *demands, most])
                expected = sum(holds(sum(people[day::2]), demands[day], most) for day in (0, 1))
                missing = 2 - len(instances)
                assert sum(each.holds(row) for each in instances) + missing == expected


def test_a_number_has_no_negation():
    with pytest.raises(InputError, match="has no negation"):
        parse_family("for every day: at least 1 of !demand[day]", shop())


def test_equal_treatment_of_any_two():
    said = "for every person, other person: at most works[other person, *] + 1 of works[person, *]"
    (family,) = parse_family(said, shop())
    assert family_text(family) == said
    instances = family.instances(shop())
    assert len(instances) == 6
    for people in itertools.product((0, 1), repeat=6):
        counts = [sum(people[2 * i : 2 * i + 2]) for i in range(3)]
        row = shop().encode([*people, 1, 1, 0])
        assert all(each.holds(row) for each in instances) == (max(counts) - min(counts) <= 1)


def test_families_move_to_another_ward():
    model = Model.build(
        WARD,
        ["for every day: at least 2 of works[*, day, early]"],
        [("!works[ana, mon, early]", 1), ("for every day: !works[ben, day, early]", "0.5")],
    )
    larger = ward(("ben", "carla", "dan", "eva"), ("mon", "tue"), SHIFTS)
    moved = model.transferred(larger)
    assert [len(rule.instances(larger)) for rule in moved.rules] == [2, 2], "Ana's wish ends with Ana"
    assert len(moved.hard[0].literals) == 4
    with pytest.raises(InputError, match="nothing"):
        model.transferred(Schema.of("ab"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("for every day: at least demand[day] of works[*, day]", "for every day: at least as many persons as demand"),
        ("at most works[ben, *] + 1 of works[ana, *]", "ana: at most 1 more day than ben"),
        (
            "for every person: at most works[person, tue] of works[person, mon]",
            "for every person: if on mon then on tue",
        ),
        (
            "for every person, other person: at most works[other person, *] + 1 of works[person, *]",
            "for every person and other person: at most 1 more day than of the other person",
        ),
        (
            "for every day: at most works[ana, day-1] + works[ana, day+1..day+1] of works[ana, day..day]",
            "for every day: never exactly 1 day in a row ana",
        ),
    ],
)
def test_comparisons_in_words(text, said):
    (family,) = parse_family(text, shop())
    assert family_words(family, shop()) == said


def test_a_bound_that_was_given_moves_with_its_number():
    model = Model.build(shop(), ["for every day: at least demand[day] of works[*, day]"])
    with pytest.raises(InputError, match="nothing"):
        model.transferred(replace(shop(), arrangements=shop().arrangements[:1]))
    people = ("ana", "ben", "carla", "dan")
    larger = Schema(
        (*(YesNo(f"{n}_mon") for n in people), Number("demand_mon", 0, 4)),
        (Dimension("person", people), Dimension("day", ("mon",), ordered=True)),
        shop().arrangements,
    )
    (instance,) = model.transferred(larger).hard
    for bits in itertools.product((0, 1), repeat=4):
        for demand in range(5):
            assert instance.holds(larger.encode([*bits, demand])) == (sum(bits) >= demand)
