"""Learning a model from examples: `learn` is the one way in, whatever the learner.

It makes the budget, runs the learner, and scores the model it returns anew through the solver, along a path that
shares no code with the learner: what is reported is what the model does (:mod:`hassle.learners.confirming`).
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hassle.errors import InputError
from hassle.learners.budget import DEFAULT_SECONDS, Budget, Listener, Progress, silent
from hassle.learners.caveats import caveats
from hassle.learners.confirming import confirm, time_to_learn
from hassle.learners.registry import LEARNERS, Learner, make_learner
from hassle.learners.result import HeldOut, Improvement, LearnResult
from hassle.memory import within_memory
from hassle.version import __version__

if TYPE_CHECKING:
    from hassle.data import Dataset

# What simplifying the learned model may take where time is limited: a share of the limit and some seconds.
TIDYING, TIDYING_SECONDS = 0.02, 0.2

__all__ = [
    "LEARNERS",
    "Budget",
    "HeldOut",
    "Improvement",
    "LearnResult",
    "Learner",
    "Listener",
    "Progress",
    "learn",
    "make_learner",
]


@within_memory
def learn(
    data: Dataset,
    learner: str = "auto",
    *,
    time_limit: float | None = None,
    steps: int | None = None,
    target_score: float = 1.0,
    seed: int = 0,
    listener: Listener = silent,
    interrupt: threading.Event | None = None,
    hold_out: float | None = None,
    **options: Any,
) -> LearnResult:
    """Learn a model whose optima, in each context, are the positive examples.

    `options` are the learner's own, for example `constraints=20` or `strategy="novelty+"`. Without a time limit and
    without a number of steps the run lasts at most a minute. The same seed gives the same model when the run is
    limited by steps. The model's ``about`` tells how it was learned.

    ``result.score`` is about the examples learned from. With ``hold_out=0.2``, ``result.hold_out`` says what to expect
    in other contexts: a fifth of the examples, whole contexts, are judged by a model that was learned without them.
    That takes half of the time; the model returned is learned from all examples in the other half.

    ``memory="2GB"`` is what the run may take; without it half of what is free.
    """
    if hold_out is not None:
        from hassle.learners.holding_out import learn_holding_out

        options |= {"target_score": target_score, "listener": listener}
        return learn_holding_out(data, learner, hold_out, time_limit, steps, seed, interrupt, options)
    if time_limit is None and steps is None:
        time_limit = DEFAULT_SECONDS
    chosen = make_learner(learner, options)
    if not len(data):
        raise InputError("there are no examples to learn from", fix="add one row per example", file=data.source)
    stop = interrupt or threading.Event()
    whole = Budget(time_limit, steps, target_score, stop)
    result = chosen.learn(data, replace(whole, time_limit=time_to_learn(data, time_limit)), seed, listener)
    # Learners speak of variables; what these mean is the schema's to say, unless a learner found how they are arranged.
    if data.schema.arrangements or not result.model.schema.arrangements:
        result = replace(result, model=replace(result.model, schema=data.schema))
    result = _tidied(result, whole)
    try:
        notes = confirm(result, data, whole, seed)
    except KeyboardInterrupt:  # the model is there already; only a second Ctrl-C gives it up
        notes = confirm(result, data, whole, seed)
        result = replace(result, stopped="interrupted")
    about = {
        "learner": result.learner,
        "score": result.score,
        "correct": result.correct,
        "examples": result.examples,
        "stopped": result.stopped,
        "seed": seed,
        "version": __version__,
    }
    return replace(
        result,
        model=replace(result.model, about={**result.model.about, **about}),
        notes=(*result.notes, *notes, *caveats(data, result.model)),
    )


def _tidied(result: LearnResult, budget: Budget) -> LearnResult:
    """The result with its model said as simply as can be; as it is where that is interrupted or takes too long."""
    from hassle.solve.tidying import tidied

    deadline = budget.seconds + TIDYING_SECONDS + (0.0 if budget.time_limit is None else TIDYING * budget.time_limit)

    def checkpoint() -> None:
        if budget.time_limit is not None and budget.seconds > deadline:
            raise TimeoutError

    try:
        model = tidied(result.model, checkpoint)
    except TimeoutError:
        return replace(result, notes=(*result.notes, "the model was not simplified, for want of time"))
    except KeyboardInterrupt:
        return replace(result, stopped="interrupted")
    if result.committee is not None:
        model = result.committee.announced_by(model)
    return replace(result, model=model, constraints=len(model.constraints))
