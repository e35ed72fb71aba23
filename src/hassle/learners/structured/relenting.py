"""Rules that leave no plan give way: with few good decisions some rule that no positive breaks is not a rule after all.

What no positive breaks may be a wish that nothing outweighed yet. Two such, taken for rules, leave situations without a
plan that have one. So the model is asked for plans in contexts mixed from two of the data. Where it has none, of the
rules each of which alone is in the way the one that alternatives break least, and for which least speaks, becomes a
heavy wish: that never makes a context unsolvable, and elsewhere it decides as a rule would.
"""

from __future__ import annotations

from collections.abc import Callable
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
    alternatives: np.ndarray,
    data: Dataset,
    known: tuple[Rule, ...],
    rng: np.random.Generator,
    spent: Callable[[], bool],
    patience: float,
) -> Model:
    """The model with heavy wishes for rules that leave no plan in mixed contexts; what is ``known`` stays."""
    heavy = HEAVY * max((abs(rule.weight) for rule in model.rules if rule.weight is not None), default=Decimal(1))
    given = given_in(data)
    for _ in range(MIXED):
        if spent():
            break
        context = mixed(data, rng, given)
        while not spent() and _solvable(model, context, patience) is False:
            loose = [
                (_share_broken(rule, model, alternatives), k)
                for k, rule in enumerate(model.rules)
                if rule.weight is None
                and rule not in known
                and _solvable(_with_wish(model, k, heavy), context, patience)
            ]
            if not loose:
                break  # nobody has a plan there, or it takes more than one to give way
            model = _with_wish(model, min(loose)[1], heavy)
    return model


def _solvable(model: Model, context: Context, patience: float) -> bool | None:
    """Whether there is a plan; None where that is not found out in time."""
    try:
        return solver_for(model, context, time_limit=patience).best(model, context) is not None
    except ResourceError:
        return None


def _share_broken(rule: Rule, model: Model, rows: np.ndarray) -> float:
    return 1 - float(replace(model, rules=(rule,)).feasible(rows).mean()) if len(rows) else 0.0


def _with_wish(model: Model, place: int, weight: Decimal) -> Model:
    rules = [replace(rule, weight=weight) if k == place else rule for k, rule in enumerate(model.rules)]
    return replace(model, rules=tuple(rules))
