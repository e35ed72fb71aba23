"""RC2 against CP-SAT where tables are too large: one best assignment, with and without counts.

    python benchmarks/solvers.py [--seeds 3] [--limit 10]

Wards have nurses x days x shifts variables (or a choice for each nurse and day): coverage, at most so many shifts for
each nurse, no early shift after a night, wishes with weights of both signs, and one absence as the context. Both
solvers get the same models, one after the other; a question that takes longer than the limit counts with the limit.
Printed are the seconds over all seeds, how many were not solved, and RC2's seconds divided by CP-SAT's.

The last column is the question a learner asks: CP-SAT's seconds to find out that nothing beats the optimum, the optimum
itself being the hint.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from hassle.errors import ResourceError
from hassle.generate.models import random_model
from hassle.generate.ward import roster_problem
from hassle.logic import EMPTY, Choice, Clause, Constraint, Context, Schema, make_clause
from hassle.model import Model
from hassle.solve import Best
from hassle.solve.cp_sat import CPSATSolver
from hassle.solve.rc2 import RC2Solver

SIZES = ((5, 4, 3), (7, 7, 3), (10, 7, 3), (14, 7, 4))
Problem = tuple[Model, Context]
Weighted = list[tuple[Constraint, int]]


class Ward:
    """The parts of a ward's model; variable (nurse, day, shift) is ``cells[nurse, day, shift]``, from 1."""

    def __init__(self, nurses: int, days: int, shifts: int, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.cells = np.arange(1, nurses * days * shifts + 1).reshape(nurses, days, shifts)
        self.nurses, self.days, self.shifts = nurses, days, shifts

    def weight(self) -> int:
        return int(self.rng.integers(1, 1001))

    def sequences(self) -> Iterator[Constraint]:
        """No early shift after a night."""
        for night, early in zip(self.cells[:, :-1, -1].flat, self.cells[:, 1:, 0].flat, strict=True):
            yield Constraint((-int(night), -int(early)))

    def one_a_day(self) -> Iterator[Constraint]:
        for shifts in self.cells.reshape(-1, self.shifts).tolist():
            yield from (Constraint((-one, -two)) for i, one in enumerate(shifts) for two in shifts[i + 1 :])

    def hard_counts(self) -> Iterator[Constraint]:
        """Enough nurses on every shift; not too many shifts for any nurse."""
        for column in self.cells.reshape(self.nurses, -1).T.tolist():
            yield Constraint(tuple(column), max(1, self.nurses // (2 * self.shifts)))
        for row in self.cells.reshape(self.nurses, -1).tolist():
            yield Constraint.at_most(max(1, (2 * self.days + 2) // 3), row)

    def soft_counts(self) -> Weighted:
        """One more in the early shift; few nights; at most three shifts in four days."""
        enough = max(1, self.nurses // (2 * self.shifts)) + 1
        result = [(Constraint(tuple(early), enough), self.weight()) for early in self.cells[:, :, 0].T.tolist()]
        for nurse in self.cells:
            result.append((Constraint.at_most(max(1, self.days // 3), nurse[:, -1].tolist()), self.weight()))
            for day in range(self.days - 3):
                result.append((Constraint.at_most(3, nurse[day : day + 4].ravel().tolist()), self.weight()))
        return result

    def stand_ins(self) -> Iterator[Constraint]:
        """One of three nurses in every shift: what clauses can say of coverage."""
        for column in self.cells.reshape(self.nurses, -1).T:
            yield Constraint(make_clause(self.rng.choice(column, size=3, replace=False).tolist()))

    def wishes(self) -> Weighted:
        result: Weighted = []
        for v in self.cells.ravel().tolist():
            if self.rng.random() < 0.6:
                result.append((Constraint((-v if self.rng.random() < 0.7 else v,)), self.weight()))
        for today, tomorrow in zip(
            self.cells[:, :-1].reshape(-1, self.shifts), self.cells[:, 1:].reshape(-1, self.shifts), strict=True
        ):
            pair = make_clause([-int(self.rng.choice(today)), int(self.rng.choice(tomorrow))])
            result.append((Constraint(pair), int(self.rng.integers(-500, 501))))
        return result

    def absence(self) -> Context:
        """Somebody is away for a day."""
        nurse, day = int(self.rng.integers(self.nurses)), int(self.rng.integers(self.days))
        literals: Clause = tuple(-v for v in self.cells[nurse, day].tolist())
        return Context(literals)

    @property
    def names(self) -> list[str]:
        return [f"n{n}_d{d}_s{s}" for n, d, s in np.ndindex(self.cells.shape)]


def ward_without_counts(size: tuple[int, int, int], seed: int) -> Problem:
    ward = Ward(*size, seed)
    hard = [*ward.one_a_day(), *ward.sequences(), *ward.stand_ins()]
    return Model.from_units(ward.names, hard, ward.wishes()), ward.absence()


def ward_with_hard_counts(size: tuple[int, int, int], seed: int) -> Problem:
    ward = Ward(*size, seed)
    hard = [*ward.one_a_day(), *ward.sequences(), *ward.hard_counts()]
    return Model.from_units(ward.names, hard, ward.wishes()), ward.absence()


def ward_with_soft_counts(size: tuple[int, int, int], seed: int) -> Problem:
    ward = Ward(*size, seed)
    hard = [*ward.one_a_day(), *ward.sequences(), *ward.hard_counts()]
    return Model.from_units(ward.names, hard, [*ward.wishes(), *ward.soft_counts()]), ward.absence()


def ward_of_choices(size: tuple[int, int, int], seed: int) -> Problem:
    """A choice among the shifts for every nurse and day, the last being off; no counts but the choices' own."""
    ward = Ward(*size, seed)
    values = tuple(f"s{s}" for s in range(ward.shifts))
    columns = tuple(Choice(f"n{n}_d{d}", values) for n in range(ward.nurses) for d in range(ward.days))
    hard = [*ward.sequences(), *ward.stand_ins()]
    return Model.from_units(Schema(columns), hard, ward.wishes()), Context(ward.absence().literals[:1])


def roster(size: tuple[int, int, int], seed: int) -> Problem:
    nurses, days, shifts = size
    return roster_problem(nurses, days * shifts, np.random.default_rng(seed)), EMPTY


def random_clauses(size: tuple[int, int, int], seed: int) -> Problem:
    variables = min(150, int(np.prod(size)))
    return random_model(variables, 2 * variables, variables, np.random.default_rng(seed), 3), EMPTY


def random_counts(size: tuple[int, int, int], seed: int) -> Problem:
    """Counts of five literals: hard ones that need two, soft ones that need three."""
    variables, rng = min(100, int(np.prod(size))), np.random.default_rng(seed)

    def count(need: int) -> Constraint:
        chosen = np.sort(rng.choice(variables, size=5, replace=False)) + 1
        return Constraint(tuple((chosen * rng.choice([-1, 1], size=5)).tolist()), need)

    hard = [count(2) for _ in range(variables // 2)]
    soft = [(count(3), int(rng.integers(1, 1001))) for _ in range(variables // 2)]
    return Model.from_units([f"x{v}" for v in range(variables)], hard, soft), EMPTY


FAMILIES: dict[str, Callable[[tuple[int, int, int], int], Problem]] = {
    "ward, clauses": ward_without_counts,
    "roster, clauses": roster,
    "random clauses": random_clauses,
    "ward of choices": ward_of_choices,
    "ward, hard counts": ward_with_hard_counts,
    "ward, soft counts": ward_with_soft_counts,
    "random counts": random_counts,
}


@dataclass(frozen=True)
class Answer:
    """What came of a question; ``late``: nothing within the limit."""

    seconds: float
    best: Best | None
    late: bool


def timed(ask: Callable[..., Best | None], *question: object) -> Answer:
    started = time.perf_counter()
    try:
        best, late = ask(*question), False
    except ResourceError:
        best, late = None, True
    return Answer(time.perf_counter() - started, best, late)


def compare(name: str, size: tuple[int, int, int], seeds: int, limit: float) -> None:
    rc2, cp_sat, proofs = [], [], []
    for seed in range(seeds):
        model, context = FAMILIES[name](size, seed)
        rc2.append(timed(RC2Solver(limit).best, model, context))
        cp_sat.append(timed(CPSATSolver(limit).best, model, context))
        answers = [answer.best for answer in (rc2[-1], cp_sat[-1]) if not answer.late]
        assert len({None if best is None else best.value for best in answers}) <= 1
        best = answers[-1] if answers else None
        if best is not None:
            proofs.append(timed(CPSATSolver(limit).better_than, model, context, best.value, best.bits))
            assert proofs[-1].best is None
    seconds = [sum(answer.seconds for answer in answers) for answers in (rc2, cp_sat, proofs)]
    late = [sum(answer.late for answer in answers) for answers in (rc2, cp_sat)]
    print(
        f"{name:18} {len(model.variables):4} {seconds[0]:8.2f} ({late[0]}) {seconds[1]:8.2f} ({late[1]}) "
        f"{seconds[0] / seconds[1]:8.1f} {seconds[2]:8.2f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=10.0)
    options = parser.parse_args()
    CPSATSolver().best(*ward_of_choices(SIZES[0], 0))  # the first call also loads the library
    print(f"seconds, and how many were not solved in {options.limit:g} s")
    print(f"{'':18} {'n':>4} {'RC2':>12} {'CP-SAT':>12} {'ratio':>8} {'better':>8}")
    for name in FAMILIES:
        for size in SIZES:
            compare(name, size, options.seeds, options.limit)


if __name__ == "__main__":
    main()
