"""Known rules with weights: in the model at exactly that weight, and what is learned is weighed in the same units."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hassle.cli.main import main
from hassle.data import Dataset
from hassle.errors import InputError
from hassle.generate import generate
from hassle.generate.arranged import arranged_examples, ward
from hassle.interview import Interview
from hassle.learners import learn
from hassle.learners.statistical.problem import make_problem
from hassle.learners.statistical.sampler import Sampler
from hassle.learners.wishes import NO_WISHES, Wishes
from hassle.logic import as_context, as_schema
from hassle.logic.arranging import arranged
from hassle.model import Model
from hassle.solve import verdicts

ALL = "abcdef"


def wished(model, count, factor=1):
    """So many of the soft rules of a model, in units of which the model's are ``factor``."""
    soft = [rule for rule in model.rules if rule.weight is not None][:count]
    return Model.build(model.schema, soft=[(rule.what, rule.weight * factor) for rule in soft])


def correct_by_definition(model, data):
    return sum(
        (naive.verdict(model, example.context, example.assignment.bits) == "optimal") == (example.label == "positive")
        for example in data
    )


def check_wishes(result, known, data):
    assert [rule for rule in result.model.rules if rule in known.rules] == list(known.rules)
    assert result.correct == correct_by_definition(result.model, data)
    others = [rule for rule in result.model.rules if rule not in known.rules]
    assert not {rule.what for rule in others} & {rule.what for rule in known.rules}, "that would change a weight"


@pytest.mark.parametrize("factor", [1, Decimal("0.02"), 40])
@pytest.mark.parametrize("learner", ["auto", "statistical"])
def test_the_rest_is_learned_around_wishes_in_their_units(learner, factor):
    problem = generate(6, 3, 4, 40, seed=2)
    known = wished(problem.truth, 2, factor)
    result = learn(problem.data, learner, steps=10_000, known=known)
    check_wishes(result, known, problem.data)
    assert result.score > 0.95


def test_what_is_said_does_not_depend_on_the_units():
    problem = generate(6, 3, 4, 12, seed=2)
    said = []
    for factor in (1, 40):
        known = wished(problem.truth, 2, factor)
        result = learn(problem.data, "structured", steps=1, known=known)
        check_wishes(result, known, problem.data)
        said.append([rule.what for rule in result.model.rules])
    assert said[0] == said[1]


def test_wishes_may_be_penalties_counts_and_beside_rules():
    soft = [("at least 2 of a, b, c, d, e, f", 3), ("a & b", -2), ("!c", "1.5"), ("e | f", 2)]
    truth = Model.build(ALL, hard=["a | d"], soft=soft)
    rng = np.random.default_rng(5)
    contexts = [f"{'' if rng.integers(2) else '!'}{rng.choice(list('ef'))}" for _ in range(30)]
    rows = [(c, truth.solve(c), 1) for c in contexts]
    for context in contexts:
        bits = rng.integers(0, 2, 6)
        bits[ALL.index(context[-1])] = context[0] != "!"
        rows.append((context, bits.tolist(), truth.verdict(bits, context) == "optimal"))
    data = Dataset.build(ALL, rows)
    known = Model.build(ALL, hard=["a | d"], soft=soft[:2])
    result = learn(data, steps=40_000, seed=2, known=known)
    check_wishes(result, Model.build(ALL, soft=soft[:2]), data)
    assert result.correct > 0.95 * len(data)


