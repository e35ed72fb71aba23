"""Wards of 1,000 and of 10,000 variables: what learns, and what can be read, inspected and solved.

    python benchmarks/large_wards.py [learn] [use] [--seconds 600] [--contexts 60] [--seed 1] [--processor]

learn  25 nurses, 10 days and 4 shifts: examples in so many contexts, as in `benchmarks/structured.py`, the structured
       learner with one job, and the measures of its plans in 20 fresh situations. A plan is the best that CP-SAT finds
       within 40 seconds (`proved` says how often that was shown to be the best). With `--processor` the seconds of
       the limit are those of the processor, for a machine that does other work, too.
use    50 nurses, 50 days and 4 shifts: processor time and peak memory of reading and inspecting 40 plans, and of the
       best plan of the true model in a situation; each in a process of its own, imports included
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import fmean

import numpy as np
from ortools.sat.python import cp_model
from structured import are_found

from hassle.data import Dataset, Label
from hassle.generate.arranged import arranged_examples, feasible_situations, ward
from hassle.generate.arranged.examples import neighbour
from hassle.learners import learn
from hassle.learners.budget import Progress
from hassle.model import Model
from hassle.solve.cp_sat import CPSATSolver

FRESH, PLANNING_SECONDS = 20, 40.0


def learned(seconds: float, contexts: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    home = ward(25, 10, 4, rng)
    data = arranged_examples(home.truth, home.situation, contexts, rng)
    fresh = list(feasible_situations(home.truth, home.situation, FRESH, rng))
    print(f"{len(data.variables)} variables, {len(data)} examples in {contexts} contexts", flush=True)

    def tell(progress: Progress) -> None:
        print(f"  {progress.seconds:6.1f} s: {progress.note}", flush=True)

    began, processor = time.monotonic(), time.process_time()
    found = learn(data, "structured", time_limit=seconds, seed=seed, jobs=1, listener=tell)
    took = time.monotonic() - began, time.process_time() - processor
    print(f"{took[0]:.0f} s, {took[1]:.0f} s of processor; score {found.score} of {found.examples} examples")
    share = fmean(are_found(found.model, home.truth))
    print(f"{len(found.model.rules)} rules, {len(home.truth.rules)} true ones, {share:.2f} of the hard ones found")
    outcomes, regrets, proved = {"no plan": 0, "infeasible": 0, "optimal": 0}, [], 0
    for context, best in fresh:
        plan, sure = planned(found.model, context)
        proved += sure
        if plan is None:
            outcomes["no plan"] += 1
        elif not home.truth.feasible(plan[None, :])[0]:
            outcomes["infeasible"] += 1
        else:
            reached, possible = home.truth.values(np.array([plan, best])).tolist()
            outcomes["optimal"] += reached == possible
            regrets.append((possible - reached) / possible)
    print(f"{outcomes}, regret {fmean(regrets) if regrets else None}, proved {proved} of {FRESH}", flush=True)


def planned(model: Model, context: object) -> tuple[np.ndarray | None, bool]:
    """The best plan found, and whether it was shown to be the best, or none to exist."""
    search = CPSATSolver(PLANNING_SECONDS, workers=4)._search(model, context)  # type: ignore[arg-type]
    search.programme.maximize(search.rewards)
    solver, status = search._run()
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None, status == cp_model.INFEASIBLE
    bits = [solver.boolean_value(variable) for variable in search.variables]
    return np.array(bits, dtype=np.uint8), status == cp_model.OPTIMAL


def used(seed: int) -> None:
    rng = np.random.default_rng(seed)
    home = ward(50, 50, 4, rng)
    schema = home.truth.schema
    base = (rng.random(len(schema.variables)) < 0.18).astype(np.uint8)
    contexts, rows = [], []
    for context in [home.situation(rng) for _ in range(10)]:
        row = base.copy()
        for lit in context.literals:
            row[abs(lit) - 1] = lit > 0
        contexts += [context] * 4
        rows += [neighbour(row, context, schema, 20, rng) for _ in range(4)]
    labels = [Label.POSITIVE.code, Label.NEGATIVE.code] * (len(rows) // 2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        Dataset.from_arrays(schema, contexts, np.array(rows), labels).write(folder / "plans.csv")
        home.truth.write(folder / "truth.json")
        print(f"{len(schema.variables)} variables, {len(home.truth.constraints)} constraints", flush=True)
        reading = f"from hassle.data import Dataset; Dataset.read({str(folder / 'plans.csv')!r})"
        where = contexts[0].text(schema)
        for what, command in (
            ("read", ["-c", reading]),
            ("inspect", ["-m", "hassle", "inspect", str(folder / "plans.csv"), "--json"]),
            ("solve", ["-m", "hassle", "solve", str(folder / "truth.json"), "--context", where, "--json"]),
        ):
            process = subprocess.Popen([sys.executable, *command], stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            assert os.waitstatus_to_exitcode(status) == 0
            print(f"{what}: {usage.ru_utime + usage.ru_stime:.1f} s, {usage.ru_maxrss / 1024:.0f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=["learn", "use", []], default=[])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--contexts", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processor", action="store_true")
    given = parser.parse_args()
    parts = given.parts or ["use", "learn"]
    if "use" in parts:
        used(given.seed)
    if given.processor:
        time.monotonic = time.process_time
    if "learn" in parts:
        learned(given.seconds, given.contexts, given.seed)


if __name__ == "__main__":
    main()
