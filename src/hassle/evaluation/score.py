"""The score of a model on examples, and for each example that it gets wrong, the reason.

The score is the share of examples whose verdict agrees with the label (optimal = positive): the paper's training
accuracy, and what learners maximise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hassle.data import LABELS, Dataset, Label
from hassle.logic import Assignment
from hassle.model import VERDICTS, Model, Verdict
from hassle.solve import agrees, aligned, solver_for, verdicts
from hassle.solve.protocol import Best


@dataclass(frozen=True)
class Difference:
    """A soft clause on which an example and a better assignment differ; ``gain`` is what the better one has more."""

    clause: str
    gain: Decimal


@dataclass(frozen=True)
class Mistake:
    """An example that the model gets wrong: number ``row`` from 1, on line ``line`` of its file.

    ``broken`` are the hard clauses it breaks; where it is suboptimal, ``better`` is an assignment that beats it in its
    context and ``differences`` are the soft clauses by which it does.
    """

    row: int
    line: int | None
    context: str
    label: Label
    verdict: Verdict
    reason: str
    broken: tuple[str, ...] = ()
    better: Assignment | None = None
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True)
class Score:
    """How many of the ``examples`` are ``correct``, and the mistakes in the order of the examples.

    Of so many ``comparisons`` the model disagrees with those that ``disagreed`` lists, numbered from 1.
    """

    examples: int
    correct: int
    mistakes: tuple[Mistake, ...]
    comparisons: int = 0
    disagreed: tuple[int, ...] = ()

    @property
    def score(self) -> Fraction | None:
        """The share that is correct; None where there are no examples."""
        return Fraction(self.correct, self.examples) if self.examples else None


def score(model: Model, data: Dataset, *, solver: str = "auto") -> Score:
    """Judge every example, and explain each one that the model gets wrong."""
    model = aligned(model, data.schema)
    codes = verdicts(model, data, solver=solver)
    right = agrees(codes, data)
    judge = _Explainer(model, data, solver)
    mistakes = tuple(judge.explain(int(k), VERDICTS[codes[k]]) for k in np.flatnonzero(~right))
    disagreed = tuple((np.flatnonzero(~comparisons_agreed(model, data)) + 1).tolist())
    return Score(len(data), int(right.sum()), mistakes, len(data.comparisons), disagreed)


def comparisons_agreed(model: Model, data: Dataset) -> NDArray[np.bool_]:
    """For each comparison: whether the model allows the better one, and values it more or forbids the worse one."""
    model, pairs = aligned(model, data.schema), data.comparisons
    preferred = ~model.feasible(pairs.worse) | (model.values(pairs.better) > model.values(pairs.worse))
    return model.feasible(pairs.better) & preferred


class _Explainer:
    """Explains mistakes; solves each context at most once."""

    def __init__(self, model: Model, data: Dataset, solver: str) -> None:
        self.model, self.data, self.solver = model, data, solver
        self.best: dict[int, Best] = {}

    def explain(self, k: int, verdict: Verdict) -> Mistake:
        data = self.data
        mistake = Mistake(
            row=k + 1,
            line=data.line(k),
            context=data.contexts[data.context_of[k]].text(data.schema),
            label=LABELS[data.labels[k]],
            verdict=verdict,
            reason="",
        )
        match verdict:
            case Verdict.INFEASIBLE:
                return self._infeasible(mistake, k)
            case Verdict.SUBOPTIMAL:
                return self._suboptimal(mistake, k)
        return self._optimal(mistake, k)

    def _infeasible(self, mistake: Mistake, k: int) -> Mistake:
        broken = tuple(map(self.model.text, self.model.broken(self.data.assignments[k])))
        return replace(mistake, reason=f"breaks {' and '.join(broken)}", broken=broken)

    def _suboptimal(self, mistake: Mistake, k: int) -> Mistake:
        best = self._best_in(int(self.data.context_of[k]))
        own = self.model.value(self.data.assignments[k])
        satisfied = (self.model.earned(best.bits), self.model.earned(self.data.assignments[k]))
        differences = tuple(
            Difference(self.model.text(soft.constraint), soft.weight if better else -soft.weight)
            for soft, better, worse in zip(self.model.soft, *satisfied, strict=True)
            if better != worse
        )
        return replace(
            mistake,
            reason=f"worth {own:f}, but {self.model.decimal(best.value):f} is possible",
            better=Assignment.of(self.model.schema, best.bits),
            differences=differences,
        )

    def _optimal(self, mistake: Mistake, k: int) -> Mistake:
        own = self.model.value(self.data.assignments[k])
        reason = f"breaks nothing and is worth {own:f}, the most that its context allows"
        return replace(mistake, reason=reason)

    def _best_in(self, c: int) -> Best:
        if c not in self.best:
            context = self.data.contexts[c]
            best = solver_for(self.model, context, self.solver).best(self.model, context)
            assert best is not None, "a suboptimal example is feasible"
            self.best[c] = best
        return self.best[c]
