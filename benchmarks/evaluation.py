"""How long exact evaluation takes, by table and by counting, and how it grows.

    python benchmarks/evaluation.py

1. Tables: two models of 10 hard and 10 soft clauses of three literals, 12 to 26 variables.
2. Counting: pairs of models with 2- and 3-literal clauses over 100 variables, as many hard as soft clauses, more and
   more of them; every measure within a time limit of 60 s, and what did not finish.
"""

from __future__ import annotations

import time

import numpy as np

import hassle
from hassle.evaluation.measures import Evaluation
from hassle.model import Model

TIME_LIMIT = 60.0


def random_model(variables: int, hard: int, soft: int, lengths: tuple[int, ...], rng: np.random.Generator) -> Model:
    """Random clauses and weights; the hard clauses are satisfied by an assignment drawn first."""
    hidden = rng.integers(0, 2, variables)

    def clause() -> tuple[int, ...]:
        chosen = np.sort(rng.choice(variables, size=rng.choice(lengths), replace=False)) + 1
        return tuple(int(v) for v in chosen * rng.choice([-1, 1], size=len(chosen)))

    rules: list[tuple[int, ...]] = []
    while len(rules) < hard:
        rule = clause()
        if any(hidden[abs(lit) - 1] == (lit > 0) for lit in rule):
            rules.append(rule)
    wishes = [(clause(), int(rng.integers(1, 1001))) for _ in range(soft)]
    return Model.from_units(tuple(f"x{i + 1}" for i in range(variables)), rules, wishes)


def pair(variables: int, clauses: int, lengths: tuple[int, ...], seed: int) -> tuple[Model, Model]:
    rng = np.random.default_rng(seed)
    return tuple(random_model(variables, clauses, clauses, lengths, rng) for _ in range(2))  # type: ignore[return-value]


def tables() -> None:
    hassle.evaluate(*pair(6, 3, (3,), 0))  # compiles
    print("by table, 10 hard + 10 soft clauses: variables, seconds, accuracy, infeasibility, regret")
    for variables in (12, 16, 20, 22, 24, 26):
        models = pair(variables, 10, (3,), 1)
        started = time.perf_counter()
        found = hassle.evaluate(*models, method="table")
        taken = time.perf_counter() - started
        print(f"{variables:4d} {taken:8.3f}  {shares(found)}", flush=True)


def counting() -> None:
    print(f"by counting, 100 variables, 2- and 3-literal clauses, limit {TIME_LIMIT:g} s:")
    print("hard = soft clauses, seed, seconds, method, optima, accuracy, infeasibility, regret, exact regret")
    for clauses in (10, 20, 30, 40, 50, 60, 80):
        for seed in range(3):
            models = pair(100, clauses, (2, 3), seed)
            started = time.perf_counter()
            found = hassle.evaluate(*models, time_limit=TIME_LIMIT)
            taken = time.perf_counter() - started
            optima = "?" if found.optima is None else f"2^{found.optima.bit_length() - 1}"
            print(f"{clauses:4d} {seed} {taken:8.1f} {found.method:>12} {optima:>6}  {shares(found)}", flush=True)
            for name in ("accuracy", "regret", "regret_exact"):
                if name in found.reasons:
                    print(f"       no {name}: {found.reasons[name]}", flush=True)


def shares(found: Evaluation) -> str:
    values = (found.accuracy, found.infeasibility, found.regret, found.regret_exact)
    return "  ".join("   ?  " if value is None else f"{float(value):.4f}" for value in values)


if __name__ == "__main__":
    tables()
    counting()
