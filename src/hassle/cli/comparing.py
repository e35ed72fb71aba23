"""What is learned beside what is true: the same rules and wishes in pairs, whatever their words."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from hassle.logic import EMPTY, Constraint
from hassle.model import Model, Rule
from hassle.solve import best_value

Pair = tuple[Rule | None, Rule | None]


def paired(learned: Model, true: Model, *, hard: bool) -> list[Pair]:
    """Learned and true rules, or wishes: first what is both, then what is only true, then what is only learned.

    Two wishes are the same if wherever the true rules hold plans lose as much by the one as by the other.
    """
    found, real = _of(learned, hard), _of(true, hard)
    matches: dict[int, int] = {}
    for same in (_equal,) if hard else (_equal, _lose_the_same):
        for i, rule in enumerate(real):
            left = [j for j in range(len(found)) if j not in matches.values()]
            match = next((j for j in left if i not in matches and same(found[j], rule, true)), None)
            if match is not None:
                matches[i] = match
    both: list[Pair] = [(found[matches[i]], rule) for i, rule in enumerate(real) if i in matches]
    missed: list[Pair] = [(None, rule) for i, rule in enumerate(real) if i not in matches]
    more: list[Pair] = [(rule, None) for j, rule in enumerate(found) if j not in matches.values()]
    return [*both, *missed, *more]


def _of(model: Model, hard: bool) -> list[Rule]:
    return [rule for rule in model.rules if (rule.weight is None) == hard]


def _equal(one: Rule, other: Rule, true: Model) -> bool:
    return one.what == other.what


def _lose_the_same(one: Rule, other: Rule, true: Model) -> bool:
    """Whether where the rules hold both always have as many broken instances."""
    own, others = one.instances(true.schema), other.instances(true.schema)
    return _most_more(own, others, true) == 0 == _most_more(others, own, true)


def _most_more(own: Sequence[Constraint], others: Sequence[Constraint], true: Model) -> int:
    """How many more of its own than of the others' instances a plan breaks at most."""
    wishes = [*(each.negation for each in own), *others]
    rules = [Rule(each, Decimal(1)) for each in wishes]
    best = best_value(Model(true.schema, (*_of(true, hard=True), *rules), unit=1), EMPTY)
    return 0 if best is None else best - len(others)
