"""A last look at situations that were not seen: what no positive ever breaks, a plan should not break either.

The selection keeps the families that the examples need. With few good decisions a true rule may not be among them,
because in those contexts another one kept everything else from winning. So the model is asked for plans in contexts
mixed from two of the data. Where a plan breaks a family for everybody that no believed positive breaks, although
alternatives often do, that family becomes a rule, the one that alternatives break most first.

Measured on wards of 60 variables (benchmarks/structured.py, three problems from seed 1000): with 40 contexts infeasible
plans fell from .325 to .000, for eleven rules more and no fewer optimal plans. With 100 contexts (two problems) it
gained nothing, so it is done with few good decisions only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np

from hassle.data import Dataset
from hassle.errors import ResourceError
from hassle.learners.structured.candidates import Candidates, given_in
from hassle.learners.structured.pool import POSITIVE, Pool
from hassle.logic import Context
from hassle.model import Model, Rule
from hassle.model.families import Family, Members
from hassle.solve.choice import solver_for

# With more good decisions the selection has seen what it needs.
FEW_POSITIVES = 150
MIXED = 40  # contexts that plans are asked for
# Share of the alternatives that must break a family before it is believed for being unbroken by the positives.
OFTEN = 0.15
# Seconds for a plan: at least, and as a share of what is left.
SOLVING_SECONDS, SOLVING_SHARE = 1.0, 0.05
# Rows of a pool that are looked at together.
AT_A_TIME = 256


def hedged(
    model: Model,
    candidates: Candidates,
    broken: np.ndarray,
    unbroken: np.ndarray,
    pool: Pool,
    rng: np.random.Generator,
    spent: Callable[[], bool],
    patience: float = SOLVING_SECONDS,
) -> Model:
    """The model with the rules that its plans in mixed contexts show to be missing; so many seconds for each plan."""
    others = broken[np.array(pool.sort) != POSITIVE]
    shares = _shares(candidates, others)
    likely = {
        candidate: float(shares[candidate])
        for candidate in np.flatnonzero(unbroken & (shares >= OFTEN)).tolist()
        if _for_everybody(candidates.family(candidate))
    }
    given = given_in(pool.data)
    for _ in range(MIXED):
        context = mixed(pool.data, rng, given)
        while likely and not spent():
            try:
                best = solver_for(model, context, time_limit=patience).best(model, context)
            except ResourceError:
                break
            if best is None:
                break
            row = candidates.broken(best.bits[None, :])
            wrong = [candidate for candidate in likely if _breaks(candidates, row, candidate)[0] > 0]
            if not wrong:
                break
            worst = max(wrong, key=lambda candidate: likely[candidate])
            del likely[worst]
            model = replace(model, rules=(Rule(candidates.family(worst)), *model.rules))
    return model


def mixed(data: Dataset, rng: np.random.Generator, given: Collection[int] = ()) -> Context:
    """About half of the literals of each of two contexts of the data, as far as they go together.

    What every context fixes, such as demand, is that of the first.
    """
    literals: dict[int, int] = {}
    one, other = rng.integers(len(data.contexts), size=2)
    for c in (one, other):
        for lit in data.contexts[c].literals:
            if (c == one and abs(lit) - 1 in given) or rng.random() < 0.5:
                literals.setdefault(abs(lit), lit)
    return Context(tuple(sorted(literals.values(), key=abs)))


def _shares(candidates: Candidates, rows: np.ndarray) -> np.ndarray:
    """For each candidate the share of the rows that break it."""
    result = np.zeros(2 * candidates.columns)
    whole = np.minimum(candidates.instances, 255)
    for first in range(0, len(rows), AT_A_TIME):
        part = rows[first : first + AT_A_TIME]
        result[0::2] += (part > 0).sum(axis=0)
        result[1::2] += (part < whole).sum(axis=0)
    return result / max(1, len(rows))


def _breaks(candidates: Candidates, rows: np.ndarray, candidate: int) -> np.ndarray:
    """How many instances of the candidate each row breaks."""
    column = rows[:, candidate // 2].astype(np.int64)
    return column if candidate % 2 == 0 else np.minimum(candidates.instances[candidate // 2], 255) - column


def _for_everybody(family: object) -> bool:
    """Whether a family is about a day or a nurse as such; at most one thing, such as a shift, is named in its cells."""
    if not isinstance(family, Family) or not family.every or any(every.but or every.having for every in family.every):
        return False
    named = [
        place.names for cells in (*family.cells, *family.than) for place in cells.places if isinstance(place, Members)
    ]
    return len(named) <= len(family.cells) and all(len(names) == 1 for names in named)
