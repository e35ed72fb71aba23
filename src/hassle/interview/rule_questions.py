"""Questions about rules: those that members disagree on, each with a decision that it would forbid.

A rule is asked about only where some member would break it, as a rule that nobody would break changes no decision.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from hassle.interview.opinions import Opinions
from hassle.interview.polling import Candidate
from hassle.interview.questions import RuleRight
from hassle.kernels.codes import OPTIMAL
from hassle.logic import Assignment, Constraint, Schema
from hassle.model import Model, Rule, constraint_words, rule_text
from hassle.model.family_words import family_words

ALWAYS, USUALLY, NO = 0, 1, 2
MOST_RULES = 40


def rules_to_confirm(
    members: Sequence[Model],
    opinions: Opinions,
    weights: NDArray[np.float64],
    positives: NDArray[np.uint8],
    schema: Schema,
    asked: Collection[Hashable],
) -> list[Candidate]:
    """Rules of some member that another one would break in a situation looked at."""
    rules = list(dict.fromkeys(rule.what for member in members for rule in member.rules if rule.weight is None))
    wanted = (opinions.verdicts == OPTIMAL).T @ weights
    result = []
    for what in rules[:MOST_RULES]:
        alone = Model(members[0].schema, (Rule(what, None),))
        broken = ~alone.feasible(opinions.situations.rows)
        liked = np.where(broken, wanted, 0.0)
        codes = np.array([_opinion(member, what) for member in members])
        if not liked.max(initial=0.0) or (codes == codes[0]).all():
            continue
        row = int(liked.argmax())
        kept = int(alone.feasible(positives).sum()) if len(positives) else 0
        question = RuleRight(
            opinions.situations.contexts[int(opinions.situations.where[row])],
            Assignment.of(schema, opinions.situations.rows[row]),
            rule_text(what, members[0].schema),
            _phrase(what, members[0].schema),
            kept,
            len(positives) - kept,
        )
        if question.key not in asked:
            result.append(Candidate(question, codes, 3))
    return result


def _opinion(member: Model, what: object) -> int:
    own = [rule for rule in member.rules if rule.what == what]
    if not own:
        return NO
    return ALWAYS if own[0].weight is None else USUALLY


def _phrase(what: object, schema: Schema) -> str:
    return constraint_words(what, schema) if isinstance(what, Constraint) else family_words(what, schema)  # type: ignore[arg-type]
