"""Decision quality: what a user feels of a model, in contexts that nobody chose.

In each context the model is asked for one best assignment, and the true model judges it: truly optimal, merely feasible
(then it has a regret, the share of the best value that it misses), against the rules, or none at all although there is
one. Contexts are drawn so that the truth allows them: an assignment near a random one that satisfies the truth's rules,
of which a random part is given.

Cost: two solves per context.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError, ResourceError
from hassle.logic import EMPTY, Constraint, Context
from hassle.model import Model
from hassle.solve import aligned
from hassle.solve.choice import solver_for
from hassle.solve.implication import feasible


@dataclass(frozen=True)
class Decisions:
    """How good the answers were in so many ``contexts``; shares of all of them, and the mean regret of feasible ones.

    ``unanswered`` is the share without an answer; ``regret`` is None where no feasible answer has one, because there is
    none or the best value is not positive.
    """

    contexts: int
    optimal: Fraction
    infeasible: Fraction
    unanswered: Fraction
    regret: Fraction | None

    def record(self) -> dict[str, Any]:
        """The documented JSON keys."""
        return {
            "optimal": float(self.optimal),
            "infeasible": float(self.infeasible),
            "unanswered": float(self.unanswered),
            "regret": None if self.regret is None else float(self.regret),
            "contexts": self.contexts,
        }


def decision_quality(
    model: Model, truth: Model, contexts: Sequence[Context], *, time_limit: float | None = None
) -> Decisions:
    """What the model's answers in these contexts are worth by the true model.

    Parameters
    ----------
    model, truth
        Models over the same variables, in whatever order.
    contexts
        Where to ask; contexts in which the truth has no feasible assignment are left out.
    time_limit
        Seconds for all of them; the contexts that were done by then count. Not having done one is a ResourceError.
    """
    model = aligned(model, truth.schema)

    def answer(context: Context, left: float | None) -> NDArray[np.uint8] | None:
        best = solver_for(model, context, time_limit=left).best(model, context)
        return None if best is None else best.bits

    return quality_of_answers(answer, truth, contexts, time_limit=time_limit)


# The answer in a context, in the true model's variables, within so many seconds; None where there is none.
Answers = Callable[[Context, float | None], NDArray[np.uint8] | None]


def quality_of_answers(
    answer_in: Answers, truth: Model, contexts: Sequence[Context], *, time_limit: float | None = None
) -> Decisions:
    """The same for whatever gives answers, such as a committee."""
    deadline = None if time_limit is None else time.monotonic() + time_limit
    optimal = infeasible = unanswered = done = 0
    regrets: list[Fraction] = []
    for context in contexts:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            break
        try:
            best = solver_for(truth, context, time_limit=left).best(truth, context)
            answer = answer_in(context, left)
        except ResourceError:
            if deadline is None:
                raise
            break
        if best is None:
            continue
        done += 1
        if answer is None:
            unanswered += 1
            continue
        row = answer[None, :]
        if not truth.feasible(row)[0]:
            infeasible += 1
            continue
        value = int(truth.values(row)[0])
        optimal += value == best.value
        if best.value > 0:
            regrets.append(Fraction(best.value - value, best.value))
    if not done:
        raise ResourceError("no context was solved in time, or the truth allows none; allow more time")
    return Decisions(
        done,
        Fraction(optimal, done),
        Fraction(infeasible, done),
        Fraction(unanswered, done),
        sum(regrets, Fraction(0)) / len(regrets) if regrets else None,
    )


def random_contexts(truth: Model, count: int, seed: int = 0) -> list[Context]:
    """Random contexts that the truth allows: up to half of the columns of a random feasible assignment each."""
    if count < 1:
        raise InputError(f"{count} contexts are too few", fix="ask for at least 1")
    rng = np.random.default_rng(seed)
    schema, variables = truth.schema, len(truth.variables)
    result = []
    with feasible(truth.hard, variables, EMPTY.within(schema)) as known:
        if not known.possible():
            raise InputError("no assignment satisfies the true model's rules", fix="correct the truth")
        for _ in range(count):
            bits = known.near(rng.integers(0, 2, variables).astype(np.uint8), [])
            size = rng.integers(1, max(2, len(schema.columns) // 2 + 1))
            columns = rng.choice(len(schema.columns), size=size, replace=False)
            given = [v for c in columns for v in range(schema.starts[c], schema.starts[c + 1])]
            literals = (v + 1 if bits[v] else -(v + 1) for v in sorted(given))
            result.append(Context(Constraint.of(literals).literals))
    return result
