"""Weights of examples and comparisons: how often something was seen, or how sure somebody is of it; 1 where unsaid.

A weight of 2 is as good as the same example twice. Weights are positive: what is not to be learned from is left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError

# What is beyond is a slip: it would drown all other examples, or never be heard.
LEAST, MOST = 1e-6, 1e6


def as_weight(value: object) -> float:
    """The weight a user wrote: a positive number, with a decimal point or comma; None means 1."""
    if value is None:
        return 1.0
    try:
        weight = float(value.strip().replace(",", ".")) if isinstance(value, str) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        weight = math.nan
    if isinstance(value, bool) or not LEAST <= weight <= MOST:
        raise InputError(
            f"{value!r} is not a weight",
            fix=f"write a positive number, such as 2 or 0.5 ({LEAST:g} to {MOST:,.0f}); leave out what has no weight",
        )
    return weight


def as_weights(values: Sequence[float] | NDArray[np.float64] | None, count: int) -> NDArray[np.float64]:
    """The weights as an array that cannot be changed; ones where there are none."""
    weights = np.ones(count) if values is None else np.array(values, dtype=np.float64)
    assert weights.shape == (count,)
    weights.flags.writeable = False
    return weights


def weight_text(weight: float) -> str:
    """The weight as it stands in files: as short as reading it back allows."""
    return str(int(weight)) if weight.is_integer() else repr(weight)
