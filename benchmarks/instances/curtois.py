"""An instance of the staff rostering benchmarks of Curtois with one shift: who works on which day.

Rules: bounds on the shifts of each person (in minutes), on days in a row, days off in a row and working weekends. At
the ends of the horizon runs may go on outside. Wishes: requests to work or not, with a weight; 100 for each person
missing and 1 for each too many. Situations: cover moved by up to one, requests and days off drawn anew like those in
the file; the weight of a request is its person's, as in the file.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hassle.logic import Arrangement, Context, Dimension, Number, Schema, YesNo
from hassle.model import Model

from . import Instance


def read(path: Path) -> Instance:
    sections = _sections(path.read_text())
    days = tuple(f"d{i:02d}" for i in range(int(sections["HORIZON"][0])))
    ((_, length, *_),) = (line.split(",") for line in sections["SHIFTS"])
    staff = {words[0]: list(map(int, words[2:])) for words in (line.split(",") for line in sections["STAFF"])}
    cover = [int(line.split(",")[2]) for line in sections["COVER"]]
    weights = {
        kind: {line.split(",")[0]: int(line.split(",")[3]) for line in sections[f"SHIFT_{kind.upper()}_REQUESTS"]}
        for kind in ("on", "off")
    }
    schema = _schema(tuple(staff), days, len(staff), weights)
    rules = _rules(next(iter(staff.values())), int(length), days)
    truth = Model.build(schema, rules, _wishes(len(staff), weights, tuple(staff)), about={"name": path.stem})

    def situation(rng: np.random.Generator) -> Context:
        texts = []
        for day, needed in zip(days, cover, strict=True):
            texts.append(f"cover_{day} = {np.clip(needed + rng.integers(-1, 2), 0, len(staff))}")
        asked = {(kind, person, i) for kind in ("on", "off") for person in staff for i in _stretch(len(days), rng)}
        for kind in ("on", "off"):
            for person in staff:
                texts += [
                    f"{'' if (kind, person, i) in asked and (kind == 'on' or ('on', person, i) not in asked) else '!'}"
                    f"{kind}_{person}_{day}"
                    for i, day in enumerate(days)
                ]
        texts += [f"!{person}_{rng.choice(days)}" for person in staff]
        return Context.parse(" & ".join(texts), schema)

    return Instance(truth, situation, f"Curtois, {path.stem}")


def _sections(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("SECTION_"):
            found[line.strip().removeprefix("SECTION_")] = own = []
        elif line.strip() and not line.startswith("#"):
            own.append(line.strip())
    return found


def _stretch(days: int, rng: np.random.Generator) -> range:
    """The days of a request: none for half of the people, else up to five in a row."""
    first = int(rng.integers(days))
    return range(first, min(days, first + int(rng.integers(1, 6)))) if rng.random() < 0.5 else range(0)


def _schema(staff: tuple[str, ...], days: tuple[str, ...], most: int, weights: dict[str, dict[str, int]]) -> Schema:
    cells = [YesNo(f"{person}_{day}") for person in staff for day in days]
    asked = [YesNo(f"{kind}_{person}_{day}") for kind in ("on", "off") for person in staff for day in days]
    attributes = {kind: tuple(str(weights[kind].get(person, 1)) for person in staff) for kind in ("on", "off")}
    weekend = tuple("no" if i % 7 < 5 else "yes" for i in range(len(days)))
    return Schema(
        (*cells, *(Number(f"cover_{day}", 0, most) for day in days), *asked),
        (
            Dimension("person", staff, attributes=attributes),
            Dimension("day", days, ordered=True, attributes={"weekend": weekend}),
        ),
        (
            Arrangement("works", ("person", "day"), "{person}_{day}"),
            Arrangement("cover", ("day",), "cover_{day}"),
            Arrangement("on", ("person", "day"), "on_{person}_{day}"),
            Arrangement("off", ("person", "day"), "off_{person}_{day}"),
        ),
    )


def _rules(bounds: list[int], length: int, days: tuple[str, ...]) -> list[str]:
    longest, shortest, row, least_row, least_off, weekends = bounds
    found = [
        f"for every person: at most {longest // length} of works[person, *]",
        f"for every person: at least {shortest // length} of works[person, *]",
        f"for every person, day: at most {row} of works[person, day..day+{row}]",
    ]
    for k in range(1, least_row):
        around = f"works[person, day-1..day-1] + works[person, day+{k}..day+{k}] + {k - 1}".removesuffix(" + 0")
        inside = f"works[person, day..day+{k - 1}]".replace("day+0", "day")
        found.append(f"for every person, day: at most {around} of {inside}")
    for k in range(1, least_off):
        inside = f"works[person, day..day+{k - 1}]".replace("day+0", "day")
        around = f"works[person, day-1..day-1], works[person, day+{k}..day+{k}]"
        found.append(f"for every person, day: at most {inside} + 1 of {around}")
    saturdays = range(5, len(days), 7)
    assert weekends == 1, "more working weekends than one need auxiliary variables"
    found += [
        f"for every person: at most 1 of works[person, {{{days[a]}, {days[b]}}}]"
        for i in saturdays
        for j in saturdays
        if i < j
        for a in (i, i + 1)
        for b in (j, j + 1)
    ]
    return found


def _wishes(staff: int, weights: dict[str, dict[str, int]], people: tuple[str, ...]) -> list[tuple[str, int]]:
    found = [(f"for every day: at least cover[day] - {k} of works[*, day]".replace(" - 0", ""), 100) for k in range(4)]
    found += [(f"for every day: at most cover[day] + {k} of works[*, day]".replace(" + 0", ""), 1) for k in range(4)]
    for kind, sign in (("on", ""), ("off", "!")):
        for weight in sorted({weights[kind].get(person, 1) for person in people}):
            every = f"for every person with {kind}={weight}, day"
            found.append((f"{every}: !{kind}[person, day] | {sign}works[person, day]", weight))
    return found
