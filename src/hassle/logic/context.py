"""A context: the formula that holds for one example or one query (the paper's Section "Contexts").

Split at once into the literals it fixes, which make everything fast, and the rest, which is general and usually absent.
Two conjunctions of the same literals are the same context however they were written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError
from hassle.logic import constraint as constraints
from hassle.logic.clauses import Clause
from hassle.logic.cnf import to_clauses
from hassle.logic.constraint import Constraint
from hassle.logic.formula import (
    FALSE,
    TRUE,
    And,
    AtLeast,
    Formula,
    Iff,
    Literal,
    Or,
    at_least,
    conjunction,
    equivalence,
    evaluate,
    variables_in,
)
from hassle.logic.names import listing
from hassle.logic.parser import parse_formula
from hassle.logic.printer import formula_text
from hassle.logic.schema import Schema, as_schema


@dataclass(frozen=True, slots=True)
class Context:
    """``literals`` are fixed (ordered by variable, consistent); ``rest`` must hold besides, where it is not None."""

    literals: Clause = ()
    rest: Formula | None = None

    @classmethod
    def of(cls, formula: Formula) -> Context:
        """The context that says what the formula says, with its literals apart from the rest."""
        parts = formula.operands if isinstance(formula, And) else (formula,)
        fixed = {part.literal for part in parts if isinstance(part, Literal)}
        rest = conjunction(part for part in parts if not isinstance(part, Literal))
        if any(-lit in fixed for lit in fixed) or rest == FALSE:
            return cls((), FALSE)
        return cls(tuple(sorted(fixed, key=abs)), None if rest == TRUE else rest)

    @classmethod
    def between(cls, first: Sequence[int], second: Sequence[int]) -> Context:
        """The context that two assignments satisfy, given by their 0/1, and no other."""
        literals = [v + 1 if bit else -(v + 1) for v, bit in enumerate(first)]
        same = [bit == other for bit, other in zip(first, second, strict=True)]
        fixed = tuple(lit for lit, agree in zip(literals, same, strict=True) if agree)
        differing = [lit for lit, agree in zip(literals, same, strict=True) if not agree]
        # Which of the two comes first makes no difference.
        linked = [Literal(lit if differing[0] > 0 else -lit) for lit in differing]
        rest = conjunction(equivalence(linked[0], other) for other in linked[1:])
        return cls(fixed, None if rest == TRUE else rest)

    @classmethod
    def parse(cls, text: str, names: Schema | Iterable[str]) -> Context:
        """The context of a text such as ``!ana & (ben | carl)``, over these variables."""
        return cls.of(parse_formula(text, names))

    @property
    def formula(self) -> Formula:
        """The whole context as one formula."""
        literals = [Literal(lit) for lit in self.literals]
        return conjunction(literals if self.rest is None else [*literals, self.rest])

    @property
    def variables(self) -> frozenset[int]:
        """The indices of the variables the context speaks of."""
        fixed = frozenset(abs(lit) - 1 for lit in self.literals)
        return fixed if self.rest is None else fixed | variables_in(self.rest)

    def text(self, names: Schema | Iterable[str]) -> str:
        """The context as it is written in files; empty for the context that is always true."""
        return "" if self == EMPTY else formula_text(self.formula, names)

    def spoken_of(self, bits: Sequence[int] | NDArray[np.uint8], names: Schema | Iterable[str]) -> str:
        """What the assignment has in the columns that the context speaks of, in a message: `` (shift = night)``."""
        schema = as_schema(names)
        places = sorted({int(schema.column_of[v]) for v in self.variables})
        values = schema.decode(bits)
        told = listing([f"{schema.column_names[place]} = {values[place]}" for place in places], 6)
        return f" ({told})" if told else ""

    def holds(self, assignments: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """For each row of 0/1 values: whether it satisfies the context."""
        literals = np.array(self.literals, dtype=np.int64)
        result = (assignments[:, np.abs(literals) - 1] == (literals > 0)).all(axis=1)
        if self.rest is not None:
            result &= evaluate(self.rest, lambda v: assignments[:, v] == 1)
        return result

    def clauses(self, first_fresh: int) -> tuple[list[Clause], int]:
        """Clauses for a solver, and the next unused DIMACS number."""
        units: list[Clause] = [(lit,) for lit in self.literals]
        if self.rest is None:
            return units, first_fresh
        rest, fresh = to_clauses(self.rest, first_fresh)
        return units + rest, fresh

    def within(self, schema: Schema) -> Context:
        """The context and the schema's domain as one context, with every literal that the two force together.

        Where the shift is night it is nothing else; and where nothing is left to choose, only the last value remains.
        """
        if schema.plain:
            return self
        true, open_constraints = set(self.literals), list(schema.domain)
        while True:
            left = [constraint.given(true) for constraint in open_constraints]
            forced = {lit for constraint in left if constraint.need == len(constraint.literals) > 0
                      for lit in constraint.literals}  # fmt: skip
            if constraints.FALSE in left or any(-lit in forced for lit in forced):
                return Context((), FALSE)
            open_constraints = [constraint for constraint in left if constraint != constraints.TRUE]
            if not forced:
                break
            true |= forced
        rest = conjunction([*map(at_least, open_constraints), *([] if self.rest is None else [self.rest])])
        return Context(tuple(sorted(true, key=abs)), None if rest == TRUE else rest)

    @property
    def asked(self) -> tuple[Constraint, ...]:
        """The constraints that the rest asks for by themselves: its clauses and its counts."""
        result = []
        for part in self.rest.operands if isinstance(self.rest, And) else (self.rest,):
            match part:
                case AtLeast(constraint):
                    result.append(constraint)
                case Or(operands) if len({abs(each.literal) for each in operands if isinstance(each, Literal)}) == len(
                    operands
                ):
                    result.append(Constraint.of(each.literal for each in operands if isinstance(each, Literal)))
        return tuple(result)

    def without_counts(self) -> tuple[tuple[Constraint, ...], Context]:
        """The counts that must hold by themselves, for solvers that take them as they are, and the context without."""
        parts = self.rest.operands if isinstance(self.rest, And) else (self.rest,)
        counts = tuple(part.constraint for part in parts if isinstance(part, AtLeast))
        others = conjunction(part for part in parts if part is not None and not isinstance(part, AtLeast))
        return counts, Context(self.literals, None if others == TRUE else others)

    @property
    def linked(self) -> Clause:
        """Literals that are true together or false together, where the rest says just this (:meth:`between`)."""
        parts = self.rest.operands if isinstance(self.rest, And) else (self.rest,)
        literals: dict[int, None] = {}
        for part in parts:
            match part:
                case Iff(Literal(left), Literal(right)) if left == next(iter(literals), left):
                    literals.update({left: None, right: None})
                case _:
                    return ()
        return tuple(literals)

    def free(self, variables: int) -> list[int]:
        """The indices of the variables the context's literals leave open."""
        fixed = {abs(lit) - 1 for lit in self.literals}
        return [v for v in range(variables) if v not in fixed]


