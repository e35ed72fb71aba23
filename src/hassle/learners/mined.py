"""The cheap answer that is there within a second, however large the data: rules that positives keep against all odds.

Clauses of one and two literals are mined as the learner for large contexts does (:mod:`hassle.learners.cuts.rules`),
from some rows and some variables where there are many. If there are none, all clauses of three literals are put through
a sieve: few pass sixty-four positives, each a bit of a word, unless they are rules or hardly ever at stake. A model of
rules alone is judged without a solver, in every context.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.learners.cuts.rules import LEAST_EXPECTED, believed, mine_rules
from hassle.learners.cuts.tallies import false_literals
from hassle.logic import Clause, Constraint
from hassle.model import Model

# So many positives, negatives and variables tell enough: counting pairs, or sieving triples, then takes tenths of a
# second.
MOST_ROWS, MOST_VARIABLES = 2000, 200
LONGEST = 3
MOST_RULES = 500
WORD = 64


def mined_model(
    data: Dataset, seed: int, seconds: float, most_rules: int | None = None, max_literals: int | None = None
) -> Model:
    """Hard clauses of up to three literals, as far as they are found within so many seconds.

    Of more rules than are allowed, those are taken that rule out most negatives.
    """
    rng = np.random.default_rng(seed)
    columns = np.sort(rng.permutation(len(data.variables))[:MOST_VARIABLES])
    positives, negatives = (
        data.assignments[rng.permutation(np.flatnonzero(chosen))[:MOST_ROWS]][:, columns]
        for chosen in (data.positive, ~data.positive)
    )
    deadline = time.monotonic() + seconds

    def checkpoint() -> None:
        if time.monotonic() > deadline:
            raise TimeoutError

    found: tuple[Clause, ...] = ()
    longest = min(LONGEST, max_literals or LONGEST)
    with suppress(TimeoutError):
        rules = mine_rules(positives, negatives, min(2, longest), checkpoint)
        found = rules.clauses
        if not found and longest == LONGEST:
            found = tuple(unbroken_triples(positives[~rules.suspect], checkpoint))
    ruled_out = {clause: int((~Constraint(clause).held_by(negatives)).sum()) for clause in found}
    chosen = sorted(found, key=lambda clause: -ruled_out[clause])[: most_rules or MOST_RULES]
    return Model.from_units(data.schema, [_renamed(clause, columns.tolist()) for clause in chosen])


def unbroken_triples(positives: NDArray[np.uint8], checkpoint: Callable[[], None]) -> list[Clause]:
    """The clauses of three literals that no positive breaks and that are rules with near certainty."""
    variables = positives.shape[1]
    false = false_literals(positives)
    words = _as_words(false[:WORD] > 0)
    marginals = false.mean(axis=0) if len(false) else np.zeros(2 * variables, dtype=np.float32)
    unbroken: dict[int, list[tuple[float, Clause]]] = {}
    telling: dict[int, int] = {}
    for first in range(2 * variables):
        checkpoint()
        # Literals of later variables than the first's, the third's later than the second's.
        later = np.flatnonzero(np.arange(2 * variables) % variables > first % variables)
        ordered = (later % variables)[:, None] < (later % variables)[None, :]
        expected = len(false) * marginals[first] * np.outer(marginals[later], marginals[later])
        told = ordered & (expected >= LEAST_EXPECTED)
        positive = (later < variables).astype(np.int64)
        shapes = int(first < variables) + positive[:, None] + positive[None, :]
        for shape, count in enumerate(np.bincount(shapes[told], minlength=LONGEST + 1).tolist()):
            telling[shape] = telling.get(shape, 0) + count
        passed = told & (words[first] & words[later][:, None] & words[later][None, :] == 0)
        for i, j in zip(*(places.tolist() for places in np.nonzero(passed)), strict=True):
            three = [first, int(later[i]), int(later[j])]
            if not false[:, three].all(axis=1).any():
                clause = tuple(c + 1 if c < variables else variables - c - 1 for c in three)
                unbroken.setdefault(int(shapes[i, j]), []).append((float(expected[i, j]), clause))
    return [clause for shape, found in unbroken.items() for clause in believed(found, telling[shape])]


def _as_words(rows: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """The columns of at most 64 rows, as the bits of a word each."""
    padded = np.zeros((WORD, rows.shape[1]), dtype=np.bool_)
    padded[: len(rows)] = rows
    return np.ascontiguousarray(np.packbits(padded, axis=0).T).view(np.uint64)[:, 0]


def _renamed(clause: Clause, columns: list[int]) -> Clause:
    """The clause over these columns as one over all variables."""
    return tuple((columns[abs(lit) - 1] + 1) * (1 if lit > 0 else -1) for lit in clause)
