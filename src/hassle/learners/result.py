"""What a learner hands back: the model, how well it fits, how the run ended, and how it got there.

Every learner returns a `LearnResult`. `correct` counts the examples whose verdict agrees with their label,
so `score` is the share the paper calls the score of a classifier. The trace holds every improvement with its
model, so that any earlier cutoff can be evaluated after the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hassle.learners.budget import Stopped

if TYPE_CHECKING:
    from hassle.model import Model
    from hassle.solve.committee import Committee


@dataclass(frozen=True)
class Improvement:
    """The moment a run found a better model than all before it."""

    seconds: float
    steps: int
    neighbours: int
    correct: int
    model: Model


@dataclass(frozen=True)
class HeldOut:
    """Examples in contexts of their own, and how many of them a model gets right that was learned from other examples.

    There are ``examples`` of them in so many ``contexts``; the model was learned from ``learned_from`` others.
    """

    examples: int
    contexts: int
    correct: int
    learned_from: int

    @property
    def score(self) -> float:
        return self.correct / self.examples

    def record(self) -> dict[str, Any]:
        """The documented JSON keys."""
        return {"score": self.score, **vars(self)}


@dataclass(frozen=True)
class Agreement:
    """Of so many ``comparisons`` a model agrees with so many: it allows the better one, and values it more."""

    comparisons: int
    correct: int

    def record(self) -> dict[str, Any]:
        """The documented JSON keys."""
        return vars(self).copy()


@dataclass(frozen=True)
class LearnResult:
    """A learned model and the account of the run that found it.

    ``steps`` counts the changes made to the model on the way, ``neighbours`` the changed models that were judged for
    them, made or not; ``constraints`` is how many constraints the model has, a family counted once for each index.
    What only one learner has to tell (the moves of its chains, a proved bound) is in ``details``, under its own keys.
    ``held_out_trace`` are the improvements of the run that ``hold_out`` judged.
    Where there was no time to solve all contexts of the data, ``correct`` and ``examples`` are about those that
    ``judged`` lists. ``visited`` are other models that fit about as well, from which
    ``learn(..., start=result)`` goes on. ``comparisons`` says with how many of them the model agrees, where there are
    any. Where no example is negative, ``fit`` is the share of the alternatives that a positive beats
    (:mod:`hassle.evaluation.fit`): the score alone would be satisfied by a model that calls everything best.
    """

    model: Model
    learner: str
    correct: int
    examples: int
    stopped: Stopped
    seconds: float
    seed: int
    constraints: int
    steps: int = 0
    neighbours: int = 0
    trace: tuple[Improvement, ...] = ()
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    committee: Committee | None = None
    hold_out: HeldOut | None = None
    held_out_trace: tuple[Improvement, ...] = ()
    judged: tuple[int, ...] | None = None
    visited: tuple[Model, ...] = ()
    comparisons: Agreement | None = None
    fit: float | None = None

    @property
    def score(self) -> float | None:
        """Share of the examples that the model classifies as labelled; None where it was judged on none of them."""
        return self.correct / self.examples if self.examples else None

    def extras(self) -> dict[str, Any]:
        """What only this kind of learner has to say, as further keys of the JSON record."""
        return dict(self.details)

    def model_at(self, seconds: float) -> Model | None:
        """The best model the run had found after so many seconds, None if it had none yet."""
        found = [moment.model for moment in self.trace if moment.seconds <= seconds]
        return found[-1] if found else None
