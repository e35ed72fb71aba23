"""Cross-validation by contexts: what score to expect in contexts that a model has not seen.

The contexts are divided into folds; each fold is judged by a model learned from all the others. No context is ever
divided: remembering how a context was solved is not what a model is for. The time limit is shared among the folds.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from hassle.errors import NoModelError
from hassle.learners import learn
from hassle.learners.budget import DEFAULT_SECONDS, Listener, silent
from hassle.learners.cluster import on_cluster
from hassle.learners.holding_out import judged
from hassle.learners.result import HeldOut, LearnResult

if TYPE_CHECKING:
    from hassle.data import Dataset


@dataclass(frozen=True)
class Fold:
    """Fold ``number`` of so many: the examples held out, and what was learned without them, None if nothing was."""

    number: int
    of: int
    examples: int
    contexts: int
    positives: int
    held_out: HeldOut | None
    result: LearnResult | None
    seconds: float

    @property
    def score(self) -> float | None:
        return None if self.held_out is None else self.held_out.score

    def record(self) -> dict[str, Any]:
        """The documented JSON keys."""
        return {
            "fold": self.number,
            "score": self.score,
            "examples": self.examples,
            "contexts": self.contexts,
            "correct": None if self.held_out is None else self.held_out.correct,
            "learned_from": None if self.result is None else self.result.examples,
            "training_score": None if self.result is None else self.result.score,
            "stopped": None if self.result is None else self.result.stopped,
            "seconds": self.seconds,
        }


@dataclass(frozen=True)
class CrossValidation:
    """The folds that were done, of ``wanted`` folds, all unless ``stopped`` is "interrupted"."""

    learner: str
    folds: tuple[Fold, ...]
    wanted: int
    stopped: Literal["done", "interrupted"]
    seed: int
    seconds: float
    notes: tuple[str, ...] = ()

    @property
    def judged(self) -> tuple[Fold, ...]:
        """The folds that have a score."""
        return tuple(fold for fold in self.folds if fold.held_out is not None)

    @property
    def score(self) -> float | None:
        """The mean of the folds' scores; None without any."""
        return _mean([fold.held_out.score for fold in self.judged if fold.held_out])

    @property
    def spread(self) -> float | None:
        """The standard deviation of the folds' scores; None for fewer than two."""
        scores = [fold.held_out.score for fold in self.judged if fold.held_out]
        if len(scores) < 2:
            return None
        mean = sum(scores) / len(scores)
        return math.sqrt(sum((score - mean) ** 2 for score in scores) / (len(scores) - 1))

    @property
    def training_score(self) -> float | None:
        """The mean score of the models on the examples that they were learned from."""
        return _mean([score for fold in self.judged if fold.result and (score := fold.result.score) is not None])

    @property
    def examples(self) -> int:
        """How many examples were judged."""
        return sum(fold.examples for fold in self.judged)

    @property
    def contexts(self) -> int:
        """How many contexts were judged in."""
        return sum(fold.contexts for fold in self.judged)

    @property
    def correct(self) -> int:
        """How many of the examples judged the models get right."""
        return sum(fold.held_out.correct for fold in self.judged if fold.held_out)

    @property
    def baseline(self) -> float | None:
        """What always giving the more frequent label would score on the same examples."""
        if not self.examples:
            return None
        share = Fraction(sum(fold.positives for fold in self.judged), self.examples)
        return float(max(share, 1 - share))


@on_cluster
def cross_validate(
    data: Dataset,
    learner: str = "auto",
    *,
    folds: int = 5,
    time_limit: float | None = None,
    steps: int | None = None,
    seed: int = 0,
    listener: Listener = silent,
    watch: Callable[[Fold], None] = lambda fold: None,
    interrupt: threading.Event | None = None,
    **options: Any,
) -> CrossValidation:
    """The score to expect in contexts that were not learned from, by learning ``folds`` times from a part of them.

    The seed divides the contexts at random; with fewer contexts than folds there are as many folds as contexts. The
    time limit, a minute without one and without ``steps``, is for all folds together. ``watch`` is called after each
    fold; Ctrl-C keeps the folds that are done. Everything else is as in `hassle.learn`.
    """
    if time_limit is None and steps is None:
        time_limit = DEFAULT_SECONDS
    count, notes = folds, []
    if 1 < len(data.contexts) < folds:
        count = len(data.contexts)
        notes.append(f"there are {count} contexts, so {count} folds of one context each instead of {folds}")
    fold_of = data.fold_of(count, seed)
    stop = interrupt or threading.Event()
    common = {**options, "steps": steps, "seed": seed, "listener": listener, "interrupt": stop}
    done: list[Fold] = []
    spent = 0.0
    try:
        for i in range(count):
            began = time.monotonic()
            limit = None if time_limit is None else max(0.0, time_limit - spent) / (count - i)
            fold = _try_fold(data, fold_of == i, (i + 1, count), learner, limit, common)
            if stop.is_set() or (fold.result is not None and fold.result.stopped == "interrupted"):
                raise KeyboardInterrupt  # a search cut short would say nothing about the learner
            # Kernels may be compiled in the first fold, which is not counted against a time limit.
            spent += fold.seconds if i == 0 else time.monotonic() - began
            done.append(fold)
            watch(fold)
    except KeyboardInterrupt:
        stop.set()
    if done and not any(fold.held_out for fold in done):
        raise NoModelError(f"no model was found in any of the {len(done)} folds; give it more time", proved=False)
    lost = [str(fold.number) for fold in done if fold.held_out is None]
    if lost:
        notes.append(f"no model was found for fold {', '.join(lost)}, which the score leaves out; give it more time")
    empty = [str(fold.number) for fold in done if fold.result is not None and not fold.result.model.constraints]
    if empty:
        notes.append(f"the model of fold {', '.join(empty)} is empty: it calls every assignment best")
    return CrossValidation(
        learner=done[0].result.learner if done and done[0].result else learner,
        folds=tuple(done),
        wanted=count,
        stopped="interrupted" if stop.is_set() else "done",
        seed=seed,
        seconds=spent,
        notes=tuple(notes),
    )


def _try_fold(
    data: Dataset,
    out: NDArray[np.bool_],
    place: tuple[int, int],
    learner: str,
    time_limit: float | None,
    common: dict[str, Any],
) -> Fold:
    others, held = data.subset(np.flatnonzero(~out)), data.subset(np.flatnonzero(out))
    size = len(held), len(held.contexts), int(held.positive.sum())
    began = time.monotonic()
    try:
        result = learn(others, learner, time_limit=time_limit, **common)
    except NoModelError:
        return Fold(*place, *size, None, None, time.monotonic() - began)
    began = time.monotonic()
    found = judged(result, held)
    return Fold(*place, *size, found, result, result.seconds + time.monotonic() - began)


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None
