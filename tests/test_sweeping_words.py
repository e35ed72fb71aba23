"""What holds along a whole dimension is said once, and only then."""

from hypothesis import given
from hypothesis import strategies as st

from hassle.logic import as_schema
from hassle.logic.arranging import arranged
from hassle.model import Model, model_words
from hassle.model.family_words import plural
from hassle.model.words import hard_words

PEOPLE, DAYS, SHIFTS = ("ana", "ben"), ("mon", "tue", "wed"), ("early", "night")
NAMES = [f"{person}_{day}_{shift}" for person in PEOPLE for day in DAYS for shift in SHIFTS]


def test_never_and_always_in_words():
    rules = [f"!ana_{day}_night" for day in DAYS] + [f"ben_{day}_early" for day in DAYS] + ["!ben_mon_night"]
    words = model_words(Model.build(NAMES, hard=rules))
    assert "  ana never has night\n  ben always has early\n  not ben_mon_night\n" in words
    schema = arranged(as_schema(NAMES))
    name = schema.arrangements[0].name
    family = Model.build(schema, hard=[f"at most 0 of {name}[ana, *, night]"])
    assert "  ana never has night\n" in model_words(family)


def test_none_of_some_is_said_so():
    schema = arranged(as_schema(NAMES))
    name, day = schema.arrangements[0].name, schema.dimensions[1].name
    rule = f"for every {day}: at most 0 of {name}[{{ana, ben}}, {day}, night]"
    assert f"for every {day}: none of ana and ben on night" in model_words(Model.build(schema, hard=[rule]))
    assert [plural(each) for each in ("half", "shelf", "day", "baby", "bus")] == [
        *("halves", "shelves", "days", "babies", "buses")
    ]


@given(st.sets(st.sampled_from([f"{sign}{name}" for name in NAMES for sign in ("", "!")]), max_size=14))
def test_every_rule_is_said_once(rules):
    model = Model.build(NAMES, hard=sorted(rules))
    said = hard_words(model)
    assert sorted(place for _, places in said for place in places) == list(range(len(model.hard)))
    for words, places in said:
        if len(places) > 1:
            person, how, _, shift = words.split()
            sign = "!" if how == "never" else ""
            assert {f"{sign}{person}_{day}_{shift}" for day in DAYS} <= rules
            assert len(places) == len(DAYS)
    for person in PEOPLE:
        for shift in SHIFTS:
            if {f"!{person}_{day}_{shift}" for day in DAYS} <= rules:
                assert f"{person} never has {shift}" in [words for words, _ in said]
