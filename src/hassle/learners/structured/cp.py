"""CP-SAT on a model in many contexts: the model is translated once, each context only adds what it fixes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hassle.logic import Constraint, Context, Schema
from hassle.model import Model

Bits = NDArray[np.uint8]


@dataclass(frozen=True)
class Answer:
    """``status`` is ``optimal``, ``feasible`` (time was up, or a good enough answer was found), ``infeasible`` or
    ``unknown``; ``bits`` is there in the first two cases.
    """

    status: str
    bits: Bits | None = None


@dataclass(frozen=True)
class Planner:
    """Hard constraints and soft ones with whole weights (negative ones too), over the variables of a schema."""

    schema: Schema
    hard: tuple[Constraint, ...]
    soft: tuple[tuple[Constraint, int], ...]
    _built: list[Any] = field(default_factory=list, compare=False, repr=False)

    @classmethod
    def of(cls, model: Model) -> Planner:
        soft = zip(model.soft_constraints, model.weights.tolist(), strict=True)
        return cls(model.schema, model.hard, tuple(soft))

    def solve(
        self,
        context: Context,
        *,
        hint: Bits | None = None,
        seconds: float = 10.0,
        seed: int = 0,
        beyond: int | None = None,
        barred: Iterable[Bits] = (),
    ) -> Answer:
        """A best assignment in the context; with ``beyond`` any one that is worth more than that."""
        from ortools.sat.python import cp_model

        base, names, worth = self._base()
        model = base.clone()
        variables = [model.get_bool_var_from_proto_index(name) for name in names]
        _add_context(model, variables, context.within(self.schema))
        for bits in barred:
            model.add_bool_or([~variables[v] if bits[v] else variables[v] for v in range(len(variables))])
        if beyond is not None:
            literals, weights, constant = worth
            terms = [model.get_bool_var_from_proto_index(index) for index in literals]
            model.add(cp_model.LinearExpr.weighted_sum(terms, weights) >= beyond + 1 - constant)
            model.clear_objective()
        if hint is not None:
            for variable, bit in zip(variables, hint, strict=True):
                model.add_hint(variable, bool(bit))
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = seed
        solver.parameters.max_time_in_seconds = max(0.001, seconds)
        status = solver.solve(model)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            bits = np.array([solver.boolean_value(variable) for variable in variables], dtype=np.uint8)
            return Answer("optimal" if status == cp_model.OPTIMAL else "feasible", bits)
        return Answer("infeasible" if status == cp_model.INFEASIBLE else "unknown")

    def _base(self) -> Any:
        """The translated model, the indices of its variables, and the objective as literals, weights and a constant."""
        if not self._built:
            self._built.append(self._translated())
        return self._built[0]

    def _translated(self) -> Any:
        from ortools.sat.python import cp_model

        model = cp_model.CpModel()
        variables = [model.new_bool_var("") for _ in self.schema.variables]
        for constraint in self.hard:
            _add(model, variables, constraint)
        terms, weights, constant = [], [], 0
        for constraint, weight in self.soft:
            if weight < 0:  # paying for what holds is being paid for what does not
                constraint, weight, constant = constraint.negation, -weight, constant + weight
            if weight == 0 or constraint.need > len(constraint.literals):
                continue
            if len(constraint.literals) == 1:
                (lit,) = constraint.literals
                positive = lit > 0
                terms.append(variables[abs(lit) - 1])
                weights.append(weight if positive else -weight)
                constant += 0 if positive else weight
                continue
            held = model.new_bool_var("")
            _add(model, variables, constraint, held)
            terms.append(held)
            weights.append(weight)
        if terms:
            model.maximize(cp_model.LinearExpr.weighted_sum(terms, weights) + constant)
        return model, [variable.index for variable in variables], ([term.index for term in terms], weights, constant)


def _add(model: Any, variables: list[Any], constraint: Constraint, held: Any = None) -> None:
    literals = [variables[abs(lit) - 1] if lit > 0 else ~variables[abs(lit) - 1] for lit in constraint.literals]
    if constraint.need == 1:
        model.add_bool_or(literals if held is None else [*literals, ~held])
        return
    added = model.add(sum(literals) >= constraint.need)
    if held is not None:
        added.only_enforce_if(held)


def _add_context(model: Any, variables: list[Any], context: Context) -> None:
    for lit in context.literals:
        model.add(variables[abs(lit) - 1] == int(lit > 0))
    if context.rest is None:
        return
    clauses, fresh = context.clauses(len(variables) + 1)
    known = [*variables, *(model.new_bool_var("") for _ in range(fresh - 1 - len(variables)))]
    for clause in clauses:
        _add(model, known, Constraint(clause))
