"""Assignments: full 0/1 vectors with the names of their variables.

An :class:`Assignment` reads like a dictionary from name to 0 or 1. :func:`as_bits` takes whatever a caller may have in
hand and gives the dense vector that everything else works on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError
from hassle.logic.names import find, index_of, listing


@dataclass(frozen=True, eq=False)
class Assignment(Mapping[str, int]):
    """A full assignment: ``assignment["ana_monday"]`` is 0 or 1; ``bits`` are the values in the variables' order."""

    variables: tuple[str, ...]
    bits: tuple[int, ...]

    def __getitem__(self, name: str) -> int:
        index = index_of(self.variables).get(name)
        if index is None:
            raise KeyError(name)
        return self.bits[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)

    def __hash__(self) -> int:
        return hash(
            frozenset(zip(self.variables, self.bits, strict=True))
        )  # as equality is a mapping's, which knows no order

    def __repr__(self) -> str:
        return f"Assignment({', '.join(f'{name}={value}' for name, value in self.items())})"

    def __str__(self) -> str:
        return "".join(map(str, self.bits))

    @property
    def true_variables(self) -> tuple[str, ...]:
        return tuple(name for name, bit in zip(self.variables, self.bits, strict=True) if bit)

    @classmethod
    def of(cls, variables: tuple[str, ...], bits: Sequence[int] | NDArray[np.uint8]) -> Assignment:
        return cls(variables, tuple(int(bit) for bit in bits))


def as_bits(value: object, names: tuple[str, ...]) -> NDArray[np.uint8]:
    """The 0/1 vector of an assignment given as an Assignment, a mapping by name, a sequence or a text of 0 and 1."""
    if isinstance(value, Mapping):
        known = index_of(names)
        for name in value:
            if name not in known:
                find(str(name), names)
        missing = [name for name in names if name not in value]
        if missing:
            raise InputError(f"the assignment says nothing of {listing(missing)}", fix="give every variable 0 or 1")
        items: Sequence[object] = [value[name] for name in names]
    elif isinstance(value, np.ndarray):
        items = value.ravel().tolist()
    elif isinstance(value, str | list | tuple):
        items = list(value)
    else:
        raise InputError(f"{value!r} is not an assignment", fix="pass a mapping, a list or a text of 0 and 1")
    if len(items) != len(names):
        raise InputError(
            f"the assignment has {len(items)} values for {len(names)} variables",
            fix="give every variable 0 or 1",
        )
    return np.array([_as_bit(item, name) for item, name in zip(items, names, strict=True)], dtype=np.uint8)


def _as_bit(item: object, name: str) -> int:
    if isinstance(item, str):
        bit = {"0": 0, "1": 1, "false": 0, "true": 1}.get(item.strip().lower())
        if bit is not None:
            return bit
    elif isinstance(item, bool | int | float | np.integer | np.floating | np.bool_) and item in (0, 1):
        return int(item)
    raise InputError(f"variable {name!r} has value {item!r}", fix="write 0 or 1")
