"""How many answers an interview needs, beside random questions of the same kinds and beside wrong answers.

    python benchmarks/ask.py [ROW ...] [--problems 10] [--seed 500] [--answers N] [-o results/ask]
    python benchmarks/ask.py --report -o results/ask        # the table and the figure from the rows there are

Rows, all if none is named: tiny, tiny-wrong, synthetic, synthetic-wrong, ward-small, ward-bundled, ward-schema, ward.

A known model answers (with `-wrong`, a tenth of its answers are wrong). After every few answers the interview's model
is judged in fresh contexts that neither it nor the choice of questions has seen: the share of its decisions that are
infeasible (or that it has none although there is one), and the mean regret of the others. What counts is the first
number of answers after which both stay within the row's aim twice in a row; problems that do not reach it count as more
than were asked. A random question is of a random kind, about random decisions, in a situation as chosen questions are
put in; three times as many of them are asked. Each judgement is a line in OUTPUT/rows.csv; problems that are there are
not measured again, so a run that was killed goes on.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from hassle.bundled import ward_examples, ward_truth
from hassle.data import Dataset
from hassle.evaluation.decisions import decision_quality
from hassle.generate import generate
from hassle.generate.arranged import feasible_situations, ward
from hassle.generate.arranged.examples import arranged_examples
from hassle.generate.arranged.ward import Ward
from hassle.generate.contexts import draw_contexts
from hassle.interview import Interview, Oracle, Question
from hassle.interview.questions import KINDS, MOST_DIFFERENCES, AOrB
from hassle.interview.situations import all_completions
from hassle.logic import Assignment, Context, Schema
from hassle.model import Model

EXAMPLES = 20
FIELDS = (
    *("row", "choice", "seed", "answers", "infeasible", "regret", "optimal", "expected_infeasible"),
    *("attention", "seconds"),
)


@dataclass(frozen=True)
class Problem:
    truth: Model
    start: Dataset | Schema
    fresh: Sequence[Context]
    contexts: Sequence[Context] | None = None


@dataclass(frozen=True)
class Row:
    """A setting, its aim (infeasible, regret), the answers to chosen questions at most, and how often the model is
    judged: after every so many of them.
    """

    title: str
    problem: Callable[[int], Problem]
    aim: tuple[float, float]
    answers: int
    every: int
    choices: tuple[str, ...] = ("chosen", "random")
    wrong: float = 0.0


def synthetic(seed: int, variables: int = 8, clauses: int = 10, examples: int = EXAMPLES) -> Problem:
    made = generate(variables, clauses, clauses, 12, seed=seed)
    fresh = draw_contexts(made.truth, 200, np.random.default_rng([seed, 1])).contexts
    return Problem(made.truth, made.data.subset(np.arange(min(examples, len(made.data)))), fresh)


def tiny(seed: int) -> Problem:
    return synthetic(seed, 5, 4, 8)


def of_ward(made: Ward, seed: int, examples: bool = True) -> Problem:
    fresh = [
        where for where, _ in feasible_situations(made.truth, made.situation, 40, np.random.default_rng([seed, 1]))
    ]
    if not examples:
        return Problem(made.truth, made.truth.schema, fresh)
    data = arranged_examples(made.truth, made.situation, 8, np.random.default_rng([seed, 2]))
    return Problem(made.truth, data.subset(np.arange(min(EXAMPLES, len(data)))), fresh)


def bundled(seed: int, examples: bool = True) -> Problem:
    made = of_ward(Ward(ward_truth()), seed, examples=False)
    data = ward_examples()
    contexts = np.random.default_rng([seed, 3]).permutation(len(data.contexts))
    rows = [k for c in contexts.tolist() for k in data.rows_by_context[c]][:EXAMPLES]
    return Problem(made.truth, data.subset(rows), made.fresh) if examples else made


ROWS = {
    "tiny": Row("5 variables, 4 + 4, from 8 examples", tiny, (0.01, 0.005), 60, 5),
    "tiny-wrong": Row("the same, 10 % wrong answers", tiny, (0.01, 0.005), 60, 5, ("chosen",), 0.1),
    "synthetic": Row("8 variables, 10 + 10, from 20 examples", synthetic, (0.01, 0.005), 200, 10),
    "synthetic-wrong": Row("the same, 10 % wrong answers", synthetic, (0.01, 0.005), 200, 10, ("chosen",), 0.1),
    "ward-small": Row(
        "ward 4 × 4 × 2, from 20 examples",
        lambda seed: of_ward(ward(4, 4, 2, np.random.default_rng(seed)), seed),
        (0.02, 0.01),
        60,
        10,
        ("chosen",),
    ),
    "ward-bundled": Row("the bundled ward, from 20 examples", bundled, (0.01, 0.005), 60, 20, ("chosen",)),
    "ward-schema": Row(
        "the bundled ward, from its schema alone",
        lambda seed: bundled(seed, examples=False),
        (0.01, 0.005),
        100,
        20,
        ("chosen",),
    ),
    "ward": Row(
        "ward 6 × 5 × 2, from 20 examples",
        lambda seed: of_ward(ward(6, 5, 2, np.random.default_rng(seed)), seed),
        (0.02, 0.01),
        120,
        20,
        ("chosen",),
    ),
}


# So many times as many random questions are asked as chosen ones, and the model is judged as much less often.
MORE_RANDOM = 3


def random_question(interview: Interview, rng: np.random.Generator) -> Question:
    """One that nobody chose: random decisions in a situation such as questions are put in, each as likely as others."""
    asked = {answer.question.key for answer in interview.answers}
    kinds = sorted(set(interview.kinds) - {"rule"})
    for context in interview.situations(rng):
        rows = [Assignment.of(interview.schema, bits) for bits in all_completions(context, interview.schema)]
        one, other = (rows[i] for i in rng.integers(len(rows), size=2))
        kind = str(rng.choice(kinds))
        question: Question = AOrB(context, one, other) if kind == "a-or-b" else KINDS[kind](context, one)  # type: ignore
        same = kind == "a-or-b" and not 0 < len(question.differences) <= MOST_DIFFERENCES  # type: ignore[attr-defined]
        if not same and question.key not in asked:
            return question
    raise AssertionError("situations have no end")


def measure(name: str, choice: str, seed: int, most: int, write: Callable[[dict[str, object]], None]) -> None:
    row = ROWS[name]
    problem = row.problem(seed)
    # Stopping is not what is measured: questions go on until the aim is met, even where the interview is sure.
    interview = Interview(problem.start, contexts=problem.contexts, seed=seed, background=False, target=row.aim)
    oracle = Oracle(problem.truth, row.wrong, seed)
    rng = np.random.default_rng([seed, 4])
    began, attention, met = time.process_time(), 0.0, 0
    factor = MORE_RANDOM if choice == "random" else 1
    for count in range(factor * most + 1):
        if count % (factor * row.every) == 0:
            found = decision_quality(interview.model, problem.truth, problem.fresh)
            infeasible = float(found.infeasible + found.unanswered)
            regret = 1.0 if found.regret is None else float(found.regret)
            write(
                {
                    "row": name,
                    "choice": choice,
                    "seed": seed,
                    "answers": count,
                    "infeasible": f"{infeasible:.4f}",
                    "regret": f"{regret:.5f}",
                    "optimal": f"{float(found.optimal):.4f}",
                    "expected_infeasible": f"{interview.expected.infeasibility:.4f}",
                    "attention": f"{attention:.0f}",
                    "seconds": f"{time.process_time() - began:.1f}",
                }
            )
            met = met + 1 if infeasible <= row.aim[0] and regret <= row.aim[1] else 0
            if met == 2:  # twice in a row: no accident
                return
        question = interview.next() if choice == "chosen" else random_question(interview, rng)
        interview.answer(oracle.answer(question))
        attention += question.seconds


def needed(rows: Sequence[dict[str, str]], aim: tuple[float, float]) -> float:
    """The answers after which the aim is met and stays so; infinite where it is not."""
    ordered = sorted(rows, key=lambda row: int(row["answers"]))
    result = float("inf")
    for row in reversed(ordered):
        if float(row["infeasible"]) > aim[0] or float(row["regret"]) > aim[1]:
            break
        result = float(row["answers"])
    return result


def read_rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def groups(rows: Sequence[dict[str, str]]) -> dict[tuple[str, str], dict[str, list[dict[str, str]]]]:
    result: dict[tuple[str, str], dict[str, list[dict[str, str]]]] = {}
    for row in rows:
        result.setdefault((row["row"], row["choice"]), {}).setdefault(row["seed"], []).append(row)
    return result


def report(folder: Path) -> str:
    lines = [
        "| setting | questions | problems | reached the aim | median answers | at the end: infeasible | regret |",
        "|---|---|---|---|---|---|---|",
    ]
    for (name, choice), problems in groups(read_rows(folder / "rows.csv")).items():
        row = ROWS[name]
        counts = [needed(own, row.aim) for own in problems.values()]
        last = [max(own, key=lambda each: int(each["answers"])) for own in problems.values()]
        middle = median(counts)
        most = max(int(each["answers"]) for each in last)
        lines.append(
            f"| {row.title} | {choice} | {len(counts)} | {sum(count < float('inf') for count in counts)} | "
            f"{f'{middle:.0f}' if middle < float('inf') else f'more than {most}'} | "
            f"{np.mean([float(each['infeasible']) for each in last]):.3f} | "
            f"{np.mean([float(each['regret']) for each in last]):.4f} |"
        )
    text = "\n".join(lines) + "\n"
    (folder / "table.md").write_text(text)
    figure(folder)
    return text


def figure(folder: Path) -> None:
    """Learning curves: the mean infeasibility and regret over the problems, by answers."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    found = groups(read_rows(folder / "rows.csv"))
    names = list(dict.fromkeys(name for name, _ in found))
    if not names:
        return
    chart, axes = pyplot.subplots(2, len(names), figsize=(3.2 * len(names), 5), squeeze=False, sharex="col")
    for (name, choice), problems in found.items():
        column = names.index(name)
        steps = sorted({int(row["answers"]) for own in problems.values() for row in own})
        for line, measure_name in enumerate(("infeasible", "regret")):
            means = [np.mean([_at(own, step, measure_name) for own in problems.values()]) for step in steps]
            axes[line, column].plot(steps, means, marker="o", markersize=3, label=choice)
            axes[line, column].axhline(ROWS[name].aim[line], color="grey", linewidth=0.8, linestyle=":")
            axes[line, 0].set_ylabel(measure_name)
        axes[0, column].set_title(ROWS[name].title, fontsize=8)
        axes[1, column].set_xlabel("answers")
        axes[0, column].legend(fontsize=7)
    chart.tight_layout()
    chart.savefig(folder / "ask.svg")


