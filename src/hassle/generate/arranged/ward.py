"""A ward: nurses on shifts of some days, its rules and wishes as families.

Rules: at most one shift a day; no early shift after a night; enough people on every shift; a senior every night; at
most so many shifts and two nights. Wishes: of each nurse her own; no lone working day; one more on early; a week
with fewer shifts. Situations are leave and shifts that were promised.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hassle.errors import InputError
from hassle.logic import Arrangement, Context, Dimension, Schema, YesNo
from hassle.model import Model

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
SHIFTS = {2: ("early", "night"), 3: ("early", "late", "night"), 4: ("early", "middle", "late", "night")}
NAMES = (
    *("ana", "ben", "carla", "dan", "eva", "finn", "greta", "hugo", "ida", "jan", "kim", "lea"),
    *("mia", "noah", "olga", "paul", "rosa", "sam", "tim", "uma", "vera", "will", "xenia", "yann", "zoe"),
)


@dataclass(frozen=True)
class Ward:
    """The true model of a ward and the situations it may be in."""

    truth: Model

    def situation(self, rng: np.random.Generator) -> Context:
        """One to three nurses on leave for a day or two, and up to two promised shifts of others."""
        nurses, days, shifts = self.truth.schema.dimensions
        chosen = rng.permutation(len(nurses.members))
        away = int(rng.integers(1, 4))
        literals = []
        for nurse in chosen[:away]:
            first, length = int(rng.integers(len(days.members))), int(rng.integers(1, 3))
            for day in days.members[first : first + length]:
                literals += [f"!{nurses.members[nurse]}_{day}_{shift}" for shift in shifts.members]
        for nurse in chosen[away : away + int(rng.integers(3))]:
            day, shift = rng.choice(days.members), rng.choice(shifts.members)
            literals.append(f"{nurses.members[nurse]}_{day}_{shift}")
        return Context.parse(", ".join(literals), self.truth.schema)


def ward_schema(nurses: int, days: int, shifts: int, first_nurse: int = 0) -> Schema:
    if nurses < 4 or not days >= 3 or shifts not in SHIFTS:
        raise InputError(
            f"a ward of {nurses} nurses, {days} days and {shifts} shifts",
            fix="at least 4 nurses, 3 days, 2 to 4 shifts",
        )
    names = [NAMES[i] if i < len(NAMES) else f"nurse{i + 1}" for i in range(first_nurse, first_nurse + nurses)]
    dates = DAYS[:days] if days <= len(DAYS) else tuple(f"d{i + 1}" for i in range(days))
    senior = tuple("yes" if i % 2 == 0 else "no" for i in range(nurses))
    kinds = SHIFTS[shifts]
    return Schema(
        tuple(YesNo(f"{name}_{date}_{kind}") for name in names for date in dates for kind in kinds),
        (
            Dimension("nurse", tuple(names), attributes={"senior": senior}),
            Dimension("day", dates, ordered=True),
            Dimension("shift", kinds),
        ),
        (Arrangement("works", ("nurse", "day", "shift"), "{nurse}_{day}_{shift}"),),
    )


def ward(nurses: int, days: int, shifts: int, rng: np.random.Generator) -> Ward:
    """A ward of this size with weights and personal wishes drawn at random."""
    schema = ward_schema(nurses, days, shifts)
    kinds = SHIFTS[shifts]
    wishes = [(wish, weight(rng)) for wish in common_wishes(nurses, days)]
    wishes += [(_personal(schema, nurse, rng), weight(rng)) for nurse in schema.dimension("nurse").members]
    return Ward(Model.build(schema, common_rules(nurses, days, kinds), wishes, about={"name": "ward"}))


def elsewhere(home: Ward, nurses: int, days: int, shifts: int) -> Ward:
    """Another ward with the rules, the common wishes and their weights of this one, and people of its own."""
    schema = ward_schema(nurses, days, shifts, first_nurse=len(home.truth.schema.dimension("nurse").members))
    return Ward(home.truth.transferred(schema))


def common_rules(nurses: int, days: int, kinds: tuple[str, ...]) -> list[str]:
    early, *between, night = kinds
    return [
        "for every nurse, day: at most 1 of works[nurse, day, *]",
        f"for every nurse, day: !works[nurse, day, {night}] | !works[nurse, day+1, {early}]",
        f"for every day: at least {2 if nurses >= 6 else 1} of works[*, day, {early}]",
        *(f"for every day: at least 1 of works[*, day, {kind}]" for kind in between),
        f"for every day: at least 1 of works[senior=yes, day, {night}]",
        f"for every nurse: at most {most_shifts(days)} of works[nurse, *, *]",
        f"for every nurse: at most {most_nights(days)} of works[nurse, *, {night}]",
    ]


def most_shifts(days: int) -> int:
    return max(3, round(0.75 * days))


def most_nights(days: int) -> int:
    return max(2, round(0.35 * days))


def common_wishes(nurses: int, days: int) -> list[str]:
    return [
        "for every nurse, day, shift: !works[nurse, day, shift] | works[nurse, day-1, *] | works[nurse, day+1, *]",
        f"for every day: at least {3 if nurses >= 6 else 2} of works[*, day, early]",
        f"for every nurse: at most {most_shifts(days) - 1} of works[nurse, *, *]",
    ]


def _personal(schema: Schema, nurse: str, rng: np.random.Generator) -> str:
    """What a nurse would like: not that shift, that day off, that shift on that day, or some of that shift."""
    day, shift = rng.choice(schema.dimension("day").members), rng.choice(schema.dimension("shift").members)
    return str(
        rng.choice(
            [
                f"for every day: !works[{nurse}, day, {shift}]",
                f"for every shift: !works[{nurse}, {day}, shift]",
                f"works[{nurse}, {day}, {shift}]",
                f"at least 2 of works[{nurse}, *, {shift}]",
            ]
        )
    )


def weight(rng: np.random.Generator) -> str:
    """From 0.1 to 1, in steps of a twentieth: some wishes are worth the same."""
    return f"{int(rng.integers(2, 21)) / 20:.2f}"
