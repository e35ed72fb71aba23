"""Learning from examples with unknown cells: they are completed as a model sees fit that was learned without them.

Any completion of such an example may have been meant, so it is used as far as it goes: a first model is learned from
the whole examples, it fills in the gaps of the others with the best that their known cells allow, and the model that is
returned is learned from all of them. (Expectation maximisation with the likeliest completion, in one round.)
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np

from hassle.data import Dataset, Label
from hassle.errors import InputError
from hassle.learners.budget import DEFAULT_SECONDS
from hassle.learners.result import LearnResult
from hassle.model import Model

# The share of the time for the first model.
FIRST_SHARE = 0.4
# What a time limit leaves for completing: a share.
COMPLETING_SHARE = 0.1


def learn_completing(
    data: Dataset,
    learner: str,
    time_limit: float | None,
    steps: int | None,
    seed: int,
    interrupt: threading.Event | None,
    options: dict[str, Any],
) -> LearnResult:
    """What `hassle.learn` does with partial examples; its parameters are explained there."""
    from hassle.learners import learn

    whole = replace(data, partial=())
    if not len(whole) and not len(whole.comparisons):
        raise InputError("every example has unknown cells", fix="some must be complete", file=data.source)
    if time_limit is None and steps is None:
        time_limit = DEFAULT_SECONDS
    stop = interrupt or threading.Event()
    common = {**options, "steps": steps, "seed": seed, "interrupt": stop}

    def part(share: float) -> float | None:
        return None if time_limit is None else share * time_limit

    first = learn(whole, learner, time_limit=part(FIRST_SHARE), **common)
    if stop.is_set() or first.stopped == "interrupted":
        note = f"interrupted, so {_said(len(data.partial))} not learned from"
        return replace(first, notes=(*first.notes, note))
    more, unused = completed(data, first.model, part(COMPLETING_SHARE))
    final = learn(whole.extended(more), learner, time_limit=part(1 - FIRST_SHARE - COMPLETING_SHARE), **common)
    notes = [f"{_said(len(more))} completed as a model of the others would, and learned from"]
    if unused:
        notes.append(f"{unused} more were left out: their context allows nothing like them, or there was no time")
    return replace(final, seconds=first.seconds + final.seconds, notes=(*notes, *final.notes))


def _said(count: int) -> str:
    return f"{count} example{'s' if count != 1 else ''} with unknown cells {'were' if count != 1 else 'was'}"


def completed(data: Dataset, model: Model, time_limit: float | None = None) -> tuple[Dataset, int]:
    """The partial examples as the model would complete them, and for how many there was no time, or no completion."""
    from hassle.solve import solve_all

    plans = solve_all(_softened(model), [each.narrowed for each in data.partial], time_limit=time_limit)
    found = [(each, plan.assignment) for each, plan in zip(data.partial, plans, strict=True) if plan.assignment]
    rows = np.array([assignment.bits for _, assignment in found if assignment], dtype=np.uint8)
    more = Dataset.from_arrays(
        data.schema,
        [each.context for each, _ in found],
        rows.reshape(-1, len(data.variables)),
        [Label.POSITIVE.code] * len(found),
        weights=[each.weight for each, _ in found],
    )
    return more, len(plans) - len(found)


def _softened(model: Model) -> Model:
    """The model with its rules as preferences that outweigh all others: what positives break cannot be a rule."""
    most = int(np.abs(model.weights).sum()) + 1
    soft = zip(model.soft_constraints, model.weights.tolist(), strict=True)
    return Model.from_units(model.schema, (), [*soft, *((rule, most) for rule in model.hard)], model.unit)
