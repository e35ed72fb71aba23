"""Several searches at a time, in threads: almost all their time is spent in kernels, which release Python's lock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from hassle.learners.budget import Budget
from hassle.workers import Workers

GLANCE_SECONDS = 0.2  # between two looks at how far the searches are


class Search(Protocol):
    """What can run in a thread, and be asked to end from another one."""

    def run(self) -> None: ...

    def call_off(self) -> None:
        """Ask it to end soon; what it has found by then counts."""


def run_all(searches: Sequence[Search], at_once: int, budget: Budget, glance: Callable[[], None]) -> None:
    """Run the searches, so many at once, until all have ended; ``glance`` is called a few times a second.

    Ctrl-C and the end of the time call them off. An error of one of them, or of ``glance``, does so too and is raised.
    """
    workers = Workers([search.run for search in searches])
    try:
        _run(workers, searches, at_once, budget, glance)
    except BaseException:
        workers.take_back()
        call_off(searches)
        while not workers.done:
            workers.wait(GLANCE_SECONDS)
        raise


def _run(
    workers: Workers[None], searches: Sequence[Search], at_once: int, budget: Budget, glance: Callable[[], None]
) -> None:
    try:
        workers.start(at_once)
    except KeyboardInterrupt:
        budget.interrupt.set()
        call_off(searches)
        workers.work()  # every search makes a first model, also those that no thread was started for
    while not workers.done:
        try:
            workers.wait(min(GLANCE_SECONDS, max(budget.seconds_left, 0.01)))
            _raise_errors(workers)
            glance()
        except KeyboardInterrupt:
            budget.interrupt.set()
        if budget.exhausted:
            call_off(searches)
    _raise_errors(workers)


def _raise_errors(workers: Workers[None]) -> None:
    for outcome in workers.outcomes:
        outcome.result()


def call_off(searches: Sequence[Search]) -> None:
    for search in searches:
        search.call_off()
