"""The methods that ``real.py`` compares: each makes a planner from examples: a plan for a situation, or none."""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from hassle.data import Dataset
from hassle.errors import ResourceError
from hassle.learners import learn
from hassle.learners.structured.candidates import given_in
from hassle.learners.structured.kinds import Rows
from hassle.learners.structured.kinds.counts import Count
from hassle.learners.structured.kinds.roles import EACH, SUM, Role, Roles, dimensions_of
from hassle.logic import Context
from hassle.model import Model, Rule, model_rules
from hassle.model.families import cells_of
from hassle.solve.cp_sat import CPSATSolver

Bits = np.ndarray
Plan = Bits | None
Planner = Callable[[Context], Plan]
SOLVING_SECONDS = 60


def by_model(model: Model) -> Planner:
    def plan(context: Context) -> Plan:
        try:
            best = CPSATSolver(SOLVING_SECONDS).best(model, context)
        except ResourceError:
            return None
        return None if best is None else best.bits

    return plan


def auto(data: Dataset, asked: argparse.Namespace) -> Planner:
    options = {} if asked.jobs is None else {"jobs": asked.jobs}
    result = learn(data, "auto", time_limit=asked.time_limit, seed=asked.seed, **options)
    if asked.rules:
        print("\n".join(result.notes), model_rules(result.model), sep="\n", file=sys.stderr)
    return by_model(result.model)


def previous(data: Dataset, asked: argparse.Namespace) -> Planner:
    """``auto`` of another source tree, by its command line."""
    with tempfile.TemporaryDirectory() as folder:
        examples, model = Path(folder) / "examples.jsonl", Path(folder) / "model.json"
        data.write(examples)
        command = [sys.executable, "-m", "hassle", "learn", examples, "-o", model, "--seed", asked.seed]
        command += ["--time-limit", asked.time_limit, *([] if asked.jobs is None else ["--jobs", asked.jobs])]
        environment = {"PYTHONPATH": str(asked.previous / "src"), "PATH": "/usr/bin:/bin"}
        done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True, check=False)
        if not model.exists():
            print(f"the previous learner: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            return lambda context: None
        return by_model(Model.read(model))


def nearest(data: Dataset, asked: argparse.Namespace) -> Planner:
    """The past plan of the situation that has most in common with this one, as far as this one allows it."""
    known = [(frozenset(data.contexts[c].literals), c) for c in range(len(data.contexts))]
    plans = {int(c): bits for c, bits in zip(data.context_of, data.assignments, strict=True)}
    plans |= {
        int(c): bits for c, bits in zip(data.context_of[data.positive], data.assignments[data.positive], strict=True)
    }

    def plan(context: Context) -> Plan:
        now = frozenset(context.within(data.schema).literals)
        _, c = max(known, key=lambda each: len(each[0] & now) / max(1, len(each[0] | now)))
        return _with(plans[c], now)

    return plan


def tree(data: Dataset, asked: argparse.Namespace) -> Planner:
    """A decision tree for each variable that was decided; the features are what the situation fixes."""
    from sklearn.tree import DecisionTreeClassifier

    size = len(data.schema.variables)

    def features(context: Context) -> Bits:
        found = np.zeros(size)
        for lit in context.within(data.schema).literals:
            found[abs(lit) - 1] = 1 if lit > 0 else -1
        return found

    seen = np.array([features(data.contexts[c]) for c in data.context_of[data.positive]])
    plans = data.assignments[data.positive]
    decided = sorted(set(range(size)) - given_in(data))
    trees = DecisionTreeClassifier(random_state=asked.seed).fit(seen, plans[:, decided])

    def plan(context: Context) -> Plan:
        found = np.zeros(size, dtype=np.uint8)
        found[decided] = trees.predict(features(context)[None, :])[0]
        return _with(found, context.within(data.schema).literals)

    return plan


def bounds(data: Dataset, asked: argparse.Namespace) -> Planner:
    """Counts never below the least nor above the most that was seen (Kumar et al., COUNT-OR, 2019), as hard rules."""
    schema, given = data.schema, given_in(data)
    positives = Rows(schema, data.assignments[data.positive])
    rules = []
    for arrangement in schema.arrangements:
        cells = cells_of(schema, arrangement)
        if set(cells[cells >= 0].tolist()) <= given:
            continue
        dimensions = dimensions_of(schema, arrangement)
        spans = [[Role("span", length=k) for k in range(2, len(d.members))] if d.ordered else [] for d in dimensions]
        for chosen in itertools.product(*([EACH, SUM, *more] for more in spans)):
            roles = Roles(arrangement.name, dimensions, chosen)
            counts = Count(roles).counts(positives)
            low, high = int(counts.min()), int(counts.max())
            rules += [Count(roles, low - 1, low).family(0)] if low > 0 else []
            rules += [Count(roles, high, high + 1).family(0, opposite=True)] if high < roles.size else []
    return by_model(Model(schema, tuple(Rule(what) for what in rules)))


def _with(plan: Bits, literals: object) -> Bits:
    """The plan with what a situation fixes."""
    result = plan.copy()
    for lit in literals:  # type: ignore[attr-defined]
        result[abs(lit) - 1] = lit > 0
    return result


METHODS: dict[str, Callable[[Dataset, argparse.Namespace], Planner]] = {
    "auto": auto,
    "nearest": nearest,
    "tree": tree,
    "bounds": bounds,
    "previous": previous,
}