@pytest.mark.parametrize("weights", [("1", "0.4"), ("0.333333", "0.25"), ("2000", "-1"), ("0.000002", "0.000001")])
def test_chains_judge_with_the_wishes(weights):
    """Whatever model a chain is in, its verdicts are those of that model and the wishes."""
    problem = generate(6, 2, 2, 12, seed=4)
    said = ["x1 | !x2", "at least 3 of x1, x2, x3, x4, x5, x6"]
    known = Model.build(problem.truth.variables, soft=zip(said, weights, strict=True))
    wishes = Wishes.of(known)
    sampler = Sampler(make_problem(problem.data, np.random.default_rng(0), wishes=wishes), 3, 4, 12, 1)
    for sharpness in (0.05, 1.0):
        sampler.refresh_pool()
        sampler.search(400, sharpness)
        learned = Model.from_units(problem.data.schema, sampler.sample.hard, sampler.sample.soft)
        model = wishes.around(learned)
        assert set(known.rules) <= set(model.rules)
        assert wishes.inside(model) == learned
        if wishes.exact:
            assert np.array_equal(sampler.verdicts(), verdicts(model, problem.data)[sampler.problem.rows])


@given(st.lists(st.integers(-3_000_000, 3_000_000), min_size=1, max_size=6))
def test_steps_are_parts_of_the_users_units(millionths):
    weights = [Decimal(each) / 1_000_000 for each in millionths]
    known = Model.build(ALL, soft=list(zip(ALL, weights, strict=False)))
    wishes = Wishes.of(known)
    heaviest = max(abs(steps) for steps in [0, *(steps for _, steps in wishes.costs)])
    assert heaviest <= 1000
    if wishes.exact:
        costs = {constraint.literals[0]: steps for constraint, steps in wishes.costs}
        for v, weight in enumerate(weights, 1):
            signed = costs.get(v, -costs.get(-v, 0))
            assert Decimal(signed * wishes.step) / 1_000_000 == weight
    learned = Model.from_units(ALL, [(1, 2)], [((3, 4), 7), ((1, -4), 1000)])
    assert wishes.inside(wishes.around(learned)) == learned


def test_thousandths_and_whole_numbers_are_exact():
    for weights in (["0.999", "0.001"], [3, 7], ["2.5", 10], [100, 1], ["0.125", "0.5"]):
        assert Wishes.of(Model.build(ALL, soft=list(zip(ALL, weights, strict=False)))).exact
    assert Wishes.of(None) is NO_WISHES
    assert Wishes.of(Model.build(ALL, hard=["a"])) is NO_WISHES


def test_wishes_of_a_ward_are_families():
    rng = np.random.default_rng(7)
    home = ward(4, 3, 2, rng)
    data = arranged_examples(home.truth, home.situation, 16, rng)
    known = wished(home.truth, 3, 10)
    result = learn(data, "structured", steps=2, known=known)
    assert [rule for rule in result.model.rules if rule in known.rules] == list(known.rules)
    agreed = (verdicts(result.model, data) == 2) == data.positive
    assert result.correct == agreed.sum()


def test_small_contexts_take_families_too():
    """The statistical learner knows of constraints only: families are charged instance by instance."""
    names = [f"{who}_{day}" for who in ("ana", "ben") for day in ("mon", "tue", "wed")]
    schema = arranged(as_schema(names))
    known = Model.build(schema, soft=[("for every day: at least 1 of is[*, day]", 4), ("!ana_mon", 1)])
    truth = replace(known, rules=(*known.rules, *Model.build(schema, soft=[("!ben_tue", 6)]).rules))
    contexts = ["!ana_mon", "!ben_tue", "!ana_tue", "ana_mon, ben_wed", "!ana_wed"]
    rows = [
        (context, bits, truth.verdict(bits, context) == "optimal")
        for context in contexts
        for bits in naive.all_assignments(6)[::3]
        if as_context(context, schema).holds(np.array([bits], dtype=np.uint8))[0]
    ]
    data = Dataset.build(names, rows)
    result = learn(data, "statistical", steps=2000, known=known)
    check_wishes(result, known, data)


@pytest.mark.parametrize("options", [{"hold_out": 0.25}, {"committee": 3}, {"target_score": 0.5}])
def test_wishes_are_known_however_learning_goes(options):
    problem = generate(5, 2, 4, 30, seed=1)
    known = wished(problem.truth, 2)
    result = learn(problem.data, steps=1500, known=known, **options)
    assert set(known.rules) <= set(result.model.rules)
    for member in result.committee.members if result.committee else ():
        assert set(known.rules) <= set(member.rules)
    again = learn(problem.data, steps=500, known=known, start=result)
    assert set(known.rules) <= set(again.model.rules)
    assert again.correct >= result.correct - 2


