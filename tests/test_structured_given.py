"""Bounds that come with the situation: the demand of a day is learned as the bound, not any number."""

from __future__ import annotations

import numpy as np

from hassle.generate.arranged import arranged_examples, feasible_situations
from hassle.learners import learn
from hassle.logic import Arrangement, Context, Dimension, Number, Schema, YesNo
from hassle.model import Model
from hassle.model.rules import parse_family
from hassle.solve import solve

PEOPLE, DAYS = ("ana", "ben", "carla", "dan"), ("mon", "tue", "wed")


def shop() -> Schema:
    return Schema(
        (*(YesNo(f"{n}_{d}") for n in PEOPLE for d in DAYS), *(Number(f"demand_{d}", 0, 3) for d in DAYS)),
        (Dimension("person", PEOPLE), Dimension("day", DAYS, ordered=True)),
        (Arrangement("works", ("person", "day"), "{person}_{day}"), Arrangement("demand", ("day",), "demand_{day}")),
    )


def situation(rng: np.random.Generator) -> Context:
    told = [f"demand_{day} = {rng.integers(4)}" for day in DAYS]
    return Context.parse(" & ".join([*told, f"!{rng.choice(PEOPLE)}_{rng.choice(DAYS)}"]), shop())


def test_demand_is_the_bound():
    rng = np.random.default_rng(0)
    said = "for every day: at least demand[day] of works[*, day]"
    truth = Model.build(shop(), [said], [("for every person, day: !works[person, day]", "0.5")])
    data = arranged_examples(truth, situation, 25, rng)
    model = learn(data, "structured", steps=4, seed=0).model
    assert parse_family(said, shop())[0] in [rule.what for rule in model.rules]
    for context, best in feasible_situations(truth, situation, 10, rng):
        plan = truth.bits(solve(model, context))
        assert truth.feasible(plan[None, :])[0]
        assert truth.values(plan[None, :])[0] == truth.values(best[None, :])[0]
