"""Tidying: the same feasible assignments, the same ranking, and nothing superfluous left."""

from __future__ import annotations

import itertools
import json

import naive
import numpy as np
import pytest

from hassle.cli.main import main
from hassle.logic import EMPTY, Choice, Constraint, Number, Schema, YesNo
from hassle.model import Model
from hassle.solve.tidying import tidied

SCHEMAS = (
    Schema.of("abcde"),
    Schema((YesNo("a"), Choice("shift", ("early", "night", "off")), YesNo("b"))),
    Schema((Number("staff", 1, 4), YesNo("a"), Choice("who", ("ana", "ben")))),
)


def random_constraint(variables, rng):
    chosen = np.sort(rng.choice(variables, size=rng.integers(1, variables + 1), replace=False)) + 1
    literals = tuple(int(v if rng.integers(2) else -v) for v in chosen)
    return Constraint(literals, int(rng.integers(1, len(literals) + 1)) if rng.integers(2) else 1)


def random_model(schema, seed):
    rng = np.random.default_rng(seed)
    variables = len(schema.variables)
    hard = [random_constraint(variables, rng) for _ in range(rng.integers(0, 7))]
    soft = [(random_constraint(variables, rng), int(rng.integers(-5, 6))) for _ in range(rng.integers(0, 6))]
    return Model.from_units(schema, hard, soft)


def feasible(model):
    everything = naive.all_assignments(len(model.variables))
    return [bits for bits in everything if naive.feasible(model, EMPTY, bits)]


@pytest.mark.parametrize("schema", SCHEMAS, ids=("plain", "choice", "number"))
def test_the_feasible_assignments_and_their_ranking_stay(schema):
    for seed in range(120):
        model = random_model(schema, seed)
        simple = tidied(model)
        kept = feasible(model)
        assert feasible(simple) == kept
        shifts = {naive.value(model, bits) - naive.value(simple, bits) for bits in kept}
        assert len(shifts) <= 1  # so in every context the same assignments are best
        assert (simple.schema, simple.unit) == (model.schema, model.unit)


@pytest.mark.parametrize("schema", SCHEMAS, ids=("plain", "choice", "number"))
def test_nothing_superfluous_is_left(schema):
    for seed in range(60):
        simple = tidied(random_model(schema, seed))
        kept = set(feasible(simple))
        for i, constraint in enumerate(simple.hard):
            others = Model.from_units(schema, simple.hard[:i] + simple.hard[i + 1 :])
            assert set(feasible(others)) != kept, "an implied constraint"
            for lit in constraint.literals:
                left = tuple(other for other in constraint.literals if other != lit)
                if len(left) >= constraint.need:
                    shorter = Model.from_units(schema, (*others.hard, Constraint(left, constraint.need)))
                    assert set(feasible(shorter)) != kept, "a literal that the others make false"
        for constraint in simple.soft_constraints:
            outcomes = {naive.constraint_holds(constraint, bits) for bits in kept}
            assert outcomes == {True, False}, "a constant preference"
        assert len(set(simple.soft_constraints)) == len(simple.soft_constraints)
        assert 0 not in simple.weights


def test_a_literal_that_the_others_make_false_goes():
    names = ("ana_tue_night", "ana_wed_day", "dan_mon_night")
    model = Model.build(names, hard=[[-1, -2, 3], "!dan_mon_night"])
    assert set(tidied(model).hard) == {Constraint((-1, -2)), Constraint((-3,))}


def test_of_opposite_wishes_the_difference_is_left():
    model = Model.build("abc", soft=[("a", "0.5"), ("!a", "0.2"), ("b | c", "0.3"), ("!b & !c", "0.3"), ("c", "0.1")])
    assert tidied(model) == Model.build("abc", soft=[("a", "0.3"), ("c", "0.1")])
    heavier = Model.build("ab", soft=[("a", "0.1"), ("!a", "0.4")])
    assert tidied(heavier) == Model.build("ab", soft=[("!a", "0.3")])


def test_a_model_that_nothing_satisfies_says_just_that():
    model = Model.build("ab", hard=["a", "!a", "a | b"], soft=[("b", 1)])
    assert tidied(model).hard == (Constraint(()),)
    assert tidied(model).soft == ()


def test_a_count_does_not_count_what_is_certain():
    model = Model.build(
        "abc", hard=["a", "at least 2 of a, b, c"], soft=[("at least 2 of a, b, c", 3), ("b", 1), ("b", 2)]
    )
    simple = tidied(model)
    assert set(simple.hard) == {Constraint((1,)), Constraint((2, 3))}
    assert dict(zip(simple.soft_constraints, simple.weights.tolist(), strict=True)) == {Constraint((2,)): 3000}


def test_tidying_twice_changes_nothing():
    for schema, seed in itertools.product(SCHEMAS, range(30)):
        simple = tidied(random_model(schema, seed))
        assert set(tidied(simple).rules) == set(simple.rules)


def test_a_checkpoint_can_stop_it():
    def stop():
        raise TimeoutError

    with pytest.raises(TimeoutError):
        tidied(Model.build("ab", hard=["a | b"]), stop)


def test_convert_tidies_a_model(tmp_path, capsys):
    source, target = str(tmp_path / "in.json"), str(tmp_path / "out.json")
    Model.build("abc", hard=["a", "!a | b", "a | c"], soft=[("b", 1), ("c", 1), ("c", 2)]).write(source)
    assert main(["convert", source, target, "--tidy", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["hard"] == 2
    assert Model.read(target) == Model.build("abc", hard=["a", "b"], soft=[("c", 3)])


def test_examples_cannot_be_tidied(tmp_path, capsys):
    (tmp_path / "in.csv").write_text("a,label\n1,1\n")
    assert main(["convert", str(tmp_path / "in.csv"), str(tmp_path / "out.jsonl"), "--tidy"]) == 2
    assert "--tidy is for models" in capsys.readouterr().err
