"""Exchanging families: what is like what, and that it never ends worse than it began."""

import numpy as np
import pytest

from hassle.generate.arranged import arranged_examples, timetable
from hassle.learners.structured.candidates import Candidates
from hassle.learners.structured.fit import Contrast, Fit
from hassle.learners.structured.pool import first_pool
from hassle.learners.structured.selection import SHARP, Selection
from hassle.learners.structured.trusting import Trust
from hassle.model.rules import parse_family

WORTH = 0.7


@pytest.fixture(scope="module")
def problem():
    home = timetable(5, 4, np.random.default_rng(1))
    data = arranged_examples(home.truth, home.situation, 25, np.random.default_rng(2))
    candidates = Candidates.of(data.schema, data.assignments[data.positive])
    pool = first_pool(data, 15, np.random.default_rng(0))
    broken = candidates.broken(np.array(pool.rows))
    trust = Trust.full(len(pool)).weights(pool)
    contrast = Contrast.of(broken, np.array(pool.context_of), np.array(pool.sort), trust)
    return candidates, pool, contrast


def selection(problem, spent=lambda: False, together=4):
    candidates, _, contrast = problem
    return Selection(candidates, contrast, candidates.prices, WORTH, SHARP, spent, together)


def test_likeness_is_that_of_the_differences_to_a_positive(problem):
    candidates, _, contrast = problem
    chosen = np.flatnonzero(np.isfinite(candidates.prices))[::97].tolist()
    found = selection(problem).trials.likeness(chosen)
    trials, group = selection(problem).trials, contrast.groups[1]
    references = dict(zip(group.tolist(), trials._x[trials._reference[group]].tolist(), strict=True))
    assert contrast.positive[list(references.values())].all()
    columns = []
    for candidate in chosen:
        own = [
            int(contrast.broken[row, candidate // 2]) - int(contrast.broken[references[which], candidate // 2])
            for row, which in enumerate(group.tolist())
        ]
        columns.append(np.array(own, dtype=float))
    for i, one in enumerate(columns):
        for j, other in enumerate(columns):
            length = np.linalg.norm(one) * np.linalg.norm(other)
            assert found[i, j] == pytest.approx(abs(one @ other) / length if length else 0.0, abs=1e-4)


@pytest.mark.parametrize("together", [1, 4])
def test_an_exchange_never_ends_worse_than_it_began(problem, together):
    candidates, _, _ = problem
    rng, own = np.random.default_rng(5), selection(problem, together=together)
    for _ in range(3):
        some = rng.choice(np.flatnonzero(np.isfinite(candidates.prices)), size=6, replace=False)
        start = own.weighed(Fit(np.sort(some), np.full(6, 3.0)))
        assert own.total(own.exchanged(start)) <= own.total(start)


def test_a_family_alone_is_exchanged_for_several(problem):
    candidates, pool, _ = problem
    own = selection(problem)
    known = {candidates.family(c): c for c in np.flatnonzero(np.isfinite(candidates.prices)).tolist()}
    [group] = parse_family("for every slot: at most 1 of 'at'[{maths, physics, art}, slot]", pool.data.schema)
    start = own.weighed(Fit(np.array([known[group]]), np.array([3.0])))
    found = own.exchanged(start)
    assert own.total(found) < own.total(start)
    assert len(found.chosen) > 1


def test_when_the_time_is_up_nothing_is_exchanged(problem):
    candidates, _, _ = problem
    some = np.flatnonzero(np.isfinite(candidates.prices))[10:16]
    start = selection(problem).weighed(Fit(some, np.full(6, 3.0)))
    assert selection(problem, lambda: True).exchanged(start) is start
