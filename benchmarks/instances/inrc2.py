"""One week of the Second International Nurse Rostering Competition (Ceschia and others, INRC-II).

A cell says that a nurse works a shift of a day with a skill. Given are the least and the wanted number of nurses for
each day, shift and skill, the shifts that nurses asked not to have, and who is on leave. The competition's eleven kinds
of constraint, with its penalties:

- H1 one shift a day; H2 the least demand; H3 forbidden successions; H4 skills (there is no cell for a missing one);
- S1 the wanted demand, 30 for each nurse missing; S2 days in a row, 30 (of one shift, 15) for each day too many or too
  few; S3 days off in a row, 30; S4 requests, 10; S5 complete weekends, 30; S6 assignments, 20 for each too many or too
  few; S7 working weekends, 30.

A week stands by itself: nothing is known of the week before, so that runs at its ends may go on outside; of the bounds
on all weeks (S6) it has its share, rounded; S7 cannot be broken in one week and is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hassle.logic import Arrangement, Context, Dimension, Number, Schema, YesNo
from hassle.model import Model

from . import Instance

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
Wish = tuple[str, int]


@dataclass(frozen=True)
class Contract:
    assignments: tuple[int, int]
    working: tuple[int, int]
    off: tuple[int, int]
    complete_weekends: bool


@dataclass(frozen=True)
class Scenario:
    weeks: int
    skills: tuple[str, ...]
    shifts: dict[str, tuple[int, int]]
    successions: tuple[tuple[str, str], ...]
    contracts: dict[str, Contract]
    nurses: dict[str, tuple[str, tuple[str, ...]]]  # contract and skills


@dataclass(frozen=True)
class Week:
    demand: dict[tuple[str, str, str], tuple[int, int]]  # day, shift, skill: least and wanted
    requests: tuple[tuple[str, str, str], ...]  # nurse, day, shift or Any


def read(folder: Path) -> Instance:
    (file,) = folder.glob("Sc-*.txt")
    scenario = read_scenario(file.read_text())
    weeks = [read_week(each.read_text(), scenario) for each in sorted(folder.glob("WD-*.txt"))]
    schema = schema_of(scenario, weeks)
    truth = Model.build(schema, rules(scenario), wishes(scenario), about={"name": folder.name})

    def situation(rng: np.random.Generator) -> Context:
        return drawn(scenario, weeks, schema, rng)

    return Instance(truth, situation, f"INRC-II {folder.name}, one week", "S7 (working weekends) and the week before")


def read_scenario(text: str) -> Scenario:
    lines = [line.strip() for line in text.splitlines() if line.strip()]

    def section(head: str) -> list[str]:
        start = next(i for i, line in enumerate(lines) if line.startswith(head))
        end = next((i for i in range(start + 1, len(lines)) if re.match(r"[A-Z_]+( =|$)", lines[i])), len(lines))
        return lines[start + 1 : end]

    shifts = {name: _pair(bounds) for name, bounds in (line.split() for line in section("SHIFT_TYPES"))}
    successions = tuple((line.split()[0], after) for line in section("FORBIDDEN_SHIFT") for after in line.split()[2:])
    contracts = {}
    for line in section("CONTRACTS"):
        name, assignments, working, off, _weekends, complete = line.split()
        contracts[name] = Contract(_pair(assignments), _pair(working), _pair(off), complete == "1")
    nurses = {}
    for line in section("NURSES"):
        name, contract, _count, *skills = line.split()
        nurses[name] = (contract, tuple(skills))
    weeks = int(next(line for line in lines if line.startswith("WEEKS")).split("=")[1])
    return Scenario(weeks, tuple(section("SKILLS")), shifts, successions, contracts, nurses)


def read_week(text: str, scenario: Scenario) -> Week:
    demand, requests = {}, []
    for line in text.splitlines():
        words = line.split()
        if len(words) == 2 + len(DAYS) and words[2].startswith("("):
            for day, bounds in zip(DAYS, words[2:], strict=True):
                demand[day, words[0], words[1]] = _pair(bounds)
        elif len(words) == 3 and words[0] in scenario.nurses:
            requests.append((words[0], words[2], words[1]))
    return Week(demand, tuple(requests))


def _pair(text: str) -> tuple[int, int]:
    low, high = text.strip("()").split(",")
    return int(low), int(high)


def schema_of(scenario: Scenario, weeks: list[Week]) -> Schema:
    most = max(wanted for week in weeks for _, wanted in week.demand.values())
    cells = [
        YesNo(f"{nurse}_{day}_{shift}_{skill}")
        for nurse, (_, skills) in scenario.nurses.items()
        for day in DAYS
        for shift in scenario.shifts
        for skill in skills
    ]
    demand = [
        Number(f"{name}_{day}_{shift}_{skill}", 0, most)
        for name in ("least", "wanted")
        for day in DAYS
        for shift in scenario.shifts
        for skill in scenario.skills
    ]
    asked = [
        YesNo(f"off_{nurse}_{day}_{shift}") for nurse in scenario.nurses for day in DAYS for shift in scenario.shifts
    ]
    head = tuple("yes" if len(skills) > 1 else "no" for _, skills in scenario.nurses.values())
    contract = tuple(contract for contract, _ in scenario.nurses.values())
    places = "_{day}_{shift}_{skill}"
    return Schema(
        (*cells, *demand, *asked),
        (
            Dimension("nurse", tuple(scenario.nurses), attributes={"contract": contract, "head": head}),
            Dimension("day", DAYS, ordered=True, attributes={"weekend": ("no",) * 5 + ("yes",) * 2}),
            Dimension("shift", tuple(scenario.shifts)),
            Dimension("skill", scenario.skills),
        ),
        (
            Arrangement("works", ("nurse", "day", "shift", "skill"), "{nurse}" + places),
            Arrangement("least", ("day", "shift", "skill"), "least" + places),
            Arrangement("wanted", ("day", "shift", "skill"), "wanted" + places),
            Arrangement("off", ("nurse", "day", "shift"), "off_{nurse}_{day}_{shift}"),
        ),
    )


def rules(scenario: Scenario) -> list[str]:
    return [
        "for every nurse, day: at most 1 of works[nurse, day, *, *]",
        "for every day, shift, skill: at least least[day, shift, skill] of works[*, day, shift, skill]",
        *(
            f"for every nurse, day: at most 1 of works[nurse, day, {now}, *], works[nurse, day+1..day+1, {then}, *]"
            for now, then in scenario.successions
        ),
    ]


def wishes(scenario: Scenario) -> list[Wish]:
    found: list[Wish] = [
        ("for every day, shift, skill: at least wanted[day, shift, skill] of works[*, day, shift, skill]", 30),
        ("for every nurse, day, shift, skill: !off[nurse, day, shift] | !works[nurse, day, shift, skill]", 10),
    ]
    for shift, bounds in scenario.shifts.items():
        found += in_a_row("for every nurse, day", f"{shift}, *", bounds, 15)
    for name, contract in scenario.contracts.items():
        every = f"for every nurse with contract={name}"
        found += in_a_row(f"{every}, day", "*, *", contract.working, 30)
        found += off_in_a_row(f"{every}, day", contract.off, 30)
        if contract.complete_weekends:
            for one, other in (("Sat", "Sun"), ("Sun", "Sat")):
                found.append((f"{every}: at most works[nurse, {other}, *, *] of works[nurse, {one}, *, *]", 30))
        low, high = (round(bound / scenario.weeks) for bound in contract.assignments)
        found += [(f"{every}: at least {k} of works[nurse, *, *, *]", 20) for k in range(1, low + 1)]
        found += [(f"{every}: at most {k} of works[nurse, *, *, *]", 20) for k in range(high, len(DAYS))]
    return found


def in_a_row(every: str, what: str, bounds: tuple[int, int], weight: int) -> list[Wish]:
    """Each day that is missing, or too many, costs; a run that reaches an end of the week may go on."""
    low, high = bounds
    found = [
        (
            f"{every}: at most works[nurse, day-1..day-1, {what}] + works[nurse, day+{k}..day+{k}, {what}] "
            f"+ {k - 1} of works[nurse, day..day+{k - 1}, {what}]".replace("day+0", "day").replace(" + 0 of", " of"),
            weight * (low - k),
        )
        for k in range(1, low)
    ]
    if high < len(DAYS):
        found.append((f"{every}: at most {high} of works[nurse, day..day+{high}, {what}]", weight))
    return found


def off_in_a_row(every: str, bounds: tuple[int, int], weight: int) -> list[Wish]:
    low, high = bounds
    found = [
        (
            f"{every}: at most works[nurse, day..day+{k - 1}, *, *] + 1 of "
            f"works[nurse, day-1..day-1, *, *], works[nurse, day+{k}..day+{k}, *, *]".replace("day+0", "day"),
            weight * (low - k),
        )
        for k in range(1, low)
    ]
    if high < len(DAYS):
        found.append((f"{every}: at least 1 of works[nurse, day..day+{high}, *, *]", weight))
    return found


def drawn(scenario: Scenario, weeks: list[Week], schema: Schema, rng: np.random.Generator) -> Context:
    """Each day's demand is that of the same day of some week; the requests are a week's; up to two are on leave."""
    of_day = {day: weeks[int(rng.integers(len(weeks)))] for day in DAYS}
    texts = []
    for (day, shift, skill), _ in weeks[0].demand.items():
        least, wanted = of_day[day].demand[day, shift, skill]
        texts += [f"least_{day}_{shift}_{skill} = {least}", f"wanted_{day}_{shift}_{skill} = {wanted}"]
    requests = weeks[int(rng.integers(len(weeks)))].requests
    asked = {(nurse, day, shift) for nurse, day, which in requests for shift in _shifts(which, scenario)}
    for nurse in scenario.nurses:
        for day in DAYS:
            for shift in scenario.shifts:
                texts.append(f"{'' if (nurse, day, shift) in asked else '!'}off_{nurse}_{day}_{shift}")
    for nurse in rng.permutation(list(scenario.nurses))[: int(rng.integers(3))]:
        first = int(rng.integers(len(DAYS)))
        for day in DAYS[first : first + int(rng.integers(1, 3))]:
            skills = scenario.nurses[str(nurse)][1]
            texts += [f"!{nurse}_{day}_{shift}_{skill}" for shift in scenario.shifts for skill in skills]
    return Context.parse(" & ".join(texts), schema)


def _shifts(which: str, scenario: Scenario) -> tuple[str, ...]:
    return tuple(scenario.shifts) if which == "Any" else (which,)
