"""What more examples, contexts, variables, clauses and cores cost: processor time and memory, and a law fitted to them.

    python benchmarks/growth.py [examples] [contexts] [variables] [clauses] [cores]        all without a name

Each measurement is a process of its own, so that its peak memory is its own; its times are processor time, which a busy
machine does not change much. The law is `time = a * size^b`, by least squares of logarithms.

examples   a CSV file of so many rows and 30 columns, a context for every 500 rows: reading it, and merging equal rows
           for the chains; memory is the peak less that of a process that has imported what it needs
contexts   a move of the statistical learner's chains, over 8 open variables in each context
variables  solving a model of so many variables and three times as many clauses by RC2, in 20 contexts
clauses    the same, 100 variables
cores      moves a second of so many chains at once, as a multiple of one chain's (wall clock: only on an idle machine)
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

PROBES = """
import json, resource, sys, time
import numpy as np

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

def measured(work):
    started = time.process_time()
    result = work()
    return time.process_time() - started, result

def examples(path):
    from hassle.data import Dataset
    from hassle.learners.statistical.problem import make_problem
    small = Dataset.build("ab", [("a", "10", 1), ("", "00", 0)])
    make_problem(small, np.random.default_rng(0))
    before = peak()
    seconds, data = measured(lambda: Dataset.read(path))
    memory = peak() - before
    merging, problem = measured(lambda: make_problem(data, np.random.default_rng(0)))
    return {"read": seconds, "MB": memory / 2**20, "contexts": len(data.contexts), "distinct": len(problem.rows),
            "merge": merging}

def sampler(variables, count, clauses=10, seed=1):
    from hassle.generate import generate
    from hassle.learners.statistical.problem import make_problem
    from hassle.learners.statistical.sampler import Sampler
    made = generate(variables, clauses, clauses, count, seed=seed)
    found = Sampler(make_problem(made.data, np.random.default_rng(0)), 4, 6, 10 + 4 * variables, seed)
    found.refresh_pool()
    found.search(500, 0.3)
    return found

def contexts(count):
    found = sampler(12, int(count))
    moves = 5000
    seconds, _ = measured(lambda: found.search(moves, 0.7))
    return {"us/move": 1e6 * seconds / moves, "tables": found.problem.tables,
            "points": int(found.problem.cases.offsets[-1]), "MB": peak() / 2**20}

def solving(variables, clauses):
    from hassle.logic import Context
    from hassle.model import Model
    from hassle.solve.rc2 import RC2Solver
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 2, variables)
    def clause():
        chosen = rng.choice(variables, 3, replace=False)
        return tuple(int((v + 1) * s) for v, s in zip(chosen, rng.choice([-1, 1], 3)))
    hard = []
    while len(hard) < clauses // 2:
        drawn = clause()
        if any(hidden[abs(lit) - 1] == (lit > 0) for lit in drawn):
            hard.append(drawn)
    soft = [(clause(), int(rng.integers(1, 1001))) for _ in range(clauses - len(hard))]
    model = Model.from_units(tuple(f"x{i}" for i in range(variables)), hard, soft)
    solver = RC2Solver()
    def all_contexts():
        for c in range(20):
            fixed = np.sort(rng.permutation(variables)[: variables // 2])
            solver.best(model, Context(tuple(int((v + 1) * (1 if hidden[v] else -1)) for v in fixed)))
    seconds, _ = measured(all_contexts)
    return {"ms/context": 1000 * seconds / 20, "MB": peak() / 2**20}

def variables(count):
    return solving(int(count), 3 * int(count))

def clauses(count):
    return solving(100, int(count))

def cores(count):
    import threading
    samplers = [sampler(8, 100, seed=s + 1) for s in range(int(count))]
    began = time.perf_counter()
    threads = [threading.Thread(target=each.search, args=(50_000, 0.7)) for each in samplers]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    return {"moves/s": 50_000 * int(count) / (time.perf_counter() - began)}

import logging
logging.disable(logging.WARNING)
print(json.dumps(globals()[sys.argv[1]](sys.argv[2])))
"""

SIZES: dict[str, Sequence[int]] = {
    "examples": (10_000, 100_000, 1_000_000),
    "contexts": (100, 400, 1600),
    "variables": (100, 200, 400, 800),
    "clauses": (100, 200, 400),
    "cores": (1, 2),
}
LAWS = {
    "examples": ("read", "MB", "merge"),
    "contexts": ("us/move",),
    "variables": ("ms/context",),
    "clauses": ("ms/context",),
}


def write_rows(path: Path, rows: int, columns: int = 30, each: int = 500) -> None:
    """Rows in contexts that leave eight columns open, so that many are equal; good by rules over a few columns."""
    import numpy as np

    rng = np.random.default_rng(0)
    names = [f"x{i + 1}" for i in range(columns)]
    with path.open("w") as file:
        file.write(",".join(names) + ",label,context\n")
        for _ in range(rows // each):
            fixed, values = np.sort(rng.permutation(columns)[:-8]), rng.integers(0, 2, columns - 8)
            context = " & ".join(("" if v else "!") + names[i] for i, v in zip(fixed, values, strict=True))
            cells = rng.integers(0, 2, (each, columns))
            cells[:, fixed] = values
            good = (cells[:, 0] | cells[:, 1]) & (1 - (cells[:, 2] & cells[:, 3])) & (cells[:, 4] | cells[:, 5])
            lines = (",".join(map(str, row)) for row in cells.tolist())
            file.writelines(f"{line},{label},{context}\n" for line, label in zip(lines, good.tolist(), strict=True))


def probe(name: str, size: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        argument = str(size)
        if name == "examples":
            path = Path(folder) / "rows.csv"
            write_rows(path, size)
            argument = str(path)
        done = subprocess.run(
            [sys.executable, "-c", PROBES, name, argument], capture_output=True, text=True, check=True
        )
    return dict(json.loads(done.stdout))


def law(sizes: Sequence[int], values: Sequence[float]) -> str:
    """`a * size^b`, by least squares of logarithms."""
    xs, ys = [math.log(size) for size in sizes], [math.log(max(value, 1e-9)) for value in values]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / sum((x - mean_x) ** 2 for x in xs)
    return f"{math.exp(mean_y - slope * mean_x):.3g} * size^{slope:.2f}"


def main(names: Sequence[str]) -> None:
    for name in names or SIZES:
        print(f"\n{name}")
        found = []
        for size in SIZES[name]:
            found.append(probe(name, size))
            print(f"  {size:>10,}  " + "  ".join(f"{key} {value:,.4g}" for key, value in found[-1].items()), flush=True)
        for key in LAWS.get(name, ()):
            print(f"  {key}: {law(SIZES[name], [each[key] for each in found])}")


if __name__ == "__main__":
    main(sys.argv[1:])
