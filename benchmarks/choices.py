"""Choice columns cost no more than they must: 8 choices among 6 values beside 21 yes-or-no variables.

    python benchmarks/choices.py [--moves 20000] [--contexts 50]

8 choices among 6 values have 6^8 assignments, about as many as 21 yes-or-no variables (2^21). In each problem the
contexts leave as many points open: 4 choices (1296 points) and 10 or 11 variables (1024 or 2048, in turn so that the
sums agree as well as they can). Printed are points, moves of a chain of the statistical learner a second (of the
processor, which other work on the machine changes little), the best of three runs each, side by side, and their ratio:
at least 1 is the aim. A point costs the same in both; but of rules about choices the contexts decide fewer, so that a
move looks at more points.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from hassle.data import Dataset
from hassle.learners.statistical.problem import make_problem
from hassle.learners.statistical.sampler import Sampler
from hassle.logic import Choice, Context, Schema, as_schema
from hassle.tables.completions import total_points

VALUES = tuple("abcdef")


def choices(contexts: int, rng: np.random.Generator) -> Dataset:
    schema = Schema(tuple(Choice(f"c{i}", VALUES) for i in range(8)))
    rows = []
    for _ in range(contexts):
        values = rng.choice(list(VALUES), 8).tolist()
        given = rng.choice(8, 4, replace=False).tolist()
        context = Context.parse(" & ".join(f"c{i} = {values[i]}" for i in given), schema)
        for label in (1, 1, 0, 0):
            row = [values[i] if i in given else str(rng.choice(list(VALUES))) for i in range(8)]
            rows.append((context, row, label))
    return Dataset.build(schema, rows)


def bits(contexts: int, points: float, rng: np.random.Generator) -> Dataset:
    schema, rows, left = as_schema([f"x{i}" for i in range(21)]), [], points
    for k in range(contexts):
        values = rng.integers(0, 2, 21)
        free = 11 if left / (contexts - k) > 1024 * 1.25 else 10
        left -= 2.0**free
        given = rng.choice(21, 21 - free, replace=False).tolist()
        context = Context(tuple(sorted(((i + 1) * (1 if values[i] else -1) for i in given), key=abs)))
        for label in (1, 1, 0, 0):
            row = np.where(np.isin(np.arange(21), given), values, rng.integers(0, 2, 21)).astype(np.uint8)
            rows.append((context, row, label))
    return Dataset.build(schema, rows)


def pace(data: Dataset, moves: int) -> float:
    """Moves a second, of a chain that has settled a little."""
    sampler = Sampler(make_problem(data, np.random.default_rng(0)), 4, 6, 60, 1)
    sampler.refresh_pool()
    sampler.search(moves // 10, 0.2)
    started = time.process_time()
    sampler.search(moves, 0.5)
    return moves / (time.process_time() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=20_000)
    parser.add_argument("--contexts", type=int, default=50)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    first = choices(given.contexts, rng)
    second = bits(given.contexts, total_points(first.contexts, first.schema), rng)
    for name, data in (("8 choices among 6", first), ("21 yes-or-no", second)):
        print(f"{name}: {total_points(data.contexts, data.schema):,.0f} points in {len(data.contexts)} contexts")
    paces = [(pace(first, given.moves), pace(second, given.moves)) for _ in range(3)]
    chosen, plain = (max(each) for each in zip(*paces, strict=True))
    print(f"moves a second: {chosen:,.0f} and {plain:,.0f}; ratio {chosen / plain:.2f}")


if __name__ == "__main__":
    main()
