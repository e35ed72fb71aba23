"""Pieces of work that run elsewhere: the same results, and nothing lost but a last piece.

The stand-in for a cluster hands every piece and every result over as bytes, as a cluster does, and can lose pieces.
"""

from __future__ import annotations

import math
import pickle
import threading

import numpy as np
import pytest

import hassle
from hassle import solve
from hassle.errors import InputError
from hassle.generate import generate
from hassle.generate.arranged import arranged_examples, ward
from hassle.learners import places
from hassle.learners.budget import Budget
from hassle.learners.places import CalledOffError, Fewer, Here, Shared, each, in_pieces, place_for


class Elsewhere:
    """A place that shares no memory with this process; what is shared is sent once."""

    afar = True

    def __init__(self, at_once=2, lost=0):
        self.at_once = at_once
        self.pieces = self.sent = 0
        self.lost = lost
        self.lock = threading.Lock()

    def do(self, until, work, *arguments):
        if until():
            raise CalledOffError
        while True:
            given = [self.copy_of(each) if isinstance(each, Shared) else pickle.dumps(each) for each in arguments]
            result = pickle.dumps(work(*map(pickle.loads, given)))
            with self.lock:
                self.pieces += 1
                self.lost -= 1
                if self.lost < 0:
                    return pickle.loads(result)

    def copy_of(self, shared):
        with shared.lock:
            if shared.copy is None:
                shared.copy = pickle.dumps(shared.value)
                self.sent += 1
            return shared.copy


@pytest.fixture
def short_legs(monkeypatch):
    monkeypatch.setattr(places, "LEG_SECONDS", 0.0)


MADE = generate(7, 4, 4, 20, seed=3)


@pytest.fixture(scope="module")
def arranged():
    home = ward(4, 3, 2, np.random.default_rng(3))
    return arranged_examples(home.truth, home.situation, 10, np.random.default_rng(4))


@pytest.mark.parametrize(("learner", "steps"), [("statistical", 6000), ("sls", 40)])
def test_a_run_by_steps_gives_the_same_model_elsewhere_even_if_legs_are_lost(learner, steps, short_legs):
    here = hassle.learn(MADE.data, learner, steps=steps, seed=1)
    place = Elsewhere(lost=3)
    there = hassle.learn(MADE.data, learner, steps=steps, seed=1, place=place)
    assert there.model == here.model
    assert (there.steps, there.neighbours, there.correct) == (here.steps, here.neighbours, here.correct)
    assert place.pieces > 6
    assert place.sent == 1  # the data, once


def test_the_structured_learner_gives_the_same_model_elsewhere(arranged):
    data = arranged
    here, place = hassle.learn(data, "structured", steps=1), Elsewhere(at_once=3)
    there = hassle.learn(data, "structured", steps=1, place=place)
    assert there.model == here.model
    assert (there.correct, there.examples, there.judged) == (here.correct, here.examples, None)
    assert place.pieces >= 12 + 10  # searches for cuts, and contexts to judge the model in
    assert place.sent == 3  # the contexts, the weights of the round, the model with the examples


def test_auto_hands_the_place_on():
    place = Elsewhere()
    found = hassle.learn(MADE.data, "auto", time_limit=1.0, place=place)
    assert place.pieces
    assert found.correct == int(solve.agrees(solve.verdicts(found.model, MADE.data), MADE.data).sum())


@pytest.mark.parametrize("learner", ["statistical", "sls", "structured"])
def test_who_interrupts_a_run_elsewhere_gets_the_best_so_far(learner, arranged):
    stop = threading.Event()
    place = Elsewhere()

    def listener(progress):
        if place.pieces:
            stop.set()

    data = arranged if learner == "structured" else MADE.data
    found = hassle.learn(data, learner, time_limit=30, place=place, interrupt=stop, listener=listener)
    assert found.stopped in ("interrupted", "perfect")


def test_each_keeps_the_order_and_leaves_out_what_is_called_off():
    square = each(Here(3), lambda: False, lambda x: x * x, [(x,) for x in range(20)])
    assert square == [x * x for x in range(20)]
    done = []

    def until():
        return len(done) >= 2

    found = each(Here(1), until, done.append, [(x,) for x in range(5)])
    assert done == [0, 1]
    assert found == [None] * 5


def test_an_error_of_a_piece_is_raised():
    with pytest.raises(ZeroDivisionError):
        each(Here(2), lambda: False, lambda x: 1 // x, [(1,), (0,), (2,)])


def test_shared_values_are_handed_over_as_they_are():
    assert Here(1).do(lambda: False, lambda a, b: a + b, Shared(2), 3) == 5


def test_items_are_sent_in_pieces_but_done_here_one_by_one():
    assert in_pieces(range(5), Here(2)) == [range(i, i + 1) for i in range(5)]
    sent = in_pieces(list(range(100)), Elsewhere(at_once=3))
    assert [item for piece in sent for item in piece] == list(range(100))
    assert 12 <= len(sent) <= 13
    assert in_pieces([], Elsewhere()) == []


def test_jobs_bound_what_runs_at_a_time():
    place = Elsewhere(at_once=8)
    assert place_for(place, 3).at_once == 3
    assert place_for(place, None) is place
    assert Fewer(place, 20).at_once == 8
    assert not place_for(None, 2).afar


def test_a_budget_goes_on_where_it_is_sent():
    budget = Budget(100.0, 7, 0.9)
    sent = pickle.loads(pickle.dumps(budget))
    assert (sent.time_limit, sent.steps, sent.target_score) == (100.0, 7, 0.9)
    assert math.isclose(sent.seconds, budget.seconds, abs_tol=10.0)
    assert not sent.interrupted


def test_bundles_of_arrays_are_made_anew_where_they_are_sent():
    from hassle.learners.statistical.problem import make_problem

    problem = make_problem(MADE.data, np.random.default_rng(0))
    sent = pickle.loads(pickle.dumps(problem))
    assert sent.cases.address != problem.cases.address
    assert (sent.cases.points == problem.cases.points).all()
    assert sent.cases.slots[0] == sent.cases.places.ctypes.data


@pytest.mark.parametrize("learner", ["milp", "cuts"])
def test_learners_that_cannot_use_a_cluster_say_so(learner):
    with pytest.raises(InputError, match="works in one process"):
        hassle.learn(MADE.data, learner, cluster="local")
