"""What the examples say of a rule: which plans keep it, which break it, and how sure that makes us.

Each context in which good plans keep the rule better than bad ones is a vote for it, each in which they keep it worse a
vote against. With w votes for and l against, the rule is real with probability P(share > 1/2) under Beta(1 + w, 1 + l):
a half where nothing was at stake, near one where many contexts agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.logic import Constraint, Schema
from hassle.model import Rule
from hassle.studio.instances import breaches, broken_places, costs

# Examples that are looked at, and of those the ones that are shown; instances that are said, of a rule and an example.
MOST_EXAMPLES, SHOWN, INSTANCES, TOLD = 4000, 5, 8, 2


@dataclass(frozen=True)
class Evidence:
    """Votes of contexts, and how many good plans keep the rule and bad plans break it."""

    votes_for: int
    votes_against: int
    good: int
    good_keep: int
    bad: int
    bad_break: int

    @property
    def confidence(self) -> float:
        from scipy.special import betainc

        return float(1 - betainc(1 + self.votes_for, 1 + self.votes_against, 0.5))


def seen_of(data: Dataset) -> Dataset:
    """The examples, or as many as are looked at."""
    if len(data) <= MOST_EXAMPLES:
        return data
    return data.subset(np.sort(np.random.default_rng(0).permutation(len(data))[:MOST_EXAMPLES]))


def broken_instances(rule: Rule, schema: Schema, rows: NDArray[np.uint8]) -> NDArray[np.int64]:
    """For each row: how many instances of the rule it breaks, or keeps where keeping costs."""
    total = np.zeros(len(rows), dtype=np.int64)
    for instance in rule.instances(schema):
        held = instance.held_by(rows)
        total += held if costs(rule) else ~held
    return total


def evidence(rule: Rule, data: Dataset) -> Evidence:
    """What the examples say of the rule."""
    broken = broken_instances(rule, data.schema, data.assignments)
    good = data.positive
    count = len(data.contexts)
    sums = [np.bincount(data.context_of[rows], weights=broken[rows], minlength=count) for rows in (good, ~good)]
    sizes = [np.bincount(data.context_of[rows], minlength=count) for rows in (good, ~good)]
    both = (sizes[0] > 0) & (sizes[1] > 0)
    better = sums[1][both] / sizes[1][both] - sums[0][both] / sizes[0][both]
    return Evidence(
        int((better > 1e-9).sum()),
        int((better < -1e-9).sum()),
        int(good.sum()),
        int((good & (broken == 0)).sum()),
        int((~good).sum()),
        int((~good & (broken > 0)).sum()),
    )


def details(rule: Rule, data: Dataset) -> dict[str, Any]:
    """What opens under a rule: examples for it and against it, what it forbids, and how often it binds."""
    broken = broken_instances(rule, data.schema, data.assignments)
    instances = rule.instances(data.schema)
    for_it = np.flatnonzero(~data.positive & (broken > 0))
    against = np.flatnonzero(data.positive & (broken > 0))
    good = data.assignments[data.positive]
    tight = np.zeros(len(good), dtype=np.bool_)
    for instance in instances:
        tight |= true_literals(instance, good) == instance.need
    return {
        "support": [_example(k, rule, data) for k in for_it[:SHOWN].tolist()],
        "supports": len(for_it),
        "against": [_example(k, rule, data) for k in against[:SHOWN].tolist()],
        "againsts": len(against),
        "forbids": breaches(rule, data.schema, range(min(INSTANCES, len(instances)))),
        "instances": len(instances),
        "binds": int(tight.sum()),
        "good": len(good),
    }


def true_literals(constraint: Constraint, rows: NDArray[np.uint8]) -> NDArray[np.int64]:
    """How many of the constraint's literals hold in each row."""
    literals = np.array(constraint.literals, dtype=np.int64)
    return (rows[:, np.abs(literals) - 1] == (literals > 0)).sum(axis=1)


def _example(k: int, rule: Rule, data: Dataset) -> dict[str, Any]:
    line = data.line(k)
    broken = broken_places(rule, data.schema, data.assignments[k])
    return {
        "where": "your judgement" if line == 0 else f"line {line}" if line is not None else f"example {k + 1}",
        "good": bool(data.positive[k]),
        "what": ", ".join(breaches(rule, data.schema, broken[:TOLD])) + (", …" if len(broken) > TOLD else ""),
    }
