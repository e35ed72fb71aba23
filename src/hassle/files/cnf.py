"""DIMACS CNF: a model of hard clauses only.

SATLIB's quirks are read: clauses over several lines, comments anywhere, a ``%`` line after which nothing counts. The
``p cnf`` line must be there and its numbers must be right, because a file that was cut off shows in nothing else.
"""

from __future__ import annotations

from hassle.errors import InputError
from hassle.files.dimacs import Remarks, clause_line, comments, number, numbers
from hassle.logic import Clause, clauses_of, make_clause
from hassle.model import DEFAULT_UNIT, Model


def read_cnf(text: str) -> Model:
    """The model in a CNF text."""
    reader = _Reader()
    for line_number, line in enumerate(text.split("\n"), 1):
        if line.startswith("%"):
            break
        try:
            reader.take(line, line_number)
        except InputError as error:
            raise error.at(line=line_number) from None
    return reader.model()


def cnf_text(model: Model) -> str:
    """The model as CNF, which cannot hold soft clauses."""
    if model.soft:
        raise InputError(f"CNF cannot hold the model's {len(model.soft)} soft clauses", fix="write .wcnf or .json")
    if not all(constraint.is_clause for constraint in model.hard):
        raise InputError("CNF cannot hold the model's counts", fix="write .wcnf, .opb or .json")
    if not model.schema.plain:
        raise InputError("CNF cannot hold the model's choices and numbers", fix="write .wcnf, .opb or .json")
    header = f"p cnf {len(model.variables)} {len(model.hard)}"
    return "\n".join([*comments(model), header, *map(clause_line, clauses_of(model.hard))]) + "\n"


class _Reader:
    def __init__(self) -> None:
        self.remarks = Remarks()
        self.declared: tuple[int, int] | None = None
        self.clauses: list[Clause] = []
        self.open: list[int] = []
        self.opened = 0

    def take(self, line: str, line_number: int) -> None:
        if line.startswith("c"):
            self.remarks.take(line, line_number)
        elif line.startswith("p"):
            self._header(line)
        else:
            self._literals(line.split(), line_number)

    def _header(self, line: str) -> None:
        match line.split():
            case ["p", "cnf", variables, clauses] if self.declared is None:
                self.declared = (number(variables), number(clauses))
                if min(self.declared) < 0:
                    raise InputError(f"{line.strip()!r} counts below zero", fix="correct it")
            case ["p", "wcnf", *_]:
                raise InputError("this is a WCNF file", fix="name it .wcnf")
            case _:
                raise InputError(f"{line.strip()[:60]!r} is not the one header", fix="write 'p cnf VARIABLES CLAUSES'")

    def _literals(self, tokens: list[str], line_number: int) -> None:
        if self.declared is None and tokens:
            raise InputError(f"{tokens[0][:60]!r} stands before the header", fix="start with 'p cnf VARIABLES CLAUSES'")
        for literal in numbers(tokens):
            assert self.declared is not None
            if abs(literal) > self.declared[0]:
                raise InputError(f"variable {abs(literal)} is beyond the header's {self.declared[0]}", fix="correct it")
            if not self.open:
                self.opened = line_number
            if literal:
                self.open.append(literal)
            else:
                self.clauses.append(make_clause(self.open))
                self.open = []

    def model(self) -> Model:
        if self.declared is None:
            raise InputError("there is no header", fix="start with 'p cnf VARIABLES CLAUSES'")
        if self.open:
            raise InputError("the last clause does not end with 0", fix="add the 0", line=self.opened)
        variables, clauses = self.declared
        if len(self.clauses) != clauses:
            raise InputError(
                f"the header counts {clauses} clauses but there are {len(self.clauses)}",
                fix="correct it, or fetch the file again if it was cut off",
            )
        schema = self.remarks.schema(variables, self.clauses)
        return Model.from_units(schema, self.clauses, unit=self.remarks.unit or DEFAULT_UNIT)
