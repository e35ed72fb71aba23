"""Threads that carry out calls in such a way that Ctrl-C cannot spoil it, whenever it comes.

Python raises KeyboardInterrupt between any two steps of the main thread: while it starts a thread, which then runs
without anybody knowing, or inside a lock of ``concurrent.futures``, which is then never let go of. Here main thread and
workers share no lock, and which calls were begun, taken back or ended is known at any moment.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Outcome(Generic[Result]):
    """What a call returned, or the error it ended with."""

    value: Result | None = None
    error: BaseException | None = None

    def result(self) -> Result:
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]


class Workers(Generic[Result]):
    """Some calls, begun in their order by whoever works on them; ``outcomes`` in the order in which they ended."""

    def __init__(self, calls: Iterable[Callable[[], Result]]) -> None:
        self.outcomes: list[Outcome[Result]] = []
        self._waiting = deque(calls)
        self._wanted = len(self._waiting)
        self._bell: queue.SimpleQueue[None] = queue.SimpleQueue()

    def start(self, threads: int) -> None:
        for _ in range(threads):
            # One whose start was interrupted may never begin; as a daemon it does not keep the process from ending.
            threading.Thread(target=self.work, daemon=True).start()

    def work(self) -> None:
        """Carry out, in this very thread, the calls that nobody has begun."""
        with suppress(IndexError):
            while True:
                self.outcomes.append(_outcome(self._waiting.popleft()))
                self._bell.put(None)

    @property
    def done(self) -> bool:
        return len(self.outcomes) == self._wanted

    def wait(self, seconds: float | None = None) -> None:
        """Return when a call has ended or the seconds are over."""
        with suppress(queue.Empty):
            self._bell.get(timeout=seconds)

    def take_back(self) -> None:
        """Let no further call begin."""
        with suppress(IndexError):
            while True:
                self._waiting.popleft()
                self._wanted -= 1


def _outcome(call: Callable[[], Result]) -> Outcome[Result]:
    try:
        return Outcome(call())
    except BaseException as error:
        return Outcome(error=error)
