"""A model as PySAT's weighted formula: ``WCNFPlus`` where counts must hold and nothing that is worth something counts,
else ``WCNF``, with counts as clauses over fresh variables."""

from __future__ import annotations

from typing import Any, NamedTuple

from hassle.exits.statements import rewards
from hassle.logic import EMPTY
from hassle.model import Model
from hassle.model.clausal import as_soft_clause, clausal_constraints


class PySatFormula(NamedTuple):
    """``formula`` and the pool that ``names`` its variables: ``names.id("ana_mon")``, ``names.obj(3)``.

    MaxSAT solvers minimise the cost of what is not satisfied; the first of ``formula.comments`` says what value a cost
    means.
    """

    formula: Any
    names: Any


def to_pysat(model: Model) -> PySatFormula:
    """The model for PySAT; weights are counted in units."""
    from pysat.formula import WCNF, IDPool, WCNFPlus

    wanted, total = rewards(model)
    where, required = EMPTY.within(model.schema), list(model.hard)
    counts, without = where.without_counts()
    counts += tuple(each for each in required if not each.is_clause)
    plus = bool(counts) and all(len(each.literals) == 1 or each.is_clause for each in wanted)
    if plus:
        where, required = without, [each for each in required if each.is_clause]
    hard, fresh = clausal_constraints(required, where, len(model.variables))
    formula = WCNFPlus() if plus else WCNF()
    soft = []
    for constraint, units in wanted.items():
        clause, defining, fresh = as_soft_clause(constraint, fresh)
        hard += defining
        soft.append((list(clause), units))
    for clause in hard:
        formula.append(list(clause))
    for constraint in counts if plus else ():
        if constraint.literals:
            most = len(constraint.literals) - constraint.need
            formula.append([[-lit for lit in constraint.literals], most], is_atmost=True)
    for literals, units in soft:
        formula.append(literals, weight=units)
    formula.nv = max(formula.nv, fresh - 1)
    formula.comments = [f"c value = ({total + sum(wanted.values())} - cost) / {model.unit}"]
    names = IDPool(occupied=[[len(model.variables) + 1, fresh - 1]] if fresh - 1 > len(model.variables) else [])
    for name in model.variables:
        names.id(name)
    return PySatFormula(formula, names)
