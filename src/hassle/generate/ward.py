"""Rosters of any size, with a hundred variables and more, for benchmarks where contexts are too large for tables.

Every clause has one or two literals, as most rules of real rosters have. The clauses come in kinds that a planner would
recognise; which nurses and shifts they speak of is random. As everywhere in this room, a clause is kept only if the
hard clauses before it neither imply nor contradict it (see :mod:`hassle.generate.models`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hassle.errors import InputError
from hassle.generate.models import is_open, sat_solver
from hassle.logic import Clause, make_clause
from hassle.model import DEFAULT_UNIT, Model

# Of the wishes about a single shift, how many are to have it off.
RATHER_OFF = 0.7


@dataclass(frozen=True)
class Ward:
    """So many nurses and shifts; there is a variable for each nurse and shift."""

    nurses: int
    shifts: int

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"n{nurse + 1}_s{shift + 1}" for nurse in range(self.nurses) for shift in range(self.shifts))

    def works(self, nurse: int, shift: int) -> int:
        """The literal that says so; nurses and shifts count from 0."""
        return nurse * self.shifts + shift + 1


def roster_problem(nurses: int, shifts: int, rng: np.random.Generator) -> Model:
    """A true model for so many nurses and shifts; its variables are ``n1_s1``, ``n1_s2`` and so on."""
    if nurses < 4 or shifts < 2:
        raise InputError(f"{nurses} nurses and {shifts} shifts are too few", fix="use at least 4 nurses and 2 shifts")
    ward = Ward(nurses, shifts)
    hard: dict[Clause, None] = {}
    with sat_solver() as solver:
        for clause in _rules(ward, rng):
            if clause not in hard and is_open(solver, clause):
                hard[clause] = None
                solver.add_clause(list(clause))
        soft = [clause for clause in dict.fromkeys(_wishes(ward, rng)) if clause not in hard]
        soft = [clause for clause in soft if is_open(solver, clause)]
    weights = rng.integers(1, DEFAULT_UNIT + 1, size=len(soft)).tolist()
    return Model.from_units(ward.names, hard, zip(soft, weights, strict=True))


def _rules(ward: Ward, rng: np.random.Generator) -> Iterator[Clause]:
    """Rest after a shift; two who stand in for each other; two who do not get on; a trainee and a mentor."""
    for nurse in range(ward.nurses):
        for shift in range(ward.shifts - 1):
            yield make_clause([-ward.works(nurse, shift), -ward.works(nurse, shift + 1)])
    for shift in range(ward.shifts):
        one, other = _pair(ward.nurses, rng)
        yield make_clause([ward.works(one, shift), ward.works(other, shift)])
    for _ in range(ward.nurses // 4):
        one, other = _pair(ward.nurses, rng)
        yield from (make_clause([-ward.works(one, shift), -ward.works(other, shift)]) for shift in range(ward.shifts))
        trainee, mentor = _pair(ward.nurses, rng)
        yield from (
            make_clause([-ward.works(trainee, shift), ward.works(mentor, shift)]) for shift in range(ward.shifts)
        )


def _wishes(ward: Ward, rng: np.random.Generator) -> Iterator[Clause]:
    """A wish about every shift of every nurse; some not to work too often, some to work beside a friend."""
    for variable in range(1, ward.nurses * ward.shifts + 1):
        yield (-variable,) if rng.random() < RATHER_OFF else (variable,)
    for nurse in range(ward.nurses):
        for shift in range(ward.shifts - 2):
            if rng.random() < 0.5:
                yield make_clause([-ward.works(nurse, shift), -ward.works(nurse, shift + 2)])
    for shift in range(ward.shifts):
        one, friend = _pair(ward.nurses, rng)
        yield make_clause([-ward.works(one, shift), ward.works(friend, shift)])


def _pair(nurses: int, rng: np.random.Generator) -> tuple[int, int]:
    one, other = rng.choice(nurses, size=2, replace=False).tolist()
    return one, other
