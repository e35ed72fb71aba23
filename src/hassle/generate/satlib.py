"""Formulas like SATLIB's uniform random 3-SAT files, so that the paper's benchmark runs without the real ones.

The family uf20-91: 91 distinct clauses of three literals over 20 variables, each clause equally likely, kept if
satisfiable. At 20 variables and 91 clauses that is about the phase transition, where half of the formulas are.
"""

from __future__ import annotations

from math import comb

import numpy as np

from hassle.errors import InputError
from hassle.generate.clauses import uniform_clause
from hassle.generate.models import sat_solver
from hassle.logic import Clause, default_names
from hassle.model import Model

ATTEMPTS = 1_000


def satlib_like(rng: np.random.Generator, variables: int = 20, clauses: int = 91, literals: int = 3) -> Model:
    """A satisfiable uniform random formula, as a model without soft clauses."""
    if not 1 <= literals <= variables or clauses > comb(variables, literals) << literals:
        raise InputError(
            f"there are no {clauses} clauses of {literals} literals over {variables} variables",
            fix="ask for fewer clauses or more variables",
        )
    for _ in range(ATTEMPTS):
        drawn: dict[Clause, None] = {}
        while len(drawn) < clauses:
            drawn[uniform_clause(variables, literals, rng)] = None
        with sat_solver(drawn) as solver:
            if solver.solve():
                return Model.from_units(default_names(variables), drawn)
    raise InputError(
        f"none of {ATTEMPTS} random formulas of {clauses} clauses over {variables} variables can be satisfied",
        fix="ask for fewer clauses",
    )
