"""One run of the exact learner: what it has found and proved so far, so that it can be stopped at any moment.

A run ends in one of three ways, told apart in what it returns and says: with a model; with a proof that there is none;
with neither, because the budget ran out first.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from hassle.data import Dataset
from hassle.errors import InputError, NoModelError
from hassle.learners.budget import Budget, Listener, Progress, silent
from hassle.learners.milp.backends import Backend
from hassle.learners.milp.clauses import draft
from hassle.learners.milp.programme import Form, Programme
from hassle.learners.milp.repair import Candidate, Outcome, Round, judged, solve_and_repair
from hassle.learners.milp.shape import Shape
from hassle.learners.milp.smallest import grow
from hassle.learners.result import Improvement, LearnResult, Stopped
from hassle.model import Model
from hassle.solve import aligned

NAME = "milp"
INTERRUPTED = 130


class _BudgetSpentError(Exception):
    """The budget ran out while a programme was being built."""


@dataclass(frozen=True)
class MilpResult(LearnResult):
    """A learned model, and what was proved of all models of its shape.

    ``price`` is what this model's errors cost (their number, unless examples were given weights); no model costs less
    than ``bound``. No model with fewer than ``least_clauses`` clauses fits every example (0 where that was not asked).
    """

    price: int = 0
    bound: int = 0
    least_clauses: int = 0

    def extras(self) -> dict[str, Any]:
        return {"price": self.price, "bound": self.bound, "least_clauses": self.least_clauses}


@dataclass(frozen=True)
class Task:
    """What is to be found: a model of at most ``most_clauses`` clauses, or with ``smallest`` of as few as possible.

    ``one_shot``: the programme is solved once, and what it got wrong is not repaired.
    """

    data: Dataset
    backend: Backend
    form: Form
    shape_of: Callable[[int], Shape]
    most_clauses: int
    smallest: bool
    one_shot: bool = False

    @property
    def shape(self) -> Shape:
        return self.shape_of(self.most_clauses)


@dataclass
class Run:
    """The best model so far, the latest outcome, and the account of how they came about."""

    task: Task
    budget: Budget
    seed: int
    listener: Listener
    best: Candidate | None = None
    outcome: Outcome | None = None
    rounds: int = 0
    trace: list[Improvement] = field(default_factory=list)

    def start_from(self, model: Model | None, local_search: int) -> None:
        """Begin with a given model, or with one that local search finds in so many steps."""
        if model is not None:
            model = aligned(model, self.task.data.variables)
            if draft(model, self.task.shape) is None:
                raise InputError(
                    f"the model to start from is not one of {self.task.shape.text()} and positive weight",
                    fix="allow more constraints or literals, or leave it out",
                )
        elif local_search and len(self.task.data):
            model = self._searched(local_search)
        for start in (model, Model(self.task.data.schema) if self.task.form.tolerant else None):
            # The latter forbids and prefers nothing: a bad model, but one to improve on, and judged at once.
            found = None if start is None else judged(start, self.task.data, self.task.form.prices, self.budget)
            if found is not None:
                self._found(found)
                break

    def work(self) -> None:
        """Solve, in the way the task asks for; the outcome is kept in the run."""
        self._refuse_contradictions()
        if self._satisfied(self.best) and not self.task.smallest:
            return
        self.task.backend.prepare()
        with suppress(_BudgetSpentError):
            if self.task.smallest:
                grow(self._programme, self._solve, self.task.most_clauses, self.budget)
            else:
                self._solve(self._programme(self.task.most_clauses))

    def result(self) -> MilpResult:
        """What the run comes to; :class:`NoModelError` where that is no model."""
        if self.outcome is not None and self.outcome.impossible and self.outcome.shape == self.task.shape:
            raise NoModelError(
                f"no model with {self.outcome.shape.text()} fits every example (proved); allow more constraints or "
                "literals, or ask for the fewest errors (--minimum-error)",
                proved=True,
            )
        if self.best is None:
            raise self._nothing_found()
        return MilpResult(
            model=self.best.model,
            learner=NAME,
            correct=int(self.best.right.sum()),
            examples=len(self.task.data),
            stopped=self._stopped(self.best),
            seconds=self.budget.seconds,
            seed=self.seed,
            constraints=self.task.most_clauses,
            steps=self.rounds,
            trace=tuple(self.trace),
            notes=(self._note(self.best),),
            price=self.best.price,
            bound=self._bound(),
            least_clauses=self._least_clauses(),
        )

    def _programme(self, clauses: int) -> Programme:
        return Programme(self.task.data, self.task.shape_of(clauses), self.task.form, self._checkpoint)

    def _checkpoint(self) -> None:
        if self.budget.exhausted:
            raise _BudgetSpentError

    def _solve(self, programme: Programme) -> Outcome:
        before = self.rounds
        fits_shape = self.best is not None and draft(self.best.model, programme.shape) is not None
        self.outcome = solve_and_repair(
            programme,
            self.task.backend,
            self.budget,
            start=self.best if fits_shape else None,
            rounds=self._rounds_left(before),
            satisfied=self._satisfied,
            tell=lambda round: self._tell(round, before),
            found=lambda candidate: self._found(candidate),
        )
        self.rounds = before + self.outcome.rounds
        return self.outcome

    def _rounds_left(self, before: int) -> int | None:
        most = self.budget.steps
        if self.task.one_shot:
            most = 1 if most is None else min(1, most)
        return None if most is None else most - before

    def _satisfied(self, candidate: Candidate | None) -> bool:
        """Whether the candidate reaches the score that was asked for."""
        enough = self.budget.enough(len(self.task.data))
        return candidate is not None and int(candidate.right.sum()) >= enough

    def _found(self, candidate: Candidate) -> None:
        # Of models that fit, the later one is the smaller one.
        if self.best is None or candidate.price <= self.best.price:
            self.best = candidate
            correct = int(candidate.right.sum())
            self.trace.append(Improvement(self.budget.seconds, self.rounds, 0, correct, candidate.model))

    def _tell(self, round: Round, before: int) -> None:
        self.rounds = before + round.number
        self.listener(
            Progress(
                seconds=self.budget.seconds,
                seconds_left=self.budget.seconds_left,
                correct=0 if self.best is None else int(self.best.right.sum()),
                examples=len(self.task.data),
                steps=self.rounds,
                note=round.text(),
            )
        )

    def _searched(self, steps: int) -> Model:
        from hassle.learners.registry import make_learner

        left = self.budget.seconds_left if self.budget.time_limit is not None else None
        limits = Budget(left, steps, self.budget.target_score, self.budget.interrupt)
        options = {"constraints": self.task.most_clauses, "max_literals": self.task.shape.literals}
        return make_learner("sls", options).learn(self.task.data, limits, self.seed, silent).model

    def _refuse_contradictions(self) -> None:
        """Two examples that differ in nothing but their label are a proof that needs no solver."""
        if self.task.form.tolerant or not self.task.data.contradictions:
            return
        first = self.task.data.contradictions[0]
        raise NoModelError(
            f"no model of any size fits every example (proved): examples {', '.join(str(k + 1) for k in first)} are "
            "the same but for their labels; correct them, or ask for the fewest errors (--minimum-error)",
            proved=True,
        )

    def _nothing_found(self) -> NoModelError:
        if self.budget.interrupted:
            error = NoModelError("interrupted before a model was found", proved=False)
            error.exit_code = INTERRUPTED
            return error
        limit = f"{self.budget.seconds:.3g} seconds" if self.budget.seconds_left == 0 else f"{self.rounds} rounds"
        return NoModelError(
            f"no model found within {limit}, and no proof that there is none; give it more time, another "
            "--milp-solver, or --learner sls",
            proved=False,
        )

    def _bound(self) -> int:
        return 0 if self.outcome is None or not self.task.form.tolerant else self.outcome.bound

    def _least_clauses(self) -> int:
        if self.outcome is None or not self.task.smallest:
            return 0
        return self.outcome.shape.clauses + int(self.outcome.impossible)

    def _proved(self, best: Candidate) -> bool:
        """Whether nothing better than ``best`` exists."""
        if self.task.smallest:
            return best.price == 0 and len(best.model.constraints) <= self._least_clauses()
        return best.price <= self._bound()

    def _stopped(self, best: Candidate) -> Stopped:
        if self._proved(best):
            return "proved"
        if self._satisfied(best) and self.budget.target_score < 1:
            return "target"
        if self.budget.interrupted:
            return "interrupted"
        return "time" if self.budget.seconds_left == 0 else "steps"

    def _note(self, best: Candidate) -> str:
        """What was proved, in one sentence."""
        if self.task.smallest:
            fewest = f"no model with fewer than {self._least_clauses()} clauses fits every example (proved)"
            return f"this model fits every example, and {fewest}" if self._proved(best) else fewest
        if best.price == 0:
            return "this model fits every example (proved)"
        if self.task.one_shot and self.outcome is not None:
            amiss = int((~best.right).sum())
            return f"Appendix D in one shot: the programme took {amiss} of {len(best.right)} examples amiss"
        if not self.task.form.tolerant:
            return "this model does not fit every example; whether one does was not settled"
        wrong = f"this model's errors cost {best.price}; every model with {self.task.shape.text()} costs"
        return f"{wrong} at least {self._bound()} (proved)"
