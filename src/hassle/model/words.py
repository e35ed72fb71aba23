"""A model in words a planner can read.

A clause becomes "at least one of", "not both" or "if … then …", whichever reads best; a weight becomes an importance
relative to the heaviest preference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hassle.logic import Clause
from hassle.model.model import Model


def clause_words(clause: Clause, names: tuple[str, ...]) -> str:
    """What the clause demands, as a phrase."""
    wanted = [names[lit - 1] for lit in clause if lit > 0]
    barred = [names[-lit - 1] for lit in clause if lit < 0]
    if not clause:
        return "nothing can satisfy this (an empty clause)"
    if not barred:
        return wanted[0] if len(wanted) == 1 else f"at least one of {_listed(wanted, 'or')}"
    if not wanted:
        if len(barred) == 1:
            return f"not {barred[0]}"
        return f"not both {_listed(barred, 'and')}" if len(barred) == 2 else f"not all of {_listed(barred, 'and')}"
    return f"if {_listed(barred, 'and')} then {_listed(wanted, 'or')}"


def importance(units: int, heaviest: int) -> str:
    """strong, medium or weak: thirds of the heaviest weight; ``avoid`` where satisfying the clause costs."""
    share = 3 * abs(units)
    strength = "strong" if share > 2 * heaviest else "medium" if share > heaviest else "weak"
    return strength if units >= 0 else f"{strength}, avoid"


def model_words(model: Model) -> str:
    """The whole model: rules first, then preferences from the heaviest down."""
    sure = clause_confidences(model)
    lines = [f"Rules, which always hold ({len(model.hard)})"]
    lines += [
        f"  {clause_words(clause, model.variables)}{sure_words(share)}"
        for clause, share in zip(model.hard, sure[: len(model.hard)], strict=True)
    ] or ["  none"]
    lines += ["", f"Preferences, the heaviest first ({len(model.soft)})"]
    heaviest = max((abs(int(units)) for units in model.weights), default=0)
    rows = sorted(
        zip(model.soft, model.weights, sure[len(model.hard) :], strict=True), key=lambda row: -abs(int(row[1]))
    )
    width = max((len(f"{soft.weight:f}") for soft, _, _ in rows), default=0)
    lines += [
        f"  {soft.weight:>{width}f}  {importance(int(units), heaviest):<{_LABEL}}  "
        f"{clause_words(soft.clause, model.variables)}{sure_words(share)}"
        for soft, units, share in rows
    ] or ["  none"]
    return "\n".join(lines)


_LABEL = len("medium")


def clause_confidences(model: Model) -> list[float | None]:
    """How sure a learner was of each clause, the hard ones first; None where it did not say."""
    kept = model.about.get("committee")
    if isinstance(kept, Mapping):
        sure = [*_numbers(kept.get("hard")), *_numbers(kept.get("soft"))]
        if len(sure) == len(model.clauses):
            return sure
    return [None] * len(model.clauses)


def sure_words(share: float | None) -> str:
    return "" if share is None else f"  ({share:.0%} sure)"


def _numbers(value: object) -> list[float | None]:
    return (
        [item if isinstance(item, int | float) else None for item in value] if isinstance(value, list | tuple) else []
    )


def _listed(names: Sequence[str], last: str) -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def model_clauses(model: Model) -> str:
    """The plain-clause form: one clause per line, with ``hard`` or its weight before it."""
    rows = [("hard", model.clause_text(clause)) for clause in model.hard]
    rows += [(f"{soft.weight:f}", model.clause_text(soft.clause)) for soft in model.soft]
    width = max((len(mark) for mark, _ in rows), default=0)
    return "\n".join(f"{mark:>{width}}  {text}" for mark, text in rows)
