"""Rules that follow from others are not said."""

from dataclasses import replace
from itertools import product

import numpy as np

from hassle.generate.arranged import ward
from hassle.learners.structured.redundancy import without_implied
from hassle.model import Model, Rule, parse_rules, rule_text


def small_ward() -> Model:
    return ward(4, 3, 2, np.random.default_rng(1)).truth


def with_lines(schema, *lines: str) -> Model:
    return Model(schema, tuple(rule for line in lines for rule in parse_rules(line, schema)))


def allowed(model: Model) -> list[bool]:
    """Of all assignments in which every second variable is 0, and of sparse random ones, whether each is allowed."""
    rng = np.random.default_rng(0)
    half = np.zeros((2 ** (len(model.variables) // 2), len(model.variables)), dtype=np.uint8)
    half[:, ::2] = list(product((0, 1), repeat=len(model.variables) // 2))
    sparse = (rng.random((4000, len(model.variables))) < 0.15).astype(np.uint8)
    return model.feasible(np.concatenate([half, sparse])).tolist()


def test_what_follows_is_left_out_and_nothing_else_changes():
    schema = small_ward().schema
    nurse, day = (dimension.name for dimension in schema.dimensions[:2])
    cells = schema.arrangements[0].name
    model = with_lines(
        schema,
        f"must for every {nurse}: at most 1 of {cells}[{nurse}, *, *]",
        f"must for every {nurse}, {day}: at most 1 of {cells}[{nurse}, {day}..{day}+1, *]",
        f"must for every {day}: at least 1 of {cells}[*, {day}, *]",
        f"0.5 for every {nurse}: at most 2 of {cells}[{nurse}, *, *]",
        f"0.25 for every {day}: at least 2 of {cells}[*, {day}, *]",
    )
    found = without_implied(model, (), lambda: False)
    said = [rule_text(rule.what, schema) for rule in found.rules]
    assert said == [rule_text(model.rules[i].what, schema) for i in (0, 2, 4)]
    assert allowed(found) == allowed(model)
    assert any(allowed(model))
    assert not all(allowed(model))


def test_known_rules_stay_and_so_does_all_when_time_is_up():
    schema = small_ward().schema
    nurse, cells = schema.dimensions[0].name, schema.arrangements[0].name
    rules = parse_rules(
        f"must for every {nurse}: at most 1 of {cells}[{nurse}, *, *]\n"
        f"must for every {nurse}: at most 2 of {cells}[{nurse}, *, *]",
        schema,
    )
    model = Model(schema, rules)
    assert without_implied(model, (), lambda: False).rules == rules[:1]
    assert without_implied(model, rules[1:], lambda: False) == model
    assert without_implied(model, (), lambda: True) == model


def test_of_two_that_say_the_same_one_stays():
    model = small_ward()
    rule = Rule(model.rules[0].what)
    twice = replace(model, rules=(rule, *(each for each in model.rules if each.weight is None)))
    kept = without_implied(replace(twice, rules=tuple(dict.fromkeys(twice.rules))), (), lambda: False)
    assert allowed(kept) == allowed(twice)