EMPTY = Context()

# The types of pandas' marks for an empty cell, by name: pandas need not be installed.
MISSING = ("NAType", "NaTType")


def as_context(value: object, names: Schema | Iterable[str]) -> Context:
    """What callers may pass for a context: None, a text, a list of literals (numbers or texts), or a Context.

    What a data frame holds in an empty cell (NaN, ``pandas.NA``) is no context, like None.
    """
    schema = as_schema(names)
    match value:
        case None:
            return EMPTY
        case float() | np.floating() if np.isnan(value):
            return EMPTY
        case Context():
            if any(v >= len(schema.variables) for v in value.variables):
                raise InputError("the context speaks of variables the model does not have")
            return value
        case str():
            return Context.parse(value, schema)
        case list() | tuple() | set() | frozenset():
            return Context.of(conjunction(_as_literal(item, schema) for item in value))
    if type(value).__name__ in MISSING:
        return EMPTY
    raise InputError(f"{value!r} is not a context", fix="pass a text such as 'a & !b'")


def _as_literal(item: object, schema: Schema) -> Formula:
    if isinstance(item, str):
        return parse_formula(item, schema)
    count = len(schema.variables)
    if isinstance(item, int | np.integer) and 1 <= abs(int(item)) <= count:
        return Literal(int(item))
    raise InputError(f"{item!r} is not a literal", fix=f"use a name, or a number from 1 to {count}, or -1 to …")
