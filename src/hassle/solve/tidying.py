"""The same model, said as simply as can be: what a learner found, without what the rest of it makes superfluous.

Hard constraints are simplified against each other. A literal that the others make false is noise to a reader, and so is
a constraint that the others imply; what they make true need not be counted. Of soft constraints, those that are
constant under the hard ones make no difference, equal ones are one, of opposite ones the difference is left, and
literals that the hard ones make false go too.

Invariant: the feasible assignments stay the same, and so does the difference in value between any two of them, so that
in every context the same assignments are optimal. Values as such may shift by a constant.

Every step asks a SAT solver whether it may be done, with a limit on its conflicts; where that is reached, things stay
as they are, so the result does not depend on the clock. Cost: a few questions for every literal of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from hassle.logic import EMPTY, Constraint
from hassle.logic.constraint import FALSE, TRUE
from hassle.model import Model, Rule
from hassle.model.weights import from_units, in_units
from hassle.solve.implication import Feasible, feasible

# Conflicts after which a question is given up; those of models that people can read need a handful.
MOST_CONFLICTS = 2000


def tidied(model: Model, checkpoint: Callable[[], None] = lambda: None) -> Model:
    """The model with the same feasible assignments and the same ranking of them, in its simplest form.

    Parameters
    ----------
    model
        Any model; families are left as they are and count as known.
    checkpoint
        Called between questions; may raise to stop.
    """
    plain = [(rule.what, rule.weight) for rule in model.rules if isinstance(rule.what, Constraint)]
    families = [rule for rule in model.rules if not isinstance(rule.what, Constraint)]
    known = [each for rule in families if rule.weight is None for each in rule.instances(model.schema)]
    with feasible(known, len(model.variables), EMPTY.within(model.schema)) as others:
        others.most_conflicts = MOST_CONFLICTS
        tidying = _Tidying(others, checkpoint)
        hard = tidying.hard(what for what, weight in plain if weight is None)
        if hard == [FALSE]:
            return replace(model, rules=(Rule(FALSE),), peers=None)
        soft = tidying.soft((what, in_units(weight, model.unit)) for what, weight in plain if weight is not None)
    rules = [*map(Rule, hard), *(Rule(what, from_units(units, model.unit)) for what, units in soft.items())]
    return replace(model, rules=(*families, *rules), peers=None)  # who were asked about other constraints


@dataclass
class _Tidying:
    """Constraints under way; each hard one takes part where its selector is assumed."""

    known: Feasible
    checkpoint: Callable[[], None]
    selectors: dict[Constraint, int] = field(default_factory=dict)

    def hard(self, constraints: Iterable[Constraint]) -> list[Constraint]:
        """The simplest constraints with the same solutions; the empty clause alone where there are none."""
        for constraint in dict.fromkeys(constraints):
            self._add(constraint)
        if not self._all_possible():
            return [FALSE]
        for constraint in list(self.selectors):
            if constraint in self.selectors:  # else another one became it, and then shorter still
                self._shorten(constraint)
        # Longer ones first: of two that imply each other, the shorter stays.
        for constraint in sorted(self.selectors, key=lambda each: (-len(each.literals), each)):
            self.checkpoint()
            if self.known.implies(constraint, self._without(constraint)):
                del self.selectors[constraint]
        return list(self.selectors)

    def soft(self, weighted: Iterable[tuple[Constraint, int]]) -> dict[Constraint, int]:
        """What is worth something under the hard constraints, and how much; a weight that comes to 0 is left out."""
        totals: dict[Constraint, int] = {}
        for given, units in weighted:
            constraint = self._shortened_soft(given)
            if constraint not in (TRUE, FALSE):
                totals[constraint] = totals.get(constraint, 0) + units
        for constraint in sorted(totals, key=lambda each: -totals[each]):
            # Of a wish and its contrary, one is left, at the difference.
            if constraint in totals and constraint.negation in totals:
                totals[constraint] -= totals.pop(constraint.negation)
        return {constraint: units for constraint, units in totals.items() if units}

    def _add(self, constraint: Constraint) -> None:
        if constraint not in self.selectors:
            self.selectors[constraint] = self.known.new_selector()
            self.known.add(constraint, self.selectors[constraint])

    def _replace(self, old: Constraint, new: Constraint) -> Constraint:
        del self.selectors[old]
        self._add(new)
        return new

    def _without(self, constraint: Constraint) -> list[int]:
        return [selector for other, selector in self.selectors.items() if other != constraint]

    @property
    def _everything(self) -> list[int]:
        return list(self.selectors.values())

    def _all_possible(self) -> bool:
        return self.known.possible(self._everything)

    def _shorten(self, constraint: Constraint) -> None:
        """Take literals out of a hard constraint, the last first, as long as the whole says the same."""
        for lit in reversed(constraint.literals):
            self.checkpoint()
            shorter = _without_literal(constraint, lit)
            if shorter is not None and self.known.implies(shorter, self._everything):
                constraint = self._replace(constraint, shorter)
            elif constraint.need > 1 and self.known.implies(Constraint((lit,)), self._without(constraint)):
                counted = constraint.given({lit})
                constraint = self._replace(constraint, counted)

    def _shortened_soft(self, constraint: Constraint) -> Constraint:
        """A constraint that the same feasible assignments satisfy: TRUE, FALSE, or one with fewer literals."""
        self.checkpoint()
        if self.known.implies(constraint, self._everything):
            return TRUE
        if self.known.implies(constraint.negation, self._everything):
            return FALSE
        for lit in reversed(constraint.literals):
            if self.known.implies(Constraint((-lit,)), self._everything):
                constraint = constraint.given({-lit})
            elif constraint.need > 1 and self.known.implies(Constraint((lit,)), self._everything):
                constraint = constraint.given({lit})
            elif (shorter := _without_literal(constraint, lit)) is not None:
                holds = self.known.broken(constraint.negation)  # the negation is broken where the constraint holds
                if self.known.implies(shorter, [*self._everything, *holds]):
                    constraint = shorter
        return constraint


def _without_literal(constraint: Constraint, lit: int) -> Constraint | None:
    """The stronger constraint that does without a literal; None where it could not hold any more."""
    left = tuple(other for other in constraint.literals if other != lit)
    return Constraint(left, constraint.need) if len(left) >= constraint.need else None
