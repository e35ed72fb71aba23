"""Models: constraints that must hold and constraints with weights, over a schema (the paper's Eq. 1).

A model is immutable and exact. It can value an assignment and judge it against a known optimum; finding the optimum is
the business of :mod:`hassle.solve`, reached through the methods at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
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
    Constraint,
    Schema,
    all_held,
    as_bits,
    as_constraint,
    as_context,
    as_schema,
    formula_text,
    parse_formula,
)
from hassle.logic.formula import FALSE, And, AtLeast, Formula, Literal, Or, at_least, without_arrows
from hassle.model.families import Family
from hassle.model.given import required
from hassle.model.rules import is_family, parse_family
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
    from hassle.exits.cp_sat_model import CpSatModel
    from hassle.exits.pysat_formula import PySatFormula
    from hassle.solve import Optima, Plan


class Verdict(StrEnum):
    """What a model says of an assignment in a context."""

    OPTIMAL = "optimal"
    SUBOPTIMAL = "suboptimal"
    INFEASIBLE = "infeasible"


# A verdict's code, in arrays, is its place here.
VERDICTS = (Verdict.INFEASIBLE, Verdict.SUBOPTIMAL, Verdict.OPTIMAL)


@dataclass(frozen=True, slots=True)
class SoftConstraint:
    """A constraint and what satisfying it is worth; a negative weight is a penalty for satisfying it."""

    constraint: Constraint
    weight: Decimal


@dataclass(frozen=True, slots=True)
class Rule:
    """What a model says in one line: something that must hold (no ``weight``), or that is worth its weight."""

    what: Constraint | Family
    weight: Decimal | None = None

    def instances(self, schema: Schema) -> tuple[Constraint, ...]:
        """The constraints it stands for: itself, or one for every index of a family."""
        return self.what.instances(schema) if isinstance(self.what, Family) else (self.what,)


@dataclass(frozen=True)
class Peers:
    """Models that fit the same data equally well, and how sure they are, together, of what one of them says.

    ``hard`` and ``soft`` hold the share of them that agrees with each hard and soft rule of that one, in its order.
    """

    models: tuple[Model, ...]
    hard: tuple[float, ...]
    soft: tuple[float, ...]


@dataclass(frozen=True)
class Model:
    """``rules`` over ``schema``, the hard ones first; every weight is a whole multiple of ``1/unit``.

    Use :meth:`build` to make one from names and numbers. ``about`` says how the model came to be (a learner's name,
    its score, its options) and ``peers`` which others would do as well; both travel with the model's JSON file and take
    no part in comparisons.
    """

    schema: Schema
    rules: tuple[Rule, ...] = ()
    unit: int = DEFAULT_UNIT
    about: Mapping[str, Any] = field(default_factory=dict, compare=False)
    peers: Peers | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        # As in every file, so that a model read is the model written.
        object.__setattr__(self, "rules", tuple(sorted(self.rules, key=lambda rule: rule.weight is not None)))
        if self.unit not in UNITS:
            raise InputError(f"unit {self.unit} is not a power of ten up to {UNITS[-1]}", fix="use 1000")
        count = len(self.variables)
        for constraint in self.constraints:
            if constraint.literals and abs(constraint.literals[-1]) > count:
                raise InputError(
                    f"constraint {' '.join(map(str, constraint.literals))} speaks of variable "
                    f"{abs(constraint.literals[-1])}, but there are {count}"
                )
        if sum(abs(in_units(soft.weight, self.unit)) for soft in self.soft) >= LARGEST_SUM:
            raise InputError(f"the weights sum to more than {LARGEST_SUM} units", fix="scale them down")

    @classmethod
    def build(
        cls,
        variables: Schema | Iterable[str],
        hard: Iterable[object] = (),
        soft: Iterable[tuple[object, object]] = (),
        unit: int | None = None,
        about: Mapping[str, Any] | None = None,
    ) -> Model:
        """A model from constraints given in any form a user may have them.

        Parameters
        ----------
        variables
            A schema, or the names of yes-or-no variables.
        hard
            What must hold: texts (``"a | !b"``, ``"at least 2 of a, b, c"``, ``"for every day: at least 2 of
            works[*, day, early]"``), lists of names or DIMACS literals (clauses),
            :class:`~hassle.logic.Constraint` or :class:`~hassle.model.Family` objects.
        soft
            Pairs of a constraint, in the same forms, and its weight: any exact number, a float at its decimal face
            value.
        unit
            Weights are whole multiples of 1/unit; 1000 unless the weights need a finer one.
        about
            How the model came to be; kept in its JSON file.
        """
        schema = as_schema(variables)
        weighted = [Rule(what, exact_weight(weight)) for said, weight in soft for what in _whats(said, schema)]
        rules = [Rule(what) for said in hard for what in _whats(said, schema)] + weighted
        finest = unit_for(rule.weight for rule in weighted if rule.weight is not None)
        return cls(schema, tuple(rules), unit if unit is not None else finest, about or {})

    @classmethod
    def from_units(
        cls,
        variables: Schema | Iterable[str],
        hard: Iterable[Constraint | Clause],
        soft: Iterable[tuple[Constraint | Clause, int]] = (),
        unit: int = DEFAULT_UNIT,
        about: Mapping[str, Any] | None = None,
    ) -> Model:
        """A model from constraints or clauses in normal form and weights counted in units, as learners have them."""
        rules = [Rule(as_constraint(what)) for what in hard]
        rules += [Rule(as_constraint(what), from_units(units, unit)) for what, units in soft]
        return cls(as_schema(variables), tuple(rules), unit, about or {})

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of all variables, in the schema's order."""
        return self.schema.variables

    @cached_property
    def hard(self) -> tuple[Constraint, ...]:
        """The constraints that must hold, of all rules."""
        return tuple(each for rule in self.rules if rule.weight is None for each in rule.instances(self.schema))

    @cached_property
    def soft(self) -> tuple[SoftConstraint, ...]:
        """The constraints with a weight, of all rules."""
        return tuple(
            SoftConstraint(each, rule.weight)
            for rule in self.rules
            if rule.weight is not None
            for each in rule.instances(self.schema)
        )

    @property
    def soft_constraints(self) -> tuple[Constraint, ...]:
        """The constraints that have a weight, of all rules, without it."""
        return tuple(soft.constraint for soft in self.soft)

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """All constraints, the hard ones first."""
        return self.hard + self.soft_constraints

    @cached_property
    def weights(self) -> NDArray[np.int64]:
        """The soft constraints' weights in units."""
        return np.array([in_units(soft.weight, self.unit) for soft in self.soft], dtype=np.int64)

    def with_hard(self, *constraints: Constraint) -> Model:
        """The model with further constraints that must hold."""
        return replace(self, rules=(*self.rules, *map(Rule, constraints)))

    def given(self, context: object) -> Model:
        """The model in which the context must hold: its literals and counts as they are, other formulas as clauses."""
        rules = required(as_context(context, self.schema).formula)
        if not rules:
            return self
        peers = self.peers and Peers(
            tuple(member.given(context) for member in self.peers.models),
            (*self.peers.hard, *(1.0 for _ in rules)),
            self.peers.soft,
        )
        return replace(self.with_hard(*rules), peers=peers)

    def reordered(self, variables: Schema | Iterable[str]) -> Model:
        """The same model with its variables in another order."""
        schema = as_schema(variables)
        if self.schema.arrangements and not schema.arrangements:
            schema = replace(schema, dimensions=self.schema.dimensions, arrangements=self.schema.arrangements)
        place = {name: v for v, name in enumerate(schema.variables)}
        number = [place[name] for name in self.variables]
        rules = tuple(
            rule if isinstance(rule.what, Family) else replace(rule, what=rule.what.mapped(number))
            for rule in self.rules
        )
        return replace(self, schema=schema, rules=rules)

    def transferred(self, schema: Schema) -> Model:
        """The same families over another schema with the same dimensions: learned on 6 nurses, used for 12.

        What cannot be said there is left out (:meth:`lost_in`): Ana's wish ends with Ana.
        """
        lost = self.lost_in(schema)
        kept = tuple(rule for rule in self.rules if rule not in lost)
        if self.rules and not kept:
            raise InputError(
                "nothing of the model can be said of the other schema", fix="give it the same dimensions and names"
            )
        return replace(self, schema=schema, rules=kept)

    def lost_in(self, schema: Schema) -> tuple[Rule, ...]:
        """The rules that cannot be said of another schema: they name variables or members that it does not have."""
        return tuple(
            rule for rule in self.rules if not (isinstance(rule.what, Family) and rule.what.transferable(schema))
        )

    def bits(self, assignment: object) -> NDArray[np.uint8]:
        """The 0/1 of every variable, of an assignment in whatever form it is had."""
        return as_bits(assignment, self.schema)

    def values(self, assignments: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The value of each row in units, hard constraints aside (Eq. 1)."""
        result = np.zeros(len(assignments), dtype=np.int64)
        for soft, units in zip(self.soft, self.weights.tolist(), strict=True):
            result += units * soft.constraint.held_by(assignments)
        return result

    def feasible(self, assignments: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """For each row: whether it satisfies every hard constraint."""
        return all_held(self.hard, assignments)

    def value(self, assignment: object) -> Decimal:
        """The total weight of the soft constraints that the assignment satisfies."""
        return self.decimal(int(self.values(self.bits(assignment)[None, :])[0]))

    def decimal(self, units: int) -> Decimal:
        """A value counted in units as the decimal that it is."""
        return from_units(units, self.unit)

    def broken(self, assignment: object) -> tuple[Constraint, ...]:
        """The hard constraints that the assignment violates."""
        bits = self.bits(assignment)
        return tuple(constraint for constraint in self.hard if not constraint.holds(bits))

    def earned(self, assignment: object) -> tuple[bool, ...]:
        """For each soft constraint: whether the assignment satisfies it."""
        bits = self.bits(assignment)
        return tuple(constraint.holds(bits) for constraint in self.soft_constraints)

    def verdict_against(self, assignment: object, context: object, optimum: int | None) -> Verdict:
        """The verdict when the context's best value (in units) is known; ``None`` means an infeasible context."""
        row = self.bits(assignment)[None, :]
        holds = as_context(context, self.schema).holds(row)[0]
        if optimum is None or not holds or not self.feasible(row)[0]:
            return Verdict.INFEASIBLE
        return Verdict.OPTIMAL if int(self.values(row)[0]) == optimum else Verdict.SUBOPTIMAL

    def text(self, constraint: Constraint) -> str:
        """The constraint in the context language, with names."""
        return formula_text(at_least(constraint), self.schema)

    # Doors to the rooms that build on this one; each is imported when it is used.

    def solve(
        self, context: object = None, *, solver: str = "auto", time_limit: float | None = None
    ) -> Assignment | None:
        """One best assignment in the context, or None where no assignment is feasible.

        Parameters
        ----------
        context
            What holds besides: a text (``"!a & (b | c)"``, ``"at least 2 of a, b, c"``, ``"shift = night"``), a list of
            literals, a :class:`~hassle.logic.Context`, or None (the default) for nothing.
        solver
            ``auto`` (the default: chooses by size and by whether something counts), ``table`` (lists all completions),
            ``rc2`` (MaxSAT) or ``cp-sat`` (constraint programming). All are exact.
        time_limit
            Seconds for ``rc2`` and ``cp-sat``; None (the default) for as long as it takes. Not being done by then is a
            :class:`~hassle.errors.ResourceError`.
        """
        from hassle.solve import solve

        return solve(self, context, solver=solver, time_limit=time_limit)

    def solve_all(
        self, contexts: Iterable[object], *, solver: str = "auto", time_limit: float | None = None
    ) -> list[Plan]:
        """A plan for each context, in order: its status, a best assignment and its value; each distinct one once."""
        from hassle.solve import solve_all

        return solve_all(self, contexts, solver=solver, time_limit=time_limit)

    def optima(
        self,
        context: object = None,
        *,
        limit: int = 1000,
        solver: str = "auto",
        seed: int = 0,
        time_limit: float | None = None,
    ) -> Optima:
        """The best assignments in the context: all of them, or ``limit`` drawn uniformly where there are more.

        Parameters
        ----------
        context, solver, time_limit
            As for :meth:`solve`.
        limit
            The most assignments to return; 1000 by default. ``count`` is the exact number of all of them either way.
        seed
            Decides which ones are drawn where there are more; 0 by default.
        """
        from hassle.solve import optima

        return optima(self, context, limit=limit, solver=solver, seed=seed, time_limit=time_limit)

    def verdict(self, assignment: object, context: object = None, *, solver: str = "auto") -> Verdict:
        """Whether the assignment is optimal, suboptimal or infeasible in the context.

        Parameters
        ----------
        assignment
            A value for every column: an :class:`~hassle.logic.Assignment`, a mapping, a sequence, or a text of 0s and
            1s. One that is not in the context is infeasible.
        context, solver
            As for :meth:`solve`.
        """
        from hassle.solve import verdict

        return verdict(self, assignment, context, solver=solver)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Model:
        """A model from a WCNF, OPB, WBO, JSON or CNF file, told by its name and content; ``-`` is standard input."""
        from hassle.files import read_model

        return read_model(path)

    def write(self, path: str | PathLike[str]) -> None:
        """The model to a file in the format that its name says; ``-`` is standard output, for WCNF.

        WCNF, OPB, WBO and JSON files can be read again; MiniZinc, LP, MPS and Python files are for others.
        """
        from hassle.files import write_model

        write_model(self, path)

    def to_cpmpy(self, context: object = None) -> Any:
        """The model as a ``cpmpy.Model``: named variables, the rules with their words, the value to maximise.

        Choices are integer variables, from 0 in the order of their values. What is returned has ``columns``, which maps
        the name of every column to its variable; the objective is counted in units (``1/unit``).

        Parameters
        ----------
        context
            What holds besides, as for :meth:`solve`; None (the default) for nothing.
        """
        from hassle.exits.cpmpy_model import to_cpmpy

        return to_cpmpy(self.given(context))

    def to_cp_sat(self, context: object = None) -> CpSatModel:
        """The model as OR-Tools' ``CpModel``, with names, and the map from columns to variables.

        ``model, columns, schema = learned.to_cp_sat()``, or by these names; ``assignment(solver)`` gives what a
        ``CpSolver`` found as columns and values. The objective is counted in units (``1/unit``).

        Parameters
        ----------
        context
            What holds besides, as for :meth:`solve`; None (the default) for nothing.
        """
        from hassle.exits.cp_sat_model import to_cp_sat

        return to_cp_sat(self.given(context))

    def to_pysat(self, context: object = None) -> PySatFormula:
        """The model as PySAT's ``WCNF``, or ``WCNFPlus`` where all counts must hold, and an ``IDPool`` of names.

        ``formula, names = learned.to_pysat()``; the comments of the formula say what value a cost means.

        Parameters
        ----------
        context
            What holds besides, as for :meth:`solve`; None (the default) for nothing.
        """
        from hassle.exits.pysat_formula import to_pysat

        return to_pysat(self.given(context))

    def to_minizinc(self, context: object = None) -> str:
        """The model as MiniZinc text: choices as enumerations, each rule as one constraint with its words.

        Parameters
        ----------
        context
            What holds besides, as for :meth:`solve`; None (the default) for nothing.
        """
        from hassle.exits.minizinc import minizinc_text

        return minizinc_text(self.given(context))

    def to_frame(self, backend: str | None = None) -> Any:
        """The rules as a data frame, one row each: ``kind``, ``weight``, ``words``, ``instances``, ``confidence``.

        Parameters
        ----------
        backend
            ``pandas``, ``polars`` or ``pyarrow``; None (the default) for the first of them that is installed.
        """
        from hassle.exits.frame import model_frame

        return model_frame(self, backend)

    @classmethod
    def from_cpmpy(cls, model: Any, unit: int = 1) -> Model:
        """A model from a ``cpmpy.Model`` of clauses, counts and a weighted sum of them.

        Parameters
        ----------
        model
            Its Boolean variables become yes-or-no columns, integer ones numbers. What cannot be said (products, global
            constraints, sums with different weights) is an :class:`~hassle.errors.InputError` that names it.
        unit
            The objective's weights are multiples of 1/unit; 1 by default, 1000 for what :meth:`to_cpmpy` made.
        """
        from hassle.exits.from_cpmpy import from_cpmpy

        return from_cpmpy(model, unit)


def _whats(value: object, schema: Schema) -> list[Constraint | Family]:
    """What a user says in one rule: a family in any form (two where it says exactly), or a constraint."""
    if isinstance(value, Family):
        value.check(schema)
        return [value]
    if isinstance(value, str) and is_family(value):
        return [*parse_family(value, schema)]
    return [to_constraint(value, schema)]


def to_constraint(value: object, names: Schema | Iterable[str]) -> Constraint:
    """A constraint from a text such as ``a -> b`` or ``at least 2 of a, b, c``, or from DIMACS literals (a clause)."""
    if isinstance(value, Constraint):
        return value
    schema = as_schema(names)
    if isinstance(value, str):
        return _said(parse_formula(value, schema), value)
    if isinstance(value, list | tuple | set | frozenset):
        literals: list[int] = []
        for item in value:
            if isinstance(item, str):
                part = _said(parse_formula(item, schema), item)
                if part.need != 1:
                    raise InputError(f"{item!r} is no part of a clause", fix="list literals, or give it as a text")
                literals.extend(part.literals)
            elif isinstance(item, int | np.integer) and 1 <= abs(int(item)) <= len(schema.variables):
                literals.append(int(item))
            else:
                raise InputError(
                    f"{item!r} is not a literal", fix=f"use a name or a number up to {len(schema.variables)}"
                )
        return Constraint.of(literals)
    raise InputError(f"{value!r} is not a constraint", fix="write 'a | !b', 'at least 2 of a, b, c' or literals")


def _said(formula: Formula, text: str) -> Constraint:
    """The one constraint that a formula says; a conjunction of literals is the count of all, which is printed so."""
    formula = without_arrows(formula)
    if isinstance(formula, AtLeast):
        return formula.constraint
    parts: tuple[Formula, ...] = formula.operands if isinstance(formula, Or | And) else (formula,)
    if formula == FALSE:
        return Constraint(())
    literals = [part.literal for part in parts if isinstance(part, Literal)]
    if len(literals) != len(parts):
        fix = "join literals with | or ->, count them (at least 2 of …), or write several rules"
        raise InputError(f"{text!r} is not a constraint", fix=fix)
    return Constraint.of(literals, len(literals) if isinstance(formula, And) else 1)
