"""Arranged decisions: what models learned from examples are worth in situations never seen.

    python benchmarks/structured.py [ROW ...] [--problems 10] [--seed 1000] [--learner structured] [--jobs 2]
                                    [--keep FOLDER] [--makers 2]

Rows, all if none is named: ward-100, ward-40, ward-noise, ward-positives, ward-large, ward-transfer, timetable,
configurator.

Each problem is drawn anew: a truth in families, situations, up to 2 optimal decisions and 2 near misses in each. The
learner sees the examples alone. In 40 fresh situations: no plan (the learned model finds none), infeasible (its plan
breaks a true rule), truly optimal, and regret (how much less than the best the feasible plans are worth, as a share of
it). Mean and worst over the problems; seconds by the clock and of the processor; rules printed beside true ones. Last,
three shares of the true hard families: those that the learned hard rules say or imply (found); those that the examples
speak of (shown), that is, without which the truth would judge some example otherwise; and of these, the ones found. A
star marks a mean that misses the aim. Tuned on problems of the seeds 0 to 99. ``--keep`` is a folder for the examples
and the fresh situations, so that they are made once, by so many processes (``makers.py``).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean

import numpy as np
from makers import EXAMPLES, FRESH, Fresh, Situation, examples, fresh_ones, made

from hassle.data import Dataset
from hassle.errors import ResourceError
from hassle.generate.arranged import configurator, timetable, ward
from hassle.generate.arranged.ward import elsewhere
from hassle.generate.noise import flip_labels
from hassle.learners import learn
from hassle.logic import EMPTY
from hassle.model import Model, Rule
from hassle.solve.cp_sat import CPSATSolver
from hassle.solve.implication import feasible

CONTEXTS = 40  # fresh ones
SHARES = ("found", "shown", "found of shown")
MEASURES = ("no plan", "infeasible", "optimal", "regret", "seconds", "cpu", "rules", "true rules", *SHARES)


@dataclass(frozen=True)
class Row:
    """A kind of problem; the aims are: no plan and infeasible together at most, optimal at least, regret at most."""

    make: Callable[[np.random.Generator], object]
    contexts: int
    aims: tuple[float, float, float]
    limit: float
    noise: float = 0.0
    positives_only: bool = False
    transfer: bool = False


ROWS = {
    "ward-100": Row(lambda rng: ward(6, 5, 2, rng), 100, (0.01, 0.93, 0.003), 120),
    "ward-40": Row(lambda rng: ward(6, 5, 2, rng), 40, (0.03, 0.80, 0.01), 60),
    "ward-noise": Row(lambda rng: ward(6, 5, 2, rng), 100, (0.03, 0.80, 0.01), 180, noise=0.1),
    "ward-positives": Row(lambda rng: ward(6, 5, 2, rng), 100, (0.05, 0.75, 0.01), 120, positives_only=True),
    "ward-large": Row(lambda rng: ward(8, 7, 3, rng), 200, (0.02, 0.85, 0.005), 300),
    "ward-transfer": Row(lambda rng: ward(6, 5, 2, rng), 100, (0.05, 0.0, 0.02), 120, transfer=True),
    "timetable": Row(lambda rng: timetable(8, 6, rng), 100, (0.02, 0.85, 0.01), 120),
    "configurator": Row(lambda rng: configurator(10, rng), 100, (0.02, 0.85, 0.01), 120),
}


def problem(row: Row, seed: int) -> object:
    """What is planned in a problem of this row."""
    return row.make(np.random.default_rng(seed))


def truth_of(name: str, seed: int, kind: str) -> tuple[Model, Situation]:
    """The truth and its situations; those that are fresh are of another ward if what is learned is used elsewhere."""
    row = ROWS[name]
    place = problem(row, seed)
    if row.transfer and kind == FRESH:
        place = elsewhere(place, 9, 7, 2)  # type: ignore[arg-type]
    return place.truth, place.situation  # type: ignore[attr-defined]


def run(name: str, seed: int, asked: argparse.Namespace) -> dict[str, float]:
    """One problem of a row, learned and measured."""
    row = ROWS[name]
    kept = None if asked.keep is None else asked.keep / f"{name}-{seed}.json"
    counts = {EXAMPLES: row.contexts, FRESH: CONTEXTS}
    found = made(partial(truth_of, name, seed), counts, seed, asked.makers, kept)
    truth, _ = truth_of(name, seed, EXAMPLES)
    clean = examples(found[EXAMPLES], truth)
    if row.positives_only:
        clean = clean.subset(np.flatnonzero(clean.positive))
    rng = np.random.default_rng(seed)
    data = replace(clean, labels=flip_labels(clean.labels, row.noise, rng)) if row.noise else clean
    started, processor = time.monotonic(), time.process_time()
    options = {} if asked.jobs is None else {"jobs": asked.jobs}
    result = learn(data, asked.learner, time_limit=asked.patience * row.limit, seed=seed, **options)
    took = {"seconds": time.monotonic() - started, "cpu": time.process_time() - processor}
    there, _ = truth_of(name, seed, FRESH)
    model = result.model.transferred(there.schema) if row.transfer else result.model
    return {**measured(model, there, fresh_ones(found[FRESH])), **took, **rules(result.model, truth, clean)}


def measured(model: Model, truth: Model, fresh: Fresh) -> dict[str, float]:
    lost = wrong = optimal = 0
    regrets = []
    for context, best in fresh:
        try:
            plan = CPSATSolver(120).best(model, context)
        except ResourceError:  # two minutes are more than a planner waits
            plan = None
        if plan is None:
            lost += 1
        elif not truth.feasible(plan.bits[None, :])[0]:
            wrong += 1
        else:
            reached, possible = truth.values(np.array([plan.bits, best])).tolist()
            optimal += reached == possible
            regrets.append((possible - reached) / possible)
    count = len(fresh)
    return {
        "no plan": lost / count,
        "infeasible": wrong / count,
        "optimal": optimal / count,
        "regret": fmean(regrets) if regrets else 1.0,
    }


def rules(model: Model, truth: Model, data: Dataset) -> dict[str, float]:
    """How many rules were learned and are true, and which of the true hard ones are found, and shown by the data."""
    found, shown = are_found(model, truth), [is_shown(rule, truth, data) for rule in truth.rules if rule.weight is None]
    both = sum(one and other for one, other in zip(found, shown, strict=True))
    shares = (fmean(found), fmean(shown), both / max(1, sum(shown)))
    return {"rules": len(model.rules), "true rules": len(truth.rules), **dict(zip(SHARES, shares, strict=True))}


def are_found(model: Model, truth: Model) -> list[bool]:
    """Which of the true hard rules the learned hard ones say or imply."""
    with feasible(model.hard, len(model.variables), EMPTY.within(model.schema)) as known:
        return [
            all(known.implies(each) for each in rule.instances(truth.schema))
            for rule in truth.rules
            if rule.weight is None
        ]


def is_shown(rule: Rule, truth: Model, data: Dataset) -> bool:
    """Whether the truth would judge some example otherwise if it had not this rule."""
    without = replace(truth, rules=tuple(other for other in truth.rules if other != rule))
    solver = CPSATSolver()
    for where, context in enumerate(data.contexts):
        rows = data.assignments[data.context_of == where]
        best = truth.values(rows[truth.feasible(rows)]).max()  # of each context there is a positive
        if solver.better_than(without, context, int(best)) is not None:
            return True
        if (without.feasible(rows) & ~truth.feasible(rows) & (without.values(rows) == best)).any():
            return True
    return False


def report(name: str, row: Row, results: Sequence[dict[str, float]]) -> None:
    mean = {key: fmean(result[key] for result in results) for key in MEASURES}
    worst = {key: (min if key in ("optimal", *SHARES) else max)(result[key] for result in results) for key in MEASURES}
    missed = (
        mean["no plan"] + mean["infeasible"] > row.aims[0],
        mean["optimal"] < row.aims[1],
        mean["regret"] > row.aims[2],
    )
    marks = dict(zip(("infeasible", "optimal", "regret"), missed, strict=True))
    cells = [f"{mean[key]:.3f} ({worst[key]:.3f}){'*' if marks.get(key) else ''}" for key in MEASURES[:4]]
    cells += [f"{mean[key]:.0f} ({worst[key]:.0f})" for key in MEASURES[4:8]] + [f"{mean[key]:.2f}" for key in SHARES]
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--problems", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--learner", default="structured")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--patience", type=float, default=1.0, help="factor on the time limits, for shared machines")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--makers", type=int, default=2, help="processes that make the examples")
    asked = parser.parse_args()
    print("| row | " + " | ".join(f"{name}, mean (worst)" for name in MEASURES) + " |")
    print("|---" * (len(MEASURES) + 1) + "|", flush=True)
    for name in asked.rows or ROWS:
        seeds = range(asked.seed, asked.seed + asked.problems)
        report(name, ROWS[name], [run(name, seed, asked) for seed in seeds])


if __name__ == "__main__":
    main()
