"""The schema: what the columns of the data mean, and how the variables are arranged.

A column is yes-or-no, a choice among values, or a small whole number. Everything below works on Boolean *variables*,
the atoms of the columns: a yes-or-no column is one, a choice has one for each value (``shift=night``), a number one for
each step (``staff>=3``, from the second value up). What must hold between the atoms of a column is the *domain*: a
choice has exactly one value, a number that is at least 3 is at least 2. It is always respected and never learned.

Dimensions are index sets with names (nurses, days, shifts), perhaps ordered, perhaps with attributes. An arrangement
says which variable stands at which index: ``works[ana, mon, night]``.

A schema of yes-or-no columns alone is *plain*: its domain is empty and its variables are its columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError
from hassle.logic.columns import Choice, Column, Number, Value, YesNo
from hassle.logic.constraint import Constraint
from hassle.logic.names import Same, check_names, find, index_of, listing

__all__ = ["Arrangement", "Choice", "Column", "Dimension", "Number", "Schema", "Value", "YesNo", "as_schema"]


@dataclass(frozen=True)
class Dimension:
    """An index set: ``members`` by name, ``ordered`` if one comes after the other (days).

    ``attributes`` maps an attribute's name to its value for each member, in the order of the members.
    """

    name: str
    members: tuple[str, ...]
    ordered: bool = False
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(set(self.members)) < len(self.members) or not self.members:
            raise InputError(f"dimension {self.name!r} needs members, each once", fix="list every member once")
        for attribute, values in self.attributes.items():
            if len(values) != len(self.members):
                raise InputError(
                    f"attribute {attribute!r} of dimension {self.name!r} has {len(values)} values "
                    f"for {len(self.members)} members",
                    fix="give every member one",
                )

    def __hash__(self) -> int:
        return hash((self.name, self.members, self.ordered))

    def group(self, attribute: str, value: str) -> tuple[str, ...]:
        """The members whose attribute has this value."""
        values = self.attributes[attribute]
        return tuple(member for member, own in zip(self.members, values, strict=True) if own == value)


@dataclass(frozen=True)
class Arrangement:
    """Variables that stand at the indices of some dimensions.

    ``pattern`` names the variable at an index: ``{nurse}_{day}_{shift}``, or ``{nurse}_{day}={shift}`` where the shift
    is the value of a choice; or the number there, ``demand_{day}_{shift}``. Indices without one are simply not there.
    """

    name: str
    dimensions: tuple[str, ...]
    pattern: str

    def variable_name(self, index: Sequence[str]) -> str:
        result = self.pattern
        for dimension, member in zip(self.dimensions, index, strict=True):
            result = result.replace("{" + dimension + "}", member)
        return result


@dataclass(frozen=True)
class Schema:
    """Columns in the order of the data; use :meth:`of` for yes-or-no columns by name."""

    columns: tuple[Column, ...]
    dimensions: tuple[Dimension, ...] = ()
    arrangements: tuple[Arrangement, ...] = ()

    def __post_init__(self) -> None:
        check_names(column.name for column in self.columns)
        if not self.plain:
            check_names(self.variables)
        known = {dimension.name: dimension for dimension in self.dimensions}
        if len(known) < len(self.dimensions):
            raise InputError("two dimensions have the same name", fix="rename one")
        if len({arrangement.name for arrangement in self.arrangements}) < len(self.arrangements):
            raise InputError("two arrangements have the same name", fix="rename one")
        for arrangement in self.arrangements:
            for name in arrangement.dimensions:
                if name not in known:
                    raise InputError(
                        f"arrangement {arrangement.name!r} speaks of an unknown dimension {name!r}",
                        fix=f"known are {listing(known)}" if known else "describe it under [dimensions]",
                    )
                if "{" + name + "}" not in arrangement.pattern:
                    raise InputError(
                        f"the pattern {arrangement.pattern!r} does not mention {{{name}}}", fix="put every dimension in"
                    )

    @classmethod
    def of(cls, names: Iterable[str]) -> Schema:
        """The plain schema of yes-or-no columns with these names."""
        return cls(tuple(YesNo(name) for name in check_names(names)))

    @cached_property
    def plain(self) -> bool:
        """Whether every column is yes-or-no."""
        return all(isinstance(column, YesNo) for column in self.columns)

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The names of all atoms, column by column."""
        return tuple(atom for column in self.columns for atom in column.atoms)

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """The names of all columns, in order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The index of each column's first variable, and at the end the number of variables."""
        return tuple(np.cumsum([0, *(len(column.atoms) for column in self.columns)]).tolist())

    @cached_property
    def column_of(self) -> NDArray[np.int32]:
        """For each variable: the place of its column."""
        return np.repeat(np.arange(len(self.columns), dtype=np.int32), np.diff(self.starts))

    @cached_property
    def domain(self) -> tuple[Constraint, ...]:
        """What the columns themselves imply for their variables."""
        return tuple(
            constraint
            for column, start in zip(self.columns, self.starts, strict=False)
            for constraint in column.domain(start)
        )

    def column(self, name: str) -> tuple[Column, int]:
        """The column of this name and the index of its first variable."""
        place = find(name, self.column_names, "column")
        return self.columns[place], self.starts[place]

    def dimension(self, name: str) -> Dimension:
        """The dimension of this name."""
        return self.dimensions[find(name, tuple(d.name for d in self.dimensions), "dimension")]

    def cells(self, arrangement: Arrangement) -> NDArray[np.int32]:
        """The variable at each index of the arrangement, -1 where there is none."""
        members = [self.dimension(name).members for name in arrangement.dimensions]
        index = index_of(self.variables)
        result = np.full([len(each) for each in members], -1, dtype=np.int32)
        for place in np.ndindex(*result.shape):
            name = arrangement.variable_name([each[i] for each, i in zip(members, place, strict=True)])
            result[place] = index.get(name, -1)
        return result

    def numbers(self, arrangement: Arrangement) -> NDArray[np.int32]:
        """The place of the number column at each index of the arrangement, -1 where there is none."""
        members = [self.dimension(name).members for name in arrangement.dimensions]
        index = {column.name: i for i, column in enumerate(self.columns) if isinstance(column, Number)}
        result = np.full([len(each) for each in members], -1, dtype=np.int32)
        for place in np.ndindex(*result.shape) if index else ():
            name = arrangement.variable_name([each[i] for each, i in zip(members, place, strict=True)])
            result[place] = index.get(name, -1)
        return result

    # Assignments: from values of columns to 0/1 of variables and back.

    def encode(self, values: Sequence[object]) -> NDArray[np.uint8]:
        """The 0/1 vector of one value per column; a value that its column does not know is an InputError."""
        return np.array(
            [bit for column, value in zip(self.columns, values, strict=True) for bit in column.encode(value)],
            dtype=np.uint8,
        )

    def decode(self, bits: Sequence[int] | NDArray[np.uint8]) -> tuple[Value, ...]:
        """The value of each column; the bits must be in the domain."""
        return tuple(
            column.decode(bits[start:end])
            for column, start, end in zip(self.columns, self.starts, self.starts[1:], strict=False)
        )

    def admits(self, assignments: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """For each row of 0/1 values: whether it is in the domain."""
        result = np.ones(len(assignments), dtype=np.bool_)
        for constraint in self.domain:
            result &= constraint.held_by(assignments)
        return result

    # Doors to the files room; imported when used.

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Schema:
        """A schema from a TOML file; ``-`` is standard input."""
        from hassle.files import read_schema

        return read_schema(path)

    def write(self, path: str | PathLike[str]) -> None:
        """The schema to a TOML file, with comments that say how to edit it; ``-`` is standard output."""
        from hassle.files import write_schema

        write_schema(self, path)


@lru_cache(maxsize=64)
def _plain_schema(key: Same) -> Schema:
    return Schema.of(key.names)


def as_schema(value: Schema | Iterable[str]) -> Schema:
    """A schema as it is, or the plain one of these names."""
    if isinstance(value, Schema):
        return value
    return _plain_schema(Same(tuple(value)))
