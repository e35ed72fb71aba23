"""What the solvers' formats share: numbers, and the comment lines that make their files whole models.

``c var 1 ana_monday`` names a variable, ``c unit 1000`` says that a weight of 1 is 1/1000, ``c schema {...}`` holds a
schema that is more than names; other programs skip them. OPB and WBO have ``*`` for ``c``. Variables without a name
are called ``x1 … xn``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from hassle.errors import InputError
from hassle.files.decode import clipped
from hassle.files.json_text import parse_json
from hassle.files.schema_data import is_bare, schema_from_data, schema_text
from hassle.logic import Clause, Schema, as_schema, check_names, default_names
from hassle.model import Model
from hassle.model.weights import UNITS

# After the mark of a comment.
_NAME = re.compile(r" var ([0-9]{1,18}) (.*)")
_UNIT = re.compile(r" unit ([0-9]{1,18})\s*")
_SCHEMA = re.compile(r" schema (\{.*)")
LONGEST = 30  # characters; more than any number that makes sense
_NUMBER = re.compile(r"[+-]?[0-9]{1,30}")

# A file may well skip some variables, but one that speaks of few and counts millions is broken, and taking its word for
# it would fill the memory.
UNSUSPICIOUS, PER_LITERAL = 10**6, 100


def number(token: str) -> int:
    """The whole number that a token of the file is."""
    if not _NUMBER.fullmatch(token):
        raise InputError(f"{clipped(token)} is not a whole number", fix="write numbers separated by blanks")
    return int(token)


def numbers(tokens: list[str]) -> list[int]:
    """The whole numbers that tokens are; the slow way, with its message, serves where the fast one fails."""
    together = "".join(tokens)
    # Python's own reading would take 1_000 and other scripts' digits, which no other program takes.
    if together.isascii() and "_" not in together and len(max(tokens, key=len, default="")) <= LONGEST:
        try:
            return list(map(int, tokens))
        except ValueError:
            pass
    return [number(token) for token in tokens]


def comments(model: Model, mark: str = "c") -> list[str]:
    """The comment lines that keep a model's unit, names and schema."""
    lines = [f"{mark} unit {model.unit}", *(f"{mark} var {i} {name}" for i, name in enumerate(model.variables, 1))]
    return lines if is_bare(model.schema) else [*lines, f"{mark} schema {schema_text(model.schema)}"]


def clause_line(clause: Clause) -> str:
    return " ".join(map(str, (*clause, 0)))


class Remarks:
    """Collects what the comment lines of a file say."""

    def __init__(self) -> None:
        self.unit: int | None = None
        self._schema: tuple[int, Schema] | None = None
        self._names: dict[int, str] = {}

    def take(self, line: str, line_number: int) -> None:
        said = line[1:]
        if found := _NAME.fullmatch(said):
            self._name(int(found[1]), found[2])
        elif found := _UNIT.fullmatch(said):
            if int(found[1]) not in UNITS or self.unit not in (None, int(found[1])):
                raise InputError(f"unit {found[1]} cannot be", fix=f"use one power of ten up to {UNITS[-1]}")
            self.unit = int(found[1])
        elif found := _SCHEMA.fullmatch(said):
            if self._schema:
                raise InputError("there are two schemas", fix="remove one")
            self._schema = line_number, schema_from_data(parse_json(found[1], line=line_number))

    def _name(self, variable: int, name: str) -> None:
        check_names([name])
        if variable == 0:
            raise InputError(f"variable 0 is named {name!r}", fix="number variables from 1")
        if self._names.setdefault(variable, name) != name:
            raise InputError(f"variable {variable} is named {self._names[variable]!r} and {name!r}", fix="remove one")

    @property
    def highest(self) -> int:
        """The highest variable that has a name."""
        return max(self._names, default=0)

    def schema(self, count: int, clauses: Iterable[Clause]) -> Schema:
        """The schema of ``count`` variables, or of more where comments name more."""
        if self._schema:
            line, schema = self._schema
            known = dict(enumerate(schema.variables, 1))
            if count > len(known) or any(known.get(variable) != name for variable, name in self._names.items()):
                raise InputError("the schema has other variables than the file", fix="correct one of them", line=line)
            return schema
        count = max(count, self.highest)
        mentions = len(self._names) + sum(map(len, clauses))
        if count > max(UNSUSPICIOUS, PER_LITERAL * mentions):
            raise InputError(f"the file counts {count} variables but has {mentions} literals", fix="check its numbers")
        names = list(default_names(count))
        for variable, name in self._names.items():
            names[variable - 1] = name
        return as_schema(check_names(names))


def highest_variable(clauses: Iterable[Clause]) -> int:
    return max(map(abs, chain.from_iterable(clauses)), default=0)
