"""Constraints that a solver's format cannot say: kept in a comment, and encoded by the lines after it.

The comment holds the constraint whole (``c`` is ``*`` in OPB and WBO; ``0`` ends the literals, as in DIMACS):

    c soft -500 1 2 0            a soft clause; its weight counts units
    c soft 500 2 of 1 -2 3 0     a soft count: at least 2 of these literals
    c hard 2 of 1 -2 3 0         a count that must hold
    c domain 1 2 3 0             what the schema itself implies, clause or count

The lines after it mean the same to any solver. They may use fresh variables, numbered above all others, which ``c aux``
lines name; each is defined in both directions, so that optima correspond one to one. Reading takes the comment, and
checks that the lines after it are its encoding: a file in which the two differ is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count as counting

from hassle.errors import InputError
from hassle.files.decode import clipped
from hassle.files.dimacs import Remarks, clause_line, highest_variable, number, numbers
from hassle.logic import Constraint
from hassle.model import Model
from hassle.model.weights import LARGEST_SUM

HARD, SOFT, DOMAIN = "hard", "soft", "domain"
_KEPT = re.compile(r" (soft|hard|domain)((?<=soft) -?[0-9]{1,30})?(?: ([0-9]{1,9}) of)?((?: -?[0-9]{1,30})*) 0\s*")


@dataclass(frozen=True, slots=True)
class Linear:
    """At least ``bound`` by the coefficients (positive, not all the same) of the literals that hold."""

    literals: tuple[int, ...]
    coefficients: tuple[int, ...]
    bound: int


# What one line of a file says: a constraint with its weight in units, or None where it must hold.
Stated = tuple[int | None, Constraint | Linear]


@dataclass(frozen=True, slots=True)
class Item:
    """One constraint of a model; soft ones have a weight in ``units``."""

    kind: str
    constraint: Constraint
    units: int | None = None

    @property
    def comment(self) -> str:
        weight = f" {self.units}" if self.kind == SOFT else ""
        need = "" if self.constraint.is_clause else f" {self.constraint.need} of"
        return f"{self.kind}{weight}{need} {clause_line(self.constraint.literals)}"

    @property
    def itself(self) -> Stated:
        return self.units, self.constraint


# The lines that mean the same as an item, and the next unused variable after those that they use.
Encoding = Callable[[Item, int], tuple[list[Stated], int]]


def items_of(model: Model) -> Iterator[Item]:
    """Everything a solver must know of a model: its domain, then its hard and its soft constraints."""
    for constraint in model.schema.domain:
        yield Item(DOMAIN, constraint)
    for constraint in model.hard:
        yield Item(HARD, constraint)
    for soft, units in zip(model.soft, model.weights.tolist(), strict=True):
        yield Item(SOFT, soft.constraint, units)


def model_lines(
    model: Model, mark: str, encoding: Encoding, text: Callable[[Stated], str], *, clauses_named: bool = True
) -> list[str]:
    """The lines of all constraints, with a comment before each whose line does not say it.

    Without ``clauses_named``, the fresh variables of clauses get no ``aux`` line.
    """
    lines = []
    fresh = len(model.variables) + 1
    places = {kind: counting(1) for kind in (DOMAIN, HARD, SOFT)}
    for item in items_of(model):
        place = next(places[item.kind])
        stated, after = encoding(item, fresh)
        if item.kind == DOMAIN or stated != [item.itself]:
            lines.append(f"{mark} {item.comment}")
            if clauses_named or not item.constraint.is_clause:
                lines += [f"{mark} aux {v} {item.kind} {place} part {v - fresh + 1}" for v in range(fresh, after)]
        lines += map(text, stated)
        fresh = after
    return lines


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a file that holds a constraint: in a comment, or stated."""

    line: int
    what: Item | Stated


@dataclass(frozen=True, slots=True)
class Restored:
    """A constraint of the model, and the fresh variables that encode it."""

    line: int
    item: Item
    fresh: range = range(0)


def kept_item(line: str) -> Item | None:
    """The constraint that a comment keeps, if it keeps one."""
    found = _KEPT.fullmatch(line[1:])
    if not found or (found[1] == SOFT) != bool(found[2]):
        return None
    units = checked_weight(found[2].strip()) if found[2] else None
    return Item(found[1], Constraint.of(numbers(found[4].split()), int(found[3] or 1)), units)


def checked_weight(token: str) -> int:
    weight = number(token)
    if abs(weight) >= LARGEST_SUM:
        raise InputError(f"weight {weight} is too large", fix=f"keep the sum of all weights below {LARGEST_SUM}")
    return weight


def restored(rows: Sequence[Row], mark: str, encoding: Encoding) -> list[Restored]:
    """The constraints that rows hold, those in comments without their encodings."""
    beyond = 1 + highest_variable(_literals(row.what) for row in rows)
    result = []
    k = 0
    while k < len(rows):
        line, what = rows[k].line, rows[k].what
        k += 1
        if not isinstance(what, Item):
            result.append(Restored(line, _said(what, line)))
            continue
        stated = [row.what for row in rows[k : k + len(encoding(what, beyond)[0])]]
        own = set(map(abs, what.constraint.literals))
        first = min({abs(lit) for each in stated for lit in _literals(each)} - own, default=beyond)
        expected, after = encoding(what, first)
        if stated != expected:
            raise InputError(
                f"the lines after {clipped(f'{mark} {what.comment}')} do not encode it",
                fix="restore them, or remove the comment to read them as they stand",
                line=line,
            )
        result.append(Restored(line, what, range(first, after)))
        k += len(stated)
    return result


def _literals(what: Item | Stated) -> tuple[int, ...]:
    return what.constraint.literals if isinstance(what, Item) else what[1].literals


def _said(stated: Stated, line: int) -> Item:
    """The constraint that a line states by itself."""
    weight, constraint = stated
    if isinstance(constraint, Linear):
        raise InputError(
            f"the coefficients {_few(constraint.coefficients)} differ, so the line does not count literals",
            fix="this program takes counts: make all coefficients 1 or -1",
            line=line,
        )
    return Item(HARD if weight is None else SOFT, constraint, weight)


def _few(coefficients: Sequence[int]) -> str:
    distinct = list(dict.fromkeys(coefficients))
    return " and ".join(map(str, distinct[:2]))


def assembled(parts: Sequence[Restored], remarks: Remarks, declared: int | None) -> Model:
    """The model of these constraints, names and schema; ``declared`` is the header's number of variables."""
    literals = [part.item.constraint.literals for part in parts]
    highest = max(remarks.highest, highest_variable(literals))
    taken: set[int] = set()
    for part in parts:
        for variable in part.fresh:
            if variable <= highest:
                raise InputError(f"variable {variable} is not fresh", fix="number it above all others", line=part.line)
            if variable in taken:
                raise InputError(f"variable {variable} encodes two constraints", fix="use another one", line=part.line)
            taken.add(variable)
    # The header of a file that holds encodings counts the fresh variables too.
    schema = remarks.schema(highest if taken else max(declared or 0, highest), literals)
    domain = [part for part in parts if part.item.kind == DOMAIN]
    if tuple(part.item.constraint for part in domain) != schema.domain:
        raise InputError(
            "the domain in the file is not that of its schema",
            fix="restore its lines, or write the file again",
            line=domain[0].line if domain else None,
        )
    return Model.from_units(
        schema,
        (part.item.constraint for part in parts if part.item.kind == HARD),
        ((part.item.constraint, part.item.units) for part in parts if part.item.units is not None),
        remarks.unit or 1,
    )
