"""The bundled example: three days in a small ward, and the rules its planner has in mind.

Four nurses, five shifts, twenty variables such as ``ana_mon_day``. Ana and Carla are seniors, Ben is a nurse, Dan is a
trainee. The rules (:data:`RULES`) and wishes (:data:`WISHES`) below are the true model; the examples are rosters that
the planner would call best, or not, in 120 situations: somebody on leave, a day already settled, a request.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hassle.data import Dataset
from hassle.generate.examples import Wanted
from hassle.generate.noise import without_reasons
from hassle.generate.problem import label_contexts
from hassle.logic import Context
from hassle.model import Model

NURSES = ("ana", "ben", "carla", "dan")
DAYS = ("mon_day", "tue_day", "wed_day")
NIGHTS = ("mon_night", "tue_night")
SHIFTS = ("mon_day", "mon_night", "tue_day", "tue_night", "wed_day")
VARIABLES = tuple(f"{nurse}_{shift}" for nurse in NURSES for shift in SHIFTS)

DATES = {"mon": ("mon_day", "mon_night"), "tue": ("tue_day", "tue_night"), "wed": ("wed_day",)}

RULES = (
    # Coverage: by day somebody trained is there, by night a senior.
    *(f"ana_{day} | ben_{day} | carla_{day}" for day in DAYS),
    *(f"ana_{night} | carla_{night}" for night in NIGHTS),
    # Rest: nobody works by day after a night.
    *(f"!{nurse}_mon_night | !{nurse}_tue_day" for nurse in ("ana", "ben", "carla")),
    *(f"!{nurse}_tue_night | !{nurse}_wed_day" for nurse in ("ana", "ben", "carla")),
    # A trainee works no nights.
    *(f"!dan_{night}" for night in NIGHTS),
    # Forbidden pair: Ben may not supervise Dan. With the coverage above, Dan always works beside a senior.
    *(f"!ben_{day} | !dan_{day}" for day in DAYS),
)

WISHES = (
    # Fairness: the nights are shared, and so is a long date.
    *((f"!{senior}_mon_night | !{senior}_tue_night", "0.6") for senior in ("ana", "carla")),
    *(
        (f"!{senior}_{date}_day | !{senior}_{date}_night", "0.5")
        for senior in ("ana", "carla")
        for date in ("mon", "tue")
    ),
    # Budget: one senior at a time is enough. (On the mornings after a night, the rules see to it already.)
    *((f"!ana_{shift} | !carla_{shift}", "0.45") for shift in ("mon_day", *NIGHTS)),
    # Training: Dan gets a day at the beginning or at the end.
    ("dan_mon_day | dan_wed_day", "0.4"),
    # Preferences.
    *((f"!ben_{night}", "0.35") for night in NIGHTS),
    ("ben_tue_day", "0.3"),
    ("!ana_wed_day", "0.25"),
    ("carla_tue_night", "0.2"),
)

# Requests that a planner may have to honour; more than plain facts, hence written as formulas.
REQUESTS = (
    "ana_wed_day | ben_wed_day",
    "ben_tue_day | dan_tue_day",
    "ana_tue_night -> !ben_tue_night",
    "ben_wed_day <-> !dan_tue_day",
    "!(ana_tue_day & ben_tue_day)",
    "carla_tue_night -> carla_tue_day | ben_tue_day",
)

SITUATIONS = 120
SEED = 2020


def roster_model() -> Model:
    """The true model of the bundled example."""
    return Model.build(VARIABLES, RULES, WISHES, about={"name": "nurse roster", "source": "hassle.generate.roster"})


def roster_data() -> Dataset:
    """The bundled examples, always the same: up to two best rosters and two bad ones per situation."""
    rng = np.random.default_rng(SEED)
    data = label_contexts(roster_model(), roster_situations(rng), Wanted(), rng)
    return replace(data, labels=without_reasons(data.labels))


def roster_situations(rng: np.random.Generator, count: int = SITUATIONS) -> tuple[Context, ...]:
    """Distinct feasible contexts: every leave first, then random ones of each kind in turn."""
    from hassle.solve import best_value

    model = roster_model()
    chosen: dict[Context, None] = {}
    for text in _situations(rng):
        context = Context.parse(text, VARIABLES)
        if context not in chosen and best_value(model, context) is not None:
            chosen[context] = None
            if len(chosen) == count:
                return tuple(chosen)
    raise AssertionError


def _situations(rng: np.random.Generator) -> Iterator[str]:
    for nurse in NURSES:
        yield away(nurse, SHIFTS)
    while True:
        yield f"{_leave(rng)} & {_promised(rng)}"
        yield f"{_worked(rng)} & {_day_off(rng)}"
        yield f"{_leave(rng)} & {_worked(rng)}"
        yield f"{_worked(rng)} & ({_one(REQUESTS, rng)})"


def away(nurse: str, shifts: tuple[str, ...]) -> str:
    """The context in which a nurse works none of these shifts."""
    return " & ".join(f"!{nurse}_{shift}" for shift in shifts)


def _leave(rng: np.random.Generator) -> str:
    return away(_one(NURSES, rng), SHIFTS)


def _day_off(rng: np.random.Generator) -> str:
    return away(_one(NURSES, rng), DATES[_one(tuple(DATES), rng)])


def _worked(rng: np.random.Generator) -> str:
    """Monday or Tuesday is settled, one way or another; what remains is to plan the other days."""
    settled = DATES[_one(("mon", "tue"), rng)]
    return _given([f"{nurse}_{shift}" for nurse in NURSES for shift in settled], rng)


def _promised(rng: np.random.Generator) -> str:
    """A nurse has been promised a roster; what remains is to plan the others."""
    nurse = _one(NURSES, rng)
    return _given([f"{nurse}_{shift}" for shift in SHIFTS], rng)


def _given(names: list[str], rng: np.random.Generator) -> str:
    return " & ".join(
        name if bit else f"!{name}" for name, bit in zip(names, rng.integers(0, 2, len(names)), strict=True)
    )


def _one(choices: tuple[str, ...], rng: np.random.Generator) -> str:
    return choices[int(rng.integers(len(choices)))]
