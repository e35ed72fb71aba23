"""NSPLib, N25 with case 1 or 7 (Vanhoucke and Maenhout): 25 nurses, 7 days, three shifts and a free one.

Every nurse has one of the four on each day. Rules: the demand of each day and shift; the bounds of the case file on
the days worked, on days in a row, and for each shift on its days and its days in a row. Wishes: a cost from 1 to 4 for
each nurse, day and shift, which is given: ``cost2`` says that it is at least 2, and so on. A situation has the demand
of one of the files on each day, and the costs of one of them with the nurses in another order.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hassle.logic import Arrangement, Context, Dimension, Number, Schema, YesNo
from hassle.model import Model

from . import Instance

CASE = "case-7.gen"
LEVELS = (2, 3, 4)


def read(folder: Path) -> Instance:
    files = [_numbers(path) for path in sorted(folder.glob("*.nsp"), key=lambda path: int(path.stem))]
    nurses, days, shifts = map(int, files[0][:3])
    demands = np.array([each[3 : 3 + days * shifts] for each in files]).reshape(-1, days, shifts)
    costs = np.array([each[3 + days * shifts :] for each in files]).reshape(-1, nurses, days, shifts)
    schema = _schema(nurses, days, shifts, int(demands.max()))
    dimensions = [schema.dimension(name).members for name in ("nurse", "day", "shift")]
    truth = Model.build(schema, _rules(_numbers(folder / CASE), dimensions), _wishes(), about={"name": "nsplib"})

    def situation(rng: np.random.Generator) -> Context:
        texts = []
        demand = demands[rng.integers(len(demands), size=days), np.arange(days)]
        cost = costs[int(rng.integers(len(costs)))][rng.permutation(nurses)]
        people, dates, kinds = dimensions
        for d, s in np.ndindex(days, shifts):
            texts.append(f"demand_{dates[d]}_{kinds[s]} = {demand[d, s]}")
        for n, d, s in np.ndindex(nurses, days, shifts):
            name = f"{people[n]}_{dates[d]}_{kinds[s]}"
            texts += [f"{'' if cost[n, d, s] >= level else '!'}cost{level}_{name}" for level in LEVELS]
        return Context.parse(" & ".join(texts), schema)

    return Instance(truth, situation, f"NSPLib N25, {CASE}")


def _numbers(path: Path) -> list[int]:
    return [int(word) for word in path.read_text().split()]


def _schema(nurses: int, days: int, shifts: int, most: int) -> Schema:
    people = tuple(f"n{i + 1}" for i in range(nurses))
    dates = tuple(f"d{i + 1}" for i in range(days))
    kinds = (*(f"s{i + 1}" for i in range(shifts - 1)), "free")
    cells = [f"{n}_{d}_{s}" for n in people for d in dates for s in kinds]
    costs = [YesNo(f"cost{level}_{cell}") for level in LEVELS for cell in cells]
    needed = [Number(f"demand_{d}_{s}", 0, most) for d in dates for s in kinds]
    places = ("nurse", "day", "shift")
    return Schema(
        (*map(YesNo, cells), *needed, *costs),
        (Dimension("nurse", people), Dimension("day", dates, ordered=True), Dimension("shift", kinds)),
        (
            Arrangement("works", places, "{nurse}_{day}_{shift}"),
            Arrangement("demand", ("day", "shift"), "demand_{day}_{shift}"),
            *(Arrangement(f"cost{level}", places, f"cost{level}_{{nurse}}_{{day}}_{{shift}}") for level in LEVELS),
        ),
    )


def _rules(case: list[int], dimensions: list[tuple[str, ...]]) -> list[str]:
    """Bounds of the case file: days worked, days in a row, and for each shift days in a row and days."""
    days, _, low, high, shortest, longest, *rest = case
    *working, free = dimensions[2]
    anything = f"{{{', '.join(working)}}}"
    found = [
        "for every nurse, day: at least 1 of works[nurse, day, *]",
        "for every nurse, day: at most 1 of works[nurse, day, *]",
        "for every day, shift: at least demand[day, shift] of works[*, day, shift]",
        f"for every nurse: at least {days - high} of works[nurse, *, {free}]",
        f"for every nurse: at most {days - low} of works[nurse, *, {free}]",
        *_in_a_row(anything, shortest, longest, days),
    ]
    for k, shift in enumerate(working):
        row_low, row_high, least, most = rest[4 * k : 4 * k + 4]
        found += _in_a_row(shift, row_low, row_high, days)
        found += [f"for every nurse: at least {least} of works[nurse, *, {shift}]"] if least else []
        found += [f"for every nurse: at most {most} of works[nurse, *, {shift}]"] if most < days else []
    return found


def _in_a_row(what: str, low: int, high: int, days: int) -> list[str]:
    found = [f"for every nurse, day: at most {high} of works[nurse, day..day+{high}, {what}]"] if high < days else []
    for k in range(1, low):
        around = f"works[nurse, day-1..day-1, {what}] + works[nurse, day+{k}..day+{k}, {what}] + {k - 1}"
        inside = f"works[nurse, day..day+{k - 1}, {what}]".replace("day+0", "day")
        found.append(f"for every nurse, day: at most {around.removesuffix(' + 0')} of {inside}")
    return found


def _wishes() -> list[tuple[str, int]]:
    return [
        (f"for every nurse, day, shift: !cost{level}[nurse, day, shift] | !works[nurse, day, shift]", 1)
        for level in LEVELS
    ]
