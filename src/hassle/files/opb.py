"""OPB and WBO, the languages of pseudo-Boolean solvers: sums of literals, so counts stand as they are.

A constraint is ``+1 x1 +1 x2 -1 x3 >= 1 ;``: at least 2 of x1, x2 and not x3 (a negated literal is one minus its
variable). WBO has soft constraints, ``[500] +1 x1 +1 x2 >= 1 ;``, which cost their weight where they are broken; OPB
has an objective, ``min: -500 x1 +250 x2 ;``, so there a soft constraint that is no literal needs a fresh variable.
Comment lines keep names, unit and schema (:mod:`hassle.files.dimacs`, with ``*`` for ``c``).

What the formats cannot say is kept in comments and encoded (:mod:`hassle.files.kept`): in both the domain of a schema;
in WBO weights that are not positive, by the negated constraint; in OPB every soft constraint, by its share of the
objective and, where it is no literal, by a variable that is true exactly when it holds:

    * soft 500 2 of 1 2 3 0
    * aux 4 soft 1 part 1
    +1 x1 +1 x2 +1 x3 -2 x4 >= 0 ;
    -1 x1 -1 x2 -1 x3 +2 x4 >= -1 ;

Foreign files are taken as far as they count: all coefficients of a constraint have the same size. ``=`` is two
constraints, ``<=`` is read too, ``~x1`` is a negated literal. Without comments, each term of an objective is a soft
literal and the unit is 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from hassle.errors import InputError
from hassle.files.decode import clipped
from hassle.files.dimacs import Remarks, comments
from hassle.files.kept import (
    SOFT,
    Item,
    Linear,
    Restored,
    Row,
    Stated,
    assembled,
    checked_weight,
    items_of,
    kept_item,
    model_lines,
    restored,
)
from hassle.logic import Constraint
from hassle.model import Model

MARK = "*"
_HEADER = re.compile(r"\*.*#variable=\s*([0-9]{1,18})\s+#constraint=\s*([0-9]{1,18})\b.*")
_SOFT_HEADER = re.compile(r"soft:\s*([0-9]{1,30})?")
_WEIGHT = re.compile(r"\[\s*([0-9]{1,30})\s*\](.*)", re.DOTALL)
_RELATION = re.compile(r"(.*?)(>=|<=|=)\s*([+-]?\s*[0-9]{1,30})\s*", re.DOTALL)
_COEFFICIENT = re.compile(r"[+-]?[0-9]{1,30}")
_VARIABLE = re.compile(r"(~?)x([1-9][0-9]{0,17})")

# A sum of variables with coefficients.
Sum = dict[int, int]


def opb_text(model: Model) -> str:
    """The model as OPB: soft constraints are terms of the objective."""
    lines = model_lines(model, MARK, _opb_encoding, _line)
    cost = _objective_of(model)
    objective = [f"min: {_terms(cost)} ;"] if cost else []
    return _text(model, lines, "", objective)


def wbo_text(model: Model) -> str:
    """The model as WBO: soft constraints stand as they are."""
    lines = model_lines(model, MARK, _wbo_encoding, _line)
    weights = [int(line[1 : line.index("]")]) for line in lines if line.startswith("[")]
    costs = f" #soft= {len(weights)} mincost= {min(weights, default=0)} maxcost= {max(weights, default=0)}"
    return _text(model, lines, f"{costs} sumcost= {sum(weights)}", ["soft: ;"])


def _text(model: Model, lines: list[str], more: str, start: list[str]) -> str:
    aux = sum(line.startswith(f"{MARK} aux ") for line in lines)
    stated = sum(not line.startswith(MARK) for line in lines)
    header = f"{MARK} #variable= {len(model.variables) + aux} #constraint= {stated}{more}"
    return "\n".join([header, *comments(model, MARK), *start, *lines]) + "\n"


def _opb_encoding(item: Item, fresh: int) -> tuple[list[Stated], int]:
    """A soft constraint's variable, true exactly when it holds; its weight is in the objective."""
    constraint = item.constraint
    if item.units is None:
        return [item.itself], fresh
    if item.units == 0 or len(constraint.literals) < 2:
        return [], fresh
    opposite = constraint.negation
    return [(None, _if(fresh, constraint)), (None, _if(-fresh, opposite))], fresh + 1


