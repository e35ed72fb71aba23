"""How long a learner may run, and how it tells the world how far it is.

A `Budget` is made when a run starts and is shared by everything that works on the run: it holds the time limit,
the limit in steps, the score that is good enough, and the flag by which Ctrl-C or another thread asks to stop.
A learner looks at it often enough to keep the time limit to within a second. Time in which kernels are compiled, once
on a machine, does not count.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from hassle.compiling import clock
from hassle.errors import InputError

if TYPE_CHECKING:
    from hassle.model import Model

DEFAULT_SECONDS = 60.0

# perfect: every example agrees; target: the asked-for score was reached; time, steps: that limit was reached;
# interrupted: the user stopped it; proved: an exact learner knows that no better model of its kind exists.
Stopped = Literal["perfect", "target", "time", "steps", "interrupted", "proved"]


@dataclass(frozen=True)
class Budget:
    """Limits of one run; the clock starts when the budget is made."""

    time_limit: float | None = None
    steps: int | None = None
    target_score: float = 1.0
    interrupt: threading.Event = field(default_factory=threading.Event)
    started: float = field(default_factory=lambda: time.monotonic())
    compiled: float = field(default_factory=lambda: clock.seconds)

    def __post_init__(self) -> None:
        if self.time_limit is not None and not 0 <= self.time_limit < math.inf:
            raise InputError(f"the time limit is {self.time_limit}", fix="give a number of seconds, 0 or more")
        if self.steps is not None and self.steps < 0:
            raise InputError(f"the number of steps is {self.steps}", fix="give a whole number, 0 or more")
        if not 0 <= self.target_score <= 1:
            raise InputError(f"the target score is {self.target_score}", fix="give a fraction between 0 and 1")

    @property
    def seconds(self) -> float:
        """Seconds since the run started, without those that went into compiling."""
        return time.monotonic() - self.started - (clock.seconds - self.compiled)

    @property
    def seconds_left(self) -> float:
        """Seconds until the time limit, infinite without one, never negative."""
        return math.inf if self.time_limit is None else max(0.0, self.time_limit - self.seconds)

    @property
    def interrupted(self) -> bool:
        return self.interrupt.is_set()

    @property
    def exhausted(self) -> bool:
        """True once the time is up or somebody asked to stop."""
        return self.interrupted or self.seconds_left == 0

    def enough(self, examples: int) -> int:
        """The number of correct examples, of so many, that reaches the target score."""
        return math.ceil(Fraction(str(self.target_score)) * examples)

    def part(self, share: float) -> Budget:
        """A budget of its own with a share of the time that is left, and the same flag to stop it."""
        seconds = None if self.time_limit is None else share * self.seconds_left
        return Budget(seconds, self.steps, self.target_score, self.interrupt)

    def __reduce__(self) -> tuple[Any, ...]:
        """On its way to another machine: there its clock goes on from the seconds spent; the flag stays behind."""
        return _resumed, (self.time_limit, self.steps, self.target_score, self.seconds)

    def ending(self, correct: int, examples: int, *, out_of_steps: bool) -> Stopped:
        """Why a run ended that explains so many examples. Who interrupts a run is told so, whatever it has found.

        A model that there was no time to judge on any example explains none of them.
        """
        if self.interrupted:
            return "interrupted"
        if examples and correct == examples:
            return "perfect"
        if examples and correct >= self.enough(examples):
            return "target"
        return "steps" if out_of_steps else "time"


def _resumed(time_limit: float | None, steps: int | None, target_score: float, spent: float) -> Budget:
    return Budget(time_limit, steps, target_score, started=time.monotonic() - spent)


@dataclass(frozen=True)
class Progress:
    """Where a run stands; sent to the listener a few times a second.

    ``steps`` and ``neighbours`` as in :class:`~hassle.learners.result.LearnResult`; ``tried`` is what the learner calls
    the latter. ``model`` is the best so far, from learners that have one at hand.
    """

    seconds: float
    seconds_left: float
    correct: int
    examples: int
    steps: int = 0
    neighbours: int = 0
    note: str = ""
    tried: str = "neighbours"
    model: Model | None = field(default=None, repr=False)


Listener = Callable[[Progress], None]


def silent(progress: Progress) -> None:
    """The listener of a run that nobody watches."""
