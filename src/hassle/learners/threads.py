"""Several searches at a time, in threads: almost all their time is spent in kernels, which release Python's lock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Protocol

from hassle.learners.budget import Budget

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
    with ThreadPoolExecutor(at_once) as pool:
        pending = {pool.submit(search.run) for search in searches}
        while pending:
            try:
                pause = min(GLANCE_SECONDS, max(budget.seconds_left, 0.01))
                done, pending = wait(pending, pause, FIRST_COMPLETED)
                for future in done:
                    future.result()
                glance()
            except KeyboardInterrupt:
                budget.interrupt.set()
            except BaseException:
                call_off(searches)
                raise
            if budget.exhausted:
                call_off(searches)


def call_off(searches: Sequence[Search]) -> None:
    for search in searches:
        search.call_off()
