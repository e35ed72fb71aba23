"""The exact learner as the judge of local search: on small noisy problems, does the search find the fewest errors?"""

from __future__ import annotations

import pytest

from hassle.generate import generate
from hassle.learners import learn


@pytest.mark.parametrize("seed", range(6))
def test_local_search_finds_the_fewest_errors_on_small_problems(seed: int) -> None:
    data = generate(4, 1, 1, 8, seed=seed, noise=0.15).data
    found = learn(data, "sls", steps=3000, constraints=2, seed=seed)
    proved = learn(data, "milp", steps=100, constraints=2, minimum_error=True, milp_solver="cp-sat")
    assert proved.stopped == "proved"
    assert proved.bound == proved.price == len(data) - found.correct


def test_the_minimum_error_form_starts_from_local_search() -> None:
    data = generate(5, 2, 2, 12, seed=3, noise=0.1).data
    result = learn(data, "milp", time_limit=2.0, constraints=4, minimum_error=True)
    assert result.trace[0].steps == 0
    assert result.trace[0].correct > data.positive.sum()
    assert result.bound <= result.price <= len(data) - result.trace[0].correct
