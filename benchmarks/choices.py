"""Choice columns cost no more than they must: 8 choices among 6 values beside 21 yes-or-no variables.

    python benchmarks/choices.py [--problems 5] [--contexts 50] [--seed 9700]

8 choices among 6 values have 6^8 assignments, about as many as 21 yes-or-no variables (2^21). In each problem the
contexts leave as many points open: 4 choices (1296 points) and 10 or 11 variables (1024 or 2048, in turn so that the
sums agree as well as they can). The truths have ten rules and ten wishes, drawn at random: pairs of values that do not
go together and values that are liked; clauses of two to four literals. Two good and two bad decisions are shown in each
context. The statistical learner takes 7,500 moves from an empty model, or twice as many, and so on, until a run
explains all examples; printed are the points, the processor's seconds of that run and its moves, for both kinds side by
side, and the ratio of the seconds: at most 1 is the aim. Seconds for 60,000 moves are printed, too: there a run over
choices is the slower one, but it needs fewer of them, as a rule decides whole columns at once.

Beside it, the pace of a chain that is half cooled where labels mean nothing, so that models are large: there a move of
rules about choices looks at more points, as contexts decide fewer of them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from statistics import fmean

import numpy as np

from hassle.data import Dataset
from hassle.generate.examples import Wanted, gives_all
from hassle.generate.problem import label_contexts
from hassle.learners import learn
from hassle.learners.statistical.problem import make_problem
from hassle.learners.statistical.sampler import Sampler
from hassle.logic import Choice, Context, Schema, as_schema
from hassle.model import Model
from hassle.tables.completions import total_points

VALUES = tuple("abcdef")
RULES = 10
WANTED = Wanted()
FEWEST_MOVES, SOME_MOVES, MOST_MOVES = 7_500, 60_000, 4_000_000
Rng = np.random.Generator


def choices_schema() -> Schema:
    return Schema(tuple(Choice(f"c{i}", VALUES) for i in range(8)))


def weight(rng: Rng) -> str:
    return f"{int(rng.integers(1, 21)) / 20:.2f}"


def choices_truth(rng: Rng) -> Model:
    """Pairs of values that do not go together, and values that are liked."""

    def atom(column: int, sign: str) -> str:
        return f"c{column} {sign} {rng.choice(VALUES)}"

    pairs = [rng.choice(8, 2, replace=False).tolist() for _ in range(RULES)]
    hard = [f"{atom(one, '!=')} | {atom(other, '!=')}" for one, other in pairs]
    liked = dict.fromkeys(atom(int(rng.integers(8)), "=") for _ in range(RULES))
    return Model.build(choices_schema(), hard, [(wish, weight(rng)) for wish in liked])


def bits_truth(rng: Rng) -> Model:
    """Clauses of two to four literals."""

    def clause() -> str:
        chosen = rng.choice(21, int(rng.integers(2, 5)), replace=False).tolist()
        return " | ".join(f"{rng.choice(['', '!'])}x{i}" for i in chosen)

    drawn = list(dict.fromkeys(clause() for _ in range(2 * RULES)))
    return Model.build([f"x{i}" for i in range(21)], drawn[:RULES], [(text, weight(rng)) for text in drawn[RULES:]])


def choices_contexts(rng: Rng) -> Iterator[Context]:
    """Four of the choices are given."""
    while True:
        given = rng.choice(8, 4, replace=False).tolist()
        yield Context.parse(" & ".join(f"c{i} = {rng.choice(VALUES)}" for i in given), choices_schema())


def bits_contexts(rng: Rng) -> Iterator[Context]:
    """Ten or eleven of the variables are given, so that there are 1296 completions on average."""
    share = (6**4 - 2**10) / 2**10
    while True:
        given = rng.choice(21, 10 if rng.random() < share else 11, replace=False).tolist()
        yield Context(tuple(sorted(((i + 1) * int(rng.choice([-1, 1])) for i in given), key=abs)))


def examples(truth: Model, contexts: Iterator[Context], count: int, rng: Rng) -> Dataset:
    """Two good and two bad decisions in each of so many contexts that have them."""
    found: dict[Context, None] = {}
    while len(found) < count:
        context = next(contexts)
        if gives_all(truth, context, WANTED, rng):
            found[context] = None
    return label_contexts(truth, tuple(found), WANTED, rng)


def shuffled(data: Dataset, rng: Rng) -> Dataset:
    """The same with labels that mean nothing."""
    return Dataset(data.schema, data.contexts, data.context_of, data.assignments, rng.permutation(data.labels))


def timed(data: Dataset, moves: int, seed: int) -> tuple[float, float]:
    """The processor's seconds of a run of so many moves, and the share of the examples that it explains."""
    started = time.process_time()
    result = learn(data, "statistical", steps=moves, seed=seed, jobs=1)
    return time.process_time() - started, result.score


def until_explained(data: Dataset, seed: int) -> tuple[int, float]:
    """The moves of the first run that explains all, each twice as long as the one before, and its seconds."""
    moves = FEWEST_MOVES
    while True:
        took, score = timed(data, moves, seed)
        if score == 1 or moves >= MOST_MOVES:
            return moves, took
        moves *= 2


def pace(data: Dataset, moves: int) -> float:
    """Moves a second of the processor, of a chain that is half cooled."""
    sampler = Sampler(make_problem(data, np.random.default_rng(0)), 4, 6, 60, 1)
    sampler.refresh_pool()
    sampler.search(moves // 10, 0.2)
    started = time.process_time()
    sampler.search(moves, 0.5)
    return moves / (time.process_time() - started)


KINDS: dict[str, tuple[Callable[[Rng], Model], Callable[[Rng], Iterator[Context]]]] = {
    "8 choices among 6": (choices_truth, choices_contexts),
    "21 yes-or-no": (bits_truth, bits_contexts),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=5)
    parser.add_argument("--contexts", type=int, default=50)
    parser.add_argument("--seed", type=int, default=9700)
    given = parser.parse_args()
    learn(Dataset.build(as_schema("ab"), [("", (1, 0), 1), ("", (0, 1), 0)]), "statistical", steps=100)  # compiles
    seconds: dict[str, list[float]] = {name: [] for name in KINDS}
    each: dict[str, list[float]] = {name: [] for name in KINDS}
    paces: dict[str, list[float]] = {name: [] for name in KINDS}
    for seed in range(given.seed, given.seed + given.problems):
        for name, (make, contexts) in KINDS.items():
            rng = np.random.default_rng(seed)
            data = examples(make(rng), contexts(rng), given.contexts, rng)
            moves, took = until_explained(data, seed)
            seconds[name].append(took)
            each[name].append(timed(data, SOME_MOVES, seed)[0])
            paces[name].append(pace(shuffled(data, rng), SOME_MOVES // 3))
            points = total_points(data.contexts, data.schema)
            print(
                f"  seed {seed}, {name}: {points:,.0f} points, all explained in {took:.1f} s, {moves:,} moves",
                flush=True,
            )
    for title, found in (("until all is explained", seconds), (f"for {SOME_MOVES:,} moves", each)):
        chosen, plain = (fmean(found[name]) for name in KINDS)
        print(f"seconds {title}: {chosen:.1f} and {plain:.1f}; ratio {chosen / plain:.2f}")
    chosen, plain = (fmean(paces[name]) for name in KINDS)
    print(f"half cooled, labels without meaning, moves a second: {chosen:,.0f} and {plain:,.0f}")


if __name__ == "__main__":
    main()
