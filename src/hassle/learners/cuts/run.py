"""One run of the learner: rounds of sampling and cutting within a budget, the best model so far always at hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.errors import ResourceError
from hassle.learners.budget import Budget, Listener, Progress
from hassle.learners.cuts.candidates import candidate_clauses
from hassle.learners.cuts.chain import LEVELS, Chain
from hassle.learners.cuts.comparisons import Comparisons, first_comparisons, looked_around
from hassle.learners.cuts.judging import judge
from hassle.learners.cuts.room import most_comparisons, most_entries
from hassle.learners.cuts.rules import Rules, mine_rules
from hassle.learners.result import Improvement, LearnResult, Stopped
from hassle.logic import Clause
from hassle.memory import allowed_memory, shown_bytes
from hassle.model import DEFAULT_UNIT, Model

NAME = "cuts"
# Clauses in at least so many of the samples make up the average model, and the simpler one.
SOMETIMES, MOSTLY = 0.1, 0.5
FIRST_HEAT, LATER_HEAT = 0.2, 0.6
# How fast a comparison's need for more clauses fades as its slack grows, in levels.
NEED_FADES = LEVELS / 10
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
    correct: int = field(init=False)
    done: int = 0
    trace: list[Improvement] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Nothing forbidden, nothing preferred: every example is optimal, which needs no solver to know.
        self.best, self.correct = Model(self.data.schema), int(self.data.positive.sum())

    def work(self) -> None:
        try:
            self._work()
        except (_SpentError, ResourceError):
            pass  # the best so far stands
        except KeyboardInterrupt:
            self.budget.interrupt.set()

    def _work(self) -> None:
        self._checkpoint()
        positive = self.data.positive
        rules = mine_rules(
            self.data.assignments[positive], self.data.assignments[~positive], self.max_literals, self._checkpoint
        )
        believed = positive.copy()
        believed[positive] = ~rules.suspect
        only_rules = Model.from_units(self.data.schema, rules.clauses)
        self._found(only_rules, judge(only_rules, self.data, believed, self._seconds_left).correct)
        self._tell(f"{len(rules.clauses)} hard clauses")
        comparisons = self._first_comparisons(rules, np.flatnonzero(believed))
        chain, pooled, settled = None, None, False
        limit = self.rounds if self.budget.steps is None else self.budget.steps
        while self.done < limit and not (self._satisfied and settled):
            chain = self._next_chain(chain, comparisons, rules)
            # The first round is short: a model to start from, and its cuts.
            sweeps, heat = (self.sweeps, LATER_HEAT) if self.done else (self.sweeps // 3, FIRST_HEAT)
            averages = chain.run(sweeps, heat, self._spent)
            simple = chain.settle(averages.weights(MOSTLY), sweeps, self._spent)
            # The first round knows no cuts, so its samples are not those to average with.
            pooled = averages if pooled is None or self.done == 1 else pooled.pooled(averages)
            counts = []
            for weights in (pooled.weights(SOMETIMES), simple):
                self._checkpoint()
                model = self._model(rules.clauses, weights)
                judgement = judge(model, self.data, believed, self._seconds_left)
                comparisons = comparisons.joined(judgement.cuts)
                counts.append(judgement.correct)
                self._found(model, judgement.correct)
            self.done += 1
            # One good model may be luck as long as the average of few samples says otherwise.
            settled = self.done >= STEADY or min(counts) >= self.budget.enough(len(self.data))
            self._tell(f"round {self.done}: {len(comparisons)} comparisons")
        self.notes.append(
            f"{len(rules.clauses)} hard clauses mined, {int(rules.suspect.sum())} positives set aside as infeasible; "
            f"{len(comparisons)} comparisons after {self.done} rounds of cuts"
        )

    def _first_comparisons(self, rules: Rules, positives: NDArray[np.int64]) -> Comparisons:
        most = most_comparisons(self.data)
        around = looked_around(self.data, positives, most, self.rng)
        if len(around) < len(positives):
            self.notes.append(
                f"of {len(positives)} positives {len(around)} are compared with assignments near them, as the "
                f"{shown_bytes(allowed_memory())} of memory allowed hold no more (--memory)"
            )
        return first_comparisons(self.data, rules.clauses, positives, self._checkpoint, around)

    def _next_chain(self, before: Chain | None, comparisons: Comparisons, rules: Rules) -> Chain:
        """A chain over the candidates of this round that goes on where the last one stopped."""
        active: Mapping[Clause, int] = {} if before is None else before.active
        need = np.ones(len(comparisons))
        if before is not None:
            slacks = np.zeros(len(comparisons))
            slacks[: len(before.slacks)] = before.slacks
            need = np.exp(-np.maximum(slacks, 0) / NEED_FADES)
        clauses = candidate_clauses(comparisons, need, active, set(rules.clauses), self.max_literals, self._checkpoint)
        chain = Chain(comparisons, clauses, active, len(self.data.variables), len(self.data), self.rng, most_entries())
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

    def _found(self, model: Model, correct: int) -> None:
        """Keep the better model; of equals the later one: later rounds know more, and within one the simple is last."""
        if correct > self.correct:
            self.trace.append(Improvement(self.budget.seconds, self.done, 0, correct, model))
        if correct >= self.correct:
            self.best, self.correct = model, correct

    @property
    def _satisfied(self) -> bool:
        return self.correct >= self.budget.enough(len(self.data))

    def _spent(self) -> bool:
        return self.budget.exhausted

    def _checkpoint(self) -> None:
        if self.budget.exhausted:
            raise _SpentError

    def _seconds_left(self) -> float | None:
        self._checkpoint()
        left = self.budget.seconds_left
        return None if math.isinf(left) else left

    def _tell(self, note: str) -> None:
        self.listener(
            Progress(self.budget.seconds, self.budget.seconds_left, self.correct, len(self.data), self.done, note=note)
        )

    def result(self, seed: int) -> LearnResult:
        return LearnResult(
            model=self.best,
            learner=NAME,
            correct=self.correct,
            examples=len(self.data),
            stopped=self._stopped(),
            seconds=self.budget.seconds,
            seed=seed,
            constraints=len(self.best.constraints),
            steps=self.done,
            trace=tuple(self.trace),
            notes=tuple(self.notes),
        )

    def _stopped(self) -> Stopped:
        if self.correct == len(self.data):
            return "perfect"
        if self._satisfied:
            return "target"
        if self.budget.interrupted:
            return "interrupted"
        return "time" if self.budget.seconds_left == 0 else "steps"
