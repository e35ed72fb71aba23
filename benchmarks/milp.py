"""Where exact learning stops being useful: growing problems, per backend, beside local search and the paper's figures.

    python benchmarks/milp.py [--limit SECONDS] [--seeds N] [--solvers highs,scip,cp-sat]
                                [--form fit|errors|variants|printed] [--axes variables,clauses,contexts,paper]

From a base of 6 variables, 2 hard and 2 soft clauses and 20 contexts (two positive and two negative examples each), one
of variables, clauses and contexts grows at a time; the axis "paper" is the paper's setting (8 variables, 10 hard and
10 soft clauses) with 25, 50 and 100 contexts. The learner is told the true number of clauses, as in the paper. A
run counts as solved when a model fits every example; the true model always does. With ``--form errors`` one label in
ten is flipped, half the clauses are allowed, and a run counts as solved when the fewest errors are proved. A solver
that solves nothing at one size is not tried at the next. ``--form variants`` compares forms of the programme instead:
the time each takes on the same few problems, those that it does not solve counted with the limit. ``--form printed``
solves Appendix D as printed, once (``paper=True``), and counts the training examples that it takes for what they are
not: "less than 1 %" in the paper.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hassle.errors import NoModelError
from hassle.evaluation import evaluate
from hassle.generate import Generated, generate
from hassle.learners import LearnResult, learn

MEASURES = ("score", "accuracy", "infeasibility", "regret")
# The paper's figure "MILP vs SLS": at the sizes its MILP learner could solve within an hour, in per cent.
PAPER = {"milp": (91.8, 74.7, 50.1, 9.4), "sls": (98.7, 83.4, 21.0, 7.3)}


@dataclass(frozen=True)
class Size:
    variables: int = 6
    hard: int = 2
    soft: int = 2
    contexts: int = 20

    @property
    def clauses(self) -> int:
        return self.hard + self.soft

    def text(self) -> str:
        return f"{self.variables} variables, {self.hard}+{self.soft} clauses, {self.contexts} contexts"

    def problem(self, seed: int, noise: float) -> Generated:
        return generate(self.variables, self.hard, self.soft, self.contexts, seed=seed, noise=noise)


BASE = Size()
AXES = {
    "variables": [replace(BASE, variables=n) for n in (4, 6, 8, 10, 12, 15)],
    "clauses": [replace(BASE, variables=8, hard=m, soft=m) for m in (1, 2, 3, 4, 5, 10)],
    "contexts": [replace(BASE, contexts=c) for c in (10, 25, 50, 100)],
    "paper": [Size(8, 10, 10, c) for c in (25, 50, 100)],
}


@dataclass(frozen=True)
class Outcome:
    """One run: the learner's name, the seconds it took, what it ended with (None: no model)."""

    learner: str
    seconds: float
    result: LearnResult | None
    solved: bool
    measures: tuple[float | None, ...] | None

    def text(self) -> str:
        state = "solved" if self.solved else "open"
        if self.result is None:
            return f"{self.learner:>8}  {state:>6} {self.seconds:7.1f} s   no model"
        values = "  ".join(percent(value) for value in self.measures or ())
        extra = ""
        if hasattr(self.result, "bound") and self.result.correct < self.result.examples:
            extra = f"   errors {self.result.examples - self.result.correct}, at least {self.result.bound}"
        return f"{self.learner:>8}  {state:>6} {self.seconds:7.1f} s   {values}{extra}"


def run(name: str, problem: Generated, limit: float, form: str, clauses: int) -> Outcome:
    options: dict[str, object] = {"constraints": clauses}
    if name != "sls":
        options |= {"milp_solver": name, "minimum_error": form == "errors"}
    started = time.monotonic()
    result: LearnResult | None
    try:
        result = learn(problem.data, "sls" if name == "sls" else "milp", time_limit=limit, **options)
    except NoModelError:
        result = None
    seconds = time.monotonic() - started
    solved = result is not None and (result.score == 1 or result.stopped == "proved")
    return Outcome(name, seconds, result, solved, None if result is None else measured(result, problem))


def measured(result: LearnResult, problem: Generated) -> tuple[float | None, ...]:
    """The paper's measures; regret is undefined (None) where no optimum of the model is truly feasible."""
    record = evaluate(result.model, problem.truth).record()
    return (result.score, record["accuracy"], record["infeasibility"], record["regret"])


def percent(value: float | None) -> str:
    return "    -" if value is None else f"{100 * value:5.1f}"


def mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def load_everything() -> None:
    """Kernels are compiled on first use and solvers loaded; that is not what is measured here."""
    noisy = Size(4, 2, 2, 10).problem(seed=0, noise=0.3).data
    learn(noisy, "sls", steps=100, constraints=2)
    learn(noisy, "milp", steps=1, constraints=1, minimum_error=True)


