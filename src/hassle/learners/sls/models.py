"""Candidates as models and back: a row of signs and a cost per clause inside, clauses with weights outside."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle, islice

import numpy as np
from numpy.typing import NDArray

from hassle.kernels.codes import NO_LITERAL
from hassle.kernels.moves import WHOLE, changed_cost, changed_sign
from hassle.logic import Clause, Schema, clauses_of
from hassle.model import Model


def as_clause(signs: NDArray[np.int8]) -> Clause:
    """The clause of a row of signs."""
    return tuple(int(signs[v]) * (int(v) + 1) for v in np.flatnonzero(signs))


def as_model(
    schema: Schema | tuple[str, ...],
    signs: NDArray[np.int8],
    costs: NDArray[np.int32],
    hard: int,
    about: Mapping[str, object] | None = None,
) -> Model:
    """The model of a candidate; a hard clause that occurs twice is written once."""
    clauses = [as_clause(row) for row in signs]
    hard_clauses = dict.fromkeys(clause for clause, cost in zip(clauses, costs, strict=True) if cost == hard)
    soft = [(clause, int(cost)) for clause, cost in zip(clauses, costs, strict=True) if cost != hard]
    return Model.from_units(schema, hard_clauses, soft, unit=WHOLE, about=about)


def as_candidate(model: Model, constraints: int, hard: int) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    """The candidate of a model in thousandths; its hard clauses are repeated, which changes nothing, to fill it up."""
    rules = clauses_of(model.hard)
    clauses = [
        *((clause, hard) for clause in rules),
        *zip(clauses_of(model.soft_constraints), model.weights, strict=True),
    ]
    clauses += [(clause, hard) for clause in islice(cycle(rules), constraints - len(clauses))]
    signs = np.zeros((len(clauses), len(model.variables)), dtype=np.int8)
    for row, (clause, _) in zip(signs, clauses, strict=True):
        for lit in clause:
            row[abs(lit) - 1] = 1 if lit > 0 else -1
    return signs, np.array([cost for _, cost in clauses], dtype=np.int32)


def changed_clause(
    signs: NDArray[np.int8], cost: np.int32, move: NDArray[np.int64], hard: np.int32
) -> tuple[NDArray[np.int8], np.int32]:
    """The signs and the cost of a clause after a move (clause, kind, literal)."""
    after = signs.copy()
    if move[2] != NO_LITERAL:
        after[move[2] >> 1] = changed_sign(move[1], move[2])
    return after, np.int32(changed_cost(cost, move[1], hard))
