"""Calls in threads: every one is made once, errors come back, and Ctrl-C at the worst moment leaves nothing running."""

from __future__ import annotations

import threading
import time

import pytest

from hassle.learners.budget import Budget
from hassle.learners.threads import run_all
from hassle.solve.interrupts import interruptible
from hassle.workers import Workers


@pytest.mark.parametrize("threads", [0, 1, 3, 20])
def test_every_call_is_made_once(threads):
    workers = Workers([lambda i=i: i for i in range(10)])
    workers.start(threads)
    workers.work()
    while not workers.done:
        workers.wait(0.1)
    assert sorted(outcome.result() for outcome in workers.outcomes) == list(range(10))


def test_calls_taken_back_are_never_made():
    made = []
    workers = Workers([lambda: made.append(1)])
    workers.take_back()
    workers.start(1)
    workers.work()
    assert workers.done
    assert made == []


def interrupt_starts(monkeypatch, begins):
    """Every start of a thread is interrupted, after it has begun or before."""
    start = threading.Thread.start

    def interrupted(thread):
        if begins:
            start(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)


@pytest.mark.parametrize("begins", [True, False])
def test_ctrl_c_while_a_solver_is_started_stops_it(monkeypatch, begins):
    interrupt_starts(monkeypatch, begins)
    stopped, ended = threading.Event(), []
    with pytest.raises(KeyboardInterrupt):
        interruptible(lambda: ended.append(stopped.wait(60)), stopped.set)
    assert ended in ([True], [])  # it was stopped, or never began
    assert begins or not ended


def test_a_solver_that_takes_too_long_is_stopped():
    stopped = threading.Event()
    with pytest.raises(TimeoutError):
        interruptible(lambda: stopped.wait(60), stopped.set, 0.01)
    assert stopped.is_set()


def test_errors_of_what_is_computed_are_raised():
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0, lambda: None)


class Patient:
    """A search that goes on until it is called off, and has made a model whenever it ends."""

    def __init__(self, error=None):
        self.off, self.models, self.error = threading.Event(), 0, error

    def run(self):
        self.models += 1
        if self.error is not None:
            raise self.error
        self.off.wait(60)

    def call_off(self):
        self.off.set()


@pytest.mark.parametrize("begins", [True, False])
def test_ctrl_c_while_searches_are_started_ends_them_all(monkeypatch, begins):
    interrupt_starts(monkeypatch, begins)
    searches, budget = [Patient() for _ in range(4)], Budget()
    run_all(searches, 2, budget, lambda: None)
    assert budget.interrupted
    assert [search.models for search in searches] == [1] * 4


def test_ctrl_c_while_searches_run_ends_them_all():
    searches, budget = [Patient() for _ in range(3)], Budget()

    def glance():
        if not budget.interrupted:
            raise KeyboardInterrupt

    run_all(searches, 2, budget, glance)
    assert budget.interrupted
    assert [search.models for search in searches] == [1] * 3


def test_an_error_of_one_search_ends_the_others():
    searches = [Patient(), Patient(ValueError("broken")), Patient()]
    with pytest.raises(ValueError, match="broken"):
        run_all(searches, 2, Budget(), lambda: None)
    assert searches[0].off.is_set()


def test_the_end_of_the_time_ends_searches():
    searches = [Patient(), Patient()]
    began = time.monotonic()
    run_all(searches, 2, Budget(0.1), lambda: None)
    assert time.monotonic() - began < 30
    assert all(search.off.is_set() for search in searches)
