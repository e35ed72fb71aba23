"""Whether a model would have answered as somebody did: exactly, by solving, for any kind of question."""

from __future__ import annotations

import numpy as np

from hassle.interview.answers import Answer
from hassle.interview.questions import AOrB, ChangeIt, GoodOrBad, RuleRight
from hassle.logic import Assignment, Context
from hassle.model import Model
from hassle.solve import best_value


def agrees(model: Model, answer: Answer) -> bool:
    """Whether the answer is what the model would say; an answer that says nothing agrees with every model."""
    question = answer.question
    match question:
        case GoodOrBad() if answer.known:
            return _verdict_agrees(model, question.context, question.assignment, answer.value)
        case AOrB() if answer.known:
            first, second = merit(model, question.first), merit(model, question.second)
            return answer.value == ("same" if first == second else "a" if first > second else "b")
        case ChangeIt() if answer.known:
            liked = question.assignment if answer.changed is None else answer.changed
            shown_is_bad = answer.changed is None or not _optimal(model, question.context, question.assignment)
            return _optimal(model, question.context, liked) and shown_is_bad
        case RuleRight() if answer.value == "always":
            return not model.feasible(_row(question.forbidden))[0]
    return True


def merit(model: Model, decision: Assignment) -> tuple[bool, int]:
    """What decides between two decisions: to be allowed, and then the value. Those not allowed are alike."""
    row = _row(decision)
    allowed = bool(model.feasible(row)[0])
    return allowed, int(model.values(row)[0]) if allowed else 0


def _verdict_agrees(model: Model, context: Context, decision: Assignment, said: str) -> bool:
    if said == "infeasible":
        return not model.feasible(_row(decision))[0]
    optimal = _optimal(model, context, decision)
    if said == "suboptimal":
        return bool(model.feasible(_row(decision))[0]) and not optimal
    return optimal == (said == "good")


def _optimal(model: Model, context: Context, decision: Assignment) -> bool:
    allowed, value = merit(model, decision)
    return allowed and value == best_value(model, context)


def _row(decision: Assignment) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    return np.array(decision.bits, dtype=np.uint8)[None, :]
