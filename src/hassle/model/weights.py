"""Exact weights: decimals outside, whole multiples of a model's unit inside.

Whether an assignment is optimal is a question of equality, so weights never pass through floating-point arithmetic. A
float is taken at its decimal face value (``0.1`` is one tenth); what does not fit the finest unit is an error.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, InvalidOperation
from fractions import Fraction

import numpy as np

from hassle.errors import InputError

DEFAULT_UNIT = 1000
FINEST_UNIT = 10**6
UNITS = tuple(10**k for k in range(7))
# Sums of weights are held in 64-bit integers; two bits are kept for differences and negative parts.
LARGEST_SUM = 2**61
# Decimal arithmetic as a rule rounds to 28 digits, which would make a weight of many digits fit.
_UNROUNDED = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


def exact_weight(value: object) -> Decimal:
    """The weight a user wrote, exactly."""
    if isinstance(value, bool | np.bool_):
        raise InputError(f"{value!r} is not a weight", fix="write a number")
    try:
        if isinstance(value, float | np.floating):
            result = Decimal(repr(float(value)))
        elif isinstance(value, np.integer):
            result = Decimal(int(value))
        elif isinstance(value, Fraction):
            result = Decimal(value.numerator * FINEST_UNIT) / value.denominator / FINEST_UNIT
            if Fraction(result) != value:
                raise InputError(f"weight {value} is finer than 1/{FINEST_UNIT}", fix="round it to six decimals")
        elif isinstance(value, int | str | Decimal):
            result = Decimal(value)
        else:
            raise InputError(f"{value!r} is not a weight", fix="write a number")
    except InvalidOperation:
        raise InputError(f"{value!r} is not a weight", fix="write a number") from None
    if not result.is_finite():
        raise InputError(f"weight {value} is not finite", fix="make the clause hard, or write a number")
    if result and result.adjusted() > 19:
        raise InputError(f"weight {result} is too large", fix=f"keep the sum of all weights below {LARGEST_SUM}")
    shortest = _UNROUNDED.normalize(result)
    if shortest.as_tuple().exponent < -6:  # type: ignore[operator]
        raise InputError(f"weight {value} is finer than 1/{FINEST_UNIT}", fix="round it to six decimals")
    return plain(shortest)


def plain(value: Decimal) -> Decimal:
    """The same number without exponent or trailing zeros, so that equal weights print alike."""
    if value == value.to_integral_value():
        return Decimal(int(value) if value else 0)
    return value.normalize()


def unit_for(weights: Iterable[Decimal], at_least: int = DEFAULT_UNIT) -> int:
    """The coarsest unit, no coarser than ``at_least``, of which every weight is a whole multiple."""
    unit = at_least
    for weight in weights:
        while weight * unit != (weight * unit).to_integral_value():
            unit *= 10
    assert unit in UNITS
    return unit


def in_units(weight: Decimal, unit: int) -> int:
    """The weight as a whole multiple of 1/unit."""
    scaled = weight * unit
    if scaled != scaled.to_integral_value():
        raise InputError(f"weight {weight} is not a multiple of 1/{unit}", fix="use a finer unit")
    return int(scaled)


def from_units(units: int, unit: int) -> Decimal:
    """The decimal that so many units are; exact because units are powers of ten."""
    return plain(Decimal(int(units)) / unit)
