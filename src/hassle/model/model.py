"""Models: hard clauses that must hold and soft clauses with weights, over named variables (the paper's Eq. 1).

A model is immutable and exact. It can value an assignment and judge it against a known optimum; finding the optimum is
the business of :mod:`hassle.solve`, reached through the methods at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError
from hassle.logic import (
    Assignment,
    Clause,
    as_bits,
    as_context,
    check_names,
    coverage,
    covers,
    formula_text,
    make_clause,
    parse_formula,
)
from hassle.logic.formula import FALSE, Formula, Literal, Or, disjunction
from hassle.model.weights import (
    DEFAULT_UNIT,
    LARGEST_SUM,
    UNITS,
    exact_weight,
    from_units,
    in_units,
    unit_for,
)

if TYPE_CHECKING:
    from hassle.solve import Optima, Plan


class Verdict(StrEnum):
    """What a model says of an assignment in a context."""

    OPTIMAL = "optimal"
    SUBOPTIMAL = "suboptimal"
    INFEASIBLE = "infeasible"


# A verdict's code, in arrays, is its place here.
VERDICTS = (Verdict.INFEASIBLE, Verdict.SUBOPTIMAL, Verdict.OPTIMAL)


@dataclass(frozen=True, slots=True)
class SoftClause:
    """A clause and what satisfying it is worth; a negative weight is a penalty for satisfying it."""

    clause: Clause
    weight: Decimal


@dataclass(frozen=True)
class Model:
    """``hard`` and ``soft`` over ``variables``; every weight is a whole multiple of ``1/unit``.

    Use :meth:`build` to make one from names and numbers. ``about`` says how the model came to be (a learner's name,
    its score, its options); it travels with the model's JSON file and takes no part in comparisons.
    """

    variables: tuple[str, ...]
    hard: tuple[Clause, ...] = ()
    soft: tuple[SoftClause, ...] = ()
    unit: int = DEFAULT_UNIT
    about: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        check_names(self.variables)
        if self.unit not in UNITS:
            raise InputError(f"unit {self.unit} is not a power of ten up to {UNITS[-1]}", fix="use 1000")
        for clause in self.clauses:
            if clause and abs(clause[-1]) > len(self.variables):
                raise InputError(
                    f"clause {' '.join(map(str, clause))} speaks of variable {abs(clause[-1])}, "
                    f"but there are {len(self.variables)}"
                )
        if sum(abs(in_units(soft.weight, self.unit)) for soft in self.soft) >= LARGEST_SUM:
            raise InputError(f"the weights sum to more than {LARGEST_SUM} units", fix="scale them down")

    @classmethod
    def build(
        cls,
        variables: Iterable[str],
        hard: Iterable[object] = (),
        soft: Iterable[tuple[object, object]] = (),
        unit: int | None = None,
        about: Mapping[str, Any] | None = None,
    ) -> Model:
        """A model from clauses given as texts (``"a | !b"``) or as DIMACS literals, and weights as any exact number.

        The unit is 1/1000 unless the weights need a finer one.
        """
        names = check_names(variables)
        weighted = [SoftClause(as_clause(clause, names), exact_weight(weight)) for clause, weight in soft]
        return cls(
            names,
            tuple(as_clause(clause, names) for clause in hard),
            tuple(weighted),
            unit if unit is not None else unit_for(item.weight for item in weighted),
            about or {},
        )

    @classmethod
    def from_units(
        cls,
        variables: tuple[str, ...],
        hard: Iterable[Clause],
        soft: Iterable[tuple[Clause, int]],
        unit: int = DEFAULT_UNIT,
        about: Mapping[str, Any] | None = None,
    ) -> Model:
        """A model from clauses in normal form and weights counted in units, as learners have them."""
        weighted = tuple(SoftClause(clause, from_units(units, unit)) for clause, units in soft)
        return cls(variables, tuple(hard), weighted, unit, about or {})

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """All clauses, the hard ones first."""
        return self.hard + tuple(soft.clause for soft in self.soft)

    @cached_property
    def weights(self) -> NDArray[np.int64]:
        """The soft clauses' weights in units."""
        return np.array([in_units(soft.weight, self.unit) for soft in self.soft], dtype=np.int64)

    def reordered(self, variables: tuple[str, ...]) -> Model:
        """The same model with its variables in another order."""
        number = {name: i + 1 for i, name in enumerate(variables)}

        def moved(clause: Clause) -> Clause:
            return make_clause(number[self.variables[abs(lit) - 1]] * (1 if lit > 0 else -1) for lit in clause)

        soft = tuple(SoftClause(moved(soft.clause), soft.weight) for soft in self.soft)
        return Model(variables, tuple(map(moved, self.hard)), soft, self.unit, self.about)

    def bits(self, assignment: object) -> NDArray[np.uint8]:
        return as_bits(assignment, self.variables)

    def values(self, assignments: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The value of each row in units, hard clauses aside (Eq. 1)."""
        return coverage([soft.clause for soft in self.soft], assignments) @ self.weights

    def feasible(self, assignments: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """For each row: whether it satisfies every hard clause."""
        return np.asarray(coverage(self.hard, assignments).all(axis=1))

    def value(self, assignment: object) -> Decimal:
        """The total weight of the soft clauses that the assignment satisfies."""
        return self.decimal(int(self.values(self.bits(assignment)[None, :])[0]))

    def decimal(self, units: int) -> Decimal:
        """A value counted in units as the decimal that it is."""
        return from_units(units, self.unit)

    def broken(self, assignment: object) -> tuple[Clause, ...]:
        """The hard clauses that the assignment violates."""
        bits = self.bits(assignment)
        return tuple(clause for clause in self.hard if not covers(clause, bits))

    def earned(self, assignment: object) -> tuple[bool, ...]:
        """For each soft clause: whether the assignment satisfies it."""
        bits = self.bits(assignment)
        return tuple(covers(soft.clause, bits) for soft in self.soft)

    def verdict_against(self, assignment: object, context: object, optimum: int | None) -> Verdict:
        """The verdict when the context's best value (in units) is known; ``None`` means an infeasible context."""
        row = self.bits(assignment)[None, :]
        holds = as_context(context, self.variables).holds(row)[0]
        if optimum is None or not holds or not self.feasible(row)[0]:
            return Verdict.INFEASIBLE
        return Verdict.OPTIMAL if int(self.values(row)[0]) == optimum else Verdict.SUBOPTIMAL

    def clause_text(self, clause: Clause) -> str:
        """The clause in the context language, with names."""
        return formula_text(disjunction(Literal(lit) for lit in clause), self.variables)

    # Doors to the rooms that build on this one; each is imported when it is used.

    def solve(self, context: object = None, *, solver: str = "auto") -> Assignment | None:
        """One best assignment in the context, or None where no assignment is feasible."""
        from hassle.solve import solve

        return solve(self, context, solver=solver)

    def solve_all(
        self, contexts: Iterable[object], *, solver: str = "auto", time_limit: float | None = None
    ) -> list[Plan]:
        """A plan for each context, in order: its status, a best assignment and its value; each distinct one once."""
        from hassle.solve import solve_all

        return solve_all(self, contexts, solver=solver, time_limit=time_limit)

    def optima(self, context: object = None, *, limit: int = 1000, solver: str = "auto", seed: int = 0) -> Optima:
        """The best assignments in the context: all of them, or ``limit`` drawn uniformly where there are more."""
        from hassle.solve import optima

        return optima(self, context, limit=limit, solver=solver, seed=seed)

    def verdict(self, assignment: object, context: object = None, *, solver: str = "auto") -> Verdict:
        """Whether the assignment is optimal, suboptimal or infeasible in the context."""
        from hassle.solve import verdict

        return verdict(self, assignment, context, solver=solver)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Model:
        """A model from a WCNF, JSON or CNF file, told by its name and content; ``-`` is standard input."""
        from hassle.files import read_model

        return read_model(path)

    def write(self, path: str | PathLike[str]) -> None:
        """The model to a WCNF or JSON file, told by its name; ``-`` is standard output."""
        from hassle.files import write_model

        write_model(self, path)


def as_clause(value: object, names: tuple[str, ...]) -> Clause:
    """A clause from a text such as ``a | !b``, or from DIMACS literals."""
    if isinstance(value, str):
        return make_clause(_literals(parse_formula(value, names), value))
    if isinstance(value, list | tuple | set | frozenset):
        literals = []
        for item in value:
            if isinstance(item, str):
                literals.extend(_literals(parse_formula(item, names), item))
            elif isinstance(item, int | np.integer) and 1 <= abs(int(item)) <= len(names):
                literals.append(int(item))
            else:
                raise InputError(f"{item!r} is not a literal", fix=f"use a name or a number up to {len(names)}")
        return make_clause(literals)
    raise InputError(f"{value!r} is not a clause", fix="write 'a | !b' or a list of literals")


def _literals(formula: Formula, text: str) -> list[int]:
    parts: tuple[Formula, ...] = formula.operands if isinstance(formula, Or) else (formula,)
    if formula == FALSE:
        return []
    literals = [part.literal for part in parts if isinstance(part, Literal)]
    if len(literals) != len(parts):
        raise InputError(f"{text!r} is not a clause", fix="join literals with |")
    return literals
