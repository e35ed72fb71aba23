"""Solving with CP-SAT, OR-Tools' constraint solver: counts as the linear inequalities that they are.

Every soft constraint gets a variable that may be true only where the constraint holds, and the weights of the true ones
are maximised. A penalty for satisfying a constraint is, up to a constant, a reward for its negation, which is a
constraint again. One direction is enough, also for listing: where the rewards add up to the optimum, none of them can
have been left lying, so each of these variables is determined by the model's own.

CP-SAT computes with 64-bit integers, but ends when the gap between two floats is closed. Sums of weights up to
``LARGEST_EXACT`` are the same in both, so that an optimum is one; larger ones are refused.

With one worker and a fixed seed the same question gets the same answer. All constraints are in its linear relaxation
(``linearization_level`` 2, not the default 1): of eight wards with counts, one of each kind and size in
``benchmarks/solvers.py``'s first draft, each took 0.13 s at most, where the default did not solve four within 8 s.
Searching by cores lost the same four, interleaving strategies two. (One run each, on a busy machine.)

More workers search in different ways at once, and the luckiest ends it, but which of several best assignments it finds
is chance. In five situations of a ward of 10 nurses, 7 days and 3 shifts one worker took 6.9, 1.0 and three times about
0.1 seconds of processor, four took 1.9, 0.2 and less than 0.1 in all (once). The studio asks for four: there somebody
is waiting.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hassle.errors import ResourceError, SolverError
from hassle.logic import Constraint, Context
from hassle.logic.formula import Literal, conjunction
from hassle.model import Model
from hassle.solve.interrupts import interruptible, seconds_until
from hassle.solve.protocol import Best, Optima, no_optima

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

LARGEST_EXACT = 2**53

Bits = Sequence[int] | NDArray[np.uint8]


class CPSATSolver:
    """``time_limit`` holds for each question as a whole, however many assignments are asked for."""

    name = "cp-sat"

    def __init__(self, time_limit: float | None = None, *, workers: int = 1, seed: int = 0) -> None:
        self.time_limit = time_limit
        self.workers = workers
        self.seed = seed

    def best(self, model: Model, context: Context, hint: Bits | None = None) -> Best | None:
        """One best assignment, or None where no assignment is feasible; ``hint`` is one to start from."""
        search = self._search(model, context, hint)
        search.programme.maximize(search.rewards)
        return search.found(conclusive=True)

    def better_than(self, model: Model, context: Context, value: int, hint: Bits | None = None) -> Best | None:
        """A feasible assignment worth more than ``value`` units, not necessarily a best one; None: there is none."""
        search = self._search(model, context, hint)
        search.programme.add(search.rewards > value - search.constant)
        return search.found(conclusive=False)

    def optima(self, model: Model, context: Context, limit: int, rng: np.random.Generator) -> Optima:
        """Enumerates while there are at most ``limit``; where there are more, counts and draws uniformly."""
        search = self._search(model, context)
        best = self.best(model, context)
        if best is None:
            return no_optima(len(model.variables))
        search.programme.add(search.rewards >= best.value - search.constant)
        rows = search.listed(limit + 1)
        if len(rows) > limit:
            from hassle.solve.sampling import sample_optima

            # Most variables are the same in all optima, and a diagram of the others is far smaller.
            settled = Context.of(conjunction([context.formula, *map(Literal, search.common_literals(rows))]))
            return sample_optima(model, settled, best.value, limit, rng, time_limit=seconds_until(search.deadline))
        return Optima(best.value, rows, len(rows), True)

    def _search(self, model: Model, context: Context, hint: Bits | None = None) -> _Search:
        search = _Search(self, model, context)
        for variable, bit in zip(search.variables, () if hint is None else hint, strict=False):
            search.programme.add_hint(variable, int(bit))
        return search


class _Search:
    """One question under way: the programme of a model in a context, and the solver that looks into it."""

    def __init__(self, asked: CPSATSolver, model: Model, context: Context) -> None:
        from ortools.sat.python import cp_model

        self.model = model
        self.asked = asked
        self.deadline = None if asked.time_limit is None else time.monotonic() + asked.time_limit
        self.programme = cp_model.CpModel()
        self.variables = [self.programme.new_bool_var("") for _ in model.variables]
        self.booleans = list(self.variables)
        counts, where = context.within(model.schema).without_counts()
        for constraint in (*counts, *model.hard):
            self._insist(constraint)
        clauses, fresh = where.clauses(len(self.variables) + 1)
        self.booleans += [self.programme.new_bool_var("") for _ in range(len(self.variables) + 1, fresh)]
        for clause in clauses:
            self._insist(Constraint(clause))
        self.constant, self.rewards = self._value()

    def found(self, *, conclusive: bool) -> Best | None:
        """The assignment that the search ends with (the best one, if it is to be ``conclusive``); None: there is none.

        Running out of time is a ResourceError, not an answer.
        """
        solver, status = self._run()
        from ortools.sat.python import cp_model

        if status == cp_model.INFEASIBLE:
            return None
        if status == cp_model.OPTIMAL or (status == cp_model.FEASIBLE and not conclusive):
            bits = np.array([solver.boolean_value(variable) for variable in self.variables], dtype=np.uint8)
            return Best(int(self.model.values(bits[None, :])[0]), bits)
        raise self._unfinished(status)

    def listed(self, most: int) -> NDArray[np.uint8]:
        """All solutions, one per row, or the first ``most`` of them."""
        from ortools.sat.python import cp_model

        class Collector(cp_model.CpSolverSolutionCallback):
            def on_solution_callback(self) -> None:
                rows.append([self.boolean_value(variable) for variable in variables])
                if len(rows) >= most:
                    self.stop_search()

        rows: list[list[bool]] = []
        variables = self.variables
        _, status = self._run(Collector(), enumerate_all_solutions=True)
        if len(rows) < most and status not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
            raise self._unfinished(status)
        return np.array(rows, dtype=np.uint8).reshape(-1, len(variables))

    def common_literals(self, rows: NDArray[np.uint8]) -> list[int]:
        """The literals that are true in all solutions, of which ``rows`` are some; no more solutions can be had then.

        Again and again a solution is asked for in which one of those that remain is false.
        """
        while True:
            same = np.flatnonzero((rows == rows[0]).all(axis=0))
            literals = [v + 1 if rows[0, v] else -(v + 1) for v in same.tolist()]
            self.programme.add_bool_or([self._literal(-lit) for lit in literals])
            other = self.found(conclusive=False)
            if other is None:
                return literals
            rows = np.vstack([rows, other.bits])

    def _run(self, callback: Any = None, **parameters: object) -> tuple[cp_model.CpSolver, Any]:
        from ortools.sat.python import cp_model

        solver = cp_model.CpSolver()
        left = seconds_until(self.deadline)
        if left is not None:
            solver.parameters.max_time_in_seconds = left
        solver.parameters.num_workers = self.asked.workers
        solver.parameters.random_seed = self.asked.seed
        solver.parameters.absolute_gap_limit = solver.parameters.relative_gap_limit = 0
        solver.parameters.linearization_level = 2
        solver.parameters.catch_sigint_signal = False
        for name, value in parameters.items():
            setattr(solver.parameters, name, value)
        return solver, interruptible(lambda: solver.solve(self.programme, callback), solver.stop_search)

    def _unfinished(self, status: Any) -> ResourceError | SolverError:
        from ortools.sat.python import cp_model

        if status == cp_model.MODEL_INVALID:
            return SolverError(f"CP-SAT refuses the model: {self.programme.validate()}")
        limit = "" if self.asked.time_limit is None else f" within {self.asked.time_limit:g} s"
        return ResourceError(f"CP-SAT did not finish{limit}; allow more time")

    def _value(self) -> tuple[int, Any]:
        """What is to be maximised: a constant, and the weighted variables of the soft constraints."""
        from ortools.sat.python import cp_model

        rewards: dict[Constraint, int] = {}
        constant = 0
        for constraint, units in zip(self.model.soft_constraints, self.model.weights.tolist(), strict=True):
            wanted = constraint if units > 0 else constraint.negation
            if units:  # a variable without a reward would not be determined
                rewards[wanted] = rewards.get(wanted, 0) + abs(units)
            constant += min(units, 0)
        if sum(rewards.values()) > LARGEST_EXACT:
            raise ResourceError(
                f"the weights sum to {sum(rewards.values())} units, more than the 2^53 that CP-SAT compares exactly; "
                "use --solver rc2"
            )
        literals = [self._rewarded(constraint) for constraint in rewards]
        return constant, cp_model.LinearExpr.weighted_sum(literals, list(rewards.values()))

    def _rewarded(self, constraint: Constraint) -> Any:
        """A literal that may be true only where the constraint holds."""
        if constraint.need == len(constraint.literals) == 1:
            return self._literal(constraint.literals[0])
        met = self.programme.new_bool_var("")
        self._insist(constraint).only_enforce_if(met)
        return met

    def _insist(self, constraint: Constraint) -> cp_model.Constraint:
        literals = [self._literal(lit) for lit in constraint.literals]
        if constraint.need == len(literals):
            return self.programme.add_bool_and(literals)
        if constraint.is_clause:
            return self.programme.add_bool_or(literals)
        return self.programme.add(sum(literals) >= constraint.need)

    def _literal(self, lit: int) -> Any:
        variable = self.booleans[abs(lit) - 1]
        return variable if lit > 0 else variable.negated()
