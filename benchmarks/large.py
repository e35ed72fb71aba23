"""How well models are learned where contexts are too large to enumerate: one row per kind of problem, with its spread.

    python benchmarks/large.py --kind roster --problems 10 --time-limit 300

Each problem is a fresh true model with contexts that fix half of its variables. The learner sees the examples of
``--contexts`` of them; the others are held out (a context is never split). Measured there, with exact solving:

- score: share of held-out examples that the learned model classifies as labelled;
- infeasibility: share of held-out contexts in which the learned model's solution is infeasible in truth, or in which
  it finds none;
- regret: what its feasible solutions lose against the true optimum, as a share of its value.

Parameters were chosen on rosters of the seeds 1000 to 1002; the seeds here start elsewhere.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass, fields, replace

import numpy as np

from hassle.data import Dataset
from hassle.generate import flip_labels, generate_data, random_model, roster_problem, without_reasons
from hassle.learners import learn
from hassle.model import Model
from hassle.solve import agrees, best_values, solve, verdicts

KINDS: dict[str, tuple[int, Callable[[np.random.Generator], Model]]] = {
    "roster": (2, lambda rng: roster_problem(10, 10, rng)),
    "roster-large": (2, lambda rng: roster_problem(20, 10, rng)),
    "random-2": (2, lambda rng: random_model(100, 30, 30, rng, 2)),
    "random-3": (3, lambda rng: random_model(100, 30, 30, rng, 3)),
}


@dataclass(frozen=True)
class Row:
    """The figures of one problem."""

    score: float
    infeasibility: float
    regret: float
    seconds: float
    training: float


def part(data: Dataset, first: int, last: int) -> Dataset:
    """The examples of the contexts from ``first`` up to ``last``."""
    return data.subset(np.flatnonzero((data.context_of >= first) & (data.context_of < last)))


def measured(model: Model, truth: Model, unseen: Dataset) -> tuple[float, float, float]:
    score = float(agrees(verdicts(model, unseen), unseen).mean())
    best = best_values(truth, unseen.contexts)
    infeasible, regrets = 0, []
    for context, optimum in zip(unseen.contexts, best, strict=True):
        solution = solve(model, context)
        row = None if solution is None else truth.bits(solution)[None, :]
        if row is None or not truth.feasible(row)[0]:
            infeasible += 1
        else:
            assert optimum is not None
            regrets.append((optimum - int(truth.values(row)[0])) / max(1, optimum))
    return score, infeasible / len(unseen.contexts), float(np.mean(regrets)) if regrets else 0.0


def run(kind: str, seed: int, options: argparse.Namespace) -> Row:
    literals, make = KINDS[kind]
    truth = make(np.random.default_rng(seed))
    data = generate_data(truth, options.contexts + options.held_out, seed=seed, allow_fewer=True).data
    seen = part(data, 0, options.contexts)
    if options.noise:
        labels = flip_labels(seen.labels, options.noise, np.random.default_rng(seed))
        seen = replace(seen, labels=without_reasons(labels))
    started = time.monotonic()
    told = {} if options.learner == "auto" else {"max_literals": literals}
    result = learn(seen, options.learner, time_limit=options.time_limit, seed=seed, **told)
    seconds = time.monotonic() - started
    unseen = part(data, options.contexts, options.contexts + options.held_out)
    return Row(*measured(result.model, truth, unseen), seconds, result.score)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=KINDS, default="roster")
    parser.add_argument("--learner", default="auto", help="auto, which is told nothing, or cuts")
    parser.add_argument("--problems", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=2000)
    parser.add_argument("--time-limit", type=float, default=280)
    parser.add_argument("--contexts", type=int, default=300)
    parser.add_argument("--held-out", type=int, default=100)
    parser.add_argument("--noise", type=float, default=0.0)
    options = parser.parse_args()
    names = [field.name for field in fields(Row)]
    print(
        f"{options.kind}, noise {options.noise:g}\n{'seed':>12}" + "".join(f"{name:>15}" for name in names), flush=True
    )
    rows = []
    for seed in range(options.first_seed, options.first_seed + options.problems):
        rows.append(astuple(run(options.kind, seed, options)))
        print(f"{seed:>12}" + "".join(f"{value:>15.4f}" for value in rows[-1]), flush=True)
    table = np.array(rows)
    for name, figures in (
        ("mean", table.mean(0)),
        ("deviation", table.std(0)),
        ("least", table.min(0)),
        ("most", table.max(0)),
    ):
        print(f"{name:>12}" + "".join(f"{value:>15.4f}" for value in figures))


if __name__ == "__main__":
    main()
