"""What a few more examples cost a learner that goes on from what it knew, beside one that starts anew.

    python benchmarks/warm.py [--problems 10] [--seed 7000] [--time-limit 60] [--examples 100] [--more 10]

8 variables, 10 hard and 10 soft clauses. From 100 examples a model is learned; then 10 are added, in contexts of their
own, and learned from once from nothing and once with ``start=`` the earlier result. Both are judged against the
truth in the global context. Seconds are by the clock, and of the processor. The aim: at most a fifth of the time, and
not worse.
"""

from __future__ import annotations

import argparse
import time
from statistics import fmean

import numpy as np

from hassle.evaluation import evaluate
from hassle.generate import generate
from hassle.learners import learn


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=10)
    parser.add_argument("--seed", type=int, default=7000)
    parser.add_argument("--time-limit", type=float, default=60)
    parser.add_argument("--learner", default="auto")
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--more", type=int, default=10)
    asked = parser.parse_args()
    rows = []
    for seed in range(asked.seed, asked.seed + asked.problems):
        whole = asked.examples + asked.more
        made = generate(8, 10, 10, max(40, whole // 4 + 1), seed=seed)
        before = made.data.subset(np.arange(asked.examples))
        after = made.data.subset(np.arange(whole))
        known = learn(before, asked.learner, time_limit=asked.time_limit, seed=seed)
        for start in (None, known):
            limit = {} if start is not None else {"time_limit": asked.time_limit}
            began = time.process_time()
            result = learn(after, asked.learner, seed=seed, start=start, **limit)
            processor = time.process_time() - began
            found = evaluate(result.model, made.truth)
            measures = (found.accuracy, found.infeasibility, found.regret or 0)
            rows.append((start is not None, result.seconds, processor, result.score, *map(float, measures)))
            print(seed, "warm" if start else "anew", *(f"{value:.4f}" for value in rows[-1][1:]), flush=True)
    print(
        f"\n{asked.problems} problems\n\n| start | seconds | of the processor | score | accuracy | infeasibility | "
        "regret |\n|---|---|---|---|---|---|---|"
    )
    for warm in (False, True):
        means = [fmean(row[i] for row in rows if row[0] == warm) for i in range(1, 7)]
        print(f"| {'the earlier result' if warm else 'nothing'} |", " | ".join(f"{mean:.3f}" for mean in means), "|")


if __name__ == "__main__":
    main()
