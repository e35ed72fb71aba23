"""A model in words a planner can read.

A clause becomes "at least one of", "not both" or "if … then …", a count "at least", "at most" or, where both bounds are
there, "exactly"; a weight becomes an importance relative to the heaviest preference.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

from hassle.logic import Constraint, Schema, as_schema, literal_text
from hassle.model.families import Family
from hassle.model.family_words import family_words
from hassle.model.model import Model
from hassle.model.sweeping_words import sweeping


def constraint_words(constraint: Constraint, names: Schema | Iterable[str]) -> str:
    """What the constraint demands, as a phrase."""
    schema = as_schema(names)
    if not constraint.literals:
        return "nothing can satisfy this (an empty clause)" if constraint.need else "this always holds"
    if not constraint.is_clause:
        return _count_words(constraint, schema)
    wanted = [_named(lit, schema) for lit in constraint.literals if lit > 0]
    barred = [_named(-lit, schema) for lit in constraint.literals if lit < 0]
    if not barred:
        return wanted[0] if len(wanted) == 1 else f"at least one of {_listed(wanted, 'or')}"
    if not wanted:
        if len(barred) == 1:
            return f"not {barred[0]}"
        return f"not both {_listed(barred, 'and')}" if len(barred) == 2 else f"not all of {_listed(barred, 'and')}"
    return f"if {_listed(barred, 'and')} then {_listed(wanted, 'or')}"


def exactly_words(constraint: Constraint, names: Schema | Iterable[str]) -> str:
    """The phrase of two counts over the same literals: this one, which bounds from below, and its own bound above."""
    schema = as_schema(names)
    return f"exactly {constraint.need} of {_listed([_shown(lit, schema) for lit in constraint.literals], 'and')}"


def both_bounds(lower: Constraint, upper: Constraint) -> bool:
    """Whether the two say "at least k" and "at most k" of the same literals."""
    return (
        max(lower.literals, default=0) > 0
        and upper.literals == tuple(-lit for lit in lower.literals)
        and upper.need == len(lower.literals) - lower.need
    )


def _count_words(constraint: Constraint, schema: Schema) -> str:
    literals, need = constraint.literals, constraint.need
    if max(literals) < 0:  # most of these must not be: said the other way round
        barred = _listed([_named(-lit, schema) for lit in literals], "and")
        most = len(literals) - need
        return f"at most {most} of {barred}" if most else f"none of {barred}"
    shown = _listed([_shown(lit, schema) for lit in literals], "and")
    return f"at least {need} of {shown}" if need < len(literals) else f"all of {shown}"


def _named(lit: int, schema: Schema) -> str:
    """The literal without quotation marks, for reading rather than for reading back."""
    return schema.variables[lit - 1] if schema.plain else literal_text(lit, schema)


def _shown(lit: int, schema: Schema) -> str:
    return _named(lit, schema) if lit > 0 else f"not {_named(-lit, schema)}"


def importance(units: Decimal, heaviest: Decimal) -> str:
    """strong, medium or weak: thirds of the heaviest weight; ``avoid`` where satisfying the constraint costs."""
    share = 3 * abs(units)
    strength = "strong" if share > 2 * heaviest else "medium" if share > heaviest else "weak"
    return strength if units >= 0 else f"{strength}, avoid"


def hard_words(model: Model) -> list[tuple[str, list[int]]]:
    """The hard rules as phrases, each with the places of the constraints it stands for: two where bounds meet."""
    result: list[tuple[str, list[int]]] = []
    used: set[int] = set()
    first = 0
    for rule in model.rules:
        if rule.weight is None:
            places = range(first, first + len(rule.instances(model.schema)))
            first = places.stop
            if isinstance(rule.what, Family):
                result.append((family_words(rule.what, model.schema), list(places)))
                used.update(places)
    place = {constraint: i for i, constraint in enumerate(model.hard) if i not in used}
    for group, words in sweeping(place, model.schema).items():
        own = [place[each] for each in group]
        if used.isdisjoint(own):
            used.update(own)
            result.append((words, own))
    for i, constraint in enumerate(model.hard):
        if i in used:
            continue
        upper = Constraint(tuple(-lit for lit in constraint.literals), len(constraint.literals) - constraint.need)
        other = place.get(upper, i)
        lower = other if max(constraint.literals, default=0) < 0 else i
        if other != i and other not in used and both_bounds(model.hard[lower], model.hard[i + other - lower]):
            used.add(other)
            result.append((exactly_words(model.hard[lower], model.schema), [i, other]))
        else:
            result.append((constraint_words(constraint, model.schema), [i]))
    return result


def model_words(model: Model) -> str:
    """The whole model: rules first, then preferences from the heaviest down."""
    sure = confidences(model)
    lines = [f"Rules, which always hold ({sum(rule.weight is None for rule in model.rules)})"]
    lines += [f"  {words}{sure_words(_least(sure, places))}" for words, places in hard_words(model)] or ["  none"]
    rows = sorted(soft_words(model), key=lambda row: -abs(row[1]))
    lines += ["", f"Preferences, the heaviest first ({len(rows)})"]
    heaviest = max((abs(weight) for _, weight, _ in rows), default=Decimal(0))
    width = max((len(f"{weight:f}") for _, weight, _ in rows), default=0)
    lines += [
        f"  {weight:>{width}f}  {importance(weight, heaviest):<{_LABEL}}  "
        f"{words}{sure_words(_least(sure[len(model.hard) :], places))}"
        for words, weight, places in rows
    ] or ["  none"]
    return "\n".join(lines)


def soft_words(model: Model) -> list[tuple[str, Decimal, list[int]]]:
    """The soft rules as phrases, each with its weight and the places of the constraints it stands for."""
    result, first = [], 0
    for rule in model.rules:
        if rule.weight is not None:
            places = range(first, first + len(rule.instances(model.schema)))
            first = places.stop
            result.append((rule_words(rule.what, model.schema), rule.weight, list(places)))
    return result


def rule_words(what: Constraint | Family, schema: Schema) -> str:
    """What a rule demands, as a phrase."""
    return family_words(what, schema) if isinstance(what, Family) else constraint_words(what, schema)


_LABEL = len("medium")


def confidences(model: Model) -> list[float | None]:
    """How sure a committee was of each constraint, the hard ones first; None where there was none."""
    if model.peers is None:
        return [None] * len(model.constraints)
    shares = (*model.peers.hard, *model.peers.soft)
    return [share for rule, share in zip(model.rules, shares, strict=True) for _ in rule.instances(model.schema)]


def sure_words(share: float | None) -> str:
    return "" if share is None else f"  ({share:.0%} sure)"


def _least(sure: Sequence[float | None], places: Sequence[int]) -> float | None:
    return min((share for share in (sure[i] for i in places) if share is not None), default=None)


def _listed(names: Sequence[str], last: str) -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def model_formulas(model: Model) -> str:
    """One constraint per line in the context language, with ``hard`` or its weight before it."""
    rows = [("hard", model.text(constraint)) for constraint in model.hard]
    rows += [(f"{rule.weight:f}", model.text(rule.constraint)) for rule in model.soft]
    width = max((len(mark) for mark, _ in rows), default=0)
    return "\n".join(f"{mark:>{width}}  {text}" for mark, text in rows)
