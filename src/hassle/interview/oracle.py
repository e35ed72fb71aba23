"""Answers by a known model, sometimes wrong: what stands in for a person in tests, benchmarks and rehearsals."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError
from hassle.interview.agreement import merit
from hassle.interview.answers import Answer
from hassle.interview.questions import UNKNOWN, AOrB, ChangeIt, GoodOrBad, Question, RuleRight
from hassle.logic import Assignment, Constraint, Context
from hassle.logic.formula import at_least, conjunction
from hassle.model import Model
from hassle.model.families import Family
from hassle.solve import aligned, best_value, optima, solve
from hassle.solve.implication import feasible
from hassle.tables.completions import completions

# Up to so many completions all best decisions are compared to find the nearest.
LISTED = 2**12


@dataclass
class Oracle:
    """Answers as the ``truth`` would; with probability ``wrong`` one of the other answers, "I don't know" aside."""

    truth: Model
    wrong: float = 0.0
    seed: int = 0
    _rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        if not 0 <= self.wrong <= 1:
            raise InputError(f"the share of wrong answers is {self.wrong}", fix="give a fraction between 0 and 1")
        self._rng = np.random.default_rng(self.seed)

    def answer(self, question: Question) -> Answer:
        truth = aligned(self.truth, question.schema)
        right = _right_answer(question, truth)
        if self._rng.random() >= self.wrong:
            return right
        if isinstance(question, ChangeIt):
            return Answer(question, "good") if right.value != "good" else self._spoilt(question)
        others = [value for value in question.answers if value not in (right.value, "bad")]
        return Answer(question, str(self._rng.choice(others)))

    def _spoilt(self, question: ChangeIt) -> Answer:
        """A decision that was good, changed in one column that the context leaves open."""
        bits = np.array(question.assignment.bits, dtype=np.uint8)
        for v in self._rng.permutation(len(bits)).tolist():
            row = bits.copy()
            row[v] ^= 1
            if question.context.holds(row[None, :])[0] and question.schema.admits(row[None, :])[0]:
                return Answer.of(question, row)
        return Answer(question, "good")


def _right_answer(question: Question, truth: Model) -> Answer:
    match question:
        case GoodOrBad():
            verdict = truth.verdict_against(question.assignment, question.context, best_value(truth, question.context))
            return Answer(question, {"optimal": "good"}.get(str(verdict), str(verdict)))
        case AOrB():
            first, second = (merit(truth, each) for each in (question.first, question.second))
            return Answer(question, "same" if first == second else "a" if first > second else "b")
        case ChangeIt():
            best = nearest_best(truth, question.context, question.assignment)
            return Answer(question, UNKNOWN) if best is None else Answer.of(question, best)
        case RuleRight():
            return Answer(question, rule_answer(question.rule, truth))
    raise AssertionError(question)


def nearest_best(model: Model, context: Context, decision: Assignment) -> NDArray[np.uint8] | None:
    """A best decision in the context with the fewest changes; None where nothing is allowed."""
    bits = np.array(decision.bits, dtype=np.uint8)
    if completions(context, model.schema).fits(LISTED):
        best = optima(model, context, limit=LISTED).assignments
        return best[int((best != bits).sum(axis=1).argmin())] if len(best) else None
    # What is near is a wish that no other wish outweighs, among what is worth as much as the best.
    near = Model.from_units(
        model.schema,
        model.hard,
        [
            *(
                (each.constraint, 1000 * weight)
                for each, weight in zip(model.soft, model.weights.tolist(), strict=True)
            ),
            *((Constraint((v + 1 if bit else -(v + 1),)), 1) for v, bit in enumerate(bits.tolist())),
        ],
        unit=model.unit,
    )
    found = solve(near, context)
    return None if found is None else np.array(found.bits, dtype=np.uint8)


def rule_answer(rule: str, truth: Model) -> str:
    """What a known model says of a rule: ``always`` if its rules imply it, ``usually`` if it is a wish, else ``no``."""
    said = Model.build(truth.schema, hard=[rule]).rules[0].what
    instances = said.instances(truth.schema) if isinstance(said, Family) else (said,)
    domain = Context.of(conjunction([at_least(each) for each in truth.schema.domain]))
    with feasible(truth.hard, len(truth.variables), domain) as known:
        if all(known.implies(each) for each in instances):
            return "always"
    wishes = {each.constraint for each, weight in zip(truth.soft, truth.weights.tolist(), strict=True) if weight > 0}
    return "usually" if wishes >= set(instances) else "no"
