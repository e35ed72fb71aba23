"""Hedges that leave no plan give way: what no example asked for must not make a situation unsolvable.

What no positive breaks may be a wish that nothing outweighed yet. Taken for a rule on that ground alone
(:mod:`hedging`), it may leave situations without a plan that have one. So the model is asked for plans once more in
contexts mixed from two of the data. Where it has none, and would have one without one of those rules, that rule becomes
a heavy wish: elsewhere it decides as before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from decimal import Decimal

import numpy as np

from hassle.data import Dataset
from hassle.errors import ResourceError
from hassle.learners.structured.candidates import given_in
from hassle.learners.structured.hedging import MIXED, mixed
from hassle.logic import Context
from hassle.model import Model, Rule
from hassle.solve.choice import solver_for

# A rule that gives way weighs so many times what the heaviest wish does.
HEAVY = 4


def relented(
    model: Model,
    hedges: Collection[Rule],
    data: Dataset,
    rng: np.random.Generator,
    spent: Callable[[], bool],
    patience: float,
) -> Model:
    """The model with heavy wishes for those of the ``hedges`` that leave no plan; so many seconds for each plan."""
    heavy = HEAVY * max((abs(rule.weight) for rule in model.rules if rule.weight is not None), default=Decimal(1))
    given, left = given_in(data), [rule for rule in model.rules if rule in hedges]
    for _ in range(MIXED):
        if spent() or not left:
            break
        context = mixed(data, rng, given)
        if _solvable(model, context, patience) is not False:
            continue
        for rule in left:
            softer = _with_wish(model, rule, heavy)
            if _solvable(softer, context, patience):
                model, left = softer, [other for other in left if other != rule]
                break
    return model


def _solvable(model: Model, context: Context, patience: float) -> bool | None:
    """Whether there is a plan; None where that is not found out in time."""
    try:
        return solver_for(model, context, time_limit=patience).best(model, context) is not None
    except ResourceError:
        return None


def _with_wish(model: Model, changed: Rule, weight: Decimal) -> Model:
    return replace(
        model, rules=tuple(replace(rule, weight=weight) if rule == changed else rule for rule in model.rules)
    )
