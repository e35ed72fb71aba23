"""Very many examples: learned from in some of the contexts, of which there are more until those left out gain nothing.

A move of a chain costs time in every context, and rules that a few hundred contexts speak for need no thousand. So some
contexts are learned from; others, which were left out, tell whether that was enough: as long as the model does worse
there, four times as many are learned from, starting from what is known. The score is over all examples in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hassle.learners.budget import Budget
from hassle.learners.confirming import QUICK
from hassle.learners.result import LearnResult
from hassle.learners.starting import Start

if TYPE_CHECKING:
    from hassle.data import Dataset
    from hassle.model import Model

# From so many examples on. The first sample has so many contexts, each later one so many times more; the model is tried
# in so many others.
MANY_EXAMPLES = 100_000
FIRST_CONTEXTS, TIMES, TRIED = 200, 4, 400
# So much worse in contexts that were left out is worse; a smaller share of the examples may be chance.
WORSE = 0.002
# The share of the time left that goes to a sample that is not the last.
SAMPLE_SHARE = 0.4

Learned = Callable[["Dataset", Budget, Start | None], LearnResult]


def has_very_many(data: Dataset) -> bool:
    """Whether there are more examples, and more contexts, than one learns from at first."""
    return len(data) >= MANY_EXAMPLES and len(data.contexts) >= 2 * FIRST_CONTEXTS


def learn_growing(
    data: Dataset, order: Sequence[int], budget: Budget, start: Start | None, learned: Learned
) -> LearnResult:
    """What is learned in the first contexts of ``order``, as many as it takes."""
    size = min(FIRST_CONTEXTS, len(order))
    notes = []
    while True:
        seen = _in_contexts(data, order[:size])
        last = size == len(order)
        found = learned(seen, budget.part(1.0 if last else SAMPLE_SHARE), start)
        tried = _in_contexts(data, order[size : size + TRIED])
        outside = _share_explained(found.model, tried)
        note = f"learned from the {len(seen):,} of {len(data):,} examples in {size:,} contexts"
        if len(tried):
            note += f"; of the examples in {len(tried.contexts):,} others that explains {100 * outside:.2f} %"
        notes.append(note)
        if last or found.score is None or outside >= found.score - WORSE or budget.exhausted:
            break
        start, size = found, min(TIMES * size, len(order))
    return _over_all(replace(found, notes=(*notes, *found.notes)), data, order[:size])


def _in_contexts(data: Dataset, contexts: Sequence[int]) -> Dataset:
    import numpy as np

    return data.subset(np.flatnonzero(np.isin(data.context_of, np.asarray(contexts, dtype=np.int64))))


def _share_explained(model: Model, data: Dataset) -> float:
    from hassle.solve import agrees, verdicts

    return float(agrees(verdicts(model, data), data).mean()) if len(data) else 1.0


def _over_all(found: LearnResult, data: Dataset, seen: Sequence[int]) -> LearnResult:
    """The result with its score over all examples, or over those seen where all are too many to be judged at once."""
    from hassle.solve import agrees, verdicts
    from hassle.tables.completions import total_points

    if total_points(data.contexts, data.schema) + len(data) > QUICK:
        return replace(found, judged=tuple(sorted(int(c) for c in seen)))
    correct = int(agrees(verdicts(found.model, data), data).sum())
    stopped = found.stopped if correct == len(data) or found.stopped != "perfect" else "time"
    return replace(found, correct=correct, examples=len(data), stopped=stopped, judged=None)
