"""Scoring and solving against plain loops over the same data, in one run, as ratios.

    make bench

1. Scores a 20-variable model with 10 hard and 10 soft clauses on 500 contexts with about 2,000 examples, by tables
   (built anew each time) and by a loop that calls RC2 once per context.
2. Solves a 200-variable model with 1,000 clauses in 100 contexts through RC2, and confirms each optimum with CP-SAT.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.logic import Context, clauses_of
from hassle.model import Model
from hassle.solve import agrees, best_values, verdicts
from hassle.solve.rc2 import RC2Solver


def random_clause(variables: int, length: int, rng: np.random.Generator) -> tuple[int, ...]:
    chosen = np.sort(rng.choice(variables, size=length, replace=False)) + 1
    return tuple(int(v) for v in chosen * rng.choice([-1, 1], size=length))


def random_model(variables: int, hard: int, soft: int, rng: np.random.Generator, hidden: NDArray[np.int64]) -> Model:
    """Clauses of three literals, the hard ones satisfied by one hidden assignment."""
    rules: list[tuple[int, ...]] = []
    while len(rules) < hard:
        clause = random_clause(variables, 3, rng)
        if any(hidden[abs(lit) - 1] == (lit > 0) for lit in clause):
            rules.append(clause)
    wishes = [(random_clause(variables, 3, rng), int(rng.integers(1, 1001))) for _ in range(soft)]
    return Model.from_units(tuple(f"x{i + 1}" for i in range(variables)), rules, wishes)


def random_context(variables: int, rng: np.random.Generator) -> Context:
    fixed = np.sort(rng.choice(variables, size=variables // 2, replace=False)) + 1
    return Context(tuple(int(v) for v in fixed * rng.choice([-1, 1], size=len(fixed))))


def random_data(model: Model, contexts: int, per_context: int, rng: np.random.Generator) -> Dataset:
    variables = len(model.variables)
    chosen = list({random_context(variables, rng): None for _ in range(contexts)})
    owners = [context for context in chosen for _ in range(per_context)]
    rows = rng.integers(0, 2, (len(owners), variables), dtype=np.uint8)
    for row, context in zip(rows, owners, strict=True):
        for lit in context.literals:
            row[abs(lit) - 1] = lit > 0
    return Dataset.from_arrays(model.variables, owners, rows, rng.integers(0, 2, len(owners)))


def seconds(work: Callable[[], object], repeats: int = 1) -> float:
    """The fastest of several runs."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def scoring() -> None:
    rng = np.random.default_rng(20)
    model = random_model(20, 10, 10, rng, rng.integers(0, 2, 20))
    data = random_data(model, 500, 4, rng)

    def by_tables() -> int:
        return int(agrees(verdicts(model, data), data).sum())

    def by_rc2() -> int:
        solver, correct = RC2Solver(), 0
        for context, rows in zip(data.contexts, data.rows_by_context, strict=True):
            best = solver.best(model, context)
            for k in rows:
                verdict = model.verdict_against(data.assignments[k], context, None if best is None else best.value)
                correct += (verdict == "optimal") == bool(data.positive[k])
        return correct

    assert by_tables() == by_rc2()  # also compiles the kernels
    fast, slow = seconds(by_tables, repeats=20), seconds(by_rc2, repeats=2)
    print(f"score, 20 variables, {len(data.contexts)} contexts, {len(data)} examples:")
    print(f"  tables {1000 * fast:8.2f} ms   RC2 loop {1000 * slow:8.1f} ms   ratio {slow / fast:.0f} (goal: 100)")


def solving() -> None:
    rng = np.random.default_rng(200)
    hidden = rng.integers(0, 2, 200)
    model = random_model(200, 500, 500, rng, hidden)
    # The contexts agree with the hidden assignment, so each of them is feasible and none is trivial.
    fixed = [random_context(200, rng).literals for _ in range(100)]
    contexts = [Context(tuple(abs(lit) if hidden[abs(lit) - 1] else -abs(lit) for lit in lits)) for lits in fixed]
    values: list[int | None] = []
    taken = seconds(lambda: values.extend(best_values(model, contexts, solver="rc2")))
    started = time.perf_counter()
    confirmed = sum(value == cp_sat_value(model, context) for value, context in zip(values, contexts, strict=True))
    judged = time.perf_counter() - started
    infeasible = sum(value is None for value in values)
    print(
        f"solve, 200 variables, {len(model.constraints)} clauses, {len(contexts)} contexts ({infeasible} infeasible):"
    )
    print(f"  RC2 {taken:.1f} s (goal: 30)   CP-SAT {judged:.1f} s, confirms {confirmed} of {len(contexts)}")
    assert confirmed == len(contexts)


def cp_sat_value(model: Model, context: Context) -> int | None:
    """The best value found by CP-SAT, an independent solver."""
    from ortools.sat.python import cp_model

    programme = cp_model.CpModel()
    x = [programme.new_bool_var(name) for name in model.variables]

    def literal(lit: int):  # type: ignore[no-untyped-def]
        return x[lit - 1] if lit > 0 else x[-lit - 1].negated()

    for clause in (*clauses_of(model.hard), *((lit,) for lit in context.literals)):
        programme.add_bool_or([literal(lit) for lit in clause])
    terms = []
    for soft, units in zip(model.soft, model.weights.tolist(), strict=True):
        met = programme.new_bool_var("")
        programme.add_bool_or([literal(lit) for lit in soft.constraint.literals]).only_enforce_if(met)
        terms.append(units * met)
    programme.maximize(sum(terms))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 2
    solver.parameters.catch_sigint_signal = False  # its handler would outlive it
    status = solver.solve(programme)
    if status == cp_model.INFEASIBLE:
        return None
    assert status == cp_model.OPTIMAL
    return round(solver.objective_value)


if __name__ == "__main__":
    scoring()
    solving()
