"""What breaking a rule means, instance by instance: "mon: fewer than 2", "ana_mon_night and ana_tue_early"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from hassle.logic import Constraint, Schema
from hassle.model import Family, Rule
from hassle.model.families import instance_names
from hassle.model.words import constraint_words

# An instance of more literals is told by where it stands, rather than by listing them.
SHORT = 3


def breaches(rule: Rule, schema: Schema, chosen: Sequence[int] | None = None) -> list[str]:
    """For each instance, or for those at the chosen places: what would break it, in words."""
    instances = rule.instances(schema)
    names = instance_names(rule.what, schema) if isinstance(rule.what, Family) else ()
    pairs = list(zip_longest(instances, names, fillvalue=""))
    return [_breach(rule, *pairs[i], schema) for i in (range(len(pairs)) if chosen is None else chosen)]  # type: ignore[arg-type]


def _breach(rule: Rule, instance: Constraint, name: str, schema: Schema) -> str:
    family = rule.what
    if not name or not isinstance(family, Family) or family.than or len(instance.literals) <= SHORT:
        return constraint_words(instance if costs(rule) else instance.negation, schema)
    return f"{name}: {'more' if family.most else 'fewer'} than {family.bound}"


def costs(rule: Rule) -> bool:
    """Whether keeping it is what costs: its weight is negative."""
    return rule.weight is not None and rule.weight < 0


def broken_places(rule: Rule, schema: Schema, row: NDArray[np.uint8]) -> list[int]:
    """The places of the instances that an assignment breaks, or keeps where that costs."""
    return [i for i, each in enumerate(rule.instances(schema)) if each.holds(row) == costs(rule)]
