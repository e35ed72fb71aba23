"""Compiling now what would be compiled on first use: learners with kernels run once on a small problem.

Of the learner of families only its search is called: it would need an arranged problem, and takes its time.
"""

from __future__ import annotations

from dataclasses import dataclass

# Every learner with kernels, with options that make its run short.
RUNS: tuple[tuple[str, dict[str, int]], ...] = (
    ("statistical", {"steps": 10}),
    ("sls", {"steps": 2, "searches": 1}),
    ("cuts", {"steps": 1, "sweeps": 3, "max_literals": 2}),
)


@dataclass(frozen=True)
class Warmth:
    """How many kernels were compiled, and how long that took."""

    kernels: int
    seconds: float


def warm_up() -> Warmth:
    """Compile all kernels that are not on disk yet."""
    from hassle.compiling import clock
    from hassle.generate import generate
    from hassle.learners import learn
    from hassle.model import Model
    from hassle.solve import optima

    kernels, seconds = clock.kernels, clock.seconds
    problem = generate(5, 2, 2, 4)
    for learner, options in RUNS:
        learn(problem.data, learner, **options)  # type: ignore[arg-type]
    optima(Model(problem.truth.schema), limit=1)  # more optima than are asked for
    _search()
    return Warmth(clock.kernels - kernels, clock.seconds - seconds)


def _search() -> None:
    """The search for better assignments."""
    import numpy as np

    from hassle.learners.structured.search import Search
    from hassle.logic import Constraint, Schema

    search = Search.of(Schema.of(["a", "b"]), [Constraint((1, 2))], [1.0])
    search.improved(np.zeros(2, dtype=np.uint8), np.arange(2), steps=1, seed=0)
