"""Local search: how fast it tries neighbours, how soon it starts, and how good its models are.

    python benchmarks/sls.py [speed] [start] [quality] [strategies]        all four without a name

speed       neighbours scored per second, against a loop that scores a neighbour with one RC2 call per context, on the
            same problems in the same run; and how that grows with variables, contexts and clauses.
start       seconds to the first step with nothing compiled, and with everything compiled before.
quality     8 variables, 10 hard, 10 soft clauses, 100 contexts; the learner is told 20 clauses and gets 10 s, 2 cores.
            The paper's WalkSAT reached accuracy 0.85, infeasibility 0.156, regret 0.057 in 15 to 60 minutes.
strategies  the four strategies with either neighbourhood, and WalkSAT without each of our departures from the paper, at
            equal time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from statistics import fmean

import numpy as np

from hassle.data import Dataset
from hassle.evaluation import evaluate
from hassle.generate import generate
from hassle.learners import LearnResult, learn
from hassle.learners.sls.models import as_model
from hassle.learners.sls.search import Search
from hassle.learners.sls.strategies import WalkSat
from hassle.learners.sls.tables import TableScorer, make_problem
from hassle.solve.rc2 import RC2Solver

STEPS = 150
# The search was tuned on problems of smaller seeds; quality is reported on these.
FRESH = 1000


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under a header, columns aligned."""
    cells = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    print(f"\n{title}")
    for row in cells:
        print("  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))


def make_search(data: Dataset, constraints: int, longest: int, naive: bool) -> Search:
    scorer = TableScorer(make_problem(data, constraints), constraints, np.zeros(1, dtype=np.bool_))
    search = Search(
        scorer, WalkSat(0), examples=len(data), longest=longest, naive=naive, share=0.5 if not naive else 1.0, seed=(0,)
    )
    search.restart()
    return search


def seconds_per_neighbour(data: Dataset, constraints: int, longest: int, naive: bool) -> float:
    """Seconds a neighbour takes in a real search, all its overhead included."""
    search = make_search(data, constraints, longest, naive)
    search.step()  # compiles
    before, started = search.neighbours, time.perf_counter()
    for _ in range(STEPS // (10 if naive else 1)):
        if search.scorer.correct == len(data):
            search.restart()
        search.step()
    return (time.perf_counter() - started) / (search.neighbours - before)


def seconds_by_rc2(data: Dataset, constraints: int, longest: int, contexts: int = 50) -> float:
    """Seconds to score a neighbour with one RC2 call per context, from a sample of the contexts."""
    search = make_search(data, constraints, longest, naive=False)
    for _ in range(STEPS):  # on the way to a good model, as the models are that a search spends its time on
        if search.scorer.correct < len(data):
            search.step()
    scorer, solver = search.scorer, RC2Solver()
    model = as_model(data.variables, scorer.signs, scorer.costs, int(scorer.hard))
    sample = data.contexts[:contexts]
    started = time.perf_counter()
    for context in sample:
        solver.best(model, context)
    return (time.perf_counter() - started) / len(sample) * len(data.contexts)


def speed() -> None:
    rows = []
    for variables, contexts, longest, wanted in ((8, 100, 8, 5000), (20, 500, 3, 2000)):
        data = generate(variables, 10, 10, contexts, max_literals=min(longest, variables // 2), seed=1).data
        rc2 = seconds_by_rc2(data, 20, longest)
        for name in ("pruned", "naive"):
            ours = seconds_per_neighbour(data, 20, longest, naive=name == "naive")
            rows.append(
                [variables, contexts, name, f"{1 / ours:,.0f}", f"{1 / rc2:,.1f}", f"{rc2 / ours:,.0f}", f"{wanted:,}"]
            )
    header = ["variables", "contexts", "neighbourhood", "neighbours/s", "RC2 loop/s", "ratio", "at least"]
    table("Neighbours per second, one core", header, rows)
    for name, settings in (
        ("variables", [(n, 100, 20) for n in (8, 12, 16, 20)]),
        ("contexts", [(12, c, 20) for c in (50, 100, 200, 400)]),
        ("clauses", [(12, 100, m) for m in (10, 20, 40, 80)]),
    ):
        grown = []
        for variables, contexts, clauses in settings:
            data = generate(variables, clauses // 2, clauses // 2, contexts, max_literals=3, seed=1).data
            ours = seconds_per_neighbour(data, clauses, 3, naive=False)
            completions = sum(2 ** (variables - len(context.literals)) for context in data.contexts)
            grown.append([variables, len(data.contexts), clauses, f"{completions:,}", f"{1 / ours:,.0f}"])
        header = ["variables", "contexts", "clauses", "completions", "neighbours/s"]
        table(f"Growth with {name} (pruned, at most 3 literals)", header, grown)


FIRST_STEP = """
import time; started, worked = time.perf_counter(), time.process_time()
import hassle
from hassle.learners import Budget, make_learner
data = hassle.Dataset.read({examples!r})
learner = make_learner("sls", dict(searches=1, constraints=20))
learner.learn(data, Budget(steps=1), 0, lambda progress: None)
print(time.perf_counter() - started, time.process_time() - worked)
"""


def start() -> None:
    """From the start of Python to the end of the first step: nothing compiled yet, then everything."""
    with tempfile.TemporaryDirectory() as folder:
        examples = os.path.join(folder, "examples.csv")
        generate(8, 10, 10, 100, seed=1).data.write(examples)
        program = FIRST_STEP.format(examples=examples)
        environment = {**os.environ, "NUMBA_CACHE_DIR": os.path.join(folder, "cache")}
        rows = []
        for name in ("compiling", "compiled", "compiled"):
            run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
            rows.append([name, *(f"{float(seconds):.2f}" for seconds in run.stdout.split())])
    table("Seconds to the end of the first step", ["", "by the clock", "of processor"], rows)


def measured(results: Sequence[tuple[LearnResult, object]]) -> list[str]:
    """Mean score, accuracy, infeasibility and regret of learned models against the true ones."""
    found = [evaluate(result.model, truth) for result, truth in results]
    means = [fmean(result.score for result, _ in results)]
    for name in ("accuracy", "infeasibility", "regret"):
        values = [getattr(one, name) for one in found]
        means.append(fmean(float(value) for value in values if value is not None))
    return [f"{mean:.4f}" for mean in means]


def quality(models: int = 10, seconds: float = 10) -> None:
    results = []
    rows = []
    for seed in range(FRESH, FRESH + models):
        problem = generate(8, 10, 10, 100, seed=seed)
        result = learn(problem.data, "sls", constraints=20, time_limit=seconds, jobs=2, seed=seed)
        results.append((result, problem.truth))
        rows.append([seed, *measured(results[-1:]), f"{result.seconds:.1f}", result.stopped])
    rows.append(["mean", *measured(results), f"{fmean(result.seconds for result, _ in results):.1f}", ""])
    header = ["model", "score", "accuracy", "infeasibility", "regret", "seconds", "stopped"]
    table(
        f"Quality: WalkSAT, 20 clauses, {seconds:g} s, 2 cores (the reference code: score 0.975 in 20 min)",
        header,
        rows,
    )


def strategies(models: int = 5, seconds: float = 2) -> None:
    runs: dict[str, dict[str, object]] = {
        f"{strategy}, {neighbourhood}": {"strategy": strategy, "neighbourhood": neighbourhood}
        for strategy in ("walksat", "novelty", "novelty+", "adaptive-novelty+")
        for neighbourhood in ("pruned", "naive")
    }
    runs |= {
        "walksat, all clauses": {"share": 1.0},
        "walksat, any neighbour": {"focus": False},
        "walksat, both": {"share": 1.0, "focus": False},
        "walksat, restart 0.001": {"restart_probability": 0.001},
        "walksat, as printed": {"paper": True},
    }
    rows = []
    for name, options in runs.items():
        results = []
        for seed in range(FRESH, FRESH + models):
            problem = generate(8, 10, 10, 100, seed=seed)
            result = learn(problem.data, "sls", constraints=20, time_limit=seconds, jobs=1, seed=seed, **options)
            results.append((result, problem.truth))
        perfect = sum(result.stopped == "perfect" for result, _ in results)
        rows.append([name, *measured(results), f"{perfect} of {models}", f"{fmean(r.seconds for r, _ in results):.2f}"])
    header = ["strategy", "score", "accuracy", "infeasibility", "regret", "perfect", "seconds"]
    table(f"Strategies at equal time: {seconds:g} s on one core, {models} models of 8 variables", header, rows)


if __name__ == "__main__":
    sections = {"speed": speed, "start": start, "quality": quality, "strategies": strategies}
    for name in sys.argv[1:] or sections:
        sections[name]()
