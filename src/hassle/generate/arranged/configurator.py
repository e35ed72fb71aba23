"""A configurator: parts of a product, each in one of some grades (a choice), rules of compatibility and a budget.

Rules: pairs of parts and grades that do not go together, or that ask for each other; at most so many parts in the best
grade, at least so many in any but the basic one. Wishes: parts whose grade matters, and few of the best grade.
Situations are what a customer has asked for or ruled out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hassle.errors import InputError
from hassle.generate.arranged.ward import weight
from hassle.logic import Arrangement, Choice, Context, Dimension, Schema
from hassle.model import Model

PARTS = (
    *("engine", "gearbox", "wheels", "seats", "lights", "radio", "roof", "brakes", "paint", "doors", "mirrors"),
    *("heating", "screen", "pedals", "towbar", "carpet"),
)
GRADES = ("basic", "plus", "premium")


@dataclass(frozen=True)
class Configurator:
    """The true model of a product and the wishes that customers come with."""

    truth: Model

    def situation(self, rng: np.random.Generator) -> Context:
        """One to three parts that a customer has chosen, and up to two grades that are ruled out."""
        parts = self.truth.schema.column_names
        chosen = rng.permutation(len(parts))
        asked = int(rng.integers(1, 4))
        said = [f"{parts[part]} = {rng.choice(GRADES)}" for part in chosen[:asked]]
        said += [f"{parts[part]} != {rng.choice(GRADES)}" for part in chosen[asked : asked + int(rng.integers(3))]]
        return Context.parse(", ".join(said), self.truth.schema)


def configurator(choices: int, rng: np.random.Generator) -> Configurator:
    """A product of so many parts with rules, wishes and weights drawn at random."""
    if not 4 <= choices <= len(PARTS):
        raise InputError(f"a configurator of {choices} choices", fix=f"take 4 to {len(PARTS)}")
    parts = PARTS[:choices]
    schema = Schema(
        tuple(Choice(part, GRADES) for part in parts),
        (Dimension("part", parts), Dimension("grade", GRADES, ordered=True)),
        (Arrangement("has", ("part", "grade"), "{part}={grade}"),),
    )
    rules = [f"at most {choices // 3 + 1} of has[*, premium]", f"at least {choices // 2} of has[*, {{plus, premium}}]"]
    wishes = [f"at most {choices // 3} of has[*, premium]"]
    while len(rules) < 2 + choices // 2:
        one, other = rng.choice(parts, size=2, replace=False)
        grade, needed = rng.choice(GRADES, size=2)
        sign = rng.choice(["=", "!="])
        rule = f"{one} != {grade} | {other} {sign} {needed}"
        if _can_hold(schema, [*rules, rule]):
            rules.append(rule)
    wishes += [f"has[{part}, {rng.choice(GRADES)}]" for part in parts]
    return Configurator(Model.build(schema, rules, [(wish, weight(rng)) for wish in wishes], about={"name": "product"}))


def _can_hold(schema: Schema, rules: list[str]) -> bool:
    return Model.build(schema, rules).solve(solver="cp-sat") is not None
