"""The numbers that every measure is made of; how they are found is the business of the neighbouring files.

All are exact integers, and ``None`` where a number could not be found within its limits; ``reasons`` then says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Losses:
    """How far some assignments fall short of the true optimum: ``total`` units over ``count`` assignments."""

    count: int
    total: int


@dataclass(frozen=True)
class Counts:
    """Numbers of assignments in a context; values are in units of the true model.

    ``method`` is "table" (all assignments were listed), "counting" (exact model counting) or "approximate" (some
    numbers are estimates with a guarantee; ``estimated`` names them).
    """

    assignments: int | None  # that satisfy the context
    optima: int | None  # of the model
    true_optima: int | None
    common: int | None  # optima of both
    feasible_optima: int | None  # optima of the model that are feasible in the truth
    true_value: int | None  # what the true optimum is worth; None: the truth has none
    sampled: Losses | None  # over a uniform sample of the feasible optima
    exact: Losses | None  # over all of them
    random: Losses | None  # over all assignments that are feasible in the truth
    method: str
    estimated: tuple[str, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)
