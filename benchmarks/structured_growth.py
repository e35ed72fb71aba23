"""How the cost of the structured learner grows: with variables, with contexts, with candidates and with cores.

    python benchmarks/structured_growth.py [variables contexts candidates cores] [--rounds 2]

Wards with the examples of ``benchmarks/structured.py``; two rounds of fitting and cutting, so that figures are those
of the work and not of when it ends. Seconds are the processor's (but for the cores, where the clock counts too, on an
otherwise idle machine); the pool is rows times columns, a byte each.
"""

from __future__ import annotations

import argparse
import contextlib
import time

import numpy as np

from hassle.data import Dataset
from hassle.generate.arranged import arranged_examples, ward
from hassle.learners import learn
from hassle.learners.budget import Budget
from hassle.learners.places import Here
from hassle.learners.structured import run
from hassle.learners.structured.fit import Fit

# Examples of larger wards take a quarter of an hour to make.
WARDS = ((6, 3, 2), (6, 5, 2), (8, 7, 2))


def examples(size: tuple[int, int, int], contexts: int) -> Dataset:
    rng = np.random.default_rng(0)
    home = ward(*size, rng)
    return arranged_examples(home.truth, home.situation, contexts, rng, positives=1)


def measured(data: Dataset, rounds: int, jobs: int, candidates: int | None = None) -> str:
    """What the rounds took: not the plans that are asked for afterwards, which a model of two rounds makes long."""

    class Rounds(run.Run):
        def _walked(self, found: Fit) -> Fit:
            raise run._SpentError

    started, processor = time.monotonic(), time.process_time()
    rng = np.random.default_rng(0)
    one = Rounds(data, Budget(steps=rounds), lambda progress: None, Here(jobs), None, candidates, rng)
    with contextlib.suppress(run._SpentError):
        one._work()
    took = time.monotonic() - started, time.process_time() - processor
    rows, columns = len(one.pool), one.candidates.columns
    cells = [len(data.variables), len(data.contexts), columns, rows, f"{rows * columns / 1e6:.0f}"]
    return " | ".join(map(str, [*cells, f"{took[1]:.1f}", f"{took[0]:.1f}"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=["variables", "contexts", "candidates", "cores"])
    parser.add_argument("--rounds", type=int, default=2)
    asked = parser.parse_args()
    learn(examples((4, 3, 2), 5), "structured", steps=1)  # what is compiled is compiled
    print("| grows | variables | contexts | columns | rows of the pool | pool, MB | processor, s | clock, s |")
    print("|---" * 8 + "|", flush=True)
    if "variables" in asked.what:
        for size in WARDS:
            print(f"| variables | {measured(examples(size, 20), asked.rounds, jobs=1)} |", flush=True)
    small = examples((6, 5, 2), 80)
    if "contexts" in asked.what:
        for contexts in (10, 20, 40, 80):
            part = small.subset(np.flatnonzero(small.context_of < contexts))
            print(f"| contexts | {measured(part, asked.rounds, jobs=1)} |", flush=True)
    part = small.subset(np.flatnonzero(small.context_of < 20))
    if "candidates" in asked.what:
        for most in (500, 1000, 2000, 4000, 8000):
            print(f"| candidates | {measured(part, asked.rounds, jobs=1, candidates=most)} |", flush=True)
    if "cores" in asked.what:
        for jobs in (1, 2):
            print(f"| cores: {jobs} | {measured(small, asked.rounds, jobs=jobs)} |", flush=True)


if __name__ == "__main__":
    main()
