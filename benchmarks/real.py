"""Real instances: what models learned from a planner's past plans are worth in situations never seen.

    python benchmarks/real.py [SET ...] [--data ../shared/data] [--problems 1] [--seed 1000] [--fresh 20]
                              [--methods auto,nearest,...] [--previous FOLDER] [--keep FOLDER] [--time-limit 300]

Sets, all if none is named: n005w4 and n012w8 (one week of INRC-II), curtois (instance 1), nsplib (N25 with case 1),
berkeleydb and routefinding (feature models with random wishes). The readers (``instances/``) write the rules and
penalties of each as a true model; a simulated planner (CP-SAT on the truth) labels: one or two best plans and two
near misses in each of at most 50 situations, so at most 200 examples. Demand, requests and leave are given with it.

Methods: ``auto``; ``nearest``, the past plan of the situation most like it, repeated; ``tree``, a decision tree per
cell; ``bounds``, observed minima and maxima of counts as hard rules (COUNT-OR); ``previous``, ``auto`` of the source
tree ``--previous`` (a work tree of an earlier commit). In fresh situations: no plan, infeasible (the plan breaks a true
rule, or there is none), truly optimal, regret (how much less the feasible plans are worth, as a share of the best
value), and gap (the same in points of the instance's penalties).
Seconds of learning, by the clock and of the processor.

``--keep`` is a folder for the examples, so that they are made once.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean

import numpy as np
from instances import Instance, curtois, feature_models, inrc2, nsplib
from makers import EXAMPLES, FRESH, Fresh, Situation, examples, fresh_ones, made
from real_methods import METHODS, Plan, Planner

from hassle.data import Dataset
from hassle.model import Model

MEASURES = ("no plan", "infeasible", "optimal", "regret", "gap", "seconds", "cpu")


@dataclass(frozen=True)
class Set:
    """An instance and where its data is, and in how many situations the planner was seen."""

    folder: str
    read: Callable[[Path], Instance]
    contexts: int = 50
    positives: int = 2


SETS = {
    "n005w4": Set("inrc2/n005w4", inrc2.read, 40, 1),
    "n012w8": Set("inrc2/n012w8", inrc2.read, 40, 1),
    "curtois": Set("nrp/Instance1.txt", curtois.read),
    "nsplib": Set("nsplib", nsplib.read),
    "berkeleydb": Set("feature-models/berkeleydb.dimacs", feature_models.read),
    "routefinding": Set("feature-models/routefinding.dimacs", feature_models.read),
}


def problem(name: str, where: Path, asked: argparse.Namespace, seed: int) -> tuple[Instance, Dataset, Fresh]:
    """The instance, what is learned from, and situations with a best plan each."""
    chosen = SETS[name]
    kept = None if asked.keep is None else asked.keep / f"{name}-{seed}-{chosen.contexts}-{asked.fresh}.json"
    counts = {EXAMPLES: chosen.contexts, FRESH: asked.fresh}
    found = made(partial(truth_of, name, where), counts, seed, asked.makers, kept, positives=chosen.positives)
    instance = chosen.read(where)
    return instance, examples(found[EXAMPLES], instance.truth), fresh_ones(found[FRESH])


def truth_of(name: str, where: Path, kind: str) -> tuple[Model, Situation]:
    instance = SETS[name].read(where)
    return instance.truth, instance.situation


def measured(plan: Planner, truth: Model, fresh: Fresh) -> dict[str, float]:
    lost = wrong = optimal = 0
    regrets, gaps = [], []
    for context, best in fresh:
        found: Plan = plan(context)
        if found is None:
            lost += 1
        elif not (truth.schema.admits(found[None, :])[0] and truth.feasible(found[None, :])[0]):
            wrong += 1
        else:
            reached, possible = truth.values(np.array([found, best])).tolist()
            optimal += reached == possible
            regrets.append((possible - reached) / max(1, possible))
            gaps.append(float(truth.decimal(possible - reached)))
    return {
        "no plan": lost / len(fresh),
        "infeasible": (lost + wrong) / len(fresh),
        "optimal": optimal / len(fresh),
        "regret": fmean(regrets) if regrets else float("nan"),
        "gap": fmean(gaps) if gaps else float("nan"),
    }


def _processor() -> float:
    """Seconds of the processor, those of finished processes included."""
    return sum(os.times()[:4])


def report(name: str, method: str, results: Sequence[dict[str, float]]) -> None:
    mean = {key: fmean(result[key] for result in results) for key in MEASURES}
    cells = (
        [f"{mean[key]:.3f}" for key in MEASURES[:4]]
        + [f"{mean['gap']:.1f}"]
        + [f"{mean[key]:.0f}" for key in MEASURES[5:]]
    )
    print(f"| {name} | {method} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", help=", ".join(SETS))
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[1].parent / "shared" / "data")
    parser.add_argument("--problems", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--fresh", type=int, default=20)
    parser.add_argument("--methods", default="auto,nearest,tree,bounds")
    parser.add_argument("--previous", type=Path, help="the source tree of an earlier commit")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--makers", type=int, default=2, help="processes that make the examples")
    parser.add_argument("--time-limit", type=float, default=300)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--rules", action="store_true", help="print the rules that were learned")
    asked = parser.parse_args()
    methods = [*asked.methods.split(","), *(["previous"] if asked.previous else [])]
    print("| set | method | " + " | ".join(MEASURES) + " |")
    print("|---" * (len(MEASURES) + 2) + "|", flush=True)
    for name in asked.sets or SETS:
        where = asked.data / SETS[name].folder
        if not where.exists():
            print(f"| {name} | the data is not there: {SETS[name].folder} |" + " |" * len(MEASURES), flush=True)
            continue
        problems = [problem(name, where, asked, seed) for seed in range(asked.seed, asked.seed + asked.problems)]
        for method in filter(None, methods):
            results = []
            for instance, data, fresh in problems:
                started, processor = time.monotonic(), _processor()
                planner = METHODS[method](data, asked)
                took = {"seconds": time.monotonic() - started, "cpu": _processor() - processor}
                results.append({**measured(planner, instance.truth, fresh), **took})
            report(name, method, results)


if __name__ == "__main__":
    main()
