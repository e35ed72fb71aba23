"""Random models of every kind, small enough to list: clauses, counts, choices, numbers, families, penalties."""

from __future__ import annotations

import numpy as np

from hassle.logic import Arrangement, Choice, Column, Constraint, Dimension, Number, Schema, YesNo
from hassle.model import Model, Rule, parse_rules
from hassle.model.weights import from_units

# Names that other languages would take for something else.
NAMES = ("ana", "b c", "x1", "sum", "constraint", "naïve", "it's", "A", "a", "not", "2nd", "e1", "日本", "end")
VALUES = ("early", "late", "off", "on", "true", "x y", 'say "no"', "3", "ana")
FAMILIES = (
    "for every day: at least {k} of works[*, day]",
    "for every day: at most {k} of works[*, day]",
    "for every who: at most {k} of works[who, *]",
    "for every who, day: !works[who, day] | !works[who, day+1]",
    "for every who, day: !works[who, day] | works[who, day-1] | works[who, day+1]",
    "for every who: at most 1 of works[who, day..day+1]".replace("who: at", "who, day: at"),
    "for every who but ana: works[who, mon]",
    "for every day: at least 1 of works[senior=yes, day], !works[cem, day]",
    "at least {k} of works[{{ana, cem}}, *]",
    "for every who, other who: works[who, mon] | !works[other who, tue]",
)


def random_model(seed: int) -> Model:
    """The model of a seed; one in four arranges its variables and has families."""
    rng = np.random.default_rng(seed)
    schema = _ward(rng) if seed % 4 == 0 else _columns(rng)
    unit = int(rng.choice([1, 10, 1000]))
    rules = [Rule(_constraint(rng, schema)) for _ in range(rng.integers(0, 4))]
    for _ in range(rng.integers(0, 5)):
        rules.append(Rule(_constraint(rng, schema), from_units(_weight(rng), unit)))
    if schema.arrangements:
        for _ in range(rng.integers(1, 4)):
            text = str(rng.choice(FAMILIES)).format(k=int(rng.integers(1, 3)))
            mark = "must" if rng.random() < 0.4 else str(from_units(_weight(rng), unit))
            rules += parse_rules(f"{mark} {text}", schema)
    if seed % 20 == 1:
        rules.append(Rule(Constraint(()), from_units(7, unit)))  # nothing can satisfy it
    return Model(schema, tuple(rules), unit)


def _weight(rng: np.random.Generator) -> int:
    return int(rng.integers(-5, 8))


def _columns(rng: np.random.Generator) -> Schema:
    columns: list[Column] = []
    for name in rng.permutation(NAMES)[: rng.integers(1, 5)].tolist():
        kind = rng.integers(0, 4)
        if kind == 0:
            columns.append(Choice(name, tuple(rng.permutation(VALUES)[: rng.integers(2, 4)].tolist())))
        elif kind == 1:
            low = int(rng.integers(-2, 3))
            columns.append(Number(name, low, low + int(rng.integers(1, 4))))
        else:
            columns.append(YesNo(name))
    return Schema(tuple(columns))


def _ward(rng: np.random.Generator) -> Schema:
    who = Dimension("who", ("ana", "ben", "cem")[: rng.integers(3, 4)], False, {"senior": ("yes", "no", "yes")})
    day = Dimension("day", ("mon", "tue", "wed")[: rng.integers(2, 4)], True)
    there = [f"{person}_{date}" for person in who.members for date in day.members if rng.random() < 0.9]
    names = [*there, "rain"] if rng.random() < 0.5 else there
    return Schema(tuple(map(YesNo, names)), (who, day), (Arrangement("works", ("who", "day"), "{who}_{day}"),))


def _constraint(rng: np.random.Generator, schema: Schema) -> Constraint:
    count = len(schema.variables)
    chosen = np.sort(rng.permutation(count)[: rng.integers(1, min(count, 4) + 1)])
    literals = tuple(int(v + 1) * int(rng.choice([1, 1, -1])) for v in chosen)
    need = 1 if rng.random() < 0.6 else int(rng.integers(1, len(literals) + 1))
    return Constraint(literals, need)
