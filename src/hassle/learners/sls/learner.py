"""HASSLE-SLS, the paper's learner by stochastic local search: its options, and how a run is put together.

A run makes one or more independent searches and returns the best model any of them found (`sls.parallel`). Scores come
from tables of all completions while these fit in memory, and else from a solver, which is slower by orders of
magnitude.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hassle.errors import InputError
from hassle.learners.budget import Budget, Listener, Progress
from hassle.learners.options import check_counts, usable_cores
from hassle.learners.result import LearnResult
from hassle.learners.threads import call_off, run_all
from hassle.memory import allowed_memory, shown_bytes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hassle.data import Dataset
    from hassle.learners.sls.mistake import Scorer
    from hassle.learners.sls.search import Search
    from hassle.learners.sls.strategies import WalkSat
    from hassle.model import Model

STRATEGIES = ("walksat", "novelty", "novelty+", "adaptive-novelty+")
NEIGHBOURHOODS = ("pruned", "naive")
SEARCHES_OF_STEPS = 4  # searches of a run limited by steps; must not depend on the machine
WALKSAT_SHARE = 0.5
# Bytes for tables where more may be taken: larger ones are slower than they are worth.
MOST_MEMORY = 2**30


def default_constraints(variables: int) -> int:
    """How many clauses a model gets if nobody says: ten, and two for each variable, at most 200.

    Too few cannot express the truth, while more than the truth has did no harm in our experiments; but the price of a
    step grows with them.
    """
    return min(200, 10 + 2 * variables)


@dataclass(frozen=True)
class LocalSearch:
    """Options of the learner `sls`; None leaves the choice to a documented rule.

    `constraints`: clauses per model. `max_literals`: the longest clause, default all variables. `jobs`: searches at a
    time, default one per core. `searches`: searches in all, default 4 if limited by steps, which then each get the
    whole number of steps, and else `jobs`. `share`: of the clauses, how many a step considers, default half for
    WalkSAT and all for the others, which have noise of their own. `focus`: take neighbours that correct the picked
    example, if there are any. `restart_probability` is Algorithm 1's p; `noise` is Novelty's and `random_walk`
    Novelty+'s probability. `start`: a model to start from, and to restart from, instead of random ones; its weights
    are thousandths up to 1, and with more `constraints` than it has clauses it needs a hard one.
    """

    strategy: str = "walksat"
    neighbourhood: str = "pruned"
    constraints: int | None = None
    max_literals: int | None = None
    jobs: int | None = None
    searches: int | None = None
    share: float | None = None
    focus: bool = True
    restart_probability: float = 0.0
    noise: float = 0.5
    random_walk: float = 0.1
    start: Model | None = None

    def __post_init__(self) -> None:
        for name, known in (("strategy", STRATEGIES), ("neighbourhood", NEIGHBOURHOODS)):
            if getattr(self, name) not in known:
                raise InputError(f"there is no {name} {getattr(self, name)!r}", fix=f"choose one of {', '.join(known)}")
        check_counts(self, "constraints", "max_literals", "jobs", "searches")
        if self.constraints is not None and self.constraints > 1000:
            raise InputError(f"constraints is {self.constraints}", fix="learn at most 1000 clauses")
        if self.start is not None:
            self._check_start(self.start)
        for name in ("share", "restart_probability", "noise", "random_walk"):
            if not 0 <= (getattr(self, name) or 0) <= 1:
                raise InputError(
                    f"{name.replace('_', ' ')} is {getattr(self, name)}", fix="give a number between 0 and 1"
                )

    def _check_start(self, start: Model) -> None:
        from hassle.kernels.moves import HEAVIEST, LIGHTEST, WHOLE

        wanted, clauses = self.constraints or len(start.constraints), len(start.constraints)
        if not clauses or wanted < clauses or (wanted > clauses and not start.hard):
            raise InputError(
                f"a model of {len(start.hard)} hard and {len(start.soft)} soft clauses cannot start a search of "
                f"{wanted} clauses",
                fix="start from another, or leave constraints out",
            )
        if start.unit != WHOLE or any(not LIGHTEST <= weight <= HEAVIEST for weight in start.weights.tolist()):
            raise InputError("the weights of the model to start from are not thousandths up to 1", fix="round them")

    def learn(self, data: Dataset, budget: Budget, seed: int, listener: Listener) -> LearnResult:
        """The best model that the searches find within the budget."""
        from hassle.learners.sls.parallel import Pursuit, progress, summary, superseded
        from hassle.learners.sls.tables import make_problem, table_bytes

        if self.start is not None and self.start.variables != data.variables:
            raise InputError("the model to start from has other variables than the examples", fix="reorder them")
        constraints = self.constraints or (
            default_constraints(len(data.variables)) if self.start is None else len(self.start.constraints)
        )
        jobs = self.jobs or usable_cores()
        searches = self.searches or (jobs if budget.steps is None else SEARCHES_OF_STEPS)
        at_once = min(jobs, searches)
        needed, memory = table_bytes(data, constraints, at_once), min(MOST_MEMORY, allowed_memory())
        notes: tuple[str, ...] = ()
        if needed <= memory:
            problem = make_problem(data, constraints)
        else:
            problem = None
            notes = (
                f"tables of all completions would take more than the {shown_bytes(memory)} allowed: "
                "scoring with a solver, which is much slower",
            )
            listener(Progress(budget.seconds, budget.seconds_left, 0, len(data), note=notes[0]))

        def make_search(index: int, stop: NDArray[np.bool_]) -> Search:
            from hassle.learners.sls.models import as_candidate
            from hassle.learners.sls.search import Search
            from hassle.learners.sls.solver import SolverScorer
            from hassle.learners.sls.tables import TableScorer

            scorer: Scorer
            if problem is not None:
                scorer = TableScorer(problem, constraints, stop)
            else:
                scorer = SolverScorer(data, constraints, stop, budget)
            start = None if self.start is None else as_candidate(self.start, constraints, int(scorer.hard))
            return Search(
                scorer,
                self.make_strategy(len(data)),
                examples=len(data),
                longest=min(self.max_literals or len(data.variables), len(data.variables)),
                naive=self.neighbourhood == "naive",
                share=self.share or (WALKSAT_SHARE if self.strategy == "walksat" else 1.0),
                focus=self.focus,
                start=start,
                seed=(seed, index),
            )

        pursuits = [Pursuit(index, make_search, budget, len(data)) for index in range(searches)]

        def glance() -> None:
            listener(progress(pursuits, budget))
            call_off(superseded(pursuits, budget))

        run_all(pursuits, at_once, budget, glance)
        return summary(pursuits, data, budget, seed=seed, constraints=constraints, notes=notes, about=self.about())

    def make_strategy(self, examples: int) -> WalkSat:
        """A new strategy object for one search."""
        from hassle.learners.sls.strategies import AdaptiveNoveltyPlus, Novelty, NoveltyPlus, WalkSat

        match self.strategy:
            case "novelty":
                return Novelty(self.noise)
            case "novelty+":
                return NoveltyPlus(self.noise, self.random_walk)
            case "adaptive-novelty+":
                return AdaptiveNoveltyPlus(self.noise, examples)
        return WalkSat(self.restart_probability)

    def about(self) -> dict[str, object]:
        """What a model file says of how it was learned."""
        return {"learner": "sls", "strategy": self.strategy, "neighbourhood": self.neighbourhood}
