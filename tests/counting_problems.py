"""Random problems with everything a model may have: counts, negative weights, choices, numbers, contexts that count.

Drawn from a seed, so that a failing one can be had again by its number.
"""

from __future__ import annotations

import numpy as np

from hassle.logic import EMPTY, Choice, Constraint, Context, Number, Schema, YesNo
from hassle.logic.formula import Literal, at_least, conjunction, disjunction, equivalence, implication, negation
from hassle.model import Model


def random_schema(rng, most=7):
    """A few columns of all kinds, plain ones more often than not, with at most so many variables."""
    columns, atoms = [], 0
    plain = rng.random() < 0.4
    for i in range(int(rng.integers(1, 6))):
        kinds = [
            YesNo(f"y{i}"),
            Choice(f"c{i}", tuple("abcd"[: rng.integers(2, 5)])),
            Number(f"n{i}", 0, int(rng.integers(1, 4))),
        ]
        column = kinds[0 if plain else rng.integers(3)]
        if atoms + len(column.atoms) <= most:
            columns.append(column)
            atoms += len(column.atoms)
    return Schema(tuple(columns))


def random_literals(rng, n, least=1, most=5):
    size = int(rng.integers(min(least, n), min(most, n) + 1))
    chosen = np.sort(rng.choice(n, size=size, replace=False)) + 1
    return tuple(int(v) for v in chosen * rng.choice([-1, 1], size=size))


def random_constraint(rng, n):
    literals = random_literals(rng, n)
    return Constraint(literals, int(rng.integers(1, len(literals) + 1)) if rng.random() < 0.7 else 1)


def random_formula(rng, n, depth=2):
    if depth == 0 or rng.random() < 0.2:
        return Literal(random_literals(rng, n, 1, 1)[0]) if rng.random() < 0.5 else at_least(random_constraint(rng, n))
    left, right = random_formula(rng, n, depth - 1), random_formula(rng, n, depth - 1)
    kinds = [
        lambda: conjunction([left, right]),
        lambda: disjunction([left, right]),
        lambda: implication(left, right),
        lambda: equivalence(left, right),
        lambda: negation(left),
    ]
    return kinds[rng.integers(len(kinds))]()


def random_context(rng, n):
    match rng.integers(4):
        case 0:
            return EMPTY
        case 1:
            return Context(random_literals(rng, n, 1, 2))
        case 2:
            literals = random_literals(rng, n, 3)
            count = Constraint(literals, max(1, len(literals) - 1))
            return Context.of(conjunction([Literal(random_literals(rng, n, 1, 1)[0]), at_least(count)]))
    return Context.of(random_formula(rng, n))


def random_model(rng, schema, heaviest=6):
    n = len(schema.variables)
    hard = [random_constraint(rng, n) for _ in range(rng.integers(0, 4))]
    soft = [(random_constraint(rng, n), int(rng.integers(-heaviest, heaviest + 1))) for _ in range(rng.integers(0, 6))]
    return Model.from_units(schema, hard, soft)


def problem(seed):
    """A model and a context; about one in four has no feasible assignment."""
    rng = np.random.default_rng(seed)
    schema = random_schema(rng)
    return random_model(rng, schema), random_context(rng, len(schema.variables))


def pair(seed):
    """A model, a true one over the same schema, and a context."""
    rng = np.random.default_rng(seed)
    schema = random_schema(rng)
    return random_model(rng, schema), random_model(rng, schema), random_context(rng, len(schema.variables))