def _at(rows: Sequence[dict[str, str]], step: int, name: str) -> float:
    """The measure after so many answers; a problem that is done stays as it was."""
    before = [row for row in rows if int(row["answers"]) <= step]
    return float(max(before, key=lambda row: int(row["answers"]))[name])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", choices=[*ROWS, []], default=[])
    parser.add_argument("--problems", type=int, default=10)
    parser.add_argument("--seed", type=int, default=500)
    parser.add_argument("--answers", type=int)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=Path("results/ask"))
    asked = parser.parse_args()
    asked.output.mkdir(parents=True, exist_ok=True)
    path = asked.output / "rows.csv"
    if not asked.report:
        for seed in range(asked.seed, asked.seed + asked.problems):
            for name in asked.rows or ROWS:
                for choice in ROWS[name].choices:
                    run(name, choice, seed, asked.answers or ROWS[name].answers, path)
    print(report(asked.output))


def run(name: str, choice: str, seed: int, most: int, path: Path) -> None:
    """Measure one problem, unless it is there; its lines are written together, at its end."""
    if any((row["row"], row["choice"], row["seed"]) == (name, choice, str(seed)) for row in read_rows(path)):
        return
    found: list[dict[str, object]] = []

    def write(row: dict[str, object]) -> None:
        found.append(row)
        print(*row.values(), flush=True)

    measure(name, choice, seed, most, write)
    fresh = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if fresh:
            writer.writeheader()
        writer.writerows(found)


if __name__ == "__main__":
    main()
