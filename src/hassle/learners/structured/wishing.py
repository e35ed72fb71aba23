"""Known rules in a fit: what they cost at each row of a pool, beside the weights that are fitted.

The scale of a fit is its own: the heavier all weights, the surer it is of what it says. One unit of the user's is
``scale`` there, and learned weights come back in the user's units. At first the heaviest wish is as heavy as the
heaviest one of a fit usually is; later, the scale is what explains the examples best (:func:`rescaled`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hassle.learners.structured.fit import Fit
from hassle.learners.structured.selection import Selection
from hassle.logic import Constraint
from hassle.model import DEFAULT_UNIT, FINEST_UNIT, Model
from hassle.model.weights import unit_for

# The weight in the fit of the heaviest known wish: at first, at least and at most.
USUAL, LIGHTEST, HEAVIEST = 4.0, 1.0, 60.0
# The weight in the fit of what must hold.
MUST = 200.0
# How much heavier or lighter all is tried to be at a time.
STEP = 1.3

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Wishing:
    """The rules of a model, if there is any; true where some of them have weights."""

    known: Model | None
    weight: float = USUAL

    @cached_property
    def heaviest(self) -> float:
        """The heaviest wish in the user's units; 0 where nothing has a weight."""
        return 0.0 if self.known is None else max((abs(float(soft.weight)) for soft in self.known.soft), default=0.0)

    def __bool__(self) -> bool:
        return self.heaviest > 0

    @property
    def scale(self) -> float:
        """What the user's weight of 1 is in the fit."""
        return self.weight / self.heaviest

    @property
    def unit(self) -> int:
        """Learned weights are multiples of 1/unit: a thousandth of the heaviest wish, or finer."""
        assert self.known is not None
        unit = unit_for(soft.weight for soft in self.known.soft)
        while unit * self.heaviest < DEFAULT_UNIT and unit < FINEST_UNIT:
            unit *= 10
        return unit

    @cached_property
    def costs(self) -> list[tuple[Constraint, float]]:
        """What breaking each constraint costs in the fit; to keep what has a negative weight breaks its opposite."""
        if self.known is None:
            return []
        found = [(soft.constraint, self.scale * float(soft.weight)) for soft in self.known.soft if soft.weight]
        wishes = [(what, cost) if cost > 0 else (what.negation, -cost) for what, cost in found]
        return [*((constraint, MUST) for constraint in self.known.hard), *wishes]

    @property
    def total(self) -> float:
        """The weights of all wishes in the fit, each counted once."""
        rules = () if self.known is None else self.known.rules
        return sum(self.scale * abs(float(rule.weight)) for rule in rules if rule.weight is not None)

    def base(self, rows: NDArray[np.uint8]) -> Floats:
        """The score of each row before anything is learned."""
        result = np.zeros(len(rows))
        for constraint, cost in self.costs:
            result -= cost * ~constraint.held_by(rows)
        return result


NOTHING = Wishing(None)


def broken_by(model: Model | None, rows: NDArray[np.uint8]) -> list[NDArray[np.int64]]:
    """For each rule of a model: how many of its instances each row breaks."""
    found: list[NDArray[np.int64]] = []
    if model is None:
        return found
    for rule in model.rules:
        own = np.zeros(len(rows), dtype=np.int64)
        for each in rule.instances(model.schema):
            own += ~each.held_by(rows)
        found.append(own)
    return found


def alike(broken: NDArray[np.uint8], counts: NDArray[np.int64]) -> list[int]:
    """The columns that are broken as often as these counts say, in every row."""
    found = np.arange(broken.shape[1])
    for row in np.argsort(-counts, kind="stable").tolist():  # those that break most tell most
        if not len(found):
            break
        found = found[broken[row, found] == min(255, counts[row])]
    return found.tolist()


def rescaled(wishing: Wishing, selection: Selection, found: Fit) -> tuple[Wishing, Fit]:
    """Known and learned weights, all as many times heavier or lighter as makes loss and prices least.

    Wishes pay for their weight as learned families do, at a middling price: else the scale would grow for ever.
    """
    finite = np.isfinite(selection.prices)
    price = selection.sharpness.shrinking * float(np.median(selection.prices[finite])) * wishing.total

    def tried(factor: float) -> tuple[float, Fit]:
        contrast = replace(selection.contrast, base=factor * selection.contrast.base)
        fit = replace(selection, contrast=contrast).weighed(Fit(found.chosen, factor * found.weights))
        return fit.loss + price * factor, fit

    best, chosen = 1.0, tried(1.0)
    for direction in (STEP, 1 / STEP):
        while LIGHTEST <= best * direction * wishing.weight <= HEAVIEST and not selection.spent():
            other = tried(best * direction)
            if other[0] >= chosen[0]:
                break
            best, chosen = best * direction, other
        if best != 1.0:
            break
    return replace(wishing, weight=best * wishing.weight), chosen[1]
