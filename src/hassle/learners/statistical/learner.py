"""The statistical learner: what the examples say of every clause at once, where local search asks clause by clause.

1. Mining: all clauses of up to three literals (two where that is too many) are priced in one pass over the current
   optima (``kernels.mining``); longer ones grow from shorter ones by single literals.
2. A chain of models is cooled towards those that explain the examples best (``chains``, ``posterior``). Hard clauses,
   soft clauses, weights, the rate of wrong labels and the kinds of negatives are decided jointly, by one likelihood.
3. Of the models that the chains visit at rest, the one that is expected to do best is returned (``choice``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hassle.errors import ResourceError
from hassle.learners.budget import Budget, Listener, Progress
from hassle.learners.options import check_counts, usable_cores
from hassle.learners.result import LearnResult
from hassle.learners.threads import call_off, run_all

if TYPE_CHECKING:
    from hassle.data import Dataset
    from hassle.learners.statistical.chains import Run, Visit
    from hassle.logic import Constraint, Schema
    from hassle.model import Model

NAME = "statistical"
MOST_CONSTRAINTS = 200
CHAINS_OF_STEPS = 2  # chains of a run limited by steps; must not depend on the machine
LONGEST = 10
LONGEST_COUNT = 6  # literals of a count, where clauses are not longer anyway
FEW_VARIABLES = 6
CANDIDATES = 150
CHOOSING = 0.9  # share of the time for the chains; the rest is for choosing among what they found


def default_longest(variables: int) -> int:
    """The longest clause to consider if nobody says: half of the variables as in the paper, but at most 10.

    Of up to six variables, any number: there a single long clause may be all that the data says.
    """
    return variables if variables <= FEW_VARIABLES else max(3, min(LONGEST, variables // 2))


@dataclass(frozen=True)
class StatisticalLearner:
    """Options of the learner ``statistical``; None leaves the choice to a documented rule.

    ``constraints``: clauses at most, default ten and four per variable. ``max_literals``: the longest clause, default
    half of the variables, 10 at most, and all of up to six variables. ``jobs``: chains at a time, default one per core.
    """

    constraints: int | None = None
    max_literals: int | None = None
    jobs: int | None = None

    def __post_init__(self) -> None:
        check_counts(self, "constraints", "max_literals", "jobs")

    def learn(self, data: Dataset, budget: Budget, seed: int, listener: Listener) -> LearnResult:
        """The model expected to do best among those that explain the data."""
        from hassle.learners.statistical.problem import fits_tables

        if not fits_tables(data):
            raise ResourceError(
                "the contexts leave too many variables open to list their completions; use --learner auto"
            )
        from hassle.learners.statistical.chains import agree_on_wrong_labels
        from hassle.learners.statistical.posterior import believed_noise

        visits, runs = self.explore(data, budget, seed, listener)
        model, correct = choose_model(visits, data, seed, budget)
        wrong = believed_noise(len(data) - correct, len(data)) if agree_on_wrong_labels(runs) else 0.0
        notes = [f"{failure}, so it was not relied on" for failure in {run.failure for run in runs} if failure]
        return LearnResult(
            model=model,
            learner=NAME,
            correct=correct,
            examples=len(data),
            stopped=budget.ending(correct, len(data), out_of_steps=all(run.out_of_moves for run in runs)),
            seconds=budget.seconds,
            seed=seed,
            constraints=len(model.constraints),
            steps=sum(run.made for run in runs),
            neighbours=sum(run.moves for run in runs),
            notes=(*notes, *([f"about {100 * wrong:.1f} % of the labels seem wrong"] if wrong else [])),
        )

    def explore(self, data: Dataset, budget: Budget, seed: int, listener: Listener) -> tuple[list[Visit], list[Run]]:
        """Good models, each about as often as it deserves, and the chains that visited them."""
        import numpy as np

        from hassle.learners.statistical.chains import Run, settled_visits
        from hassle.learners.statistical.posterior import Posterior
        from hassle.learners.statistical.problem import make_problem

        variables = len(data.variables)
        problem = make_problem(data, np.random.default_rng(seed))
        constraints = min(MOST_CONSTRAINTS, self.constraints or 10 + 4 * variables)
        longest = min(self.max_literals or default_longest(variables), variables)
        longest_count = min(self.max_literals or LONGEST_COUNT, variables)
        jobs = self.jobs or usable_cores()
        count = jobs if budget.steps is None else CHAINS_OF_STEPS
        seeds = np.random.SeedSequence(seed).generate_state(count, dtype=np.uint64)
        posteriors = [Posterior(problem, longest, longest_count, constraints, int(s)) for s in seeds]
        # Kernels are compiled now, where they are not yet, so that the schedule below is about the time that is left.
        load = Posterior(problem, longest, longest_count, constraints, 0)
        load.refresh_pool()
        load.update_rates()
        load.search(1, 1.0)
        runs = [Run(posterior, budget, CHOOSING) for posterior in posteriors]

        def report() -> None:
            correct = max(run.correct for run in runs)
            moves = sum(run.moves for run in runs)
            listener(Progress(budget.seconds, budget.seconds_left, correct, len(data), neighbours=moves))
            if any(run.good_enough for run in runs):
                call_off(runs)

        run_all(runs, min(jobs, count), budget, report)
        if budget.interrupted:
            return [run.best or run.visits[-1] for run in runs], runs
        return settled_visits(runs), runs


def choose_model(visits: list[Visit], data: Dataset, seed: int, budget: Budget) -> tuple[Model, int]:
    """The model that is expected to do best if any of those visited may be the truth, and how much it explains.

    After Ctrl-C, before or meanwhile, it is the one that explains most.
    """
    import numpy as np

    from hassle.learners.statistical.choice import expected_quality, hedged
    from hassle.learners.statistical.posterior import believed_noise
    from hassle.solve import agrees, verdicts

    def correct(model: Model) -> int:
        return int(agrees(verdicts(model, data), data).sum())

    rng = np.random.default_rng(seed)
    visits = [visits[i] for i in np.linspace(0, len(visits) - 1, min(CANDIDATES, len(visits))).astype(int)]
    models = [as_model(visit, data.schema) for visit in visits]
    fit = max(visit.correct for visit in visits)
    if budget.interrupted:
        return _most_explained(visits, models), fit
    try:
        # A label that a model gets wrong counts against it only as far as others get it right.
        merit = expected_quality(models, models, rng).merit - [(fit - visit.correct) / len(data) for visit in visits]
        if not believed_noise(len(data) - fit, len(data)):
            # Labels that are taken to be right must be explained as far as that can be done.
            merit[[visit.correct < fit for visit in visits]] = -np.inf
        best = int(np.argmax(merit))
        model = hedged(models[best], models, lambda model: correct(model) >= visits[best].correct)
    except KeyboardInterrupt:
        budget.interrupt.set()
        return _most_explained(visits, models), fit
    return model, correct(model)


def _most_explained(visits: list[Visit], models: list[Model]) -> Model:
    """The model that explains most, the most plausible of those: what somebody who interrupts a run has seen."""
    return max(zip(visits, models, strict=True), key=lambda pair: (pair[0].correct, pair[0].log_posterior))[1]


def as_model(visit: Visit, schema: Schema) -> Model:
    """The visited model, its constraints in a fixed order, the heaviest soft ones first."""
    from hassle.model import Model

    def order(constraint: Constraint) -> tuple[tuple[int, ...], Constraint]:
        return constraint.variables, constraint

    hard = sorted(visit.sample.hard, key=order)
    soft = sorted(visit.sample.soft, key=lambda item: (-item[1], order(item[0])))
    return Model.from_units(schema, hard, soft, about={"learner": NAME})
