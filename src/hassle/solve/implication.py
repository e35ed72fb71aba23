"""What follows from constraints: one SAT solver for many small questions.

A constraint follows where its negation is impossible. The negation of a clause is a conjunction of literals, which a
solver takes as assumptions; that of a count is a variable defined for it, once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hassle.logic import EMPTY, Clause, Constraint, Context
from hassle.logic.cnf import constraint_clauses, definition
from hassle.solve.interrupts import keyboard_interrupts


class Feasible:
    """The assignments over ``variables`` variables that satisfy some constraints and a context; more can be added.

    ``most_conflicts`` limits the effort for each question; what is not settled by then is taken for possible.
    """

    def __init__(self, solver: Any, variables: int) -> None:
        self.solver = solver
        self.variables = variables
        self.fresh = variables + 1
        self.most_conflicts: int | None = None
        self._broken: dict[Constraint, list[int]] = {}

    def add_clauses(self, clauses: Iterable[Clause]) -> None:
        for clause in clauses:
            # PySAT has no empty clause: a contradiction on variable 1 says the same.
            for part in [list(clause)] if clause else [[1], [-1]]:
                self.solver.add_clause(part)

    def add(self, constraint: Constraint, selector: int | None = None) -> None:
        """Insist on the constraint, or insist on it wherever the selector is assumed."""
        clauses, self.fresh = constraint_clauses(constraint, self.fresh)
        if selector is None:
            self.add_clauses(clauses)
        else:
            # Defining clauses hold anyway, so asking for them only under the selector asks for nothing less.
            self.add_clauses((*clause, -selector) for clause in clauses)

    def new_selector(self) -> int:
        self.fresh += 1
        return self.fresh - 1

    def broken(self, constraint: Constraint) -> list[int]:
        """Assumptions under which the constraint does not hold."""
        if constraint.is_clause:
            return [-lit for lit in constraint.literals]
        if constraint not in self._broken:
            name, clauses, self.fresh = definition(constraint.negation, self.fresh)
            self.add_clauses(clauses)
            self._broken[constraint] = [name]
        return self._broken[constraint]

    def possible(self, assumptions: Sequence[int] = ()) -> bool:
        """Whether some assignment satisfies the assumptions; one that is not ruled out within the limit counts."""
        if self.most_conflicts is None:
            return bool(self.solver.solve(assumptions=list(assumptions)))
        self.solver.conf_budget(self.most_conflicts)
        return self.solver.solve_limited(assumptions=list(assumptions)) is not False

    def implies(self, constraint: Constraint, assumptions: Sequence[int] = ()) -> bool:
        """Whether every assignment that satisfies the assumptions satisfies the constraint."""
        return not self.possible([*assumptions, *self.broken(constraint)])

    def near(self, bits: NDArray[np.uint8], assumptions: Sequence[int]) -> NDArray[np.uint8]:
        """An assignment that satisfies the assumptions, which must be possible, near the one given."""
        self.solver.set_phases([v + 1 if bit else -(v + 1) for v, bit in enumerate(bits.tolist())])
        self.solver.solve(assumptions=list(assumptions))
        solution = np.array(self.solver.get_model()[: self.variables], dtype=np.int64)
        result = bits.copy()  # a variable that the solver never heard of keeps its value
        result[: len(solution)] = solution > 0
        return result


@contextmanager
def feasible(
    constraints: Iterable[Constraint], variables: int, context: Context = EMPTY, name: str = "minisat22"
) -> Iterator[Feasible]:
    """The assignments that satisfy the constraints and the context; the solver is freed at the end."""
    from pysat.solvers import Solver

    with keyboard_interrupts(), Solver(name=name) as solver:
        result = Feasible(solver, variables)
        clauses, result.fresh = context.clauses(result.fresh)
        result.add_clauses(clauses)
        for constraint in constraints:
            result.add(constraint)
        yield result


def irredundant(
    constraints: Sequence[Constraint],
    variables: int,
    context: Context = EMPTY,
    checkpoint: Callable[[], None] = lambda: None,
) -> list[Constraint]:
    """The constraints without those that shorter or earlier ones imply in the context.

    Two passes over one solver: a constraint is added unless it is implied already; then, last first, dropped if those
    that remain imply it. A selector variable per constraint says whether it takes part.
    """
    kept: dict[Constraint, int] = {}
    with feasible((), variables, context) as known:
        for constraint in sorted(constraints, key=lambda each: len(each.literals)):
            checkpoint()
            if not known.implies(constraint, list(kept.values())):
                kept[constraint] = known.new_selector()
                known.add(constraint, kept[constraint])
        for constraint, selector in list(reversed(kept.items())):
            checkpoint()
            del kept[constraint]
            if not known.implies(constraint, list(kept.values())):
                kept[constraint] = selector
    return sorted(kept, key=lambda each: (len(each.literals), each.variables, each))
