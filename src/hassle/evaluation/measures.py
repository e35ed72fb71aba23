"""How good a model is against a known true one (the paper's Section "Performance Measures").

With O the model's optima in the context and O* the true ones:

- accuracy: the share of assignments on which the two agree whether they are optimal. Without a context it runs over
  all 2^n assignments, as in the paper (of choices and numbers: those in the domain); in a context over the assignments
  that satisfy it.
- infeasibility: the share of O that breaks a true hard clause.
- regret: how much less than the true optimum an optimum of the model is worth, by the true weights, on average over
  those that are feasible in the truth, divided by what the true optimum is worth; over a sample (the paper's way) and
  exactly. In [0, 1] unless true weights are negative.
- precision |O ∩ O*| / |O|, recall |O ∩ O*| / |O*|, and F1 = 2 |O ∩ O*| / (|O| + |O*|).
- the random baseline of the paper's benchmark table: the infeasibility and regret of an assignment drawn uniformly.

Measures are exact fractions until they are printed. A measure that is not defined is None, and ``reasons`` says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hassle.evaluation.counts import Counts, Losses

UNSATISFIABLE = "no assignment satisfies the context"
NO_OPTIMA = "the model has no feasible assignment in the context"
NO_TRUE_OPTIMA = "the true model has no feasible assignment in the context"
NONE_FEASIBLE = "no optimum of the model is feasible in the true model"
WORTHLESS = "the true optimum is worth 0, so regret cannot be divided by it"
NEGATIVE = "the true optimum is worth less than 0, so regret as a share of it means nothing"


@dataclass(frozen=True)
class Baseline:
    """An assignment of the context drawn uniformly, judged by the true model."""

    infeasibility: Fraction | None
    regret: Fraction | None


@dataclass(frozen=True)
class Evaluation:
    """All measures of one model against one true model in one context; see the module for their definitions.

    ``mean_loss`` is the exact regret before it is divided by the true optimum's value. ``optima`` and ``true_optima``
    count them; ``samples`` is the number of optima behind ``regret``; ``method`` says how the counting was done, and
    ``estimated`` which counts are estimates.
    """

    accuracy: Fraction | None
    infeasibility: Fraction | None
    regret: Fraction | None
    regret_exact: Fraction | None
    precision: Fraction | None
    recall: Fraction | None
    f1: Fraction | None
    optima: int | None
    true_optima: int | None
    common_optima: int | None
    true_value: Decimal | None
    mean_loss: Fraction | None
    samples: int
    baseline: Baseline
    method: str
    estimated: tuple[str, ...]
    reasons: Mapping[str, str]

    def record(self) -> dict[str, Any]:
        """The evaluation as plain numbers, for JSON."""
        result = {item.name: _plain(getattr(self, item.name)) for item in fields(self)}
        result["baseline"] = {item.name: _plain(getattr(self.baseline, item.name)) for item in fields(Baseline)}
        result["estimated"] = list(self.estimated)
        result["reasons"] = dict(self.reasons)
        return result


def evaluation_of(counts: Counts, unit: int) -> Evaluation:
    """The measures that the counts amount to; ``unit`` is the true model's."""
    reasons: dict[str, str] = {}

    def measured(name: str, definition: Callable[[_Numbers], Fraction]) -> Fraction | None:
        try:
            return definition(_Numbers(counts))
        except _Undefined as reason:
            reasons[name] = str(reason)
            return None

    return Evaluation(
        accuracy=measured("accuracy", _accuracy),
        infeasibility=measured("infeasibility", _infeasibility),
        regret=measured("regret", lambda number: _regret(number, "sampled")),
        regret_exact=measured("regret_exact", lambda number: _regret(number, "exact")),
        precision=measured("precision", _precision),
        recall=measured("recall", _recall),
        f1=measured("f1", _f1),
        optima=counts.optima,
        true_optima=counts.true_optima,
        common_optima=counts.common,
        true_value=None if counts.true_value is None else Decimal(counts.true_value) / unit,
        mean_loss=measured("mean_loss", lambda number: _mean_loss(number, "exact") / unit),
        samples=counts.sampled.count if counts.sampled else 0,
        baseline=Baseline(
            measured("baseline.infeasibility", _random_infeasibility),
            measured("baseline.regret", lambda number: _regret(number, "random")),
        ),
        method=counts.method,
        estimated=counts.estimated,
        reasons=reasons,
    )


class _Undefined(Exception):
    """The measure has no value, for the reason given."""


@dataclass(frozen=True)
class _Numbers:
    """The counts, where asking for one that is missing makes the measure undefined."""

    counts: Counts

    def __getitem__(self, name: str) -> int:
        number = getattr(self.counts, name)
        if number is None:
            raise _Undefined(self.counts.reasons.get(name, f"{name} could not be counted"))
        assert isinstance(number, int)
        return number

    def losses(self, name: str) -> Losses:
        losses = getattr(self.counts, name)
        if losses is None:
            raise _Undefined(self.counts.reasons.get(name, "the losses could not be counted"))
        assert isinstance(losses, Losses)
        return losses

    def some(self, name: str, reason: str) -> int:
        """The number, which must not be 0, for the reason given."""
        if self["assignments"] == 0:
            raise _Undefined(UNSATISFIABLE)
        if self[name] == 0:
            raise _Undefined(reason)
        return self[name]


def _accuracy(number: _Numbers) -> Fraction:
    differing = number["optima"] + number["true_optima"] - 2 * number["common"]
    return _clipped(1 - Fraction(differing, number.some("assignments", UNSATISFIABLE)))


def _infeasibility(number: _Numbers) -> Fraction:
    return _clipped(1 - Fraction(number["feasible_optima"], number.some("optima", NO_OPTIMA)))


def _precision(number: _Numbers) -> Fraction:
    return _clipped(Fraction(number["common"], number.some("optima", NO_OPTIMA)))


def _recall(number: _Numbers) -> Fraction:
    return _clipped(Fraction(number["common"], number.some("true_optima", NO_TRUE_OPTIMA)))


def _f1(number: _Numbers) -> Fraction:
    if number["optima"] + number["true_optima"] == 0:
        raise _Undefined("neither model has a feasible assignment in the context")
    return _clipped(Fraction(2 * number["common"], number["optima"] + number["true_optima"]))


def _mean_loss(number: _Numbers, name: str) -> Fraction:
    """By how many units the assignments fall short of the true optimum on average."""
    number.some("true_optima", NO_TRUE_OPTIMA)
    losses = number.losses(name)
    if losses.count == 0:
        number.some("optima", NO_OPTIMA)
        raise _Undefined(NONE_FEASIBLE)
    return Fraction(losses.total, losses.count)


def _regret(number: _Numbers, name: str) -> Fraction:
    mean = _mean_loss(number, name)
    value = number["true_value"]
    if value <= 0:
        raise _Undefined(NEGATIVE if value else WORTHLESS)
    return mean / value


def _random_infeasibility(number: _Numbers) -> Fraction:
    return 1 - Fraction(number.losses("random").count, number.some("assignments", UNSATISFIABLE))


def _clipped(share: Fraction) -> Fraction:
    """Estimates may overshoot; exact counts never do."""
    return min(max(share, Fraction(0)), Fraction(1))


def _plain(value: object) -> object:
    if isinstance(value, Fraction | Decimal):
        return float(value)
    return value
