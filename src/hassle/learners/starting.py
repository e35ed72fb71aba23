"""Going on from what was known: the models from which a run starts that is given an earlier result.

When a few examples are added, most of what was learned still holds. A learner with a field ``start`` takes the earlier
:class:`~hassle.learners.result.LearnResult` (or a model of any origin) there, and goes on from ``models_of(start)``
instead of from nothing: in a fraction of the time, and not worse.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from hassle.errors import InputError
from hassle.learners.result import LearnResult

if TYPE_CHECKING:
    from hassle.data import Dataset
    from hassle.model import Model

# What a run that goes on takes of the time and the moves of one from nothing, where nobody says how long it may take.
WARM_SHARE = 0.15

Start = LearnResult | Any  # a result, or a Model, which is imported for its type only


def models_of(start: Start, data: Dataset) -> tuple[Model, ...]:
    """The models to go on from, over the variables of the data; the first is the one that was returned."""
    from hassle.model import Model
    from hassle.solve import aligned

    if isinstance(start, LearnResult):
        models = (start.model, *start.visited)
    elif isinstance(start, Model):
        models = (start,)
    else:
        raise InputError(f"{type(start).__name__} is nothing to start from", fix="pass the result of learn, or a model")
    return tuple(aligned(model, data.schema) for model in models)


def start_option(learner: object, start: Start | None) -> dict[str, Any]:
    """The start as an option of this class of learners; nothing where it knows none."""
    takes = any(field.name == "start" for field in dataclasses.fields(learner))  # type: ignore[arg-type]
    return {"start": start} if takes and start is not None else {}
