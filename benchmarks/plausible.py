"""Does more search help, or does the data say no more? The learned model and the truth, weighed by the same posterior.

    python benchmarks/plausible.py DIR [--names n16-5 n20-1] [--limit SECONDS] [--seeds N]

DIR holds problems, NAME.csv and NAME.wcnf, as for ``hassle experiment gen``. For each, ``auto`` learns from several
seeds; the models and the true one are put to the statistical learner's posterior (log, in nats, each with the rates
that suit it best). Where the truth is worth more than what was found, the search has missed it, and more time or better
chains would help. Where what was found is worth as much or more, the data speaks for it at least as loudly as for the
truth: only more examples would help. ``same`` is how often two of the models give the same answer in fresh contexts.
``forbidden`` says, up to 16 variables, how many of a model's globally best assignments the truth forbids, and how many
of 2,000 fresh contexts drawn as those of the data allow one of them: what no context allows, no example speaks of.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from pathlib import Path

import numpy as np

from hassle import Dataset, Model
from hassle.evaluation.decisions import decision_quality, random_contexts
from hassle.generate.contexts import draw_contexts
from hassle.generate.examples import Wanted
from hassle.learners import learn
from hassle.learners.statistical.learner import LONGEST_COUNT, default_longest
from hassle.learners.statistical.probing import MOST_GLOBAL
from hassle.learners.statistical.problem import make_problem
from hassle.learners.statistical.sampler import Sample, Sampler
from hassle.logic import EMPTY
from hassle.solve import aligned, solve
from hassle.solve.table import losses_in
from hassle.tables.completions import completions

SHOWN = 2000


def as_sample(model: Model) -> Sample:
    """Weights in thousandths of the heaviest, as the chains have them."""
    hard = tuple((constraint, None) for constraint in model.hard)
    heaviest = max((soft.weight for soft in model.soft), default=1)
    soft = tuple((soft.constraint, max(1, round(1000 * soft.weight / heaviest))) for soft in model.soft)
    return Sample(hard + soft)


def log_posterior(model: Model, data: Dataset) -> float:
    variables = len(data.variables)
    longest = max(len(constraint.literals) for constraint in model.constraints)
    problem = make_problem(data, np.random.default_rng(0))
    sampler = Sampler(problem, max(longest, default_longest(variables)), LONGEST_COUNT, 200, 1)
    sampler.load(as_sample(model))
    for _ in range(5):
        sampler.update_rates()
    return float(sampler.log_posterior)


def forbidden(model: Model, truth: Model) -> str:
    """How many of the model's best assignments the truth forbids, and how often a context would show one of them."""
    every = completions(EMPTY, truth.schema)
    if not every.fits(MOST_GLOBAL):
        return "-"
    points = every.assignments(every.words())
    loss = losses_in(aligned(model, truth.schema), EMPTY)
    wrong = points[(loss == loss.min()) & ~truth.feasible(points)]
    drawn = draw_contexts(truth, SHOWN, np.random.default_rng(0), wanted=Wanted()).contexts
    shown = sum(bool(context.holds(wrong).any()) for context in drawn)
    return f"{len(wrong)} of {(loss == loss.min()).sum()} ({shown} of {len(drawn)} contexts)"


def main() -> None:
    parser = argparse.ArgumentParser(description="The learned model and the truth, weighed by the same posterior.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--names", nargs="*", help="only these problems")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds per run")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    for file in sorted(arguments.folder.glob("*.csv")):
        if arguments.names and file.stem not in arguments.names:
            continue
        data, truth = Dataset.read(file), Model.read(file.with_suffix(".wcnf"))
        contexts = random_contexts(truth, 100, 1)
        found = [learn(data, time_limit=arguments.limit, seed=seed, jobs=1) for seed in range(arguments.seeds)]
        answers = [[str(solve(result.model, context)) for context in contexts] for result in found]
        pairs = [np.mean([a == b for a, b in zip(one, two, strict=True)]) for one, two in combinations(answers, 2)]
        told = "; ".join(
            f"score {result.score:.4f}, optimal {float(decision_quality(result.model, truth, contexts).optimal):.2f}, "
            f"{log_posterior(result.model, data):.1f}, forbidden {forbidden(result.model, truth)}"
            for result in found
        )
        same = f"{np.mean(pairs):.2f}" if pairs else "-"
        print(f"{file.stem}: truth {log_posterior(truth, data):.1f}; {told}; same {same}", flush=True)


if __name__ == "__main__":
    main()
