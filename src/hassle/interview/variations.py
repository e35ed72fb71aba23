"""Members of the committee where contexts leave many completions: what was learned, and what else it could have been.

The learner gives one model. What it is unsure of is said by variations of it: a rule that is a mere wish, or none at
all; a wish that is a rule, or none, or that weighs more or less. Each variation changes one thing, so a question on
which members differ is a question about that thing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from hassle.model import Model, Rule

# A rule that is a mere wish weighs so many times what the heaviest wish does; weights vary by these factors.
HEAVY = 2
FACTORS = (Decimal("0.4"), Decimal("2.5"))


def variations(model: Model, positives: NDArray[np.uint8], count: int, rng: np.random.Generator) -> list[Model]:
    """The model, and up to so many variations of it that allow every positive that the model allows."""
    allowed = positives[model.feasible(positives)] if len(positives) else positives
    found = [model]
    every = list(_all(model))
    for k in rng.permutation(len(every)).tolist():
        if len(found) > count:
            break
        if every[k].feasible(allowed).all():
            found.append(every[k])
    return list(dict.fromkeys(found))


def yielding(model: Model) -> Model:
    """The model whose rules give way where they must: each is a wish that weighs more than all wishes together."""
    heavy = HEAVY * max(Decimal(1), sum((abs(soft.weight) for soft in model.soft), Decimal(0)))
    rules = [replace(rule, weight=heavy) if rule.weight is None else rule for rule in model.rules]
    return replace(model, rules=tuple(rules))


def _all(model: Model) -> Iterator[Model]:
    heaviest = max((abs(rule.weight) for rule in model.rules if rule.weight is not None), default=Decimal(1))
    for k, rule in enumerate(model.rules):
        yield _with(model, k, [])
        if rule.weight is None:
            yield _with(model, k, [replace(rule, weight=HEAVY * heaviest)])
            continue
        if rule.weight > 0:
            yield _with(model, k, [replace(rule, weight=None)])
        for factor in FACTORS:
            yield _with(model, k, [replace(rule, weight=(factor * rule.weight).quantize(Decimal("0.001")))])


def _with(model: Model, place: int, instead: Sequence[Rule]) -> Model:
    rules = [*model.rules[:place], *instead, *model.rules[place + 1 :]]
    return replace(model, rules=tuple(sorted(rules, key=lambda rule: rule.weight is not None)))


def changed_rule(base: Model, member: Model) -> Rule | None:
    """The rule of the base that the member has otherwise, or not at all; None where they are the same."""
    own = set(member.rules)
    return next((rule for rule in base.rules if rule not in own), None)
