"""A whole problem to learn from: a true model, and examples labelled by it (the paper's Section "Datasets").

Everything follows from one seed, through independent streams for the model, the contexts, the examples and the noise:
with the same seed, asking for noise or for other negatives leaves the model and the contexts as they are.

Learners see ``data`` alone; ``truth`` is for measuring them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hassle.data import Dataset
from hassle.errors import InputError
from hassle.generate.contexts import DrawnContexts, draw_contexts
from hassle.generate.examples import Wanted, draw_examples
from hassle.generate.limits import SecondsLeft, limited, unlimited
from hassle.generate.models import model_from_cnf, random_model
from hassle.generate.noise import flip_labels, without_reasons
from hassle.logic import Context
from hassle.model import Model


@dataclass(frozen=True)
class Generated:
    """``changing`` contexts exclude every globally best assignment; ``notes`` say what is not as asked for."""

    truth: Model
    data: Dataset
    changing: int
    notes: tuple[str, ...]


def generate(
    variables: int = 8,
    hard: int = 10,
    soft: int = 10,
    contexts: int = 100,
    *,
    positives: int = 2,
    negatives: int = 2,
    negative_kind: str = "both",
    noise: float = 0.0,
    max_literals: int | None = None,
    cnf: Model | None = None,
    context_literals: int | None = None,
    reasons: bool = False,
    allow_fewer: bool = False,
    seed: int = 0,
    time_limit: float | None = None,
) -> Generated:
    """A model and examples of it: a random model, or with ``cnf`` one made of that formula's variables and clauses.

    Contexts that cannot give so many examples of each kind are redrawn, unless ``allow_fewer`` keeps them.
    ResourceError where that takes longer than ``time_limit`` seconds.
    """
    model_stream = _streams(seed)[0]
    if cnf is None:
        truth = random_model(variables, hard, soft, model_stream, max_literals)
    else:
        truth = model_from_cnf(cnf, hard, soft, model_stream)
    return generate_data(
        truth,
        contexts,
        positives=positives,
        negatives=negatives,
        negative_kind=negative_kind,
        noise=noise,
        context_literals=context_literals,
        reasons=reasons,
        allow_fewer=allow_fewer,
        seed=seed,
        time_limit=time_limit,
    )


def generate_data(
    truth: Model,
    contexts: int = 100,
    *,
    positives: int = 2,
    negatives: int = 2,
    negative_kind: str = "both",
    noise: float = 0.0,
    context_literals: int | None = None,
    reasons: bool = False,
    allow_fewer: bool = False,
    seed: int = 0,
    time_limit: float | None = None,
) -> Generated:
    """Examples of a given model; another seed gives other data of the same model."""
    wanted = Wanted(positives, negatives, negative_kind)
    seconds_left = limited(time_limit)
    _, context_stream, example_stream, noise_stream = _streams(seed)
    drawn = draw_contexts(
        truth, contexts, context_stream, context_literals, seconds_left, None if allow_fewer else wanted
    )
    data = label_contexts(truth, drawn.contexts, wanted, example_stream, seconds_left)
    labels = flip_labels(data.labels, noise, noise_stream)
    data = replace(data, labels=labels if reasons else without_reasons(labels))
    return Generated(truth, data, drawn.changing, drawn.notes + _shortage(data, drawn, wanted))


def label_contexts(
    truth: Model,
    contexts: tuple[Context, ...],
    wanted: Wanted,
    rng: np.random.Generator,
    seconds_left: SecondsLeft = unlimited,
) -> Dataset:
    """Examples drawn in each of the contexts, labelled with their reasons."""
    drawn = [draw_examples(truth, context, wanted, rng, seconds_left) for context in contexts]
    rows = [assignments for assignments, _ in drawn]
    return Dataset.from_arrays(
        truth.schema,
        [context for context, kept in zip(contexts, rows, strict=True) for _ in kept],
        np.concatenate(rows) if rows else np.zeros((0, len(truth.variables)), dtype=np.uint8),
        np.concatenate([labels for _, labels in drawn]) if rows else [],
    )


def _shortage(data: Dataset, drawn: DrawnContexts, wanted: Wanted) -> tuple[str, ...]:
    asked = len(drawn.contexts) * (wanted.positives + wanted.negatives)
    if len(data) == asked:
        return ()
    return (f"{len(data)} of {asked} examples: in some contexts too few assignments of a kind exist or were found",)


def _streams(seed: int) -> list[np.random.Generator]:
    if seed < 0:
        raise InputError(f"seed {seed} is negative", fix="use 0 or more")
    return [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(4)]
