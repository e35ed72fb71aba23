"""The structured learner looks at the clock at every stage: counted in work that is done, not in time that passes."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from hassle.generate.arranged import arranged_examples, ward
from hassle.learners.budget import Budget
from hassle.learners.places import Here
from hassle.learners.structured import candidates, chain, cutting, fit, run, search, trials
from hassle.learners.structured.candidates import Candidates


class WorkClock:
    """A clock that goes on by the entries of arrays that are looked at, and knows how many at most between two looks.

    A second is a million entries.
    """

    def __init__(self) -> None:
        self.entries = self.looked = self.longest = 0

    def monotonic(self) -> float:
        self.longest, self.looked = max(self.longest, self.entries - self.looked), self.entries
        return self.entries / 1e6

    def metered(self, function, entries):
        def work(*arguments, **options):
            self.entries += int(entries(*arguments, **options))
            return function(*arguments, **options)

        return work


class Metered:
    """A kind whose counting takes its time."""

    def __init__(self, kind, clock):
        self.kind = kind
        self.broken = clock.metered(kind.broken, lambda rows: len(rows) * kind.columns)

    def __getattr__(self, name):
        return getattr(self.kind, name)


@pytest.fixture
def clock(monkeypatch):
    clock = WorkClock()
    kinds = candidates.kinds_of
    monkeypatch.setattr(candidates, "kinds_of", lambda *given: [Metered(each, clock) for each in kinds(*given)])
    for module in (fit, trials):
        gradient = clock.metered(fit.gradient, lambda own, contrast, slope: contrast.broken.size)
        monkeypatch.setattr(module, "gradient", gradient)
    for owner, name, entries in (
        (trials.Trials, "differences", lambda self, rows: 4 * len(rows) * self.contrast.broken.shape[1]),
        (trials.Field, "losses", lambda self, scores: scores.size),
        (chain.Chain, "_like", lambda self, candidate: self._likeness.size),
        (fit.Contrast, "second_derivative", lambda self, scores, columns: columns.size * columns.shape[1]),
        (search.Search, "improved", lambda self, row, free, steps, seed, most=1: steps * len(free)),
    ):
        plain = getattr(owner, name)
        monkeypatch.setattr(owner, name, clock.metered(plain, entries))
    monkeypatch.setattr("hassle.learners.budget.time", clock)
    monkeypatch.setattr("hassle.learners.budget.clock", SimpleNamespace(seconds=0.0))
    monkeypatch.setattr(cutting, "time", clock)
    return clock


def examples(days, contexts):
    rng = np.random.default_rng(0)
    home = ward(4, days, 2, rng)
    return arranged_examples(home.truth, home.situation, contexts, rng)


@pytest.fixture(scope="module")
def data():
    return examples(4, 10)


def worked(data, clock, limit):
    budget = Budget(time_limit=limit, started=clock.monotonic(), compiled=0.0)
    one = run.Run(data, budget, lambda progress: None, Here(1), None, 400, np.random.default_rng(0))
    one.work()
    return one


def test_no_stage_works_long_without_a_look_at_the_clock(clock, monkeypatch):
    monkeypatch.setattr(run, "WALKS", 3)  # one is as long as another
    data = examples(3, 6)
    whole = worked(data, clock, 1e6)
    assert whole.settled
    total = clock.entries
    assert clock.longest < 0.02 * total
    for share in (0.001, 0.02, 0.2, 0.6):
        clock.longest, limit = 0, share * total / 1e6
        ended = worked(data, clock, limit)
        assert ended.worked <= run.LEARNING * limit + 2 * clock.longest / 1e6
        assert share < 0.02 or ended.best.rules


def test_where_time_is_short_fewer_candidates_are_counted(data):
    positives = data.assignments[data.positive]
    plain = Candidates.of(data.schema, positives)
    many = np.repeat(positives, 500, axis=0)
    short = Candidates.of(data.schema, many, seconds=1.0)
    assert short.columns <= candidates.FEWEST_COLUMNS < plain.columns
    assert {kind.siblings for kind in short.kinds} <= {kind.siblings for kind in plain.kinds}
    assert Candidates.of(data.schema, positives, seconds=600).columns == plain.columns


def test_counting_ends_where_there_is_no_time_left(data):
    looks = []

    def checkpoint():
        looks.append(1)
        if len(looks) == 3:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        Candidates.of(data.schema, data.assignments[data.positive]).broken(data.assignments, checkpoint)


def test_families_are_compared_by_fewer_rows_where_they_are_many(monkeypatch, data):
    """All entries are looked at for each family that is compared: their number is bounded."""
    own = Candidates.of(data.schema, data.assignments[data.positive], 400)
    rows = own.broken(np.repeat(data.assignments, 20, axis=0))
    sorts = np.tile(np.array([0, 2]), len(rows) // 2)
    contrast = fit.Contrast.of(rows, np.zeros(len(rows), dtype=np.int64), sorts, np.ones(len(rows)))
    walk = chain.Chain(trials.Trials(own, contrast, own.prices), fit.Fit(), np.random.default_rng(0))
    monkeypatch.setattr(chain, "ENTRIES_FOR_LIKENESS", 150 * own.columns)
    assert walk._likeness.shape == (150, own.columns)
    lengths = np.sqrt((walk._likeness**2).sum(0))
    np.testing.assert_allclose(lengths[lengths > 0], 1, rtol=1e-5)
