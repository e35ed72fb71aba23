"""What need not be said: rules that follow from others, and wishes that the rules grant anyway.

A walk over models keeps "at most 2 shifts in two days" beside "at most 1 shift a day". Who reads the model wants the
second alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hassle.logic import EMPTY
from hassle.model import Model, Rule, rule_text
from hassle.solve.implication import Feasible, feasible

# Effort for each question; what is not settled by then stays.
MOST_CONFLICTS = 2_000
# Of more literals nothing is asked: telling the solver of them would take too long.
MOST_LITERALS = 100_000


def without_implied(model: Model, known: tuple[Rule, ...], spent: Callable[[], bool]) -> Model:
    """The model without rules that the others imply, those that take the most words first.

    What is ``known`` stays, and so does everything that there is no time to ask about.
    """
    if sum(len(each.literals) for each in model.constraints) > MOST_LITERALS:
        return model
    wordy = sorted(model.rules, key=lambda rule: -len(rule_text(rule.what, model.schema)))
    hard = [rule for rule in wordy if rule.weight is None]
    gone: set[Rule] = set()
    with feasible((), len(model.variables), EMPTY.within(model.schema)) as asked:
        asked.most_conflicts = MOST_CONFLICTS
        selectors = {rule: asked.new_selector() for rule in hard}
        for rule, selector in selectors.items():
            for each in rule.instances(model.schema):
                asked.add(each, selector)
        for rule in [*hard, *(rule for rule in wordy if rule.weight is not None)]:
            others = [selector for other, selector in selectors.items() if other is not rule]
            if rule not in known and not spent() and _follows(rule, others, asked, model):
                gone.add(rule)
                selectors.pop(rule, None)
    return replace(model, rules=tuple(rule for rule in model.rules if rule not in gone))


def _follows(rule: Rule, selectors: list[int], asked: Feasible, model: Model) -> bool:
    return all(asked.implies(each, selectors) for each in rule.instances(model.schema))
