"""Whether time limits are kept: for each learner and size the limit, the wall clock after reading, and their ratio.

    python benchmarks/time_limits.py --time-limit 5 [--only 100,000]

Data are random assignments labelled by a random model's hard clauses and by how much of its soft weight they earn, so
that no solver is needed to make them; half of the variables are fixed by the context where there are contexts, or all
but the few that are said to be free. A run
may take 10 % and a second more than its limit, the final scoring included.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field

import numpy as np

from hassle.cli.warming import warm_up
from hassle.data import Dataset
from hassle.errors import NoModelError
from hassle.generate import random_model
from hassle.learners import learn
from hassle.logic import EMPTY, Context


@dataclass(frozen=True)
class Case:
    """One row of the table; without ``contexts`` all examples are in the empty one."""

    rows: int
    variables: int
    contexts: int
    learner: str = "auto"
    options: dict[str, int | bool] = field(default_factory=dict)
    free: int | None = None

    @property
    def name(self) -> str:
        told = "".join(f" --{name} {value}" for name, value in self.options.items())
        where = f"{self.contexts:,} contexts" if self.contexts else "no contexts"
        where += f" of {self.free} free" if self.free else ""
        return f"{self.learner}{told}: {self.rows:,} rows, {self.variables} variables, {where}"


CASES = (
    *(Case(400, 30, 0, learner) for learner in ("auto", "statistical", "cuts", "sls", "milp")),
    *(Case(400, 100, 100, learner) for learner in ("auto", "statistical", "cuts", "sls", "milp")),
    *(Case(10_000, 100, 0, learner) for learner in ("auto", "cuts", "sls", "milp")),
    *(Case(10_000, 100, 5_000, learner) for learner in ("auto", "cuts", "sls", "milp")),
    *(Case(100_000, 100, 0, learner) for learner in ("auto", "sls", "milp")),
    *(Case(100_000, 100, 50_000, learner) for learner in ("auto", "sls", "milp")),
    *(Case(100_000, 20, 50_000, learner) for learner in ("auto", "statistical", "sls", "milp")),
    *(Case(60_000, 100, 30_000, learner, free=4) for learner in ("auto", "statistical", "sls", "cuts")),
    Case(60_000, 20, 30_000, "milp", {"minimum_error": True}),
    Case(400, 8, 100, options={"committee": 100_000}),
    Case(400, 30, 0, options={"committee": 100_000}),
)


def make_data(case: Case, seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    truth = random_model(case.variables, 10, 20, rng, 3)
    rows = rng.integers(0, 2, (case.rows, case.variables), dtype=np.uint8)
    where = rng.integers(0, max(1, case.contexts), case.rows)
    free = case.free or (case.variables + 1) // 2
    contexts = [EMPTY]
    if case.contexts:
        contexts = []
        for _ in range(case.contexts):
            literals = np.sort(rng.permutation(case.variables)[: case.variables - free]) + 1
            contexts.append(Context(tuple((literals * rng.choice([-1, 1], len(literals))).tolist())))
        for k, c in enumerate(where.tolist()):
            for lit in contexts[c].literals:
                rows[k, abs(lit) - 1] = lit > 0
    values = truth.values(rows)
    good = truth.feasible(rows) & (values >= np.quantile(values, 0.5))
    return Dataset.from_arrays(truth.variables, [contexts[c] for c in where], rows, good.astype(np.int8))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time-limit", type=float, default=5.0)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    given = parser.parse_args()
    warm_up()
    print(f"{'case':75} {'limit':>6} {'wall':>7} {'ratio':>6} kept  score")
    for case in CASES:
        if given.only not in case.name:
            continue
        data = make_data(case)
        began = time.monotonic()
        try:
            result = learn(data, case.learner, time_limit=given.time_limit, **case.options)  # type: ignore[arg-type]
            said = f"{result.score:.3f}, {len(result.model.constraints)} constraints; {'; '.join(result.notes)}"
        except NoModelError as error:
            said = str(error)
        wall = time.monotonic() - began
        kept = "yes" if wall <= 1.1 * given.time_limit + 1 else "NO"
        print(
            f"{case.name:75} {given.time_limit:6.1f} {wall:7.2f} {wall / given.time_limit:6.2f} {kept:4} {said}",
            flush=True,
        )


if __name__ == "__main__":
    main()
