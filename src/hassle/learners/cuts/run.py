"""One run of the learner: rounds of sampling and cutting within a budget, the best model so far always at hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.errors import ResourceError
from hassle.learners.budget import Budget, Listener, Progress
from hassle.learners.cuts.candidates import candidate_clauses
from hassle.learners.cuts.chain import LEVELS, Chain
from hassle.learners.cuts.comparisons import MOST_CHANGES, Comparisons, first_comparisons
from hassle.learners.cuts.judging import Judgement, judge
from hassle.learners.cuts.room import most_comparisons, most_entries
from hassle.learners.cuts.rules import Rules, mine_rules
from hassle.learners.result import Improvement, LearnResult
from hassle.logic import Clause
from hassle.memory import allowed_memory, shown_bytes
from hassle.model import DEFAULT_UNIT, Model
from hassle.solve import feasibility_agrees

NAME = "cuts"
# Clauses in at least so many of the samples make up the average model, and the simpler one.
SOMETIMES, MOSTLY = 0.1, 0.5
FIRST_HEAT, LATER_HEAT = 0.2, 0.6
# How fast a comparison's need for more clauses fades as its slack grows, in levels.
NEED_FADES = LEVELS / 10
# Shares of the time left, so that a round ends with a model that was judged: for judging the first model with weights,
# which is done in as many contexts as there is time for; for sampling; for the weights of the simpler model.
FIRST_JUDGEMENT, SAMPLING, SETTLING = 0.25, 0.4, 0.25
# Changes in comparisons that a round can cope with for each second of the run.
CHANGES_A_SECOND = 4000
# After so many rounds a model that fits is trusted without a second one.
STEADY = 3


class _SpentError(Exception):
    """The budget ran out in the middle of something."""


@dataclass
class Run:
    data: Dataset
    budget: Budget
    listener: Listener
    max_literals: int
    rounds: int
    sweeps: int
    rng: np.random.Generator
    best: Model = field(init=False)
    done: int = 0
    judgements: int = 0
    trace: list[Improvement] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Where there is time for a part of the contexts only, models are judged in the first in this order, as many as
        # every model so far was: in each of them the best gets so many of so many examples right.
        contexts = len(self.data.contexts)
        self.order = np.arange(contexts) if self._unlimited else self.rng.permutation(contexts)
        # Nothing forbidden, nothing preferred: every example is optimal, which needs no solver to know.
        self.best, self.right = Model(self.data.schema), self._by_context(self.data.positive)
        self.sizes = self._by_context(np.ones(len(self.data), dtype=np.bool_))

    def work(self) -> None:
        try:
            self._work()
        except (_SpentError, ResourceError):
            if not self.best.constraints:
                self.notes.append("the time was up before a model with rules was found and judged; give it more")
            elif not self.best.soft:
                self.notes.append("the time was up before preferences were found and judged: these are rules only")
        except KeyboardInterrupt:
            self.budget.interrupt.set()

    def _work(self) -> None:
        self._checkpoint()
        positive = self.data.positive
        rules = mine_rules(
            self.data.assignments[positive], self.data.assignments[~positive], self.max_literals, self._checkpoint
        )
        self._take(rules)
        rules = rules.irredundant(len(self.data.variables), self._checkpoint)
        self._take(rules)
        believed = positive.copy()
        believed[positive] = ~rules.suspect
        self._tell(f"{len(rules.clauses)} hard clauses")
        room = most_comparisons(self.data)
        comparisons = first_comparisons(
            self.data,
            rules.clauses,
            np.flatnonzero(believed),
            self._checkpoint,
            self.order.tolist(),
            min(MOST_CHANGES, CHANGES_A_SECOND * self.budget.seconds_left, room),
        )
        if room <= comparisons.size:
            self.notes.append(
                f"only {len(comparisons)} comparisons are made, as the {shown_bytes(allowed_memory())} of memory "
                "allowed hold no more (--memory)"
            )
        chain, pooled, settled = None, None, False
        limit = self.rounds if self.budget.steps is None else self.budget.steps
        while self.done < limit and not (self._satisfied and settled):
            chain = self._next_chain(chain, comparisons, rules)
            # The first round is short: a model to start from, and its cuts.
            sweeps, heat = (self.sweeps, LATER_HEAT) if self.done else (self.sweeps // 3, FIRST_HEAT)
            averages = chain.run(sweeps, heat, self._spent_after(SAMPLING))
            simple = chain.settle(averages.weights(MOSTLY), sweeps, self._spent_after(SETTLING))
            # The first round knows no cuts, so its samples are not those to average with.
            pooled = averages if pooled is None or self.done == 1 else pooled.pooled(averages)
            good = []
            # The simpler one is solved sooner, so that there is one if the time is up before the other is judged.
            for weights, simpler in ((simple, True), (pooled.weights(SOMETIMES), False)):
                judgement = self._judge(self._model(rules.clauses, weights), believed, simpler)
                comparisons = comparisons.joined(judgement.cuts)
                good.append(int(judgement.correct.sum()) >= self._enough)
            self.done += 1
            # One good model may be luck as long as the average of few samples says otherwise.
            settled = self.done >= STEADY or all(good)
            self._tell(f"round {self.done}: {len(comparisons)} comparisons")
        self.notes.append(
            f"{len(rules.clauses)} hard clauses mined, {int(rules.suspect.sum())} positives set aside as infeasible; "
            f"{len(comparisons)} comparisons after {self.done} rounds of cuts"
        )

    def _next_chain(self, before: Chain | None, comparisons: Comparisons, rules: Rules) -> Chain:
        """A chain over the candidates of this round that goes on where the last one stopped."""
        active: Mapping[Clause, int] = {} if before is None else before.active
        need = np.ones(len(comparisons))
        if before is not None:
            slacks = np.zeros(len(comparisons))
            slacks[: len(before.slacks)] = before.slacks
            need = np.exp(-np.maximum(slacks, 0) / NEED_FADES)
        clauses = candidate_clauses(comparisons, need, active, set(rules.clauses), self.max_literals, self._checkpoint)
        chain = Chain(
            comparisons,
            clauses,
            active,
            len(self.data.variables),
            len(self.data),
            self.rng,
            most_entries(),
            self._checkpoint,
        )
        if before is not None:
            chain.mislabelled = before.mislabelled
        return chain

    def _model(self, hard: tuple[Clause, ...], weights: Mapping[Clause, float]) -> Model:
        """Average weights as whole thousandths; a negative unit becomes the opposite literal."""
        units = {clause: round(weight * DEFAULT_UNIT / LEVELS) for clause, weight in weights.items()}
        soft = [
            (clause if worth > 0 else tuple(-lit for lit in clause), abs(worth))
            for clause, worth in sorted(units.items())
            if worth
        ]
        return Model.from_units(self.data.variables, hard, soft)

    def _take(self, rules: Rules) -> None:
        """Keep the rules alone unless no rules at all explain more. That needs no solver, so it is done at once."""
        model = Model.from_units(self.data.schema, rules.clauses)
        right = self._by_context(feasibility_agrees(model, self.data))
        if int(right.sum()) >= self.correct:
            self._keep(model, right)

    def _judge(self, model: Model, believed: NDArray[np.bool_], preferred: bool = True) -> Judgement:
        """Judge the model and keep it if it is the best, or if it is as good and preferred.

        The first decides in how many contexts there is time to judge, one at least; all others are judged in these
        contexts, or not at all. Of equals those of later rounds, which know more, and simpler ones are preferred.
        """
        first = not self.judgements
        share = FIRST_JUDGEMENT if first else 1.0
        self.judgements += 1
        end = self.budget.seconds + share * self.budget.seconds_left

        def seconds_left(judged: int) -> float | None:
            self._checkpoint()
            left = max(0.0, end - self.budget.seconds) if judged else self.budget.seconds_left
            return None if math.isinf(left) else left

        judgement = judge(model, self.data, believed, self.order[: len(self.right)].tolist(), seconds_left)
        judged = len(judgement.correct)
        if judged < (min(1, len(self.right)) if first else len(self.right)):
            raise _SpentError
        self.right, self.sizes = self.right[:judged], self.sizes[:judged]
        if int(judgement.correct.sum()) >= self.correct + (not preferred):
            self._keep(model, judgement.correct)
        return judgement

    def _keep(self, model: Model, right: NDArray[np.int64]) -> None:
        correct = int(right.sum())
        if correct > self.correct:
            self.trace.append(Improvement(self.budget.seconds, self.done, 0, correct, model))
        self.best, self.right = model, right

    def _by_context(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """How many examples are chosen, for each context in the order of judging."""
        counts = np.bincount(self.data.context_of, weights=chosen, minlength=len(self.data.contexts))
        return counts[self.order].astype(np.int64)

    @property
    def correct(self) -> int:
        """How many examples the best model gets right, in the contexts in which models are judged."""
        return int(self.right.sum())

    @property
    def examples(self) -> int:
        """How many examples there are in these contexts."""
        return int(self.sizes.sum())

    @property
    def _enough(self) -> int:
        return self.budget.enough(self.examples)

    @property
    def _satisfied(self) -> bool:
        return self.correct >= self._enough

    @property
    def _unlimited(self) -> bool:
        return self.budget.time_limit is None

    def _spent_after(self, share: float) -> Callable[[], bool]:
        """Says when this share of the time left is spent."""
        end = self.budget.seconds + share * self.budget.seconds_left
        return lambda: self.budget.exhausted or self.budget.seconds >= end

    def _checkpoint(self) -> None:
        if self.budget.exhausted:
            raise _SpentError

    def _tell(self, note: str) -> None:
        seconds, left = self.budget.seconds, self.budget.seconds_left
        self.listener(Progress(seconds, left, self.correct, self.examples, self.done, note=note, model=self.best))

    def result(self, seed: int) -> LearnResult:
        return LearnResult(
            model=self.best,
            learner=NAME,
            correct=self.correct,
            examples=self.examples,
            stopped=self.budget.ending(self.correct, self.examples, out_of_steps=self.budget.seconds_left > 0),
            seconds=self.budget.seconds,
            seed=seed,
            constraints=len(self.best.constraints),
            steps=self.done,
            trace=tuple(self.trace),
            notes=tuple(self.notes),
            judged=self._judged(),
        )

    def _judged(self) -> tuple[int, ...] | None:
        judged = len(self.right)
        return None if judged == len(self.order) else tuple(sorted(self.order[:judged].tolist()))
