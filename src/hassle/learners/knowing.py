"""Learning what is not known yet: rules that the user can write down are respected, not learned.

A known hard rule narrows every context: learners see the examples that satisfy it, in contexts that ask for it, and so
learn the rest. Negatives that break it are explained by it. Positives that break it contradict it; the rule wins, they
are set aside, and the user is told which they are. Known rules with weights are the learner's business
(:mod:`hassle.learners.wishes`): what it returns has them. So are all rules for the structured learner, to which
contexts with many rules would be a burden.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.errors import InputError
from hassle.learners.result import LearnResult
from hassle.learners.wishes import with_rules, without
from hassle.logic import Context
from hassle.logic.formula import at_least, conjunction
from hassle.logic.names import listing
from hassle.model import Model
from hassle.solve import aligned


@dataclass(frozen=True)
class Known:
    """The examples that known rules leave to learn from, and what to make of the others."""

    rules: Model
    data: Dataset
    left: Dataset
    broken: NDArray[np.bool_]

    @classmethod
    def of(cls, rules: Model, data: Dataset, *, narrow: bool = True) -> Known:
        """The data in contexts that ask for the hard rules, unless the learner is told them."""
        rules = aligned(rules, data.variables)
        broken = ~rules.feasible(data.assignments)
        if broken.all():
            raise InputError("every example breaks a known rule", fix="correct the rules", file=data.source)
        kept = np.flatnonzero(~broken)
        if not narrow or not rules.hard:
            return cls(rules, data, data.subset(kept) if broken.any() else data, broken)
        asked = [at_least(constraint) for constraint in rules.hard]
        narrowed = [Context.of(conjunction([context.formula, *asked])) for context in data.contexts]
        left = data.subset(kept).in_contexts([narrowed[c] for c in data.context_of[kept]])
        return cls(rules, data, left, broken)

    @property
    def wishes(self) -> Model | None:
        """The rules with weights, None without any."""
        soft = tuple(rule for rule in self.rules.rules if rule.weight is not None)
        return replace(self.rules, rules=soft) if soft else None

    def completed(self, result: LearnResult) -> LearnResult:
        """What was learned, with the known rules before it, and counted over all examples."""
        # Known families may be over an arrangement that the learner did not need.
        schema = result.model.schema if result.model.schema.arrangements else self.rules.schema
        # Learned once more a rule would say nothing, and wishes are in the model already.
        learned = without(result.model, self.rules.rules).rules
        model = with_rules(replace(result.model, schema=schema), (*self.rules.rules, *learned))
        against = self.broken & self.data.positive
        return replace(
            result,
            model=model,
            correct=result.correct + int((self.broken & ~self.data.positive).sum()),
            examples=result.examples + int(self.broken.sum()),
            constraints=len(model.constraints),
            notes=(*result.notes, *self._contradictions(np.flatnonzero(against))),
            judged=None if result.judged is None else self._judged(result.judged),
        )

    def _judged(self, judged: tuple[int, ...]) -> tuple[int, ...]:
        """The contexts of the data whose narrowed form was judged, and those that have no examples left."""
        kept = np.flatnonzero(~self.broken)
        wanted = np.isin(self.left.context_of, judged)
        seen = set(self.data.context_of[kept[wanted]].tolist())
        emptied = set(self.data.context_of.tolist()) - set(self.data.context_of[kept].tolist())
        return tuple(sorted(seen | emptied))

    def _contradictions(self, rows: NDArray[np.int64]) -> list[str]:
        if not len(rows):
            return []
        places = [str(self.data.line(k) if self.data.lines is not None else k + 1) for k in rows.tolist()]
        where = ("line" if self.data.lines is not None else "example") + "s" * (len(rows) > 1)
        what = "positives break a known rule and were" if len(rows) > 1 else "positive breaks a known rule and was"
        return [f"{len(rows)} {what} set aside ({where} {listing(places, 8)})"]