def _if(condition: int, constraint: Constraint) -> Constraint | Linear:
    """The constraint where the condition holds: its negation is worth all that the constraint needs."""
    terms, bound = _sum(constraint)
    terms[abs(condition)] = -constraint.need if condition > 0 else constraint.need
    return _at_least(terms, bound - (constraint.need if condition > 0 else 0))


def _wbo_encoding(item: Item, fresh: int) -> tuple[list[Stated], int]:
    """A constraint of negative weight is the negated one of positive weight."""
    if item.units is None or (item.units > 0 and item.constraint.literals):
        return [item.itself], fresh
    if item.units == 0 or not item.constraint.literals:
        return [], fresh
    return [(-item.units, item.constraint.negation)], fresh


def _objective_of(model: Model) -> Sum:
    """What OPB minimises: the weights of the soft constraints that do not hold, but for a constant."""
    fresh = len(model.variables) + 1
    parts = []
    for item in items_of(model):
        _, after = _opb_encoding(item, fresh)
        parts.append(Restored(0, item, range(fresh, after)))
        fresh = after
    return _cost(parts)


def _cost(parts: Iterable[Restored]) -> Sum:
    cost: Sum = {}
    for part in parts:
        if part.item.kind == SOFT and part.item.constraint.literals:
            assert part.item.units is not None
            lit = part.fresh[0] if part.fresh else part.item.constraint.literals[0]
            cost[abs(lit)] = cost.get(abs(lit), 0) - (part.item.units if lit > 0 else -part.item.units)
    return {variable: coefficient for variable, coefficient in cost.items() if coefficient}


def _sum(constraint: Constraint) -> tuple[Sum, int]:
    """The constraint over variables: the sum, and what it must be at least."""
    negative = sum(lit < 0 for lit in constraint.literals)
    return {abs(lit): 1 if lit > 0 else -1 for lit in constraint.literals}, constraint.need - negative


