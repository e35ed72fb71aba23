"""Roles: what a family does with each dimension of an arrangement.

A dimension runs ("for every day"), is summed, or is named: a member, those with an attribute, a few members. Kinds that
do something of their own with a dimension (what comes next, runs, pairs) leave it ``OWN`` here and say the rest by
roles. Columns are numbered by the choices in each dimension, in the order of the dimensions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from hassle.learners.structured.kinds.kind import Counts
from hassle.logic import Arrangement, Dimension, Schema
from hassle.model.families import All, Cells, Every, Having, Here, Members, Place

# What is looked for unless somebody asks for more: stretches and groups up to these lengths.
LONGEST_SPAN, LARGEST_GROUP = 7, 3


@dataclass(frozen=True)
class Role:
    """``each``, ``sum``, ``fixed``, ``having``, ``span``, ``group`` or ``own``.

    Each index has its own count (or only those with ``attribute``); all are summed; one member is chosen; those with an
    attribute are summed; a stretch of ``length`` is summed from each index; ``length`` members are chosen and summed.
    """

    name: str
    attribute: tuple[str, str] | None = None
    length: int = 0


EACH, SUM, FIXED, OWN = Role("each"), Role("sum"), Role("fixed"), Role("own")

Own = Mapping[int, Place]
NOTHING: Own = MappingProxyType({})


@dataclass(frozen=True)
class Roles:
    """A role for each dimension of an arrangement."""

    arrangement: str
    dimensions: tuple[Dimension, ...]
    roles: tuple[Role, ...]

    @cached_property
    def choices(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """For each dimension what may be chosen in it: sets of places."""
        result: list[tuple[tuple[int, ...], ...]] = []
        for dimension, role in zip(self.dimensions, self.roles, strict=True):
            size = len(dimension.members)
            if role.name == "fixed":
                result.append(tuple((i,) for i in range(size)))
            elif role.name == "group":
                result.append(tuple(itertools.combinations(range(size), role.length)))
            else:
                result.append(((),))
        return tuple(result)

    @property
    def sizes(self) -> tuple[int, ...]:
        """In each dimension the number of choices."""
        return tuple(map(len, self.choices))

    @property
    def siblings(self) -> int:
        return math.prod(self.sizes)

    @property
    def named(self) -> int:
        """How many dimensions something is named in."""
        return sum(role.name in ("fixed", "group", "having") or bool(role.attribute) for role in self.roles)

    @property
    def size(self) -> int:
        """How many cells each instance counts."""
        return math.prod(
            len(_members(dimension, role)) if role.name in ("sum", "having") else max(1, role.length)
            for dimension, role in zip(self.dimensions, self.roles, strict=True)
        )

    @property
    def instances(self) -> int:
        """How many indices there are where dimensions run."""
        result = 1
        for dimension, role in zip(self.dimensions, self.roles, strict=True):
            if role.name == "each":
                result *= len(_members(dimension, role))
            elif role.name == "span":
                result *= len(dimension.members) - role.length + 1
        return result

    @property
    def running(self) -> tuple[int, ...]:
        """The axes of :meth:`counts` along which dimensions run."""
        return tuple(axis for axis, role in enumerate(self.roles, 1) if role.name in ("each", "span"))

    def counts(self, cells: NDArray[np.uint8] | Counts) -> Counts:
        """The count at each index of each choice: axes assignment, choice or index per dimension."""
        found = cells.astype(np.int16)
        for axis, (dimension, role) in enumerate(zip(self.dimensions, self.roles, strict=True), 1):
            if role.attribute is not None:
                found = np.take(found, _members(dimension, role), axis)
            if role.name in ("sum", "having"):
                found = found.sum(axis, keepdims=True, dtype=np.int16)
            elif role.name == "span":
                found = np.lib.stride_tricks.sliding_window_view(found, role.length, axis).sum(-1, dtype=np.int16)
            elif role.name == "group":
                groups = np.array(self.choices[axis - 1])
                found = np.sum([np.take(found, groups[:, i], axis) for i in range(role.length)], axis=0, dtype=np.int16)
        return found

    def restricted(self, found: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Of something with an index per dimension only those with the attribute that their dimension runs along."""
        for axis, (dimension, role) in enumerate(zip(self.dimensions, self.roles, strict=True), 1):
            if role.attribute is not None and found.shape[axis] > 1:
                found = np.take(found, _members(dimension, role), axis)
        return found

    def every(self, but: Mapping[int, str] = MappingProxyType({})) -> tuple[Every, ...]:
        """What runs, by role; an exception may stand under its axis."""
        return tuple(
            Every(dimension.name, role.attribute, (but[axis],) if axis in but else ())
            for axis, (dimension, role) in enumerate(zip(self.dimensions, self.roles, strict=True))
            if role.name in ("each", "span")
        )

    def cells(self, picks: Sequence[int], own: Own = NOTHING, *, negated: bool = False) -> Cells:
        """The cells of a choice in each dimension, with places of the kind's own under their axis."""
        places = list[Place]()
        for axis, (dimension, role) in enumerate(zip(self.dimensions, self.roles, strict=True)):
            match role.name:
                case _ if axis in own:
                    places.append(own[axis])
                case "each":
                    places.append(Here(dimension.name))
                case "span":
                    places.append(Here(dimension.name, 0, role.length - 1))
                case "sum":
                    places.append(All())
                case "having":
                    assert role.attribute is not None
                    places.append(Having(*role.attribute))
                case _:
                    chosen = self.choices[axis][int(picks[axis])]
                    places.append(Members(tuple(dimension.members[i] for i in chosen)))
        return Cells(self.arrangement, tuple(places), negated)


def _members(dimension: Dimension, role: Role) -> list[int]:
    """The places that a role speaks of: all, or those with its attribute."""
    members = dimension.members if role.attribute is None else dimension.group(*role.attribute)
    return [dimension.members.index(member) for member in members]


def member(dimension: Dimension, place: int) -> Members:
    return Members((dimension.members[place],))


def picked(column: int, sizes: Sequence[int]) -> list[int]:
    """The choice in each dimension that a column stands for."""
    return [int(each) for each in np.unravel_index(column, tuple(sizes))]


def summed(hits: NDArray[np.bool_], running: Iterable[int]) -> Counts:
    """How many hits there are along the axes that run, as one column per choice in the others."""
    return np.asarray(hits.sum(tuple(running), dtype=np.int16)).reshape(len(hits), -1)


def attribute_roles(dimension: Dimension, name: str) -> list[Role]:
    """A role of this name for each value of each attribute, where it does not hold of all."""
    return [
        Role(name, (attribute, value))
        for attribute, values in dimension.attributes.items()
        for value in dict.fromkeys(values)
        if len(set(values)) > 1
    ]


def dimensions_of(schema: Schema, arrangement: Arrangement) -> tuple[Dimension, ...]:
    return tuple(schema.dimension(name) for name in arrangement.dimensions)


@dataclass(frozen=True)
class OneSided:
    """What kinds have in common whose families follow from roles alone and whose opposites nobody asks for."""

    roles: Roles

    two_sided = False

    @property
    def siblings(self) -> int:
        return self.roles.siblings

    @property
    def columns(self) -> int:
        return self.siblings

    @property
    def instances(self) -> int:
        return self.roles.instances
