"""``ana never works night``: rules about one decision each, said once where they hold along a whole dimension.

A learned or known model may say ``not ana_mon_night``, ``not ana_tue_night`` and so on for every day. Where the
variables are arranged, by the schema or by their names, and the days have an order, that is one thing to a planner.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from hassle.logic import Constraint, Schema
from hassle.logic.arranging import arranged


def verb_of(arrangement: str) -> str:
    """What members do: ``works`` where the arrangement is called so; the usual name says nothing."""
    return arrangement if arrangement.endswith("s") and arrangement != "is" else "has"


def never_words(subject: str, arrangement: str, others: Collection[str], always: bool = False) -> str:
    how = "always" if always else "never"
    return " ".join([subject, how, verb_of(arrangement), *([" and ".join(others)] if others else [])])


def sweeping(hard: Collection[Constraint], schema: Schema) -> dict[tuple[Constraint, ...], str]:
    """Groups of rules of one literal each that hold for every member of an ordered dimension, and how to say them."""
    units = {each.literals[0] for each in hard if len(each.literals) == each.need == 1}
    found: dict[tuple[Constraint, ...], str] = {}
    if len(units) < 2:
        return found
    schema = arranged(schema)
    for arrangement in schema.arrangements:
        dimensions = [schema.dimension(name) for name in arrangement.dimensions]
        swept = next((i for i, each in enumerate(dimensions) if each.ordered and i > 0 and len(each.members) > 1), None)
        if swept is None:
            continue
        cells = np.moveaxis(schema.cells(arrangement), swept, -1)
        rest = [each for i, each in enumerate(dimensions) if i != swept]
        for place in np.ndindex(cells.shape[:-1]):
            own = cells[place]
            for sign in (-1, 1):
                literals = (sign * (own + 1)).tolist()
                if (own >= 0).all() and units.issuperset(literals):
                    subject, *others = (each.members[i] for each, i in zip(rest, place, strict=True))
                    words = never_words(subject, arrangement.name, others, always=sign > 0)
                    found[tuple(Constraint((literal,)) for literal in literals)] = words
    return found