def test_who_cannot_learn_around_wishes_says_who_can():
    data = Dataset.build("ab", [("", "11", 1), ("", "00", 0)])
    for learner in ("sls", "milp", "cuts"):
        with pytest.raises(InputError, match=r"cannot learn around .* --learner auto or statistical or structured"):
            learn(data, learner, known=Model.build("ab", soft=[("a", 1)]))


def test_large_contexts_without_arrangement():
    names = [f"item{c}" for c in "abcdefghijklmnopqrstuvwxyz"]
    truth = Model.build(names, hard=["!itema | !itemb"], soft=[(name, 1 + k % 5) for k, name in enumerate(names)])
    assert not arranged(truth.schema).arrangements
    rng = np.random.default_rng(0)
    contexts = [f"!{names[k]}, {names[(k + 7) % 26]}" for k in rng.integers(0, 26, 30)]
    data = Dataset.build(names, [(context, truth.solve(context), 1) for context in contexts])
    known = wished(truth, 5)
    result = learn(data, steps=2, known=known)
    assert set(known.rules) <= set(result.model.rules)


def test_wishes_come_from_a_file(tmp_path, capsys):
    rules, examples = tmp_path / "rules.txt", tmp_path / "examples.csv"
    rows = ["1,1,0,good", "1,0,1,bad", "0,1,1,good", "0,0,1,bad"]
    examples.write_text("\n".join(["a,b,c,label", *rows, ""]))
    rules.write_text("must a | b\n2.5 b\n-1 at least 2 of a, c\n")
    assert main(["learn", str(examples), "--known", str(rules), "--steps", "2000", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["score"] == 1
    assert {"clause": ["b"], "weight": 2.5} in record["model"]["soft"]
    asked = ["learn", str(examples), "--known", str(rules), "--steps", "200", "--learner", "sls"]
    assert main(asked) == 2
    assert "cannot learn around known rules that have a weight" in capsys.readouterr().err


def test_an_interview_knows_wishes():
    problem = generate(5, 2, 4, 12, seed=3)
    known = Model.build(problem.truth.schema, soft=[(rule.what, rule.weight) for rule in problem.truth.rules[2:4]])
    assert known.soft
    interview = Interview(problem.data, known=known, seed=0)
    interview.next()
    for model in (interview.model, *interview.committee.members):
        assert [rule for rule in model.rules if rule in known.rules] == list(known.rules)


@pytest.mark.parametrize("learner", ["auto", "structured"])
def test_what_is_forbidden_is_not_learned(learner):
    problem = generate(6, 3, 4, 30, seed=2)
    steps = 1 if learner == "structured" else 3000
    found = learn(problem.data, learner, steps=steps)
    never = Model.build(problem.truth.schema, hard=[rule.what for rule in found.model.rules])
    again = learn(problem.data, learner, steps=steps, forbidden=never)
    assert again.model.rules
    assert not {rule.what for rule in again.model.rules} & {rule.what for rule in never.rules}
    with pytest.raises(InputError, match="has no option 'forbidden'"):
        learn(problem.data, "sls", forbidden=never)


def test_the_structured_learner_is_told_what_must_hold():
    """In contexts as they are, rather than narrowed by hundreds of instances."""
    rng = np.random.default_rng(7)
    home = ward(4, 3, 2, rng)
    data = arranged_examples(home.truth, home.situation, 12, rng)
    hard = [rule for rule in home.truth.rules if rule.weight is None][:2]
    known = replace(home.truth, rules=(*hard, *wished(home.truth, 1).rules))
    result = learn(data, "structured", steps=1, known=known)
    assert set(known.rules) <= set(result.model.rules)
    assert result.correct == ((verdicts(result.model, data) == 2) == data.positive).sum()
