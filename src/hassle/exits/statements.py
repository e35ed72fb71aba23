"""What all exits say of a model: each rule once, with its words, its weight in units and its constraints."""

from __future__ import annotations

from dataclasses import dataclass

from hassle.logic import Constraint
from hassle.logic.constraint import TRUE
from hassle.model import Family, Model
from hassle.model.rules import rule_text
from hassle.model.weights import in_units
from hassle.model.words import rule_words


@dataclass(frozen=True)
class Statement:
    """A rule as others are told it: ``units`` is None where it must hold. None of ``instances`` is empty of literals
    but the empty clause, which nothing satisfies."""

    words: str
    text: str
    units: int | None
    what: Constraint | Family
    instances: tuple[Constraint, ...]


def statements(model: Model) -> list[Statement]:
    """The rules of the model, those that must hold first; rules that say nothing are left out."""
    found = []
    for rule in model.rules:
        units = None if rule.weight is None else in_units(rule.weight, model.unit)
        instances = tuple(each for each in rule.instances(model.schema) if each != TRUE)
        if instances and units != 0:
            words, text = rule_words(rule.what, model.schema), rule_text(rule.what, model.schema)
            found.append(Statement(words, text, units, rule.what, instances))
    return found


def constant(model: Model) -> int:
    """What every assignment is worth, in units: the soft constraints that always hold."""
    return sum(units for soft, units in zip(model.soft, model.weights.tolist(), strict=True) if soft.constraint == TRUE)


def rewards(model: Model) -> tuple[dict[Constraint, int], int]:
    """What is maximised, with positive weights only: constraints with their units, and a constant.

    A penalty for satisfying a constraint is, up to a constant, a reward for its negation, which is a constraint again.
    """
    found: dict[Constraint, int] = {}
    total = constant(model)
    for statement in statements(model):
        for each in statement.instances if statement.units is not None else ():
            assert statement.units is not None
            wanted = each if statement.units > 0 else each.negation
            total += min(statement.units, 0)
            if wanted == TRUE:
                total += abs(statement.units)
            elif wanted.literals:
                found[wanted] = found.get(wanted, 0) + abs(statement.units)
    return found, total
