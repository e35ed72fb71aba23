"""An exam timetable: every course gets one of some slots (a choice), its rules and wishes as families.

Rules: courses with the same teacher or the same students are in different slots; there are so many rooms, so no slot
has more courses than that; the last slot is used. Wishes: courses that prefer a half of the day or avoid a slot, two
that should be in the same slot, no slot crowded. Situations are slots that a course cannot have, and slots promised.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from hassle.errors import InputError
from hassle.generate.arranged.ward import weight
from hassle.logic import Arrangement, Choice, Context, Dimension, Schema
from hassle.model import Model

COURSES = (
    "maths",
    "physics",
    "art",
    "music",
    "latin",
    "history",
    "biology",
    "sport",
    "english",
    "french",
    "ethics",
    "it",
)
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat")


@dataclass(frozen=True)
class Timetable:
    """The true model of a timetable and the situations it may be in."""

    truth: Model

    def situation(self, rng: np.random.Generator) -> Context:
        """Two or three courses that some slots are closed to, and up to two whose slot is settled."""
        courses, slots = (dimension.members for dimension in self.truth.schema.dimensions)
        chosen = rng.permutation(len(courses))
        closed = int(rng.integers(2, 4))
        said = [
            f"{courses[course]} != {slot}"
            for course in chosen[:closed]
            for slot in rng.choice(slots, size=int(rng.integers(1, 3)), replace=False)
        ]
        said += [
            f"{courses[course]} = {rng.choice(slots)}" for course in chosen[closed : closed + int(rng.integers(3))]
        ]
        return Context.parse(", ".join(said), self.truth.schema)


def timetable(courses: int, slots: int, rng: np.random.Generator) -> Timetable:
    """A timetable of so many courses and slots, two slots a day, with conflicts and weights drawn at random."""
    if not 4 <= courses <= len(COURSES) or not 4 <= slots <= 2 * len(DAYS):
        raise InputError(
            f"a timetable of {courses} courses and {slots} slots",
            fix=f"take 4 to {len(COURSES)} courses and 4 to {2 * len(DAYS)} slots",
        )
    names = COURSES[:courses]
    times = tuple(f"{day}_{half}" for day in DAYS for half in ("am", "pm"))[:slots]
    halves = tuple(time.partition("_")[2] for time in times)
    schema = Schema(
        tuple(Choice(name, times) for name in names),
        (Dimension("course", names), Dimension("slot", times, ordered=True, attributes={"half": halves})),
        (Arrangement("at", ("course", "slot"), "{course}={slot}"),),
    )
    pairs = [(names[i], names[j]) for i, j in itertools.combinations(range(courses), 2)]
    order = [pairs[i] for i in rng.permutation(len(pairs))]
    conflicts, friends = order[: courses // 2], order[courses // 2 : courses // 2 + 2]
    most = -(-courses // slots) + 1
    rules = [
        f"for every slot: at most {most} of at[*, slot]",
        *(f"for every slot: at most 1 of at[{{{a}, {b}}}, slot]" for a, b in conflicts),
        f"at least 2 of at[*, {times[-1]}]",
    ]
    wishes = [
        f"for every slot: at most {most - 1} of at[*, slot]",
        *(f"for every slot: !at[{a}, slot] | at[{b}, slot]" for a, b in friends),
        *(f"!at[{name}, {rng.choice(times)}]" for name in names[::2]),
        *(f"at least 1 of at[{name}, half={rng.choice(['am', 'pm'])}]" for name in names[1::2]),
    ]
    weighted = [(wish, weight(rng)) for wish in wishes]
    return Timetable(Model.build(schema, rules, weighted, about={"name": "timetable"}))
