"""Thinking where contexts leave many completions: a learner's committee, and decisions that a solver finds.

Members are models that the structured learner walked through, or, where it had no time to walk, variations of what it
found. Learning takes seconds, so it is done anew only after some answers; in between, members that contradict the
answers are trusted less. Whether a decision is best for a member is asked of the decisions that are known in that
situation (each member's own best among them for some), not of a solver each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.errors import NoModelError, ResourceError
from hassle.interview.answers import Answer
from hassle.interview.opinions import Opinions
from hassle.interview.questions import AOrB, ChangeIt, GoodOrBad, RuleRight
from hassle.interview.situations import Situations, new_context
from hassle.interview.thoughts import Thought
from hassle.interview.variations import variations, yielding
from hassle.learners import LearnResult, learn
from hassle.logic import Context
from hassle.logic.arranging import arranged
from hassle.model import Model
from hassle.solve.choice import solver_for

# Seconds for learning, at first, when somebody waits, and later; rounds and walks, where nobody waits and the clock
# must not decide; answers after which it is worth it, and as a share of those there were before. Rounds alone are not
# enough: after 20 answers on the bundled ward every plan of 8 rounds broke a rule, hardly one of 16 rounds and walks.
FIRST_SECONDS, LEARNING_SECONDS, STEPS, REFIT, SHARE = 8.0, 45.0, 16, 5, 0.15
# Situations, members in all, those whose best decision is looked for in each situation, and seconds for each.
SITUATIONS, MEMBERS, ASKED, SECONDS = 6, 12, 5, 0.3

Bits = NDArray[np.uint8]


@dataclass(frozen=True)
class Learned:
    """What was learned after so many answers; ``result`` is None where there was nothing to learn from."""

    answers: int
    model: Model
    result: LearnResult | None = None


def learned_from(
    data: Dataset, answers: int, before: Learned | None, known: Model | None, seed: int, by_clock: bool
) -> Learned:
    """A model of the data; without any positive there is nothing but the known rules.

    It is learned from nothing each time: a run that went on from the model before kept what that had wrong (the bundled
    ward after 40 answers: .85 of the plans infeasible or missing, and .08 from nothing, with as many rounds).
    """
    schema = arranged(data.schema)
    empty = Model(schema) if known is None else replace(known, schema=schema)
    if not data.positive.any() and not len(data.comparisons):
        return Learned(answers, empty)
    worth_it = 0 if before is None or before.result is None else max(REFIT, int(SHARE * before.answers))
    if before is not None and answers - before.answers < worth_it:
        return before
    # Steps are the structured learner's; what others call a step is worth much less.
    seconds = FIRST_SECONDS if before is None else LEARNING_SECONDS
    limit: dict[str, Any] = {"steps": STEPS} if schema.arrangements and not by_clock else {"time_limit": seconds}
    try:
        result = learn(
            replace(data, schema=schema),
            "structured" if schema.arrangements else "auto",
            seed=seed,
            known=known,
            committee=MEMBERS,
            **limit,
        )
    except (NoModelError, ResourceError):
        return before or Learned(answers, empty)
    return Learned(answers, result.model, result)


def large_thought(
    learned: Learned, data: Dataset, answers: Sequence[Answer], contexts: Sequence[Context], rng: np.random.Generator
) -> Thought:
    """The committee, in some situations."""
    members = _members(learned, data.assignments[data.positive], rng)
    where = [new_context(contexts, data.schema, rng) for _ in range(SITUATIONS)]
    rows = [_decisions(members, context, rng) for context in where]
    opinions = Opinions.of(members, Situations.of(where, rows))
    weights = np.ones(len(members))
    weights[0] = len(members) / 2  # what was learned is more likely than any other
    for answer in answers:
        if answer.known:
            said = np.array([_agrees(member, answer) for member in members])
            weights = weights * np.where(said, 1.0, 0.1)
    return Thought(len(answers), tuple(members), weights / weights.sum(), opinions)


def _members(learned: Learned, positives: Bits, rng: np.random.Generator) -> list[Model]:
    """What was learned, and other models that explain the answers about as well."""
    committee = None if learned.result is None else learned.result.committee
    if committee is None:
        return variations(learned.model, positives, MEMBERS, rng)
    return list(dict.fromkeys([learned.model, *committee.members]))


def _decisions(members: Sequence[Model], context: Context, rng: np.random.Generator) -> Bits:
    """The best decisions of some members, each once; where none has any, one that breaks as little as can be."""
    chosen = [0, *rng.permutation(np.arange(1, len(members)))[:ASKED].tolist()]
    found: dict[bytes, Bits] = {}
    for m in chosen:
        try:
            best = solver_for(members[m], context, time_limit=SECONDS).best(members[m], context)
        except ResourceError:
            continue
        if best is not None:
            found[best.bits.tobytes()] = best.bits
    if not found and (nearly := solver_for(members[0], context).best(yielding(members[0]), context)) is not None:
        found[nearly.bits.tobytes()] = nearly.bits
    variables = len(members[0].variables)
    return np.array(list(found.values()), dtype=np.uint8).reshape(len(found), variables)


def _agrees(member: Model, answer: Answer) -> bool:
    """What can be said without solving: whether what was called allowed is so, and what was called better."""
    from hassle.interview.agreement import merit

    question = answer.question
    match question:
        case GoodOrBad() if answer.value in ("good", "infeasible", "suboptimal"):
            return merit(member, question.assignment)[0] == (answer.value != "infeasible")
        case AOrB():
            first, second = merit(member, question.first), merit(member, question.second)
            return answer.value == ("same" if first == second else "a" if first > second else "b")
        case ChangeIt() if answer.changed is not None:
            return merit(member, answer.changed) > merit(member, question.assignment)
        case ChangeIt():
            return merit(member, question.assignment)[0]
        case RuleRight() if answer.value == "always":
            return not merit(member, question.forbidden)[0]
    return True
