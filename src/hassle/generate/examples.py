"""Good and bad decisions in a context: positives from the optima, negatives that satisfy the context.

A negative satisfies its context, as the paper defines an example; it is infeasible because it breaks a hard clause, or
suboptimal because a better completion exists. Every draw is uniform, without replacement, among the completions of its
kind, and gives as many as exist: a kind that runs short is not made up for by another.

Contexts with more than ``TABLE_FREE`` free variables are too large for a table. There, optima come from the solver;
negatives are uniform completions of the context kept if they are of the kind, and where too few of ``SAMPLED`` are, a
SAT solver is asked, with random phases, for a completion that breaks a hard clause, or for a feasible one that breaks a
soft clause that the optimum satisfies. Those are varied but not uniform, and may be fewer than exist.

Differs from the paper: it drew positives from the first ten times as many that the solver listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from hassle.data import Label
from hassle.errors import InputError
from hassle.generate.limits import SecondsLeft, unlimited
from hassle.logic import Assignment, Constraint, Context, YesNo
from hassle.model import Model
from hassle.solve.implication import Feasible, feasible
from hassle.tables.completions import completions

TABLE_FREE = 20
SAMPLED = 20_000
SOLVER_ROUNDS = 50

NEGATIVE_KINDS = ("both", "infeasible", "suboptimal")

Rows = NDArray[np.uint8]


@dataclass(frozen=True)
class Wanted:
    """How many examples of each kind to draw in a context."""

    positives: int = 2
    negatives: int = 2
    negative_kind: str = "both"

    def __post_init__(self) -> None:
        if self.positives < 0 or self.negatives < 0:
            raise InputError(f"{min(self.positives, self.negatives)} examples cannot be drawn", fix="ask for 0 or more")
        if self.negative_kind not in NEGATIVE_KINDS:
            raise InputError(
                f"{self.negative_kind!r} is not a kind of negatives", fix=f"choose one of {', '.join(NEGATIVE_KINDS)}"
            )

    def split(self, rng: np.random.Generator) -> tuple[int, int]:
        """How many negatives are to be infeasible and how many suboptimal; a coin decides on an odd one."""
        if self.negative_kind == "infeasible":
            return self.negatives, 0
        if self.negative_kind == "suboptimal":
            return 0, self.negatives
        infeasible = (self.negatives + int(rng.integers(0, 2))) // 2
        return infeasible, self.negatives - infeasible


def draw_examples(
    model: Model, context: Context, wanted: Wanted, rng: np.random.Generator, seconds_left: SecondsLeft = unlimited
) -> tuple[Rows, NDArray[np.int8]]:
    """Assignments that satisfy the context, one per row, and their labels with reasons, the positives first."""
    infeasible, suboptimal = wanted.split(rng)
    counts = {Label.POSITIVE: wanted.positives, Label.INFEASIBLE: infeasible, Label.SUBOPTIMAL: suboptimal}
    rows = _rows(model, context, counts, rng, seconds_left)
    labels = [label.code for label in counts for _ in rows[label]]
    return np.concatenate([rows[label] for label in counts]), np.array(labels, dtype=np.int8)


def gives_all(
    model: Model, context: Context, wanted: Wanted, rng: np.random.Generator, seconds_left: SecondsLeft = unlimited
) -> bool:
    """Whether the context has so many positives, and so many negatives of each kind that the model can have."""
    counts = {Label.POSITIVE: wanted.positives}
    counts[Label.INFEASIBLE] = wanted.negatives if model.hard else 0
    counts[Label.SUBOPTIMAL] = wanted.negatives if model.soft else 0
    rows = _rows(model, context, counts, rng, seconds_left)
    return all(len(rows[label]) >= count for label, count in counts.items())


def _rows(
    model: Model, context: Context, counts: dict[Label, int], rng: np.random.Generator, seconds_left: SecondsLeft
) -> dict[Label, Rows]:
    """So many rows of each kind, or as many as exist or are found."""
    seconds_left()
    if completions(context, model.schema).fits(int(2**TABLE_FREE)):
        return _from_table(model, context, counts, rng)
    return _from_solver(model, context, counts, rng, seconds_left)


def _from_table(
    model: Model, context: Context, counts: dict[Label, int], rng: np.random.Generator
) -> dict[Label, Rows]:
    from hassle.kernels.codes import INFEASIBLE_LOSS
    from hassle.solve.table import losses_of_completions, rows_at

    listed, losses = losses_of_completions(model, context)
    broken = losses == INFEASIBLE_LOSS
    best = losses.min(initial=INFEASIBLE_LOSS)
    kinds = {
        Label.POSITIVE: (losses == best) & ~broken,
        Label.INFEASIBLE: broken,
        Label.SUBOPTIMAL: (losses > best) & ~broken,
    }
    result = {}
    for label, count in counts.items():
        places = np.flatnonzero(kinds[label])
        chosen = rng.choice(places, size=min(count, len(places)), replace=False)
        result[label] = rows_at(listed, chosen)
    return result


def _from_solver(
    model: Model, context: Context, counts: dict[Label, int], rng: np.random.Generator, seconds_left: SecondsLeft
) -> dict[Label, Rows]:
    from hassle.solve import optima, solve

    optimum = solve(model, context, time_limit=seconds_left())
    positives = np.zeros((0, len(model.variables)), dtype=np.uint8)
    if counts[Label.POSITIVE]:
        positives = optima(
            model,
            context,
            limit=counts[Label.POSITIVE],
            seed=int(rng.integers(2**32)),
            time_limit=seconds_left(),
        ).assignments
    best = 0 if optimum is None else model.values(model.bits(optimum)[None, :])[0]

    def worse(rows: Rows) -> NDArray[np.bool_]:
        return model.values(rows) < best

    sampled = _completions(model, context, rng)
    feasible = model.feasible(sampled)
    poor = sampled[feasible]
    infeasible = chain(sampled[~feasible], _breaking_hard(model, context, rng))
    suboptimal = chain(
        poor[worse(poor)], (row for row in _breaking_soft(model, context, optimum, rng) if worse(row[None, :])[0])
    )
    return {
        Label.POSITIVE: positives[rng.permutation(len(positives))],
        Label.INFEASIBLE: _distinct(infeasible, counts[Label.INFEASIBLE], len(model.variables)),
        Label.SUBOPTIMAL: _distinct(suboptimal, counts[Label.SUBOPTIMAL], len(model.variables)),
    }


def _completions(model: Model, context: Context, rng: np.random.Generator) -> Rows:
    """Uniform completions of the context in the domain, independent of the model's constraints."""
    schema, where = model.schema, context.within(model.schema)
    rows = rng.integers(0, 2, size=(SAMPLED, len(model.variables)), dtype=np.uint8)
    for lit in where.literals:
        rows[:, abs(lit) - 1] = lit > 0
    fixed = {abs(lit) - 1: lit > 0 for lit in where.literals}
    for column, start in zip(schema.columns, schema.starts, strict=False):
        if not isinstance(column, YesNo):
            codes = np.array([column.encode(value) for value in column.values], dtype=np.uint8)
            possible = [all(fixed.get(start + i, bit) == bit for i, bit in enumerate(code)) for code in codes]
            codes = codes[possible]
            rows[:, start : start + codes.shape[1]] = codes[rng.integers(len(codes), size=SAMPLED)]
    return rows[context.holds(rows)]


