"""Learning with a score that can be believed: some contexts are held out, and a model learned without them is judged.

Half of the time goes to that model, the other half to the one that is returned, which is learned from all examples: a
user wants what all the data can teach, and a score that does not flatter it. Interrupted in the first half, the model
learned from the other examples is returned, and a note says so.
"""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hassle.errors import NoModelError
from hassle.learners.budget import DEFAULT_SECONDS
from hassle.learners.result import HeldOut, LearnResult

if TYPE_CHECKING:
    from hassle.data import Dataset
    from hassle.model import Model

FIRST_SHARE = 0.5


def learn_holding_out(
    data: Dataset,
    learner: str,
    share: float,
    time_limit: float | None,
    steps: int | None,
    seed: int,
    interrupt: threading.Event | None,
    options: dict[str, Any],
) -> LearnResult:
    """What `hassle.learn` does with ``hold_out``; its parameters are explained there."""
    from hassle.learners import learn

    stop = interrupt or threading.Event()
    if time_limit is None and steps is None:
        time_limit = DEFAULT_SECONDS
    common = {**options, "steps": steps, "seed": seed, "interrupt": stop}
    out = data.held_out(share, seed)
    others, held = data.subset(np.flatnonzero(~out)), data.subset(np.flatnonzero(out))
    try:
        first = learn(others, learner, time_limit=_part(time_limit, FIRST_SHARE), **common)
    except NoModelError as error:
        if error.proved:  # then none explains all examples either
            raise
        final = learn(data, learner, time_limit=_part(time_limit, 1 - FIRST_SHARE), **common)
        note = f"there is no score on held-out examples, as learning without them gave no model: {error}"
        return replace(final, notes=(*final.notes, note))
    began = time.monotonic()
    found, interrupted = _judged_even_if_interrupted(first, held)
    seconds = first.seconds + time.monotonic() - began
    if interrupted or stop.is_set() or first.stopped == "interrupted":
        return _of_the_others(first, found, data, seconds)
    left = None if time_limit is None else max(0.0, time_limit - seconds)
    final = learn(data, learner, time_limit=left, **common)
    seconds += final.seconds
    if final.stopped == "interrupted" and final.correct < first.correct + found.correct:
        return _of_the_others(first, found, data, seconds)
    return replace(final, hold_out=found, held_out_trace=first.trace, model=_told(final.model, found), seconds=seconds)


def judged(result: LearnResult, held: Dataset) -> HeldOut:
    """How a model fares on examples that it was not learned from."""
    from hassle.solve import agrees, verdicts

    correct = int(agrees(verdicts(result.model, held), held).sum())
    return HeldOut(len(held), len(held.contexts), correct, result.examples)


def _judged_even_if_interrupted(result: LearnResult, held: Dataset) -> tuple[HeldOut, bool]:
    try:
        return judged(result, held), False
    except KeyboardInterrupt:  # only a second Ctrl-C gives it up
        return judged(result, held), True


def _of_the_others(first: LearnResult, found: HeldOut, data: Dataset, seconds: float) -> LearnResult:
    """The model learned without the examples held out, as the answer of a run that was interrupted."""
    correct = first.correct + found.correct
    told = {"correct": correct, "examples": len(data), "score": correct / len(data), "stopped": "interrupted"}
    note = f"interrupted, so the model is the one learned from {found.learned_from} of the {len(data)} examples"
    return replace(
        first,
        model=_told(replace(first.model, about={**first.model.about, **told}), found),
        correct=correct,
        examples=len(data),
        stopped="interrupted",
        seconds=seconds,
        hold_out=found,
        held_out_trace=first.trace,
        notes=(*first.notes, note),
    )


def _told(model: Model, found: HeldOut) -> Model:
    return replace(model, about={**model.about, "hold_out": found.record()})


def _part(time_limit: float | None, share: float) -> float | None:
    return None if time_limit is None else share * time_limit
