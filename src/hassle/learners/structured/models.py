"""From weights to a model: what must hold, what is worth how much.

A family is hard if no believed positive breaks it although in many contexts it would have paid to, or in some and it is
about as heavy as anything that a positive breaks. All others are soft, and so is an unbroken family with little
evidence: a heavy wish never makes a context unsolvable.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hassle.learners.structured.candidates import Candidates
from hassle.learners.structured.fit import Fit
from hassle.learners.structured.pool import POSITIVE, Pool
from hassle.learners.structured.trusting import Trust
from hassle.learners.structured.wishing import NOTHING, Wishing
from hassle.model import DEFAULT_UNIT, Model, Rule
from hassle.model.weights import from_units

# As heavy as this share of the heaviest broken family is heavy enough.
HEAVY = 0.8
# A positive is believed if its label is more likely right than wrong.
BELIEVED = 0.5
# Share of the contexts in which nothing but this family kept a better assignment from winning, and yet no positive
# breaks it. Of 18 families that no positive breaks and with less than .05 of it 14 were true rules (seeds 50 to 54).
SOME_EVIDENCE, MUCH_EVIDENCE = 0.01, 0.03


def never_broken(candidates: Candidates, broken: NDArray[np.uint8], pool: Pool, trust: Trust) -> NDArray[np.bool_]:
    """For each candidate: whether no believed positive breaks it."""
    believed = (np.array(pool.sort) == POSITIVE) & (trust.values > BELIEVED)
    rows = broken[believed]
    result = np.zeros(2 * candidates.columns, dtype=np.bool_)
    result[0::2] = (rows == 0).all(axis=0)
    result[1::2] = (rows == np.minimum(candidates.instances, 255)).all(axis=0)
    return result & np.isfinite(candidates.prices)  # without an opposite there is nothing to break


def decisive(
    candidates: Candidates,
    broken: NDArray[np.uint8],
    pool: Pool,
    found: Fit,
    base: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """For each family found: in which share of the contexts an alternative that breaks it would win without it.

    Families that it implies go with it: a rule for everybody and the same for seniors would vouch for each other's
    being needless, and neither would be hard. ``base`` is what each row is worth by what is known.
    """
    context, positive = np.array(pool.context_of), np.array(pool.sort) == POSITIVE
    columns = candidates.signed(broken, found.chosen)
    scores = -columns @ found.weights if base is None else base - columns @ found.weights
    breaks = columns > 0
    result = np.zeros(len(found.chosen))
    for i in range(len(found.chosen)):
        implied = ~(breaks & ~breaks[:, [i]]).any(axis=0)
        without = scores + columns[:, implied] @ found.weights[implied]
        good = np.full(context.max() + 1, np.inf)
        least = np.full(context.max() + 1, np.inf)
        np.minimum.at(least, context[positive], columns[positive, i])
        np.minimum.at(good, context[positive], -without[positive])
        winning = ~positive & (columns[:, i] > least[context]) & (without > -good[context])
        result[i] = len(np.unique(context[winning])) / len(pool.data.contexts)
    return result


def model_of(
    candidates: Candidates,
    found: Fit,
    unbroken: NDArray[np.bool_],
    evidence: NDArray[np.float64],
    wishing: Wishing = NOTHING,
) -> Model:
    """The families as rules, hard ones first, then the heaviest first.

    The heaviest soft one is worth 1; where wishes are known, weights are in the same units.
    """
    order = np.argsort(-found.weights)
    chosen, weights = found.chosen[order], found.weights[order]
    free = unbroken[chosen]
    heaviest = weights[~free].max(initial=wishing.weight if wishing else 0.0)
    evident = evidence[order]  # a share of the contexts
    hard = free & ((evident >= MUCH_EVIDENCE) | ((weights >= HEAVY * heaviest) & (evident >= SOME_EVIDENCE)))
    unit = wishing.unit if wishing else DEFAULT_UNIT
    scale = unit / (wishing.scale if wishing else weights[~hard].max(initial=1e-9))
    rules = [Rule(candidates.family(candidate)) for candidate in chosen[hard].tolist()]
    for candidate, weight in zip(chosen[~hard].tolist(), weights[~hard].tolist(), strict=True):
        units = round(weight * scale)
        if units:
            rules.append(Rule(candidates.family(candidate), from_units(units, unit)))
    return Model(candidates.schema, tuple(rules), unit)
