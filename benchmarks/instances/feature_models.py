"""A product line as DIMACS: its clauses are the hard rules, and wishes are drawn at random; nothing is arranged.

Twenty wishes: half of them a feature wanted or not, half one of two literals. A situation fixes up to a tenth of the
features to what they are in some product.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hassle.files.cnf import read_cnf
from hassle.logic import Constraint, Context
from hassle.model import Model, Rule
from hassle.model.weights import exact_weight
from hassle.solve.cp_sat import CPSATSolver

from . import Instance

WISHES, SEED = 20, 0


def read(path: Path) -> Instance:
    rng = np.random.default_rng(SEED)
    hard = read_cnf(path.read_text())
    names = hard.variables

    def literals(count: int, rng: np.random.Generator) -> list[int]:
        return [int(v + 1) * int(rng.choice([-1, 1])) for v in rng.choice(len(names), count, replace=False)]

    wishes = [
        Rule(Constraint.of(literals(1 + i % 2, rng)), exact_weight(f"{int(rng.integers(2, 21)) / 20:.2f}"))
        for i in range(WISHES)
    ]
    truth = Model(hard.schema, (*hard.rules, *wishes))

    def situation(rng: np.random.Generator) -> Context:
        product = None
        while product is None:
            wanted = Context(tuple(sorted(literals(3, rng), key=abs)))
            found = CPSATSolver(60, seed=int(rng.integers(2**31 - 1))).best(hard, wanted)
            product = None if found is None else found.bits
        fixed = rng.choice(len(names), int(rng.integers(3, len(names) // 10 + 1)), replace=False)
        return Context(tuple(int(v) + 1 if product[v] else -int(v) - 1 for v in sorted(fixed)))

    return Instance(truth, situation, f"feature model {path.stem}")
