"""WCNF, the language of MaxSAT solvers: the new form is written, both forms are read.

New form: ``h`` and a hard clause, or a weight and a soft clause, per line. Old form: ``p wcnf VARIABLES CLAUSES TOP``
first, every line a weight and a clause, hard where the weight reaches TOP; without TOP all clauses are soft. A clause
ends with 0 on its own line. Comment lines keep names and unit (:mod:`hassle.files.dimacs`); without a ``c unit`` line
the unit is 1.

WCNF knows clauses and positive weights only. Counts, other weights and the domain of a schema are kept in comments and
encoded (:mod:`hassle.files.kept`); all optima are the same, and the value shifts by a constant:

- a count: clauses over fresh variables that count its literals;
- weight -w on a constraint: weight w on its negation, for a clause by a fresh variable that is true exactly when the
  clause is violated;
- weight 0, or an empty clause: nothing, as they never make a difference.

A hard empty clause is ``h 0``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hassle.errors import InputError
from hassle.files.dimacs import Remarks, clause_line, comments, number, numbers
from hassle.files.kept import Item, Row, Stated, assembled, checked_weight, kept_item, model_lines, restored
from hassle.logic import Clause, Constraint, make_clause
from hassle.logic.cnf import constraint_clauses
from hassle.model import Model
from hassle.model.clausal import as_soft_clause

MARK = "c"


def wcnf_text(model: Model) -> str:
    """The model in the new form of WCNF."""
    # Models of clauses are written as they always were.
    lines = model_lines(model, MARK, _encoding, _line, clauses_named=False)
    return "\n".join([*comments(model, MARK), *lines]) + "\n"


def _line(stated: Stated) -> str:
    weight, clause = stated
    return f"{'h' if weight is None else weight} {clause_line(clause.literals)}"


def _encoding(item: Item, fresh: int) -> tuple[list[Stated], int]:
    """Clauses of positive weight with the same optima as the constraint."""
    constraint, units = item.constraint, item.units
    if units is None:
        clauses, fresh = constraint_clauses(constraint, fresh)
        return _hard(clauses), fresh
    if units == 0 or not constraint.literals:
        return [], fresh
    if units < 0 and constraint.is_clause and len(constraint.literals) > 1:
        literals = constraint.literals
        defining = [(*literals, fresh), *((-lit, -fresh) for lit in literals)]
        return [(-units, Constraint((fresh,))), *_hard(defining)], fresh + 1
    clause, clauses, fresh = as_soft_clause(constraint if units > 0 else constraint.negation, fresh)
    return [(abs(units), Constraint(clause)), *_hard(clauses)], fresh


def _hard(clauses: list[Clause]) -> list[Stated]:
    return [(None, Constraint(clause)) for clause in clauses]


def read_wcnf(text: str) -> Model:
    """The model in a WCNF text, in the old form or the new one."""
    reader = _Reader()
    for line_number, line in enumerate(text.split("\n"), 1):
        try:
            reader.take(line, line_number)
        except InputError as error:
            raise error.at(line=line_number) from None
    return reader.model()


@dataclass
class _Header:
    variables: int
    clauses: int
    top: int | None


@dataclass
class _Reader:
    remarks: Remarks = field(default_factory=Remarks)
    header: _Header | None = None
    rows: list[Row] = field(default_factory=list)

    def take(self, line: str, line_number: int) -> None:
        tokens = line.split()
        if not tokens:
            return
        if tokens[0].startswith("c"):
            if item := kept_item(line):
                self.rows.append(Row(line_number, item))
            else:
                self.remarks.take(line, line_number)
        elif tokens[0] == "p":
            self._take_header(tokens)
        else:
            weight = self._weight(tokens[0])
            self.rows.append(Row(line_number, (weight, Constraint(self._clause(tokens[1:])))))

    def _take_header(self, tokens: list[str]) -> None:
        if self.header or self.stated:
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
        weight = checked_weight(token)
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

    @property
    def stated(self) -> int:
        """How many clauses there are, those in comments aside."""
        return sum(not isinstance(row.what, Item) for row in self.rows)

    def model(self) -> Model:
        if self.header and self.stated != self.header.clauses:
            raise InputError(
                f"the header counts {self.header.clauses} clauses but there are {self.stated}",
                fix="correct it, or fetch the file again if it was cut off",
            )
        return assembled(
            restored(self.rows, MARK, _encoding), self.remarks, self.header.variables if self.header else None
        )