def _distinct(rows: Iterator[Rows], count: int, variables: int) -> Rows:
    """The first ``count`` rows that differ from those before them."""
    found: dict[bytes, Rows] = {}
    while len(found) < count:
        row = next(rows, None)
        if row is None:
            break
        found.setdefault(row.tobytes(), row)
    return np.array(list(found.values()), dtype=np.uint8).reshape(-1, variables)


def _breaking_hard(model: Model, context: Context, rng: np.random.Generator) -> Iterator[Rows]:
    """Completions of the context, each violating a hard constraint chosen at random."""
    with feasible((), len(model.variables), context.within(model.schema)) as known:
        yield from _violating(known, model.hard, rng)


def _breaking_soft(
    model: Model, context: Context, optimum: Assignment | None, rng: np.random.Generator
) -> Iterator[Rows]:
    """Feasible completions, each undoing, at random, a soft clause that counts for the optimum.

    Any worse assignment undoes one: it lacks a rewarded clause or satisfies a punished one.
    """
    if optimum is None:
        return
    undoing: list[Constraint] = []
    for soft, units, earned in zip(model.soft, model.weights.tolist(), model.earned(optimum), strict=True):
        if units > 0 and earned:
            undoing.append(soft.constraint)
        elif units < 0 and not earned:
            # To satisfy the punished constraint is to violate its negation; of a clause, one literal's after the other.
            negation = soft.constraint.negation
            undoing.extend(
                [Constraint((lit,)) for lit in negation.literals] if soft.constraint.is_clause else [negation]
            )
    with feasible(model.hard, len(model.variables), context.within(model.schema)) as known:
        yield from _violating(known, undoing, rng)


def _violating(known: Feasible, constraints: Sequence[Constraint], rng: np.random.Generator) -> Iterator[Rows]:
    """Up to ``SOLVER_ROUNDS`` over the constraints: a solution that violates it, near a random assignment."""
    possible = [constraint for constraint in constraints if known.possible(known.broken(constraint))]
    for _ in range(SOLVER_ROUNDS):
        for j in rng.permutation(len(possible)).tolist():
            yield known.near(rng.integers(0, 2, size=known.variables).astype(np.uint8), known.broken(possible[j]))