def _at_least(terms: Mapping[int, int], bound: int) -> Constraint | Linear:
    """The sum is at least the bound, as a constraint over literals."""
    present = {variable: coefficient for variable, coefficient in sorted(terms.items()) if coefficient}
    literals = tuple(v if coefficient > 0 else -v for v, coefficient in present.items())
    sizes = tuple(map(abs, present.values()))
    bound += sum(size for lit, size in zip(literals, sizes, strict=True) if lit < 0)
    if len(set(sizes)) <= 1:
        size = max(sizes, default=1)
        return Constraint.of(literals, -(-bound // size))
    return Linear(literals, sizes, bound)


def _line(stated: Stated) -> str:
    weight, what = stated
    if isinstance(what, Constraint):
        terms, bound = _sum(what)
    else:
        terms = {
            abs(lit): size if lit > 0 else -size for lit, size in zip(what.literals, what.coefficients, strict=True)
        }
        bound = what.bound + sum(coefficient for coefficient in terms.values() if coefficient < 0)
    return f"{'' if weight is None else f'[{weight}] '}{_terms(terms or {1: 0})} >= {bound} ;"


def _terms(terms: Mapping[int, int]) -> str:
    return " ".join(f"{coefficient:+d} x{variable}" for variable, coefficient in terms.items())


def read_opb(text: str) -> Model:
    """The model in an OPB text."""
    return _read(text, _Reader())


def read_wbo(text: str) -> Model:
    """The model in a WBO text."""
    return _read(text, _Reader(weighted=True))


def _read(text: str, reader: _Reader) -> Model:
    for line_number, line in enumerate(text.split("\n"), 1):
        try:
            reader.take(line, line_number)
        except InputError as error:
            raise error.at(line=line_number) from None
    return reader.model()


@dataclass
class _Reader:
    weighted: bool = False  # WBO
    remarks: Remarks = field(default_factory=Remarks)
    variables: int | None = None
    constraints: int | None = None
    stated: int = 0
    rows: list[Row] = field(default_factory=list)
    objective: tuple[int, Sum] | None = None
    top: tuple[int, int | None] | None = None  # the line of WBO's "soft:", and the cost that is too much
    open: str = ""  # a statement whose end is still to come
    opened: int = 0

    def take(self, line: str, line_number: int) -> None:
        if line.startswith(MARK):
            self._take_comment(line, line_number)
            return
        *ended, rest = line.split(";")
        for statement in ended:
            self._take_statement(f"{self.open} {statement}".strip(), self.opened if self.open else line_number)
            self.open = ""
        if rest.strip():
            self.opened = self.opened if self.open else line_number
            self.open = f"{self.open} {rest}".strip()

    def _take_comment(self, line: str, line_number: int) -> None:
        if found := _HEADER.fullmatch(line):
            if self.variables is None:
                self.variables, self.constraints = int(found[1]), int(found[2])
        elif item := kept_item(line):
            self.rows.append(Row(line_number, item))
        else:
            self.remarks.take(line, line_number)

    def _take_statement(self, statement: str, line_number: int) -> None:
        if not statement:
            raise InputError("there is nothing before the ';'", fix="remove it", line=line_number)
        try:
            if statement.startswith(("min:", "max:", "soft:")):
                self._take_start(statement, line_number)
            else:
                for stated in self._constraints(statement):
                    self.rows.append(Row(line_number, stated))
                self.stated += 1
        except InputError as error:
            raise error.at(line=line_number) from None

    def _take_start(self, statement: str, line_number: int) -> None:
        if self.objective or self.top or self.stated:
            raise InputError(f"{clipped(statement)} must stand once, before all constraints", fix="remove or move it")
        if statement.startswith("max:"):
            raise InputError("'max:' is not OPB", fix="write 'min:' and change the signs")
        if statement.startswith("min:"):
            if self.weighted:
                raise InputError("WBO has no objective", fix="name the file .opb")
            terms, _ = _parsed_sum(statement[4:]) if statement[4:].strip() else ({}, 0)
            self.objective = line_number, terms  # without the constant, which changes no optimum
        else:
            found = _SOFT_HEADER.fullmatch(statement)
            if not self.weighted or not found:
                raise InputError(
                    f"{clipped(statement)} cannot stand here",
                    fix="write 'soft: ;'" if self.weighted else "name the file .wbo",
                )
            self.top = line_number, int(found[1]) if found[1] else None

    def _constraints(self, statement: str) -> list[Stated]:
        weight = None
        if found := _WEIGHT.fullmatch(statement):
            if not self.weighted:
                raise InputError(f"a weight [{found[1]}] belongs to WBO", fix="name the file .wbo")
            weight, statement = checked_weight(found[1]), found[2].strip()
        found = _RELATION.fullmatch(statement)
        if not found:
            raise InputError(f"{clipped(statement)} is not a constraint", fix="write one such as '+1 x1 +1 x2 >= 1 ;'")
        terms, constant = _parsed_sum(found[1])
        bound = int(found[3].replace(" ", "")) - constant
        sides = _sides(terms, found[2], bound)
        if weight is not None and len(sides) > 1:
            raise InputError(
                f"the soft equation {clipped(statement)} is two constraints", fix="write each with a weight of its own"
            )
        return [(weight, side) for side in sides]

    def model(self) -> Model:
        if self.open:
            raise InputError(f"{clipped(self.open)} does not end with ';'", fix="add it", line=self.opened)
        if self.constraints not in (None, self.stated):
            raise InputError(
                f"the header counts {self.constraints} constraints but there are {self.stated}",
                fix="correct it, or fetch the file again if it was cut off",
            )
        if self.weighted:
            parts = restored(self.rows, MARK, _wbo_encoding)
            self._check_top(parts)
        else:
            parts = restored(self.rows, MARK, _opb_encoding)
            parts += self._check_objective(parts)
        return assembled(parts, self.remarks, self.variables)

    def _check_top(self, parts: list[Restored]) -> None:
        if self.top is None:
            raise InputError("there is no 'soft:' line", fix="write 'soft: ;' before all constraints, or name it .opb")
        line, top = self.top
        total = sum(abs(part.item.units or 0) for part in parts)
        if top is not None and top <= total:
            raise InputError(
                f"solutions that cost {top} or more are forbidden, which a model cannot say",
                fix="write 'soft: ;', or a top above the sum of all weights",
                line=line,
            )

    def _check_objective(self, parts: list[Restored]) -> list[Restored]:
        """Soft literals for an objective without comments; one with comments must be the sum of what they keep."""
        line, stated = self.objective or (None, {})
        kept = any(part.item.kind == SOFT for part in parts)
        if kept and {v: c for v, c in stated.items() if c} != _cost(parts):
            raise InputError(
                "the objective is not that of the '* soft' comments",
                fix="restore it, or remove the comments to read the file as it stands",
                line=line,
            )
        terms = {} if kept else stated
        return [
            Restored(line or 0, Item(SOFT, Constraint((-v if cost > 0 else v,)), checked_weight(str(abs(cost)))))
            for v, cost in terms.items()
            if cost
        ]


def _sides(terms: Sum, relation: str, bound: int) -> list[Constraint | Linear]:
    """The constraints that a relation is; the half of an equation that always holds is left out."""
    opposite = {variable: -coefficient for variable, coefficient in terms.items()}
    least = sum(coefficient for coefficient in terms.values() if coefficient < 0)
    most = sum(coefficient for coefficient in terms.values() if coefficient > 0)
    wanted = []
    if relation == ">=" or (relation == "=" and bound > least):
        wanted.append(_at_least(terms, bound))
    if relation == "<=" or (relation == "=" and bound < most):
        wanted.append(_at_least(opposite, -bound))
    if not wanted:
        raise InputError("the equation always holds", fix="remove it")
    return wanted


def _parsed_sum(text: str) -> tuple[Sum, int]:
    """The sum over variables, and the constant that negated literals leave."""
    terms: Sum = {}
    constant = 0
    tokens = text.split()
    if len(tokens) % 2 or not tokens:
        raise _unreadable(tokens)
    for first, second in zip(tokens[::2], tokens[1::2], strict=True):
        found = _VARIABLE.fullmatch(second)
        if not _COEFFICIENT.fullmatch(first) or not found:
            raise _unreadable(tokens)
        coefficient, variable = int(first), int(found[2])
        if found[1]:
            constant += coefficient
            coefficient = -coefficient
        terms[variable] = terms.get(variable, 0) + coefficient
    return terms, constant


def _unreadable(tokens: list[str]) -> InputError:
    """What is wrong with a sum that is not coefficients and variables in turn."""
    for left, right in pairwise(tokens):
        if _VARIABLE.fullmatch(left) and _VARIABLE.fullmatch(right):
            return InputError(
                f"'{left} {right}' is a product, so the file is not linear",
                fix="give the product a variable of its own",
            )
    odd = next((t for t in tokens if not _VARIABLE.fullmatch(t) and not _COEFFICIENT.fullmatch(t)), None)
    if odd is not None:
        return InputError(f"{clipped(odd)} is neither a number nor a variable", fix="write terms such as '+1 x1'")
    return InputError(f"{clipped(' '.join(tokens))} is not a sum", fix="write terms such as '+1 x1 -1 x2'")
