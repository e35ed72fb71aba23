"""What a column can mean: yes-or-no, a choice among values, or a small whole number.

Each kind knows its values, its atoms (the Boolean variables that stand for it), its domain (what must hold between
them), how a value becomes 0/1 and back, and what a comparison such as ``shift = night`` says of the atoms. To add a
kind, write its class here and list it in ``Column``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError
from hassle.logic.constraint import Constraint
from hassle.logic.formula import FALSE, TRUE, Formula, Literal, conjunction, negation
from hassle.logic.names import listing

Value = int | str
Bits = Sequence[int] | NDArray[np.uint8]

YES = frozenset({"1", "true", "yes"})
NO = frozenset({"0", "false", "no"})
# A number has an atom for each step, so a wide range would be no longer a decision but a measurement.
WIDEST_RANGE = 1000


_WHOLE_DECIMAL = re.compile(r"(-?[0-9]+)[.,]0{1,2}")


def without_decimals(text: str) -> str:
    """``3`` for ``3,0`` and ``3.00``, as spreadsheets write whole numbers; anything else as it is.

    Three zeros may be thousands, so they stay.
    """
    found = _WHOLE_DECIMAL.fullmatch(text)
    return found[1] if found else text


@dataclass(frozen=True, slots=True)
class YesNo:
    """Done or not done: one atom, of the column's own name."""

    name: str

    kind = "yes-or-no"

    @property
    def atoms(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def values(self) -> Sequence[Value]:
        return (0, 1)

    def domain(self, start: int) -> tuple[Constraint, ...]:
        return ()

    def encode(self, value: object) -> tuple[int, ...]:
        if isinstance(value, str):
            word = value.strip().lower()
            if word in YES or word in NO:
                return (int(word in YES),)
        elif isinstance(value, bool | int | float | np.integer | np.floating | np.bool_) and value in (0, 1):
            return (int(value),)
        raise InputError(f"variable {self.name!r} has value {value!r}", fix="write 0 or 1")

    def decode(self, bits: Bits) -> Value:
        return int(bits[0])

    def compare(self, sign: str, value: str, start: int) -> Formula:
        (wanted,) = self.encode(value)
        if sign not in ("=", "!="):
            raise InputError(f"{self.name!r} is yes-or-no and has no order", fix="compare it with = or !=")
        return Literal(start + 1 if (sign == "=") == bool(wanted) else -(start + 1))

    def atom_text(self, place: int, positive: bool) -> tuple[str, str] | None:
        """Sign and value of the comparison that says an atom (or its negation); None where its name says it."""
        return None


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some values: an atom for each, exactly one of which is true."""

    name: str
    values: tuple[str, ...]

    kind = "choice"

    def __post_init__(self) -> None:
        if len({value.strip() for value in self.values}) < max(1, len(self.values)):
            raise InputError(f"choice {self.name!r} has the values {listing(self.values)}", fix="give each value once")
        if any(value != value.strip() for value in self.values):
            raise InputError(f"choice {self.name!r} has values with blanks around them", fix="remove the blanks")

    @property
    def atoms(self) -> tuple[str, ...]:
        return tuple(f"{self.name}={value}" for value in self.values)

    def domain(self, start: int) -> tuple[Constraint, ...]:
        atoms = tuple(range(start + 1, start + 1 + len(self.values)))
        if len(atoms) == 1:
            return (Constraint(atoms),)
        return Constraint(atoms), Constraint(tuple(-atom for atom in atoms), len(atoms) - 1)

    def encode(self, value: object) -> tuple[int, ...]:
        place = self._place(value)
        return tuple(int(i == place) for i in range(len(self.values)))

    def decode(self, bits: Bits) -> Value:
        return self.values[list(bits).index(1)]

    def compare(self, sign: str, value: str, start: int) -> Formula:
        if sign not in ("=", "!="):
            raise InputError(f"{self.name!r} is a choice and has no order", fix="compare it with = or !=")
        atom = start + 1 + self._place(value)
        return Literal(atom if sign == "=" else -atom)

    def atom_text(self, place: int, positive: bool) -> tuple[str, str] | None:
        return "=" if positive else "!=", self.values[place]

    def _place(self, value: object) -> int:
        text = str(value).strip() if not isinstance(value, str) else value.strip()
        if text not in self.values:
            raise InputError(
                f"column {self.name!r} has no value {text!r}", fix=f"its values are {listing(self.values)}"
            )
        return self.values.index(text)


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number from ``low`` to ``high``: an atom ``name>=k`` for each k above ``low``."""

    name: str
    low: int
    high: int

    kind = "number"

    def __post_init__(self) -> None:
        if not self.low <= self.high <= self.low + WIDEST_RANGE:
            raise InputError(
                f"number {self.name!r} ranges from {self.low} to {self.high}",
                fix=f"give a range of at most {WIDEST_RANGE + 1} values",
            )

    @property
    def atoms(self) -> tuple[str, ...]:
        return tuple(f"{self.name}>={k}" for k in range(self.low + 1, self.high + 1))

    @property
    def values(self) -> Sequence[Value]:
        return range(self.low, self.high + 1)

    def domain(self, start: int) -> tuple[Constraint, ...]:
        return tuple(Constraint((atom, -(atom + 1))) for atom in range(start + 1, start + self.high - self.low))

    def encode(self, value: object) -> tuple[int, ...]:
        number = self._whole(value)
        if not self.low <= number <= self.high:
            raise InputError(f"column {self.name!r} is {number}", fix=f"it ranges from {self.low} to {self.high}")
        return tuple(int(number >= k) for k in range(self.low + 1, self.high + 1))

    def decode(self, bits: Bits) -> Value:
        return self.low + int(sum(bits))

    def compare(self, sign: str, value: str, start: int) -> Formula:
        number = self._whole(value)
        match sign:
            case ">=":
                return self._at_least(number, start)
            case ">":
                return self._at_least(number + 1, start)
            case "<":
                return negation(self._at_least(number, start))
            case "<=":
                return negation(self._at_least(number + 1, start))
        equal = conjunction([self._at_least(number, start), negation(self._at_least(number + 1, start))])
        return equal if sign == "=" else negation(equal)

    def atom_text(self, place: int, positive: bool) -> tuple[str, str] | None:
        return ">=" if positive else "<", str(self.low + 1 + place)

    def _at_least(self, number: int, start: int) -> Formula:
        if number <= self.low:
            return TRUE
        return Literal(start + number - self.low) if number <= self.high else FALSE

    def _whole(self, value: object) -> int:
        if isinstance(value, int | np.integer) and not isinstance(value, bool):
            return int(value)
        if isinstance(value, float | np.floating) and float(value).is_integer():
            return int(value)
        if isinstance(value, str):
            text = without_decimals(value.strip().replace("−", "-"))
            if text.removeprefix("-").isdecimal() and len(text) < 20:
                return int(text)
        raise InputError(f"column {self.name!r} is {value!r}", fix="write a whole number")


Column = YesNo | Choice | Number
