"""Writes the example files of this folder: made up, but as people keep them. `python examples/make.py [FOLDER]`

Each problem has true rules and wishes. In each of some situations one or two of the best decisions are good examples,
and a few of the others are bad ones; the tests learn from the files alone and compare with the truth.
"""

from __future__ import annotations

import csv
import itertools
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hassle.logic import Choice, Context, Number, Schema, YesNo
from hassle.model import Model

Row = dict[str, object]


@dataclass(frozen=True)
class Problem:
    """What is decided, the true model, and the situations: values of the given columns, or contexts."""

    columns: tuple[Choice | Number | YesNo, ...]
    hard: tuple[str, ...]
    soft: tuple[tuple[str, str], ...]
    situations: tuple[str, ...] = ("",)
    given: tuple[str, ...] = ()
    good: int = 2
    bad: int = 4

    @property
    def truth(self) -> Model:
        return Model.build(Schema(self.columns), hard=self.hard, soft=self.soft)

    def best(self, context: str) -> tuple[list[Row], list[Row]]:
        """The best decisions in a situation, and all others."""
        schema = self.truth.schema
        rows = list(itertools.product(*(column.values for column in self.columns)))
        bits = np.array([schema.encode(row) for row in rows], dtype=np.uint8)
        here = Context.parse(context, schema).holds(bits)
        allowed = here & self.truth.feasible(bits)
        values = self.truth.values(bits)
        best = allowed & (values == values[allowed].max())
        named = [dict(zip(schema.column_names, row, strict=True)) for row in rows]
        return [named[k] for k in np.flatnonzero(best)], [named[k] for k in np.flatnonzero(here & ~best)]

    def examples(self) -> list[Row]:
        draw = random.Random(0)
        contexts = self.situations or tuple(
            " & ".join(f"{name} = {value}" for name, value in zip(self.given, values, strict=True))
            for values in itertools.product(*(c.values for c in self.columns if c.name in self.given))
        )
        found = []
        for context in contexts:
            best, others = self.best(context)
            for rows, number, label in ((best, self.good, "good"), (others, self.bad, "bad")):
                found += [
                    {**({} if self.given else {"context": context}), **row, "label": label}
                    for row in draw.sample(rows, min(number, len(rows)))
                ]
        return found


SLOTS = ("mon_am", "mon_pm", "tue_am", "tue_pm")
COURSES = ("maths", "physics", "latin", "art")
EXAMS = Problem(
    tuple(Choice(course, SLOTS) for course in COURSES),
    # Maths and physics share students, latin and art a hall.
    tuple(f"{a} != {slot} | {b} != {slot}" for a, b in (("maths", "physics"), ("latin", "art")) for slot in SLOTS),
    (("maths = mon_am", "0.5"), ("physics != mon_pm", "0.25"), ("art = tue_pm", "0.5")),
    ("", *(f"{course} = {slot}" for course in COURSES for slot in SLOTS), *(f"maths != {slot}" for slot in SLOTS)),
)
NURSES, DAYS, SHIFTS = ("ana", "ben", "cleo"), ("mon", "tue"), ("early", "night", "off")
WARD = Problem(
    tuple(Choice(f"{nurse}_{day}", SHIFTS) for nurse in NURSES for day in DAYS),
    (
        *(" | ".join(f"{nurse}_{day} = {shift}" for nurse in NURSES) for day in DAYS for shift in ("early", "night")),
        *(f"{nurse}_mon != night | {nurse}_tue != early" for nurse in NURSES),
    ),
    (
        *((f"ana_{day} != night", "0.5") for day in DAYS),
        *((f"{nurse}_{day} = off", "0.25") for nurse in NURSES for day in DAYS),
    ),
    tuple(f"{n}_{d} {what}" for n in NURSES for d in DAYS for what in ("= off", "= night", "!= night")),
)
BIKES = Problem(
    (
        Choice("frame", ("steel", "carbon")),
        Choice("gears", ("8", "11", "belt")),
        YesNo("lights"),
        Number("price", 1, 6),
    ),
    (
        "frame != carbon | price >= 4",
        "gears != belt | price >= 3",
        "frame != carbon | gears != 8",
        "!lights | price >= 2",
    ),
    (("lights", "0.5"), ("frame = carbon", "0.25"), ("price < 5", "0.5"), ("price < 3", "0.5")),
    (
        "",
        *(f"price {sign}" for sign in ("< 2", "< 3", "< 4", ">= 4", ">= 6")),
        "lights",
        "!lights",
        "frame = carbon",
        "frame = steel",
        "gears = belt",
        "gears = 8",
        "gears = 11",
        "gears != 11 & price < 5",
        "!lights & frame = carbon",
    ),
)
MACHINES = Problem(
    (Number("orders", 0, 3), *(Choice(f"machine{k}", ("day", "night", "off")) for k in (1, 2, 3))),
    (
        "orders < 1 | machine1 != off | machine2 != off",
        "orders < 3 | machine3 != off",
        "machine1 != night | machine2 != night",
    ),
    (
        ("machine1 != night", "0.5"),
        ("machine2 = off", "0.25"),
        ("machine3 = off", "0.5"),
        ("machine3 != night", "0.25"),
    ),
    (),
    ("orders",),
    bad=12,
)
ROOMS = Problem(
    (
        Choice("people", ("few", "some", "many")),
        YesNo("guests"),
        Choice("room", ("attic", "hall", "library")),
        YesNo("catering"),
    ),
    ("people != many | room = hall", "people != some | room != attic", "!guests | catering"),
    (("room != hall", "0.5"), ("!catering", "0.25"), ("!guests | room != attic", "0.5")),
    (),
    ("people", "guests"),
)


def write_csv(path: Path, rows: Sequence[Row], delimiter: str = ",") -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_excel(path: Path, rows: Sequence[Row]) -> None:
    from openpyxl import Workbook

    book = Workbook()
    assert book.active is not None
    book.active.title = "Shifts"
    for row in [list(rows[0]), *(list(row.values()) for row in rows)]:
        book.active.append(row)
    book.create_sheet("Notes").append(["Machine 2 is the old one."])
    book.save(path)


def write_all(folder: Path) -> None:
    write_csv(folder / "exams.csv", EXAMS.examples())
    ward = [{"plan": k, **row} for k, row in enumerate(WARD.examples(), 1)]
    cells = [
        {"plan": row["plan"], "nurse": nurse, "day": day, "shift": row[f"{nurse}_{day}"]}
        for row in ward
        for nurse in NURSES
        for day in DAYS
    ]
    write_csv(folder / "ward_cells.csv", cells)
    write_csv(folder / "ward_plans.csv", [{name: row[name] for name in ("plan", "context", "label")} for row in ward])
    write_csv(
        folder / "nurses.csv", [{"nurse": nurse, "senior": "yes" if nurse == "ana" else "no"} for nurse in NURSES]
    )
    write_csv(
        folder / "bikes.csv", [{**row, "lights": "yes" if row["lights"] else "no"} for row in BIKES.examples()], ";"
    )
    write_excel(folder / "machines.xlsx", MACHINES.examples())
    marked = [
        {**row, **{name: "x" if row[name] else "" for name in ("guests", "catering")}} for row in ROOMS.examples()
    ]
    write_csv(folder / "rooms.csv", [{"booking": f"R-{k}", **row} for k, row in enumerate(marked, 101)])


if __name__ == "__main__":
    write_all(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
