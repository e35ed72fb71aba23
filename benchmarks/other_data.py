"""What is learned from comparisons alone, and from positives alone: 8 variables, 10 + 10 clauses, 100 contexts.

    python benchmarks/other_data.py [comparisons|positives ...] [--problems 10] [--seed 9300] [--seconds 10 | --steps N]

Comparisons: 400 pairs of assignments, drawn uniformly in the contexts, of which the truth prefers one. Positives: up to
two best assignments per context, no negatives. Contexts are any that change the optimum, whether they have two best
assignments or one: of 8 variables too few have two for as many fresh ones of the same kind. Judged are the answers in
100 fresh contexts drawn as those of the data: the share that is truly best and its least over the problems, the share
that breaks a rule, and regret, beside it that in the global context, which no context of the data looks at. Aims:
comparisons regret at most .02; positives .93 optimal on average and .85 at least.
"""

from __future__ import annotations

import argparse
import time
from statistics import fmean
from typing import Any

import numpy as np

from hassle.data import Dataset
from hassle.evaluation import evaluate
from hassle.evaluation.decisions import decision_quality
from hassle.generate import Generated, generate
from hassle.generate.contexts import draw_contexts
from hassle.learners import learn
from hassle.tables.completions import completions

PAIRS, FRESH = 400, 100


def compared(made: Generated, seed: int) -> Dataset:
    """Pairs that the truth tells apart, in the contexts of the data."""
    rng, truth = np.random.default_rng(seed), made.truth
    listed = [completions(context, truth.schema) for context in made.data.contexts]
    pairs: list[tuple[object, ...]] = []
    while len(pairs) < PAIRS:
        own = listed[rng.integers(len(listed))]
        words = own.words()
        if len(words) < 2:
            continue
        two = own.assignments(rng.choice(words, 2, replace=False))
        worth = np.where(truth.feasible(two), truth.values(two), -1)
        if worth[0] != worth[1]:
            better, worse = two if worth[0] > worth[1] else two[::-1]
            pairs.append((own.context, better, worse))
    return Dataset.build(truth.schema, [], pairs)


def positives(made: Generated, seed: int) -> Dataset:
    return made.data.subset(np.flatnonzero(made.data.positive))


ROWS = {"comparisons": compared, "positives": positives}


def measure(row: str, seed: int, limit: dict[str, Any]) -> tuple[float, float, float, float, float]:
    """Optimal, infeasible and regret in fresh contexts, regret in the global one, and seconds."""
    made = generate(8, 10, 10, 100, allow_fewer=True, seed=seed)
    fresh = draw_contexts(made.truth, 4 * FRESH, np.random.default_rng(seed + 77_777)).contexts
    unseen = [context for context in fresh if context not in set(made.data.contexts)][:FRESH]
    data = ROWS[row](made, seed)
    started = time.monotonic()
    result = learn(data, seed=seed, **limit)
    took = time.monotonic() - started
    quality = decision_quality(result.model, made.truth, unseen)
    regret = float(evaluate(result.model, made.truth).regret or 0)
    missed = float(quality.regret or 0)
    told = f"fit {result.fit:.3f}" if result.fit is not None else f"{result.comparisons}"
    print(
        f"  seed {seed}: optimal {float(quality.optimal):.3f} infeasible {float(quality.infeasible):.3f} "
        f"regret {missed:.4f} (global {regret:.4f}) {told} {took:.0f} s",
        flush=True,
    )
    return float(quality.optimal), float(quality.infeasible), missed, regret, took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", choices=[*ROWS, []], default=[])
    parser.add_argument("--problems", type=int, default=10)
    parser.add_argument("--seed", type=int, default=9300)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--steps", type=int, help="moves of each of two chains, instead: the same on a busy machine")
    given = parser.parse_args()
    for row in given.rows or ROWS:
        print(row)
        limit = {"time_limit": given.seconds} if given.steps is None else {"steps": given.steps}
        found = [measure(row, seed, limit) for seed in range(given.seed, given.seed + given.problems)]
        optimal, infeasible, missed, regret, seconds = (list(each) for each in zip(*found, strict=True))
        print(
            f"{row}: optimal {fmean(optimal):.3f}, least {min(optimal):.3f}; infeasible {fmean(infeasible):.3f}; "
            f"regret {fmean(missed):.4f} (global {fmean(regret):.4f}); {fmean(seconds):.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
