"""Known rules with weights: respected at exactly that weight, in the user's own units; the rest is learned around them.

A learner counts weights in steps of its own, a thousandth where nothing is known. With wishes the step is a part of the
user's units, so that what is known is a whole number of steps and what is learned comes in the same units: nothing need
be scaled. The heaviest wish is a few hundred steps, so that learned weights may be lighter and heavier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from math import gcd, log

from hassle.errors import InputError
from hassle.logic import Constraint
from hassle.model import DEFAULT_UNIT, FINEST_UNIT, Model, Rule
from hassle.model.weights import from_units, in_units, unit_for

# The heaviest wish in steps: at least, best, and at most.
FEWEST_STEPS, USUAL_STEPS, MOST_STEPS = 50, 200, 1000
# All wishes together in steps: what learned ones add must stay below the cost of breaking a rule (kernels.evidence).
MOST_IN_ALL = 800_000


@dataclass(frozen=True)
class Wishes:
    """The known soft rules, a model without hard ones; weights of learners are multiples of ``step`` millionths.

    ``forbidden`` constraints are not to be learned, whatever their weight.
    """

    rules: tuple[Rule, ...] = ()
    model: Model | None = None
    step: int = FINEST_UNIT // DEFAULT_UNIT
    forbidden: tuple[Constraint, ...] = ()

    @classmethod
    def of(cls, model: Model | None, forbidden: Model | None = None) -> Wishes:
        """The soft rules of a model as wishes, what the rules of another say as forbidden; nothing without any."""
        never = () if forbidden is None else forbidden.constraints
        rules = () if model is None else tuple(rule for rule in model.rules if rule.weight is not None)
        if model is None or not rules:
            return cls(forbidden=never) if never else NO_WISHES
        weights = [abs(in_units(rule.weight, FINEST_UNIT)) for rule in rules if rule.weight]
        found = cls(rules, replace(model, rules=rules, peers=None), _step(weights), never)
        if sum(steps for _, steps in found.costs) > MOST_IN_ALL:
            raise InputError("the known weights are too many to be added up", fix="leave out some of the rules")
        return found

    def __bool__(self) -> bool:
        return bool(self.rules)

    @cached_property
    def costs(self) -> tuple[tuple[Constraint, int], ...]:
        """What breaking each constraint costs, in steps; to keep what has a negative weight breaks its opposite."""
        if self.model is None:
            return ()
        found = []
        for soft in self.model.soft:
            steps = round(soft.weight * FINEST_UNIT / self.step)
            if steps:
                found.append((soft.constraint if steps > 0 else soft.constraint.negation, abs(steps)))
        return tuple(found)

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """What the wishes speak of and its opposites, and what is forbidden: nothing learned may be one of them."""
        said = () if self.model is None else self.model.soft_constraints
        return (*said, *(constraint.negation for constraint in said), *self.forbidden)

    @cached_property
    def exact(self) -> bool:
        """Whether all weights are whole numbers of steps, so that a learner that counts these values exactly."""
        return all(in_units(rule.weight, FINEST_UNIT) % self.step == 0 for rule in self.rules if rule.weight)

    def around(self, learned: Model) -> Model:
        """The wishes, and what was learned with weights in steps (a thousandth each in ``learned``)."""
        if self.model is None:
            return learned
        steps = (replace(rule, weight=self._weight(rule.weight)) for rule in learned.rules)
        # Known families may be over an arrangement that the learner did not need.
        schema = learned.schema if learned.schema.arrangements else self.model.schema
        return with_rules(replace(learned, schema=schema), (*self.rules, *steps))

    def inside(self, model: Model) -> Model | None:
        """The rest of a model with these wishes, in steps; None where its weights are no whole numbers of them."""
        if self.model is None:
            return model
        rest = without(model, self.rules)
        weights = [rule.weight for rule in rest.rules if rule.weight is not None]
        if any(in_units(weight, FINEST_UNIT) % self.step for weight in weights):
            return None
        rules = [replace(rule, weight=self._steps(rule.weight)) for rule in rest.rules]
        return replace(rest, rules=tuple(rules), unit=DEFAULT_UNIT)

    def _weight(self, steps: Decimal | None) -> Decimal | None:
        return None if steps is None else from_units(in_units(steps, DEFAULT_UNIT) * self.step, FINEST_UNIT)

    def _steps(self, weight: Decimal | None) -> Decimal | None:
        return None if weight is None else from_units(in_units(weight, FINEST_UNIT) // self.step, DEFAULT_UNIT)


NO_WISHES = Wishes()


def with_rules(model: Model, rules: Sequence[Rule]) -> Model:
    """The model with these rules instead of its own, and the unit that their weights need."""
    return replace(model, rules=tuple(rules), unit=unit_for(rule.weight for rule in rules if rule.weight is not None))


def without(model: Model, known: Sequence[Rule]) -> Model:
    """The model without the known rules."""
    said = {rule.what for rule in known}
    return replace(model, rules=tuple(rule for rule in model.rules if rule.what not in said), peers=None)


def _step(weights: Sequence[int]) -> int:
    """The step, in millionths, that divides all weights; a round one where that would be much too fine."""
    if not weights:
        return FINEST_UNIT // DEFAULT_UNIT
    heaviest, common = max(weights), gcd(*weights)
    steps = [common // parts for parts in range(1, MOST_STEPS + 1) if common % parts == 0]
    fitting = [step for step in steps if FEWEST_STEPS <= heaviest // step <= MOST_STEPS]
    if fitting:  # a round one such as 0.02, if there is any
        odd = {step: str(step).strip("0") not in ("1", "2", "5") for step in fitting}
        return min(fitting, key=lambda step: (odd[step], abs(log(heaviest / step / USUAL_STEPS))))
    return int(10 ** max(0, len(str(heaviest)) - 3))