def grow(axis: str, arguments: argparse.Namespace) -> Iterator[tuple[Size, list[Outcome]]]:
    """The sizes of an axis in order, each with the runs of all learners still in the race."""
    trying = [*arguments.solvers.split(","), "sls"]
    for size in AXES[axis]:
        outcomes = []
        clauses = size.clauses if arguments.form == "fit" else max(1, size.clauses // 2)
        for name in list(trying):
            mine = [
                run(
                    name,
                    size.problem(seed, 0.1 if arguments.form == "errors" else 0),
                    arguments.limit,
                    arguments.form,
                    clauses,
                )
                for seed in range(arguments.seeds)
            ]
            outcomes += mine
            if name != "sls" and not any(outcome.solved for outcome in mine):
                trying.remove(name)
        yield size, outcomes


VARIANTS: dict[str, dict[str, bool]] = {
    "as it is": {},
    "maximising the sum of gammas, as in the paper": {"maximise_gamma": True},
    "Eq. 10 for every context": {"every_optimum": True},
    "without an order of clauses": {"ordered": False},
    "without rivals from the examples": {"rivals_from_examples": False},
}
VARIANT_SIZES = (BASE, replace(BASE, variables=8), replace(BASE, variables=8, hard=3, soft=3))


def compare_variants(arguments: argparse.Namespace) -> None:
    """The same problems in each form of the programme; both a model that fits and a proof that none does count."""
    problems = [(size, size.problem(seed, 0)) for size in VARIANT_SIZES for seed in range(arguments.seeds)]
    for solver in arguments.solvers.split(","):
        for name, options in VARIANTS.items():
            total, solved, tried = 0.0, 0, 0
            for size, problem in problems:
                # With one clause less than the truth has, there is usually no model, and that is harder to settle.
                for clauses in (size.clauses, size.clauses - 1):
                    seconds, settled = settle(problem, solver, clauses, arguments.limit, options)
                    total, solved, tried = total + seconds, solved + settled, tried + 1
            print(f"{solver:>8}  {solved:3} of {tried} settled in {total:6.1f} s   {name}", flush=True)


PRINTED_SIZES = (BASE, replace(BASE, variables=8), replace(BASE, contexts=50), Size(8, 10, 10, 5), Size(8, 10, 10, 10))


def count_mistakes(arguments: argparse.Namespace) -> None:
    """Appendix D in one shot: how many training examples the model it claims to fit gets wrong."""
    for solver in arguments.solvers.split(","):
        total = wrong = learned = tried = 0
        for size in PRINTED_SIZES:
            for seed in range(arguments.seeds):
                data, tried = size.problem(seed, 0).data, tried + 1
                options = {"constraints": size.clauses, "milp_solver": solver, "paper": True}
                try:
                    result = learn(data, "milp", time_limit=arguments.limit, **options)
                except NoModelError:
                    print(f"{solver:>8}  {size.text()}: no model", flush=True)
                    continue
                total, wrong, learned = total + len(data), wrong + len(data) - result.correct, learned + 1
                print(f"{solver:>8}  {size.text()}: {len(data) - result.correct} of {len(data)} wrong", flush=True)
        share = f"{100 * wrong / total:.2f} %" if total else "-"
        print(f"{solver:>8}  {learned} of {tried} problems learned; {wrong} of {total} examples wrong, {share}")


def settle(problem: Generated, solver: str, clauses: int, limit: float, options: dict[str, bool]) -> tuple[float, bool]:
    started = time.monotonic()
    try:
        learned = learn(problem.data, "milp", time_limit=limit, constraints=clauses, milp_solver=solver, **options)
        settled = learned.stopped == "proved"
    except NoModelError as error:
        settled = error.proved
    seconds = time.monotonic() - started
    return (min(seconds, limit) if settled else limit), settled


def main() -> None:
    parser = argparse.ArgumentParser(description="Exact learning over growing problems, per backend.")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds per run")
    parser.add_argument("--seeds", type=int, default=1, help="problems per size")
    parser.add_argument("--solvers", default="highs,scip,cp-sat", help="backends, separated by commas")
    parser.add_argument(
        "--form", choices=("fit", "errors", "variants", "printed"), default="fit", help="what is measured"
    )
    parser.add_argument("--axes", default=",".join(AXES), help="which dimensions grow, separated by commas")
    arguments = parser.parse_args()
    load_everything()
    if arguments.form == "variants":
        compare_variants(arguments)
        return
    if arguments.form == "printed":
        count_mistakes(arguments)
        return
    print(f"{arguments.limit:g} s per run, {arguments.seeds} problem(s) per size; per cent: {', '.join(MEASURES)}")
    compared: dict[str, list[tuple[float | None, ...]]] = {"milp": [], "sls": []}
    reached: dict[tuple[str, str], Size] = {}
    for axis in arguments.axes.split(","):
        for size, outcomes in grow(axis, arguments):
            print(f"\n{size.text()}", flush=True)
            for outcome in outcomes:
                print(outcome.text(), flush=True)
                if outcome.solved and outcome.learner != "sls":
                    reached[outcome.learner, axis] = size
            collect(compared, outcomes)
    summarise(compared, reached, arguments)


def collect(compared: dict[str, list[tuple[float | None, ...]]], outcomes: list[Outcome]) -> None:
    """Keep the sizes that a MILP backend solved, for the comparison the paper makes."""
    exact = [outcome.measures for outcome in outcomes if outcome.learner != "sls" and outcome.solved]
    if exact:
        compared["milp"] += [measures for measures in exact if measures]
        compared["sls"] += [outcome.measures for outcome in outcomes if outcome.learner == "sls" and outcome.measures]


def summarise(
    compared: dict[str, list[tuple[float | None, ...]]],
    reached: dict[tuple[str, str], Size],
    arguments: argparse.Namespace,
) -> None:
    print(f"\nMeans in per cent over the sizes that MILP solved ({', '.join(MEASURES)}), and the paper's:")
    for learner, rows in compared.items():
        means = "  ".join(percent(mean(column)) for column in zip(*rows, strict=True))
        print(f"{learner:>8}  {means}   the paper's {learner}: {'  '.join(map(str, PAPER[learner]))}")
    print("\nThe largest size solved on each axis:")
    for solver in arguments.solvers.split(","):
        for axis in arguments.axes.split(","):
            size = reached.get((solver, axis))
            print(f"{solver:>8}  {axis:>9}: {'none' if size is None else size.text()}")
    print("Beyond these, use local search; MILP still gives bounds (--form errors).")


if __name__ == "__main__":
    main()
