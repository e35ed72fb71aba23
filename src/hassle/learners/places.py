"""Where pieces of work run: in this process, or on the workers of a cluster. Learners know no more than this of it.

A piece is a call of a function of some module: it changes nothing that it is given, ends within a second or so, and
whoever asks for it waits in a thread of its own (:mod:`hassle.workers`). So a piece that is lost is simply done again.
What many pieces need is shared: it is put where they run once, and handed to each.

A search that takes long is done in such pieces, too (:class:`Afar`): a leg takes it some way, and what comes back is
where it stands. Hence nothing but its last leg can be lost, and nobody has to be told to stop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from hassle.learners.budget import Budget
from hassle.learners.options import usable_cores
from hassle.workers import Outcome, Workers

# How long a leg of a search takes: long beside sending it, short for whoever waits for it.
LEG_SECONDS = 1.0
# Pieces for each that runs at a time, where there is much to do: the last ones must not keep the others waiting.
PIECES_EACH = 4
GLANCE_SECONDS = 0.2

Value = TypeVar("Value")
Item = TypeVar("Item")
Result = TypeVar("Result")


class CalledOffError(Exception):
    """A piece that nobody waits for any more."""


class Shared(Generic[Value]):
    """What many pieces need. Handed to :meth:`Place.do` as an argument, the function gets the value.

    ``copy`` is what a place elsewhere knows of its own copy, which goes when this does.
    """

    def __init__(self, value: Value) -> None:
        self.value = value
        self.copy: Any = None
        self.lock = threading.Lock()


class Place(Protocol):
    """Where pieces run, ``at_once`` at a time; ``afar`` if that is not this process."""

    @property
    def at_once(self) -> int: ...

    @property
    def afar(self) -> bool: ...

    def do(self, until: Callable[[], bool], work: Callable[..., Result], *arguments: Any) -> Result:
        """What the function returns; CalledOffError where ``until`` says that nobody wants to know any more."""
        ...


class Here:
    """Threads of this process: almost all their time is spent in kernels, which release Python's lock."""

    afar = False

    def __init__(self, at_once: int) -> None:
        self.at_once = at_once

    def do(self, until: Callable[[], bool], work: Callable[..., Result], *arguments: Any) -> Result:
        if until():
            raise CalledOffError
        return work(*unshared(arguments))


class Fewer:
    """A place of which no more than so many pieces at a time are wanted."""

    def __init__(self, place: Place, at_once: int) -> None:
        self.place = place
        self.at_once = min(at_once, place.at_once)
        self.afar = place.afar

    def do(self, until: Callable[[], bool], work: Callable[..., Result], *arguments: Any) -> Result:
        return self.place.do(until, work, *arguments)


def place_for(cluster: Place | None, jobs: int | None) -> Place:
    """The cluster where there is one, else this machine; ``jobs`` at a time, or as many as there are cores for."""
    if cluster is None:
        return Here(jobs or usable_cores())
    return cluster if jobs is None else Fewer(cluster, jobs)


def unshared(arguments: Sequence[Any]) -> list[Any]:
    return [each.value if isinstance(each, Shared) else each for each in arguments]


def in_pieces(items: Sequence[Item], place: Place) -> list[Sequence[Item]]:
    """The items one by one where they are done here, else several in a piece, so that sending it is worth its while."""
    size = max(1, len(items) // (PIECES_EACH * place.at_once)) if place.afar else 1
    return [items[first : first + size] for first in range(0, len(items), size)]


def each(
    place: Place,
    until: Callable[[], bool],
    work: Callable[..., Result],
    pieces: Sequence[Sequence[Any]],
) -> list[Result | None]:
    """What the function returns for the arguments of each piece; None for those that were called off.

    Ctrl-C, or an error of one of them, calls them all off and is raised.
    """
    given_up = False

    def called_off() -> bool:
        return given_up or until()

    def done(number: int, arguments: Sequence[Any]) -> tuple[int, Result | None]:
        try:
            return number, place.do(called_off, work, *arguments)
        except CalledOffError:
            return number, None

    workers: Workers[tuple[int, Result | None]] = Workers(
        partial(done, number, arguments) for number, arguments in enumerate(pieces)
    )
    try:
        workers.start(min(len(pieces), (2 if place.afar else 1) * place.at_once))  # afar, the next is there already
        while not workers.done:
            workers.wait(GLANCE_SECONDS)
            _raise_errors(workers.outcomes)
        _raise_errors(workers.outcomes)
    except BaseException:
        given_up = True
        workers.take_back()
        while not workers.done:
            workers.wait(GLANCE_SECONDS)
        raise
    found = dict(outcome.result() for outcome in workers.outcomes)
    return [found[number] for number in range(len(pieces))]


def _raise_errors(outcomes: Sequence[Outcome[Any]]) -> None:
    for outcome in outcomes:
        outcome.result()


class Resumable(Protocol):
    """A search that can be carried out leg by leg."""

    @property
    def over(self) -> bool:
        """Whether there is nothing left to do."""
        ...

    def run(self) -> None: ...

    def call_off(self) -> None: ...

    def parcel(self) -> Any:
        """Where it stands, to be sent elsewhere."""
        ...

    def take(self, parcel: Any) -> None:
        """Stand where a leg has led."""

    def finish(self) -> None:
        """Called when no further leg will come: even a search without any must have something to show."""


class Afar:
    """A search carried out elsewhere, leg by leg; in this process it stands where its last leg has led it.

    ``advance`` does a leg: what is shared, a parcel, the budget and seconds in, a parcel out.
    """

    def __init__(
        self, search: Resumable, place: Place, advance: Callable[..., Any], shared: Shared[Any], budget: Budget
    ) -> None:
        self.search, self.place, self.advance, self.shared, self.budget = search, place, advance, shared, budget
        self._parcel = search.parcel()
        self._stop = False

    def run(self) -> None:
        try:
            while not (self._stop or self.search.over):
                arguments = (self.shared, self._parcel, self.budget, LEG_SECONDS)
                self._parcel = self.place.do(lambda: self._stop, self.advance, *arguments)
                self.search.take(self._parcel)
        except CalledOffError:
            pass
        self.search.finish()

    def call_off(self) -> None:
        self._stop = True
