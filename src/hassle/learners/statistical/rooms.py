"""Empty arrays for the evidence kernels: room for a model, and for a change on trial."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from hassle.kernels.evidence import Cases, State, Trial
from hassle.logic import Constraint


def new_state(cases: Cases, constraints: int, width: int, longest: int, known: Iterable[Constraint] = ()) -> State:
    """A model without any of its so many constraints, as rows of this width; clauses have up to ``longest`` literals.

    Of the known constraints those matter that fit a row.
    """
    tables = len(cases.places)
    fitting = [row_of(constraint, width) for constraint in known if len(constraint.literals) < width]
    return State(
        rows=np.zeros((constraints, width), dtype=np.int32),
        costs=np.zeros(constraints, dtype=np.int32),
        count=np.zeros(1, dtype=np.int64),
        losses=np.zeros(int(cases.offsets[-1]), dtype=np.int32),
        evidence=np.zeros(tables),
        impacts=np.zeros(tables, dtype=np.int8),
        forms=np.zeros(longest + 2, dtype=np.int32),
        kinds=np.zeros(2, dtype=np.int32),
        known=np.array(fitting, dtype=np.int32).reshape(-1, width),
    )


def new_trial(cases: Cases, width: int) -> Trial:
    tables = len(cases.places)
    return Trial(
        rows=np.zeros((2, width), dtype=np.int32),
        losses=np.zeros(int(np.diff(cases.offsets).max(initial=0)), dtype=np.int32),
        touched=np.zeros(tables, dtype=np.int64),
        count=np.zeros(1, dtype=np.int64),
        evidence=np.zeros(tables),
        impacts=np.zeros(tables, dtype=np.int8),
        left=np.zeros((2, tables), dtype=np.int16),
        masks=np.zeros((2, tables), dtype=np.int32),
        values=np.zeros((2, tables), dtype=np.int32),
    )


def row_of(constraint: Constraint, width: int) -> NDArray[np.int32]:
    """A constraint as kernels have it: its need, its literals, and zeros up to the width."""
    row = np.zeros(width, dtype=np.int32)
    row[0] = constraint.need
    row[1 : 1 + len(constraint.literals)] = constraint.literals
    return row
