"""Rules that the examples speak for, though not loudly: what joins in the end, and that nothing else changes."""

import numpy as np
import pytest

from hassle.generate.arranged import arranged_examples, timetable, ward
from hassle.learners.structured.candidates import Candidates
from hassle.learners.structured.completing import CHEAPER, completed, for_everybody
from hassle.learners.structured.fit import Contrast, Fit
from hassle.learners.structured.models import never_broken
from hassle.learners.structured.pool import POSITIVE, first_pool
from hassle.learners.structured.selection import SHARP, Selection
from hassle.learners.structured.trusting import Trust
from hassle.model.families import Family

WORTH = 0.7


class Problem:
    """A small timetable, all that a selection needs, and the model that a plain selection finds."""

    def __init__(self, seed):
        home = timetable(5, 4, np.random.default_rng(seed))
        self.data = arranged_examples(home.truth, home.situation, 25, np.random.default_rng(seed))
        self.candidates = Candidates.of(self.data.schema, self.data.assignments[self.data.positive])
        self.pool = first_pool(self.data, 15, np.random.default_rng(0))
        self.broken = self.candidates.broken(np.array(self.pool.rows))
        trust = Trust.full(len(self.pool))
        self.unbroken = never_broken(self.candidates, self.broken, self.pool, trust)
        own = np.array(self.pool.context_of), np.array(self.pool.sort), trust.weights(self.pool)
        self.contrast = Contrast.of(self.broken, *own)
        self.found = self.selection().from_(Fit())

    def selection(self, spent=lambda: False):
        return Selection(self.candidates, self.contrast, self.candidates.prices, WORTH, SHARP, spent)

    def families(self, found):
        return [self.candidates.family(candidate) for candidate in found.chosen.tolist()]


@pytest.fixture(scope="module", params=[2, 3, 6])
def problem(request):
    return Problem(request.param)


def test_what_joins_runs_is_never_broken_and_saves_half_its_price(problem):
    found = problem.found
    grown = completed(problem.selection(), found, problem.unbroken)
    assert grown.chosen[: len(found.chosen)].tolist() == found.chosen.tolist()
    assert grown.weights[: len(found.weights)].tolist() == found.weights.tolist()
    joined = grown.chosen[len(found.chosen) :].tolist()
    assert joined
    assert not set(joined) & set(found.chosen.tolist())
    positives = np.array(problem.pool.rows)[np.array(problem.pool.sort) == POSITIVE]
    saved, before = 0.0, problem.selection().weighed(found)
    for i, candidate in enumerate(joined):
        family = problem.candidates.family(candidate)
        assert isinstance(family, Family)
        assert family.every
        for instance in family.instances(problem.data.schema):
            assert instance.held_by(positives).all()
        more = Fit(grown.chosen[: len(found.chosen) + i + 1], grown.weights[: len(found.chosen) + i + 1])
        after = problem.selection().weighed(more)
        saved += before.loss - after.loss
        before = after
    # Each saved its share when it joined; afterwards all are weighed a little differently.
    assert saved > 0.95 * WORTH * CHEAPER * problem.candidates.prices[joined].sum()


def test_what_a_positive_breaks_never_joins(problem):
    nothing = np.zeros(len(problem.unbroken), dtype=np.bool_)
    assert completed(problem.selection(), problem.found, nothing).chosen.tolist() == problem.found.chosen.tolist()


def test_without_time_nothing_changes(problem):
    grown = completed(problem.selection(lambda: True), problem.found, problem.unbroken)
    assert grown.chosen.tolist() == problem.found.chosen.tolist()


@pytest.mark.parametrize("home", [timetable(5, 4, np.random.default_rng(0)), ward(4, 3, 2, np.random.default_rng(0))])
def test_the_first_family_of_a_kind_tells_whether_all_of_it_run(home):
    rng = np.random.default_rng(0)
    data = arranged_examples(home.truth, home.situation, 5, rng)
    candidates = Candidates.of(data.schema, data.assignments[data.positive])
    told = for_everybody(candidates)
    assert len(told) == 2 * candidates.columns
    for candidate in range(0, len(told), 3):
        family = candidates.family(candidate)
        assert told[candidate] == (isinstance(family, Family) and bool(family.every))
