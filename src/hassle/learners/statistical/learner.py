"""The statistical learner: what the examples say of every clause at once, where local search asks clause by clause.

1. Mining: all clauses of up to three literals (two where that is too many), and counts over random sets of variables,
   are priced in one pass over the current optima (``kernels.mining``); longer ones grow from shorter ones by single
   literals.
2. A chain of models is cooled towards those that explain the examples best (``chains``, ``sampler``). Clauses and
   counts, hard and soft, their weights, the rate of wrong labels and the kinds of negatives are decided jointly, by one
   likelihood. Counts ("at least 2 of", "at most 3 of") must explain what clauses do not. There is a chain for each
   core; where time is left then, there are others, until two came to rest equally high.
3. What the models that the chains draw at rest say together is taught to one model (``teaching``). Of these and those,
   the one that is expected to do best is returned (``choice``).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hassle.errors import ResourceError
from hassle.learners.budget import Budget, Listener, Progress
from hassle.learners.options import check_counts
from hassle.learners.places import Afar, Place, Shared, place_for
from hassle.learners.result import LearnResult
from hassle.learners.starting import Start, models_of
from hassle.learners.threads import Search, call_off, run_all
from hassle.learners.wishes import NO_WISHES, Wishes
from hassle.memory import allowed_memory

if TYPE_CHECKING:
    from hassle.data import Dataset
    from hassle.learners.statistical.chains import Chain, Draw
    from hassle.learners.statistical.legs import Task
    from hassle.learners.statistical.sampler import Sample
    from hassle.logic import Constraint, Schema
    from hassle.model import Model

NAME = "statistical"
MOST_CONSTRAINTS = 200
CHAINS_OF_STEPS = 2  # chains of a run limited by steps; must not depend on the machine
LONGEST = 10
LONGEST_COUNT = 6  # literals of a count, where clauses are not longer anyway
FEW_VARIABLES = 6
CANDIDATES = 150
VISITED = 16  # models that a result keeps for a run that goes on
# A chain alone may come to rest in the wrong place, and does not know. So others follow, as long as no two agree and
# there is time for one that is this much shorter, so many times at most. With 12 variables, 16 + 16 clauses, 60 s and
# one core, one of eight problems had .60 or .52 of its answers optimal after one chain; after two the least is .91.
SHORTER, ROUNDS = 0.3, 4
# Shares of the time for the chains, and of the rest for teaching; then one of what they found is chosen.
CHAINS, TEACHING = 0.8, 0.85


def default_longest(variables: int) -> int:
    """The longest clause to consider if nobody says: half of the variables as in the paper, but at most 10.

    Of up to six variables, any number: there a single long clause may be all that the data says.
    """
    return variables if variables <= FEW_VARIABLES else max(3, min(LONGEST, variables // 2))


@dataclass(frozen=True)
class Explored:
    """What chains found: models, each about as often as it deserves, and the chains, so many in each round, of which
    so many ran at a time.
    """

    draws: list[Draw]
    chains: list[Chain]
    each_round: int
    at_once: int
    listener: Listener


@dataclass(frozen=True)
class StatisticalLearner:
    """Options of the learner ``statistical``; None leaves the choice to a documented rule.

    ``constraints``: constraints at most, default ten and four per variable. ``max_literals``: the longest clause or
    count, default half of the variables for clauses, 10 at most and all of up to six variables, and six for counts.
    ``jobs``: chains at a time, default one per core. ``start``: an earlier result, or a model, to go on from.
    ``known``: rules with weights that are not learned but respected (:mod:`hassle.learners.wishes`). ``place``: where
    chains run, if not in this process; then one per thread of its workers. ``forbidden``: a model of rules that are not
    to be learned.
    """

    constraints: int | None = None
    max_literals: int | None = None
    jobs: int | None = None
    start: Start | None = None
    known: Model | None = None
    place: Place | None = None
    forbidden: Model | None = None

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
        from hassle.learners.statistical.sampler import believed_noise

        explored = self.explore(data, budget, seed, listener)
        found = chosen_result(explored, data, budget, seed)
        wrong = believed_noise(len(data) - found.correct, len(data)) if agree_on_wrong_labels(explored.chains) else 0.0
        told = [f"about {100 * wrong:.1f} % of the labels seem wrong"] if wrong else []
        return replace(found, notes=(*found.notes, *told))

    def explore(
        self, data: Dataset, budget: Budget, seed: int, listener: Listener, unless_stuck: float = 1.0
    ) -> Explored:
        """Good models, each about as often as it deserves, and the chains that visited them.

        Chains that leave examples unexplained which they do not take for wrong labels end after the share
        ``unless_stuck`` of the time.
        """
        import numpy as np

        from hassle.learners.statistical.chains import are_stuck, settled_draws
        from hassle.learners.statistical.legs import Task
        from hassle.learners.statistical.problem import make_problem

        variables = len(data.variables)
        wishes = Wishes.of(self.known, self.forbidden)
        problem = make_problem(data, np.random.default_rng(seed), wishes=wishes)
        constraints = min(MOST_CONSTRAINTS, self.constraints or 10 + 4 * variables)
        longest = min(self.max_literals or default_longest(variables), variables)
        longest_count = min(self.max_literals or LONGEST_COUNT, variables)
        place = place_for(self.place, self.jobs)
        count = place.at_once if budget.steps is None else CHAINS_OF_STEPS
        at_once = min(place.at_once, count)
        # Kernels are compiled now, where they are not yet, so that the schedule below is about the time that is left.
        load = Task(problem, longest, longest_count, constraints, CHAINS, warm=False).sampler(0)
        load.refresh_pool()
        load.update_rates()
        load.search(1, 1.0)
        starts = () if self.start is None else models_of(self.start, data)
        rests = [rest for model in starts if (rest := wishes.inside(model)) is not None]
        known = [model for model in rests if load.takes(model)]
        task = Task(problem, longest, longest_count, constraints, CHAINS, warm=bool(known))
        chains: list[Chain] = []
        searches: Sequence[Search] = ()
        enough = False

        def report() -> None:
            nonlocal enough
            correct = max(chain.correct for chain in chains)
            moves = sum(chain.moves for chain in chains)
            best = max((chain.best for chain in chains if chain.best), key=lambda draw: draw.correct, default=None)
            model = None if best is None else as_model(best.sample, data.schema, wishes)
            seconds, left = budget.seconds, budget.seconds_left
            listener(Progress(seconds, left, correct, len(data), neighbours=moves, tried="moves", model=model))
            late = budget.time_limit is not None and seconds > unless_stuck * budget.time_limit
            if any(chain.good_enough for chain in chains) or (late and are_stuck(chains, budget)):
                enough = True
                call_off(searches)

        seeds = np.random.SeedSequence(seed).generate_state(ROUNDS * count, dtype=np.uint64).tolist()
        for last in range(count, len(seeds) + 1, count):
            began = budget.seconds
            more, searches = _begun(task, seeds[last - count : last], known, budget, place)
            chains += more
            run_all(searches, at_once, budget, report)
            if enough or known or not _another_round(chains, budget, budget.seconds - began):
                break
        draws = [chain.best or chain.draws[-1] for chain in chains] if budget.interrupted else settled_draws(chains)
        return Explored(draws, chains, count, at_once, listener)


def _another_round(chains: list[Chain], budget: Budget, seconds: float) -> bool:
    """Whether no two chains agree, and there is time, and memory, for others after those that took so many seconds."""
    from hassle.learners.statistical.chains import settled_chains

    if budget.interrupted or budget.time_limit is None or budget.steps is not None or len(settled_chains(chains)) > 1:
        return False
    room = allowed_memory() // chains[0].sampler.problem.chain_bytes
    return CHAINS * budget.time_limit - budget.seconds > SHORTER * seconds and 2 * len(chains) <= room


def _begun(
    task: Task, seeds: list[int], known: list[Model], budget: Budget, place: Place
) -> tuple[list[Chain], Sequence[Search]]:
    """Chains that start from the known models, or from nothing, and the searches that carry them out."""
    from hassle.learners.statistical.legs import ChainAfar, advance
    from hassle.learners.statistical.sampler import as_sample

    chains: list[Chain] = []
    searches: list[Search] = []
    shared, judge = Shared(task), task.sampler(0)
    for seed, model in zip(seeds, itertools.cycle(known or [None]), strict=False):
        sampler = task.sampler(seed)
        if model is not None:
            sampler.load(as_sample(model))
        if place.afar:
            distant = ChainAfar(sampler, budget, task.share, warm=task.warm)
            searches.append(Afar(distant, place, advance, shared, budget))
            distant.sampler = judge  # the tables of many chains would not fit here, and nobody needs them
            chains.append(distant)
        else:
            chains.append(task.chain(sampler, budget))
            searches.append(chains[-1])
    return chains, searches


def spread(draws: list[Draw], schema: Schema, wishes: Wishes = NO_WISHES) -> tuple[Model, ...]:
    """Some of the models that chains drew, as far apart as can be."""
    return tuple(dict.fromkeys(as_model(draws[i].sample, schema, wishes) for i in _spread_over(draws, VISITED)))


def chosen_result(explored: Explored, data: Dataset, budget: Budget, seed: int) -> LearnResult:
    """The model chosen of those visited and taught, and what there is to tell of the chains."""
    from hassle.solve import agrees, verdicts

    draws, chains = explored.draws, explored.chains
    wishes = chains[0].sampler.problem.wishes
    model, correct = choose_model(explored, data, seed, budget)
    if not wishes.exact:  # the chains have counted in steps that the weights are near to
        correct = int(agrees(verdicts(model, data), data).sum())
    return LearnResult(
        model=model,
        learner=NAME,
        correct=correct,
        examples=len(data),
        stopped=budget.ending(correct, len(data), out_of_steps=all(chain.out_of_moves for chain in chains)),
        seconds=budget.seconds,
        seed=seed,
        constraints=len(model.constraints),
        steps=sum(chain.made for chain in chains),
        neighbours=sum(chain.moves for chain in chains),
        details=chain_details(chains),
        visited=spread(draws, data.schema, wishes),
        notes=tuple(f"{why}, so it was not relied on" for why in {chain.failure for chain in chains} if why),
    )


def choose_model(explored: Explored, data: Dataset, seed: int, budget: Budget) -> tuple[Model, int]:
    """The model that is expected to do best if any of those visited may be the truth, and how much it explains.

    How much is what the kernels count, which :func:`hassle.learners.learn` confirms by solving. After Ctrl-C, before or
    meanwhile, it is the model that explains most.
    """
    import numpy as np

    from hassle.learners.statistical.choice import most_expected
    from hassle.learners.statistical.sampler import believed_noise, judge
    from hassle.learners.statistical.teaching import taught

    like = explored.chains[0].sampler
    wishes, blind = like.problem.wishes, like.problem.only_positives
    draws = [explored.draws[i] for i in _spread_over(explored.draws, CANDIDATES)]
    models = [as_model(draw.sample, data.schema, wishes) for draw in draws]
    best = max(explored.draws, key=lambda draw: draw.merit(blind))

    def most_explained() -> tuple[Model, int]:
        """What somebody who interrupts a run has seen."""
        return as_model(best.sample, data.schema, wishes), best.correct

    if budget.interrupted:
        return most_explained()
    try:
        pupils = taught(best.sample, models, data, explored, budget.part(TEACHING), seed)
        if budget.interrupted:
            return most_explained()
        candidates = list(dict.fromkeys([*models, *(as_model(sample, data.schema, wishes) for sample in pupils)]))
        correct = [judged.correct for judged in judge(candidates, like)]
        fit = max(correct[: len(models)])
        # A label that a model gets wrong counts against it only as far as others get it right.
        handicap = np.array([(fit - count) / len(data) for count in correct])
        if not believed_noise(len(data) - fit, len(data)):
            # Labels that are taken to be right must be explained as far as that can be done.
            handicap[[count < fit for count in correct]] = np.inf
        chosen = most_expected(candidates, models, data, np.random.default_rng(seed), handicap, budget.seconds_left)
        return candidates[chosen], correct[chosen]
    except KeyboardInterrupt:
        budget.interrupt.set()
        return most_explained()


def _spread_over(items: Sequence[object], count: int) -> list[int]:
    """The places of so many items at most, as far apart as can be."""
    import numpy as np

    return np.linspace(0, len(items) - 1, min(count, len(items))).astype(int).tolist()


def chain_details(chains: list[Chain]) -> dict[str, int]:
    """What chains have to tell of themselves: how many there were, the moves they tried and those they made."""
    moves, made = sum(chain.moves for chain in chains), sum(chain.made for chain in chains)
    return {"chains": len(chains), "moves": moves, "moves_made": made}


def as_model(sample: Sample, schema: Schema, wishes: Wishes = NO_WISHES) -> Model:
    """The visited model around the wishes, its constraints in a fixed order, the heaviest soft ones first."""
    from hassle.model import Model

    def order(constraint: Constraint) -> tuple[tuple[int, ...], Constraint]:
        return constraint.variables, constraint

    hard = sorted(sample.hard, key=order)
    soft = sorted(sample.soft, key=lambda item: (-item[1], order(item[0])))
    return wishes.around(Model.from_units(schema, hard, soft, about={"learner": NAME}))
