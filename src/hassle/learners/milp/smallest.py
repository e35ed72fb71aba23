"""The least number of clauses with which a model fits, the paper's future work.

Numbers of clauses are tried from 0 up. Each proof that none fits is carried on: what was learnt about which assignments
beat a positive (the rivals) holds for every number of clauses, so that later programmes start with it.
"""

from __future__ import annotations

from collections.abc import Callable

from hassle.learners.budget import Budget
from hassle.learners.milp.programme import Programme
from hassle.learners.milp.repair import Outcome


def grow(
    programme_of: Callable[[int], Programme], solve: Callable[[Programme], Outcome], most: int, budget: Budget
) -> Outcome:
    """The outcome for the least number of clauses up to ``most`` that fits, or for the last one tried."""
    outcome = solve(programme_of(0))
    for clauses in range(1, most + 1):
        if not outcome.impossible or budget.exhausted:
            break
        programme = programme_of(clauses)
        for c, bits in sorted(outcome.rivals):
            programme.add_rival(c, bits)
        outcome = solve(programme)
    return outcome
