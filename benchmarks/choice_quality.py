"""What is learned from tables of choices, numbers and yes-or-no columns, where the truth is known: made-up problems.

    python benchmarks/choice_quality.py [--problems 4] [--seed 9600] [--steps 20000] [--show]

In turn timetables (courses in slots), wards (nurses, two days, three shifts) and configurators (choices, a price, an
extra): rules that people would write, drawn at random, 25 situations that fix or exclude values of one or two columns,
two good and four bad decisions in each. Printed are the share of truly best answers in 100 fresh situations, of answers
that break a rule, and how the models read: constraints, literals in each, and counts that mix what is not alike.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable
from statistics import fmean

import numpy as np

from hassle.data import Dataset
from hassle.evaluation.decisions import decision_quality
from hassle.learners import learn
from hassle.logic import Choice, Constraint, Context, Number, Schema, YesNo
from hassle.model import Model
from hassle.tables.completions import completions

SITUATIONS, GOOD, BAD, FRESH = 25, 2, 4, 100
Rng = np.random.Generator


def some(rng: Rng, options: list[str], count: int) -> list[str]:
    return [options[i] for i in rng.permutation(len(options))[:count]]


def wishes(rng: Rng, options: list[str], count: int) -> list[tuple[str, str]]:
    return [(text, str(rng.choice(["0.25", "0.5", "0.75"]))) for text in some(rng, options, count)]


def timetable(rng: Rng) -> Model:
    slots = ("mon_am", "mon_pm", "tue_am", "tue_pm")[: rng.integers(3, 5)]
    courses = ("maths", "physics", "latin", "art", "music")[: rng.integers(4, 6)]
    apart = some(rng, [f"{a},{b}" for a, b in itertools.combinations(courses, 2)], 2)
    hard = [f"{a} != {slot} | {b} != {slot}" for a, b in (pair.split(",") for pair in apart) for slot in slots]
    if rng.random() < 0.5:
        hard += [f"at most 2 of {', '.join(f'{course}={slot}' for course in courses)}" for slot in slots]
    soft = wishes(rng, [f"{course} {sign} {slot}" for course in courses for slot in slots for sign in ("=", "!=")], 4)
    return Model.build(Schema(tuple(Choice(course, slots) for course in courses)), hard=hard, soft=soft)


def ward(rng: Rng) -> Model:
    nurses, days, shifts = ("ana", "ben", "cleo"), ("mon", "tue"), ("early", "night", "off")
    hard = [" | ".join(f"{nurse}_{day} = {shift}" for nurse in nurses) for day in days for shift in ("early", "night")]
    hard += [f"{nurse}_mon != night | {nurse}_tue != early" for nurse in nurses]
    cells = [f"{nurse}_{day}" for nurse in nurses for day in days]
    soft = wishes(rng, [f"{cell} {sign} {shift}" for cell in cells for shift in shifts for sign in ("=", "!=")], 5)
    return Model.build(Schema(tuple(Choice(cell, shifts) for cell in cells)), hard=hard, soft=soft)


def configurator(rng: Rng) -> Model:
    frames, gears, colours = ("steel", "carbon", "wood"), ("8", "11", "belt"), ("red", "blue", "green", "black")
    columns = (Choice("frame", frames), Choice("gears", gears), Choice("colour", colours), YesNo("lights"))
    parts = [f"frame != {v}" for v in frames] + [f"gears != {v}" for v in gears] + [f"colour != {v}" for v in colours]
    priced = [f"{part} | price >= {k}" for part in [*parts, "!lights"] for k in (2, 3, 4)]
    unfit = [f"{a} | {b}" for a, b in itertools.combinations(parts, 2) if a.split()[0] != b.split()[0]]
    hard = some(rng, priced, 4) + some(rng, unfit, 2)
    wanted = [part.replace("!=", "=") for part in parts] + parts + ["lights", "!lights"]
    soft = [("price < 5", "0.5"), ("price < 3", "0.5"), *wishes(rng, wanted, 3)]
    return Model.build(Schema((*columns, Number("price", 1, 5))), hard=hard, soft=soft)


KINDS: dict[str, Callable[[Rng], Model]] = {"timetable": timetable, "ward": ward, "configurator": configurator}


def situations(schema: Schema, count: int, rng: Rng) -> list[Context]:
    found: dict[Context, None] = {}
    while len(found) < count:
        said = []
        for i in rng.permutation(len(schema.columns))[: rng.integers(1, 3)].tolist():
            column = schema.columns[i]
            value = column.values[int(rng.integers(len(column.values)))]
            said.append(f"{column.name} {'=' if rng.random() < 0.7 else '!='} {value}")
        found[Context.parse(" & ".join(said), schema)] = None
    return list(found)


def examples(truth: Model, contexts: list[Context], rng: Rng) -> Dataset:
    rows: list[tuple[object, ...]] = []
    for context in contexts:
        own = completions(context, truth.schema)
        points = own.assignments(own.words())
        feasible, values = truth.feasible(points), truth.values(points)
        best = feasible & (values == values[feasible].max(initial=-1))
        for wanted, number, label in ((best, GOOD, 1), (~best, BAD, 0)):
            rows += [(context, points[k], label) for k in rng.permutation(np.flatnonzero(wanted))[:number]]
    return Dataset.build(truth.schema, rows)


def alike(constraint: Constraint, schema: Schema) -> bool:
    """Whether the literals of a count say the same of several columns."""
    names = [schema.variables[abs(lit) - 1] for lit in constraint.literals]
    said = {name.partition("=")[2] for name in names}
    return len(said) == 1 and len({lit > 0 for lit in constraint.literals}) == 1


def measure(kind: str, seed: int, steps: int, show: bool) -> tuple[float, ...]:
    rng = np.random.default_rng(seed)
    truth = KINDS[kind](rng)
    contexts = situations(truth.schema, SITUATIONS + FRESH, rng)
    data = examples(truth, contexts[:SITUATIONS], rng)
    result = learn(data, "statistical", seed=seed, steps=steps)
    quality = decision_quality(result.model, truth, contexts[SITUATIONS:])
    constraints = result.model.constraints
    mixed = sum(not one.is_clause and not alike(one, truth.schema) for one in constraints)
    literals = fmean(len(one.literals) for one in constraints) if constraints else 0.0
    figures = float(quality.optimal), float(quality.infeasible), result.score, len(constraints), literals, mixed
    print(f"  {kind} {seed}: " + told(figures), flush=True)
    if show:
        print(result.model)
    return figures


def told(figures: tuple[float, ...]) -> str:
    optimal, infeasible, score, constraints, literals, mixed = figures
    return (
        f"optimal {optimal:.3f} infeasible {infeasible:.3f} score {score:.3f} constraints {constraints:.1f} "
        f"literals {literals:.2f} mixed counts {mixed:.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=4, help="of each kind")
    parser.add_argument("--seed", type=int, default=9600)
    parser.add_argument("--steps", type=int, default=20_000, help="moves of each of two chains")
    parser.add_argument("--show", action="store_true", help="print the models")
    given = parser.parse_args()
    seeds = range(given.seed, given.seed + given.problems)
    found = [measure(kind, seed, given.steps, given.show) for seed in seeds for kind in KINDS]
    print("mean: " + told(tuple(fmean(each) for each in zip(*found, strict=True))))
    print(f"least optimal {min(each[0] for each in found):.3f}")


if __name__ == "__main__":
    main()
