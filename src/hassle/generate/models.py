"""True models to learn from: random ones, and ones made from a CNF file (the paper's Section "Datasets").

Both take clauses from a random stream, the hard ones first, and keep a clause only if it says something new: the hard
clauses kept so far must leave it open, that is, neither imply it nor contradict it. Hence no hard clause is implied by
the earlier ones and all of them are jointly satisfiable; and every soft clause can be had and can be lost, so its
weight matters. No clause occurs twice. A soft clause may follow from another soft one: it has a weight of its own.

Differs from the paper: it does not say whether redundant clauses were drawn again; and weights, uniform over (0, 1],
are whole thousandths here, because optimality is a question of equality.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import numpy as np

from hassle.errors import InputError
from hassle.generate.clauses import clause_counts, longest_clause, uniform_clauses
from hassle.logic import Clause, clauses_of, default_names
from hassle.model import DEFAULT_UNIT, Model

# A stream may lead into a dead end, where the hard clauses decide every other clause. How many clauses are then
# drawn without keeping one before it is given up, and how often it is begun anew.
FRUITLESS_DRAWS = 2_000
ATTEMPTS = 10

Stream = Callable[[], Iterable[Clause]]


def random_model(
    variables: int,
    hard: int,
    soft: int,
    rng: np.random.Generator,
    max_literals: int | None = None,
) -> Model:
    """A model with exactly so many clauses, drawn uniformly from those of up to ``max_literals`` (n/2) literals."""
    _check_counts(variables, hard, soft)
    longest = longest_clause(variables, max_literals)
    available = sum(clause_counts(variables, longest))
    if hard + soft > available:
        raise InputError(
            f"{hard + soft} clauses asked for, but {variables} variables have only {available} clauses "
            f"of up to {longest} literals",
            fix="ask for fewer clauses, more variables or longer clauses",
        )
    # Every hard clause that is not implied excludes an assignment, and one must be left.
    if variables < hard.bit_length() and hard >= 1 << variables:
        raise InputError(
            f"{hard} hard clauses over {variables} variables cannot be satisfied without one implying another",
            fix=f"ask for at most {(1 << variables) - 1}",
        )
    return assemble(
        default_names(variables), lambda: uniform_clauses(variables, longest, rng), hard, soft, rng, "the variables"
    )


def model_from_cnf(formula: Model, hard: int, soft: int, rng: np.random.Generator) -> Model:
    """The paper's benchmark: so many clauses of a CNF file in random order, the last ``soft`` of them made soft.

    ``formula`` is the file as a model without soft clauses; all of its variables are kept.
    """
    _check_counts(len(formula.variables), hard, soft)
    clauses = list(dict.fromkeys(clauses_of(formula.constraints)))
    if hard + soft > len(clauses):
        raise InputError(
            f"{hard + soft} clauses asked for, but the file has only {len(clauses)}", fix="ask for fewer clauses"
        )
    return assemble(
        formula.variables, lambda: (clauses[j] for j in rng.permutation(len(clauses))), hard, soft, rng, "the file"
    )


def assemble(
    names: tuple[str, ...], stream: Stream, hard: int, soft: int, rng: np.random.Generator, source: str
) -> Model:
    """A model of the first clauses of the stream that the hard clauses before them leave open."""
    for _ in range(ATTEMPTS):
        chosen = _first_open(stream(), hard, hard + soft)
        if len(chosen) == hard + soft:
            weights = rng.integers(1, DEFAULT_UNIT + 1, size=soft).tolist()
            return Model.from_units(names, chosen[:hard], zip(chosen[hard:], weights, strict=True))
    raise InputError(
        f"found no {hard} hard and {soft} soft clauses in {source} such that the hard ones can be satisfied "
        "and decide no other clause",
        fix="ask for fewer clauses or for more variables",
    )


def _first_open(stream: Iterable[Clause], hard: int, total: int) -> list[Clause]:
    """Up to ``total`` distinct clauses, the first ``hard`` of them joining those that later ones are held against."""
    chosen: dict[Clause, None] = {}
    draws: Iterator[Clause] = iter(stream)
    with sat_solver() as solver:
        while len(chosen) < total:
            fresh = (clause for clause in islice(draws, FRUITLESS_DRAWS) if clause not in chosen)
            clause = next((clause for clause in fresh if is_open(solver, clause)), None)
            if clause is None:
                break
            chosen[clause] = None
            if len(chosen) <= hard:
                solver.add_clause(list(clause))
    return list(chosen)


def is_open(solver: Any, clause: Clause) -> bool:
    """Whether the solver's clauses can be satisfied both with this clause and without it."""
    implied = not solver.solve(assumptions=[-lit for lit in clause])
    return not implied and any(solver.solve(assumptions=[lit]) for lit in clause)


@contextmanager
def sat_solver(clauses: Iterable[Clause] = ()) -> Iterator[Any]:
    """A SAT solver for many small questions, freed at the end."""
    from pysat.solvers import Solver

    from hassle.solve.interrupts import keyboard_interrupts

    with keyboard_interrupts(), Solver(name="minisat22") as solver:
        for clause in clauses:
            # PySAT has no empty clause: a contradiction on variable 1 says the same.
            for part in [list(clause)] if clause else [[1], [-1]]:
                solver.add_clause(part)
        yield solver


def _check_counts(variables: int, hard: int, soft: int) -> None:
    if variables < 1:
        raise InputError(f"a model of {variables} variables cannot be made", fix="ask for at least 1")
    if hard < 0 or soft < 0:
        raise InputError(f"{min(hard, soft)} clauses cannot be drawn", fix="ask for 0 or more")
