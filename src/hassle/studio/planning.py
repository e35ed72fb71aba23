"""Plans for a situation: the best one, what had to give, others as good, and why not this one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError, ResourceError
from hassle.logic import Assignment, Constraint, Context, Schema
from hassle.model import Model, Rule
from hassle.model.words import rule_words
from hassle.solve import solver_for
from hassle.studio.evidence import broken_instances
from hassle.studio.instances import breaches, broken_places
from hassle.studio.layout import Items

# Seconds for one question to a solver, and for finding out which rule stands in the way.
SOLVING, BLAMING = 10.0, 2.0
# Threads of the solver: it may take many times as long with one, and somebody is waiting.
WORKERS = 4
# Instances of a broken rule that are said.
SAID = 6

Bits = NDArray[np.uint8]


@dataclass(frozen=True)
class Situation:
    """What holds: items that are fixed, items that are ruled out, and what the person wrote besides."""

    yes: tuple[int, ...] = ()
    no: tuple[int, ...] = ()
    also: str = ""

    @classmethod
    def from_data(cls, data: Any) -> Situation:
        match data:
            case {"yes": list(yes), "no": list(no), "also": str(also)}:
                return cls(tuple(yes), tuple(no), also)
        raise InputError("that is no situation", fix="load the page again")

    def context(self, schema: Schema) -> Context:
        return Items.of(schema).context(self.yes, self.no, self.also)


def best_plan(model: Model, situation: Situation, without: Sequence[Sequence[int]] = ()) -> dict[str, Any]:
    """The best plan in the situation, and what had to give; not one of those listed, where there are any."""
    started = time.monotonic()
    context = situation.context(model.schema)
    items = Items.of(model.schema)
    others = [_another_than(items.bits(on)) for on in without]
    searched = model.with_hard(*others) if others else model
    try:
        best = solver_for(searched, context, time_limit=SOLVING, workers=WORKERS).best(searched, context)
    except ResourceError:
        return {"status": "unknown", "said": f"no best plan was found within {SOLVING:.0f} seconds"}
    text = context.text(model.schema)
    if best is None:
        blame = [] if without else _in_the_way(model, context)
        return {"status": "infeasible", "blame": blame, "context": text}
    return {
        "status": "optimal",
        "context": text,
        "on": items.on(Assignment.of(model.schema, best.bits)),
        "value": str(model.decimal(best.value).normalize()) if best.value else "0",
        "units": best.value,
        "gave": what_gave(model, best.bits),
        "seconds": round(time.monotonic() - started, 3),
    }


def what_gave(model: Model, bits: Bits) -> list[dict[str, Any]]:
    """The wishes that the plan does not fulfil everywhere, the dearest first."""
    lost = []
    for rule in model.rules:
        if rule.weight is None:
            continue
        times = int(broken_instances(rule, model.schema, bits[None, :])[0])
        if times:
            cost = abs(rule.weight) * times
            said = {"words": rule_words(rule.what, model.schema), "times": times, "cost": float(cost)}
            lost.append({**said, "where": _where(rule, model.schema, bits)})
    return sorted(lost, key=lambda each: -each["cost"])


def _where(rule: Rule, schema: Schema, bits: Bits) -> list[str]:
    """Where the plan breaks the rule, in words; nothing for a rule that is its own only instance."""
    if len(rule.instances(schema)) < 2:
        return []
    places = broken_places(rule, schema, bits)
    return breaches(rule, schema, places[:SAID]) + (["…"] if len(places) > SAID else [])


def why_not(model: Model, situation: Situation, on: Sequence[int]) -> dict[str, Any]:
    """What is to be said of a plan that the person made: the rules it breaks, what it costs against the best."""
    bits = Items.of(model.schema).bits(on)
    context = situation.context(model.schema)
    broken = [
        {"words": rule_words(rule.what, model.schema), "where": _where(rule, model.schema, bits)}
        for rule in model.rules
        if rule.weight is None and broken_instances(rule, model.schema, bits[None, :])[0]
    ]
    value = int(model.values(bits[None, :])[0])
    answer: dict[str, Any] = {
        "broken": broken,
        "fits": bool(context.holds(bits[None, :])[0]),
        "value": str(model.decimal(value).normalize()) if value else "0",
        "gave": what_gave(model, bits),
        "loss": None,
    }
    try:
        best = solver_for(model, context, time_limit=SOLVING, workers=WORKERS).best(model, context)
    except ResourceError:
        return answer
    if best is not None:
        answer["loss"] = float(model.decimal(best.value - value))
        answer["new"] = _difference(answer["gave"], what_gave(model, best.bits))
    return answer


def _difference(now: list[dict[str, Any]], before: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The wishes that are broken more often than before, with how much more."""
    old = {each["words"]: each["times"] for each in before}
    return [
        {**each, "times": each["times"] - old.get(each["words"], 0)}
        for each in now
        if each["times"] > old.get(each["words"], 0)
    ]


def _another_than(bits: Bits) -> Constraint:
    """That a plan differs somewhere."""
    return Constraint(tuple(-(v + 1) if bit else v + 1 for v, bit in enumerate(bits.tolist())))


def _in_the_way(model: Model, context: Context) -> list[str]:
    """The rules without any one of which there would be a plan, as far as there is time to find out."""
    hard = [rule for rule in model.rules if rule.weight is None]
    end = time.monotonic() + BLAMING
    found = []
    for rule in hard:
        left = end - time.monotonic()
        if left <= 0:
            break
        others = replace(model, rules=tuple(each for each in hard if each is not rule))
        try:
            if solver_for(others, context, time_limit=left, workers=WORKERS).best(others, context) is not None:
                found.append(rule_words(rule.what, model.schema))
        except ResourceError:
            break
    return found
