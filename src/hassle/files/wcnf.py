"""WCNF, the language of MaxSAT solvers: the new form is written, both forms are read.

New form: ``h`` and a hard clause, or a weight and a soft clause, per line. Old form: ``p wcnf VARIABLES CLAUSES TOP``
first, every line a weight and a clause, hard where the weight reaches TOP; without TOP all clauses are soft. A clause
ends with 0 on its own line. Comment lines keep names and unit (:mod:`hassle.files.dimacs`); without a ``c unit`` line
the unit is 1.

WCNF knows positive weights only. Other soft clauses are kept in a comment, ``c soft -500 1 2 0``, followed by lines
that mean the same to any solver (all optima are the same; the value shifts by a constant):

- weight -w on a literal: weight w on its negation;
- weight -w on a longer clause: weight w on a fresh variable that is true exactly when the clause is violated;
- weight 0, or an empty clause: nothing, as they never make a difference.

Reading takes the comment and checks that the lines after it are its encoding. A hard empty clause is ``h 0``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hassle.errors import InputError
from hassle.files.decode import clipped
from hassle.files.dimacs import Remarks, clause_line, comments, highest_variable, number, numbers
from hassle.logic import Clause, clauses_of, make_clause
from hassle.model import Model
from hassle.model.weights import LARGEST_SUM

_KEPT = re.compile(r"c soft (-?[0-9]+(?: -?[0-9]+)* 0)\s*")

# A clause as WCNF has it: a weight, or None where it is hard.
Weighted = tuple[int | None, Clause]


def wcnf_text(model: Model) -> str:
    """The model in the new form of WCNF."""
    lines = comments(model)
    lines += [f"h {clause_line(clause)}" for clause in clauses_of(model.hard)]
    fresh = len(model.variables) + 1
    for wanted, units in zip(clauses_of(model.soft_constraints), model.weights.tolist(), strict=True):
        encoding = _encoding(wanted, units, fresh)
        if encoding != [(units, wanted)]:
            lines.append(f"c soft {units} {clause_line(wanted)}")
            fresh += len(encoding) > 1
        lines += [f"{'h' if weight is None else weight} {clause_line(clause)}" for weight, clause in encoding]
    return "\n".join(lines) + "\n"


def _encoding(clause: Clause, units: int, fresh: int) -> list[Weighted]:
    """Lines of positive weight with the same optima as the soft clause; ``fresh`` is the variable they may define."""
    if units == 0 or not clause:
        return []
    if units > 0:
        return [(units, clause)]
    if len(clause) == 1:
        return [(-units, (-clause[0],))]
    # Defined in both directions, so that optima correspond one to one.
    return [(-units, (fresh,)), (None, (*clause, fresh)), *((None, (-lit, -fresh)) for lit in clause)]


def read_wcnf(text: str) -> Model:
    """The model in a WCNF text, in the old form or the new one."""
    reader = _Reader()
    for line_number, line in enumerate(text.split("\n"), 1):
        try:
            reader.take(line, line_number)
        except InputError as error:
            raise error.at(line=line_number) from None
    return reader.model()


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    weight: int | None
    clause: Clause
    kept: bool = False  # from a "c soft" comment; the rows after it encode it


@dataclass
class _Header:
    variables: int
    clauses: int
    top: int | None


@dataclass
class _Reader:
    remarks: Remarks = field(default_factory=Remarks)
    header: _Header | None = None
    rows: list[_Row] = field(default_factory=list)

    def take(self, line: str, line_number: int) -> None:
        tokens = line.split()
        if not tokens:
            return
        if tokens[0].startswith("c"):
            if kept := _KEPT.fullmatch(line):
                weight, *literals = kept[1].split()
                self.rows.append(_Row(line_number, _weight(weight), self._clause(literals), kept=True))
            else:
                self.remarks.take(line)
        elif tokens[0] == "p":
            self._take_header(tokens)
        else:
            weight = self._weight(tokens[0])
            self.rows.append(_Row(line_number, weight, self._clause(tokens[1:])))

    def _take_header(self, tokens: list[str]) -> None:
        if self.header or any(not row.kept for row in self.rows):
            raise InputError("the header must stand once, before all clauses", fix="remove or move it")
        match tokens:
            case ["p", "wcnf", *counts] if len(counts) in (2, 3):
                variables, clauses, *top = numbers(counts)
                if min(variables, clauses, *top) < 0:
                    raise InputError("the header counts below zero", fix="correct it")
                self.header = _Header(variables, clauses, top[0] if top else None)
            case ["p", "cnf", *_]:
                raise InputError("this is a CNF file", fix="name it .cnf")
            case _:
                raise InputError("the header cannot be read", fix="write 'p wcnf VARIABLES CLAUSES TOP'")

    def _weight(self, token: str) -> int | None:
        if token == "h":
            if self.header:
                raise InputError("'h' belongs to the new form of WCNF", fix="remove the header, or write its TOP")
            return None
        if self.header and self.header.top is not None and number(token) >= self.header.top:
            return None
        weight = _weight(token)
        if weight < 0:
            raise InputError(
                f"weight {weight} is negative, which no other solver reads",
                fix=f"write 'c soft {weight} …' and its encoding, or a model in JSON",
            )
        return weight

    def _clause(self, tokens: list[str]) -> Clause:
        literals = numbers(tokens)
        if not literals or literals[-1] != 0:
            raise InputError("the clause does not end with 0", fix="add the 0 on the same line")
        clause = make_clause(literals[:-1])
        if self.header and clause and abs(clause[-1]) > self.header.variables:
            raise InputError(
                f"variable {abs(clause[-1])} is beyond the header's {self.header.variables}", fix="correct it"
            )
        return clause

    def model(self) -> Model:
        stated = sum(not row.kept for row in self.rows)
        if self.header and stated != self.header.clauses:
            raise InputError(
                f"the header counts {self.header.clauses} clauses but there are {stated}",
                fix="correct it, or fetch the file again if it was cut off",
            )
        rows, fresh = _restored(self.rows)
        clauses = [row.clause for row in rows]
        highest = max(self.remarks.highest, highest_variable(clauses))
        for variable, line in fresh.items():
            if variable <= highest:
                raise InputError(f"variable {variable} is not fresh", fix="number it above all others", line=line)
        # The header of a file that holds encodings counts the fresh variables too.
        count = self.header.variables if self.header and not fresh else highest
        return Model.from_units(
            self.remarks.variables(count, clauses),
            (row.clause for row in rows if row.weight is None),
            ((row.clause, row.weight) for row in rows if row.weight is not None),
            self.remarks.unit or 1,
        )


def _weight(token: str) -> int:
    weight = number(token)
    if abs(weight) >= LARGEST_SUM:
        raise InputError(f"weight {weight} is too large", fix=f"keep the sum of all weights below {LARGEST_SUM}")
    return weight


def _restored(rows: list[_Row]) -> tuple[list[_Row], dict[int, int]]:
    """The rows without the encodings of those kept in comments; and the fresh variables, with their lines."""
    result: list[_Row] = []
    fresh: dict[int, int] = {}
    k = 0
    while k < len(rows):
        row = rows[k]
        k += 1
        result.append(row)
        if row.kept:
            assert row.weight is not None
            first = rows[k].clause if k < len(rows) else ()
            variable = abs(first[0]) if len(first) == 1 else 0
            expected = _encoding(row.clause, row.weight, variable)
            if [(found.weight, found.clause) for found in rows[k : k + len(expected)] if not found.kept] != expected:
                raise InputError(
                    f"the lines after {clipped(f'c soft {row.weight} {clause_line(row.clause)}')} do not encode it",
                    fix="restore them, or remove the comment to read them as they stand",
                    line=row.line,
                )
            if len(expected) > 1:
                if variable in fresh:
                    raise InputError(f"variable {variable} encodes two clauses", fix="use another one", line=row.line)
                fresh[variable] = row.line
            k += len(expected)
    return result, fresh
