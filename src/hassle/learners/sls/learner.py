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
from hassle.learners.options import check_counts
from hassle.learners.places import Afar, Place, Shared, place_for
from hassle.learners.result import LearnResult
from hassle.learners.threads import Search, call_off, run_all
from hassle.memory import allowed_memory, shown_bytes

if TYPE_CHECKING:
    from hassle.data import Dataset
    from hassle.learners.sls.strategies import WalkSat
    from hassle.model import Model

STRATEGIES = ("walksat", "novelty", "novelty+", "adaptive-novelty+")
NEIGHBOURHOODS = ("pruned", "naive")
SEARCHES_OF_STEPS = 4  # searches of a run limited by steps; must not depend on the machine
# Defaults. The paper gives the walk and the patience, but no p: with ``paper`` it is that of the paper's own code.
WALKSAT_SHARE = 0.5
PATIENCE = 1 / 4
NOISE, RANDOM_WALK = 0.5, 0.1
RESTART, RESTART_AS_PRINTED = 0.0, 0.01
# Who heeds what; anywhere else such an option is refused.
HEEDED = {
    "restart_probability": ("walksat",),
    "noise": ("novelty", "novelty+", "adaptive-novelty+"),
    "random_walk": ("novelty+", "adaptive-novelty+"),
}
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
    """Options of the learner `sls`; None leaves the choice to a documented rule (docs/sls.md).

    Parameters
    ----------
    paper
        Algorithm 1 as it is printed: neighbours of the best candidate so far, of all clauses, no focus, Appendix E's
        rule 5 to the letter, one search, and restarts with probability 0.01.
    strategy
        ``walksat`` (default), ``novelty``, ``novelty+`` or ``adaptive-novelty+``.
    neighbourhood
        ``pruned`` (default): what Appendix E allows; ``naive``: every change.
    constraints
        Clauses per model; 10 and 2 per variable, at most 200.
    max_literals
        The longest clause; all variables.
    jobs
        Searches at a time; one per core.
    searches
        Searches in all; ``jobs``, or 4 if limited by steps, which then each get the whole number of steps.
    share
        Of the clauses that have a move, how many a step considers: half for WalkSAT, and all for the others, which
        have noise of their own.
    focus
        Whether neighbours that correct the picked example are taken, if there are any; True.
    patience
        The share of the time, or of the steps, without improvement after which a search restarts: a quarter, as in the
        paper; 1 never.
    restart_probability
        Algorithm 1's p, the probability of a new random model in each step of WalkSAT; 0.
    noise
        Novelty's probability of the second best where the best is the most recent; 0.5.
    random_walk
        Novelty+'s probability of a random neighbour, with which Adaptive Novelty+ begins; 0.1.
    start
        A model to start from, and to restart from, instead of random ones; its weights are thousandths up to 1, and
        with more ``constraints`` than it has clauses it needs a hard one.
    place
        Where searches run, if not in this process; then one per thread of its workers.
    """

    strategy: str = "walksat"
    neighbourhood: str = "pruned"
    constraints: int | None = None
    max_literals: int | None = None
    jobs: int | None = None
    searches: int | None = None
    share: float | None = None
    focus: bool | None = None
    patience: float = PATIENCE
    restart_probability: float | None = None
    noise: float | None = None
    random_walk: float | None = None
    start: Model | None = None
    paper: bool = False
    place: Place | None = None

    def __post_init__(self) -> None:
        for name, known in (("strategy", STRATEGIES), ("neighbourhood", NEIGHBOURHOODS)):
            if getattr(self, name) not in known:
                raise InputError(f"there is no {name} {getattr(self, name)!r}", fix=f"choose one of {', '.join(known)}")
        check_counts(self, "constraints", "max_literals", "jobs", "searches")
        if self.constraints is not None and self.constraints > 1000:
            raise InputError(f"constraints is {self.constraints}", fix="learn at most 1000 clauses")
        self._check_shares()
        self._refuse_unheeded()
        if self.start is not None:
            self._check_start(self.start)

    def _check_shares(self) -> None:
        for name in ("share", "patience", "restart_probability", "noise", "random_walk"):
            value, positive = getattr(self, name), name in ("share", "patience")
            if value is not None and (not 0 <= value <= 1 or (positive and value == 0)):
                raise InputError(
                    f"{name.replace('_', ' ')} is {value}",
                    fix=f"give a number {'above 0, up to' if positive else 'between 0 and'} 1",
                )

    def _refuse_unheeded(self) -> None:
        """An option that would be ignored is a misunderstanding."""
        for name, strategies in HEEDED.items():
            if getattr(self, name) is not None and self.strategy not in strategies:
                raise InputError(
                    f"the strategy {self.strategy} has no {name.replace('_', ' ')}",
                    fix=f"leave it out, or choose {' or '.join(strategies)}",
                )
        for name in ("share", "focus", "start"):
            if self.paper and getattr(self, name) is not None:
                raise InputError(f"Algorithm 1 as printed has no {name}", fix=f"leave out either paper or {name}")

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
        from hassle.learners.sls.legs import PursuitAfar, Task, advance
        from hassle.learners.sls.parallel import Pursuit, progress, summary, superseded
        from hassle.learners.sls.tables import make_problem, table_bytes

        if self.start is not None and self.start.variables != data.variables:
            raise InputError("the model to start from has other variables than the examples", fix="reorder them")
        constraints = self.constraints or (
            default_constraints(len(data.variables)) if self.start is None else len(self.start.constraints)
        )
        place = place_for(self.place, self.jobs)
        usual = 1 if self.paper else place.at_once if budget.steps is None else SEARCHES_OF_STEPS
        searches = self.searches or usual
        at_once = min(place.at_once, searches)
        needed = table_bytes(data, constraints, 1 if place.afar else at_once)
        memory = min(MOST_MEMORY, allowed_memory())
        notes: tuple[str, ...] = ()
        problem = make_problem(data, constraints) if needed <= memory else None
        if problem is None:
            notes = (
                f"tables of all completions would take more than the {shown_bytes(memory)} allowed: "
                "scoring with a solver, which is much slower",
            )
            listener(Progress(budget.seconds, budget.seconds_left, 0, len(data), note=notes[0]))
        task = Task(self, constraints, len(data.variables), len(data), seed, problem, data)
        pursuits: list[Pursuit]
        runs: list[Search]
        if place.afar:
            shared = Shared(task.to_send())
            distant = [PursuitAfar(index, task.search, budget, len(data), self.patience) for index in range(searches)]
            pursuits, runs = [*distant], [Afar(each, place, advance, shared, budget) for each in distant]
        else:
            pursuits = [task.pursuit(index, budget) for index in range(searches)]
            runs = [*pursuits]

        def glance() -> None:
            listener(progress(pursuits, budget))
            needless = superseded(pursuits, budget)
            call_off([run for run, pursuit in zip(runs, pursuits, strict=True) if pursuit in needless])

        run_all(runs, at_once, budget, glance)
        return summary(pursuits, data, budget, seed=seed, constraints=constraints, notes=notes, about=self.about())

    @property
    def settled_share(self) -> float:
        """The share of the clauses that is considered."""
        if self.share is not None:
            return self.share
        return WALKSAT_SHARE if self.strategy == "walksat" and not self.paper else 1.0

    def make_strategy(self, examples: int) -> WalkSat:
        """A new strategy object for one search."""
        from hassle.learners.sls.strategies import AdaptiveNoveltyPlus, Novelty, NoveltyPlus, WalkSat

        noise = NOISE if self.noise is None else self.noise
        walk = RANDOM_WALK if self.random_walk is None else self.random_walk
        match self.strategy:
            case "novelty":
                return Novelty(noise)
            case "novelty+":
                return NoveltyPlus(noise, walk)
            case "adaptive-novelty+":
                return AdaptiveNoveltyPlus(noise, walk, examples)
        usual = RESTART_AS_PRINTED if self.paper else RESTART
        return WalkSat(usual if self.restart_probability is None else self.restart_probability)

    def about(self) -> dict[str, object]:
        """What a model file says of how it was learned."""
        said: dict[str, object] = {"learner": "sls", "strategy": self.strategy, "neighbourhood": self.neighbourhood}
        return said | {"paper": True} if self.paper else said
