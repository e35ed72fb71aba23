"""One run of the learner: rounds of fitting, selecting and cutting within a budget, the best model always at hand."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
from hassle.learners.budget import Budget, Listener, Progress
from hassle.learners.options import MOST_MEMBERS
from hassle.learners.places import Place, Shared
from hassle.learners.result import Improvement, LearnResult
from hassle.learners.structured.candidates import ROWS_PER_POSITIVE, SHARE, Candidates, given_in
from hassle.learners.structured.chain import HEAT, Chain, Samples
from hassle.learners.structured.completing import completed
from hassle.learners.structured.cutting import Beginning, Free, cuts
from hassle.learners.structured.fit import HEAVIEST, Contrast, Fit, fit
from hassle.learners.structured.hedging import FEW_POSITIVES, SOLVING_SECONDS, SOLVING_SHARE, hedged
from hassle.learners.structured.judging import judged
from hassle.learners.structured.models import decisive, model_of, never_broken
from hassle.learners.structured.pool import CUT, NEAR, POSITIVE, Moves, first_pool
from hassle.learners.structured.redundancy import without_implied
from hassle.learners.structured.relenting import relented
from hassle.learners.structured.search import FORBIDDING, Search, free_variables
from hassle.learners.structured.selection import BROAD, LARGEST_EXCHANGE, SHARP, Selection, Sharpness, adapted
from hassle.learners.structured.synonyms import better_said
from hassle.learners.structured.trusting import CAREFUL, WARY, Trust, trusted
from hassle.learners.structured.wishing import MUST, Wishing, alike, broken_by, rescaled
from hassle.learners.wishes import with_rules, without
from hassle.logic import Choice, Constraint, Context
from hassle.memory import allowed_memory
from hassle.model import Model
from hassle.model.families import Family
from hassle.solve.committee import Committee

NAME = "structured"
# Completions near each positive, and near each cut.
NEAR_POSITIVES, NEAR_CUTS = 25, 4
# Steps of the search for a better assignment; later rounds look harder.
STEPS, MORE_STEPS = 1500, 6000
# Rounds at most, and more where there are many variables: the more of them, the more there is to be cut off.
ROUNDS, VARIABLES_PER_ROUND = 14, 16
# The lasso's factor on prices, and how much loss a family must save per unit of its price.
SHRINKING, WORTH = 0.3, 0.7
# Walks over models, each with cuts after it; sweeps of a walk, and how many of the last ones count.
WALKS, SWEEPS, COUNTING = 12, 40, 25
# The share of the models on the way that a family must be in to be a rule.
USUAL = 0.15
# The weight in the fit of a wish that is worth 1 in the model that a run goes on from.
USUAL_WEIGHT = 10.0
# From this round on families are exchanged, too: before, the alternatives tell too little.
THOROUGH = 4
# If more labels than this are doubted after some rounds, some are wrong. Then the loss of each is bounded, and a family
# must save more for its price, or each wrong label would be explained by one of its own.
CLEAN, ROUNDS_TO_DOUBT = 0.02, 2
DOUBT, NOISY_WORTH = 0.05, 1.0
# Of fewer positives none is doubted: each may be the only one of its kind.
ENOUGH_TO_DOUBT = 30
# A family that no positive breaks is said for less.
UNBROKEN = 0.5
# Rounds that may pass without a cut in more than this share of the contexts before the run is settled.
SETTLED = 0.02
# Exchanging families takes most of the time: with fewer seconds than this they are exchanged only while cuts come from
# no more than this share of the contexts.
PLENTY, CALM = 90.0, 0.15
# With fewer than this they are not exchanged at all: more rounds make more of the time. And what walks far from the
# model found would take some walks to settle.
HURRY, COOL = 45.0, 0.1
# Seconds for judging the model on the examples, even where the time is up.
JUDGING_SECONDS = 0.5
# The share of the time left that the rounds get: the rest is for judging.
LEARNING = 0.85
# The share of that after which no more completions near positives are drawn.
POOL_SHARE = 0.3
# The share of that which the rounds get where time is short: the walks make more of what they found.
ROUNDS_SHARE = 0.75
# And the share after which no walk begins: the rest is for asking the model for plans.
WALKS_SHARE = 0.94
# The share of the time left in which members of a committee are made: to count their votes takes about as long.
GATHERING = 0.25


class _SpentError(Exception):
    """The budget ran out in the middle of something."""


@dataclass
class Run:
    data: Dataset
    budget: Budget
    listener: Listener
    place: Place
    known: Model | None
    most_candidates: int | None
    rng: np.random.Generator
    start: tuple[Model, ...] = ()
    forbidden: Model | None = None
    members: int | None = None  # of the committee that is asked for
    best: Model = field(init=False)
    wishing: Wishing = field(init=False)
    done: int = 0
    trace: list[Improvement] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    settled: bool = False
    calm: bool = False
    noisy: bool = False
    beaten: int = 0
    worked: float = 0.0
    seen: Samples | None = None  # what the walks came through since anything much was cut off
    late: Fit = field(default_factory=Fit)  # what joined in the end
    committee: Committee | None = None

    def __post_init__(self) -> None:
        rules = () if self.known is None else self.known.rules
        schema = self.data.schema if self.known is None or self.data.schema.arrangements else self.known.schema
        self.best = with_rules(Model(schema), rules)
        self.wishing = Wishing(self.known)

    def work(self) -> None:
        try:
            self._work()
        except _SpentError:
            pass  # the best so far stands
        except KeyboardInterrupt:
            self.budget.interrupt.set()
        if not self.budget.interrupted:
            known = () if self.known is None else self.known.rules
            self.best = without_implied(self.best, known, lambda: self.budget.exhausted)
            if self.members is not None:
                self._gather(min(self.members, MOST_MEMBERS))
        self.worked = self.budget.seconds

    def _work(self) -> None:
        self._checkpoint()
        positives = self.data.assignments[self.data.positive]
        if not len(positives):
            self.notes.append("there is no positive example to learn from")
            self.settled = True
            return
        seconds = math.inf if self.budget.time_limit is None else self.budget.seconds_left
        given = given_in(self.data)
        self.candidates = Candidates.of(self.data.schema, positives, self.most_candidates, given, seconds)
        self._checkpoint()
        if any(isinstance(column, Choice) for column in self.data.schema.columns):
            needless = better_said(self.candidates, self.data.assignments, self.rng)
            self.candidates = replace(self.candidates, left_out=tuple(needless))
        self._checkpoint()
        self.pool = first_pool(self.data, NEAR_POSITIVES, self.rng, lambda: self._spent(POOL_SHARE))
        self.broken = self.candidates.broken(np.array(self.pool.rows), self._checkpoint)
        self.base = self.wishing.base(np.array(self.pool.rows))
        self._leave_out_what_is_known()
        self.trust = Trust.full(len(self.pool))
        self._tell(f"{2 * self.candidates.columns} candidates, {len(self.pool)} alternatives")
        lasso, found, few = Fit(), self._started(), 0
        limit = self.budget.steps
        if limit is None:
            limit = max(ROUNDS, len(self.data.variables) // VARIABLES_PER_ROUND)
        while self.done < limit and few < 2 and not (self.done and (self._spent(ROUNDS_SHARE) or self._full)):
            self._checkpoint()
            said = set(found.chosen.tolist())
            lasso, found = self._fitted(lasso, found)
            self.best = self._model(found)
            self._tell(f"round {self.done + 1}: {len(found.chosen)} families")
            new = self._cut(found, MORE_STEPS if few else STEPS)
            self.done += 1
            self._tell(f"round {self.done}: {len(found.chosen)} families, {new} cuts")
            self.beaten = new
            self.calm = new <= CALM * len(self.data.contexts)
            # As long as other families are found it is not settled, though nothing may beat what they ask for so far.
            still = said == set(found.chosen.tolist())
            few = few + 1 if still and new <= SETTLED * len(self.data.contexts) else 0
        found = self._walked(found)
        unbroken = never_broken(self.candidates, self.broken, self.pool, self.trust)
        if not self.noisy:  # where some positives are not believed, what the others do not break says little
            found, before = completed(self._selection(self._contrast(), SHARP), found, unbroken), found
            late = ~np.isin(found.chosen, before.chosen)
            self.late = Fit(found.chosen[late], found.weights[late])
            self.best = self._model(found)
        if self._hedges:
            left = self._seconds_to_learn()
            patience = max(SOLVING_SECONDS, SOLVING_SHARE * left) if left < math.inf else SOLVING_SECONDS
            asked_for = set(self.best.rules)
            self.best = hedged(
                self.best, self.candidates, self.broken, unbroken, self.pool, self.rng, self._spent, patience
            )
            hedges = set(self.best.rules) - asked_for
            self.best = relented(self.best, hedges, self.data, self.rng, self._spent, patience)
        self.settled = True
        self.notes.append(
            f"{len(found.chosen)} of {2 * self.candidates.columns} candidate families, weighed against "
            f"{len(self.pool)} alternatives after {self.done} rounds of cuts"
        )
        if doubted := self.trust.doubted(self.pool):
            self.notes.append(f"{doubted} labels are taken to be wrong")

    @property
    def _hedges(self) -> bool:
        """Whether plans are asked for in situations that were not seen: the examples may not tell all the rules."""
        return self.noisy or int(self.data.positive.sum()) < FEW_POSITIVES

    def _started(self) -> Fit:
        """The families of the model to go on from that are candidates here, too."""
        if not self.start:
            return Fit()
        worth = {rule.what: rule.weight for rule in self.start[0].rules}
        scale = self.wishing.scale if self.wishing else USUAL_WEIGHT
        found = {
            candidate: HEAVIEST if weight is None else scale * float(weight)
            for candidate in np.flatnonzero(np.isfinite(self.candidates.prices)).tolist()
            if (weight := worth.get(self.candidates.family(candidate), 0)) != 0
        }
        return Fit(np.array(list(found), dtype=np.int64), np.array(list(found.values()), dtype=np.float64))

    def _fitted(self, lasso: Fit, before: Fit) -> tuple[Fit, Fit]:
        contrast = self._contrast()
        unbroken = never_broken(self.candidates, self.broken, self.pool, self.trust)
        prices = self.candidates.prices * np.where(unbroken, UNBROKEN, 1.0)
        lasso = fit(self.candidates, contrast, SHRINKING * prices, lasso, self._spent)
        found = adapted(self.candidates, contrast, SHRINKING * prices, lasso)
        selection = self._selection(contrast, BROAD)
        early = self.done < THOROUGH
        if len(before.chosen) and not self.done:  # what was cut off when it was learned is not there yet
            found = before
        elif early and not self.start:
            found = selection.from_(found)
        else:  # from what was found before, as what tells families apart is there by now
            selection = replace(selection, sharpness=SHARP)
            plenty = self._plenty and not self.noisy
            thorough = not early and (plenty or (self.calm and not self._hurried))
            found = selection.from_(before, thorough=thorough)
        if self.wishing:
            self.wishing, found = rescaled(self.wishing, selection, found)
            self.base = self.wishing.base(np.array(self.pool.rows))
        self.trust = trusted(self.trust, self.pool, self._scores(found), WARY if self.noisy else CAREFUL)
        doubtful = self.trust.noise > CLEAN and int(self.data.positive.sum()) >= ENOUGH_TO_DOUBT
        if self.done + 1 == ROUNDS_TO_DOUBT and doubtful:
            self.noisy, self.trust, lasso = True, Trust.full(len(self.pool)), Fit()
        return lasso, found

    def _walked(self, found: Fit) -> Fit:
        """The mean of the models that explain the examples about as well as the one found, or better.

        Over all walks since anything much was cut off: what was walked through before knew less.
        """
        result, seen = found, None
        left = WALKS if self.budget.steps is None else self.budget.steps - self.done
        for walk in range(min(WALKS, left)):
            if self._spent(WALKS_SHARE):
                break
            selection = self._selection(self._contrast(), SHARP)
            if not walk and not self._hurried and not self.noisy:
                found = selection.exchanged(selection.weighed(found))
            heat = COOL if self._hurried else HEAT
            chain = Chain(selection.trials, selection.weighed(found), self.rng, heat)
            samples = chain.walk(SWEEPS, COUNTING, lambda: self._spent(WALKS_SHARE))
            self._checkpoint()
            self.seen = seen = samples if seen is None else seen.joined(samples)
            mean, found = seen.mean(USUAL), samples.best()
            beaten = self._cut(mean, STEPS)
            if beaten <= max(self.beaten, CALM * len(self.data.contexts)):
                result, self.best, self.beaten = mean, self._model(mean), beaten
            new = beaten + self._cut(found, STEPS) + self._cut(samples.model(-1), STEPS)
            self.done += 1
            self._tell(f"walk {walk + 1}: {len(mean.chosen)} families, {new} cuts")
            if new > SETTLED * len(self.data.contexts):
                seen = None
        return result

    def _selection(self, contrast: Contrast, sharpness: Sharpness) -> Selection:
        # Bounded losses take longer to fit, and walks do more under wrong labels than exchanging families together.
        worth, together = (NOISY_WORTH, 1) if self.noisy else (WORTH, LARGEST_EXCHANGE)
        return Selection(self.candidates, contrast, self.candidates.prices, worth, sharpness, self._spent, together)

    def _contrast(self) -> Contrast:
        return Contrast.of(
            self.broken,
            np.array(self.pool.context_of),
            np.array(self.pool.sort),
            self.trust.weights(self.pool, bounded=self.noisy),
            self.base,
            DOUBT if self.noisy else 0.0,
        )

    def _scores(self, found: Fit) -> NDArray[np.float64]:
        return self.base + found.scores(self.candidates, self.broken)

    def _leave_out_what_is_known(self) -> None:
        """No candidate is what is forbidden, or a known wish or its opposite: that would change its weight."""
        if self.known is None and self.forbidden is None:
            return
        rows = np.array(self.pool.rows)
        # What breaks no instance of a family breaks all of its opposite.
        opposite = np.minimum(self.candidates.instances, 255).astype(np.uint8) - self.broken
        left_out: list[int] = []
        for counts in broken_by(self.known, rows):
            for column in (*alike(self.broken, counts), *alike(opposite, counts)):
                left_out += [2 * column, 2 * column + 1]
        for counts in broken_by(self.forbidden, rows):
            left_out += [2 * column for column in alike(self.broken, counts)]
            left_out += [2 * column + 1 for column in alike(opposite, counts)]
        self.candidates = replace(self.candidates, left_out=(*self.candidates.left_out, *left_out))

    def _model(self, found: Fit) -> Model:
        unbroken = never_broken(self.candidates, self.broken, self.pool, self.trust)
        evidence = decisive(self.candidates, self.broken, self.pool, found, self.base)
        model = model_of(self.candidates, found, unbroken, evidence, self.wishing)
        known = () if self.known is None else self.known.rules
        return with_rules(replace(model, schema=self.best.schema), (*known, *without(model, known).rules))

    def _gather(self, count: int) -> None:
        """Let the model speak for a committee: itself, and others that the walks came through, as far apart as can be.

        What joined in the end hardly pays: each of it is as likely to be in a member as not.
        """
        members = [self.best]
        samples = 0 if self.seen is None else len(self.seen.energies)
        enough = self.budget.seconds + GATHERING * self.budget.seconds_left
        if samples:  # where the time ran out amid cuts, the last ones are not counted
            self.pool = self.pool.first(len(self.broken))
        for i in np.linspace(0, samples - 1, min(count - 1, samples)).astype(int).tolist():
            if self.budget.seconds > enough:
                break
            assert self.seen is not None
            own = self.seen.model(i)
            more = ~np.isin(self.late.chosen, own.chosen) & (self.rng.random(len(self.late.chosen)) < 0.5)
            chosen = np.concatenate([own.chosen, self.late.chosen[more]])
            members.append(self._model(Fit(chosen, np.concatenate([own.weights, self.late.weights[more]]))))
        if len(members) < min(count, 2):
            self.notes.append("there is no committee: no time was left to walk among models; give it more")
            return
        self.committee = Committee(tuple(dict.fromkeys(members)))
        self.best = self.committee.announced_by(self.best)
        self.notes.append(f"{len(self.committee)} models that explain the examples about as well form the committee")

    def _cut(self, found: Fit, steps: int) -> int:
        """Add what beats the positives under these weights, and completions near it; how many contexts had any."""
        families = [self.candidates.family(candidate) for candidate in found.chosen.tolist()]
        instances: list[Constraint] = []
        weights: list[float] = []
        for family, weight in zip(families, found.weights.tolist(), strict=True):
            own = family.instances(self.data.schema) if isinstance(family, Family) else (family,)
            instances += own
            weights += [weight] * len(own)
        instances += [*(constraint for constraint, _ in self.wishing.costs), *self._asked]
        weights += [cost if cost < MUST else FORBIDDING for _, cost in self.wishing.costs]
        weights += [FORBIDDING] * len(self._asked)
        search = Search.of(self.data.schema, instances, weights)
        scores = self._scores(found)
        moves = Moves(self.data.schema)
        beginnings = []
        for c, rows in self._positives.items():
            for row in self._starts(rows, scores):
                positive, seed = self.pool.rows[row], self.done * 10_007 + row
                starts = [positive, *moves.near(positive, self.data.contexts[c], 1, self.rng)]
                beginnings += [Beginning(c, positive, start, seed) for start in starts]
        answers = cuts(self.place, search, self._free, beginnings, steps, self._seconds_to_learn)
        self._checkpoint()
        before, cut = len(self.pool), set[int]()
        for begin, answer in zip(beginnings, answers, strict=True):
            if answer is None:
                continue
            c = begin.context
            better = np.array(answer.found[: 1 if len(self.pool) > self._many else None])
            kept = self._within[c].holds(better)  # the search does not know all of the context
            for i in np.flatnonzero(kept).tolist():
                bits = better[i]
                if self.pool.add(c, bits, CUT) and answer.beats and not i:
                    cut.add(c)
                    for near in moves.near(bits, self.data.contexts[c], NEAR_CUTS, self.rng):
                        self.pool.add(c, near, NEAR)
        if len(self.pool) > before:
            more = self.candidates.broken(np.array(self.pool.rows[before:]), self._checkpoint)
            self.broken = np.concatenate([self.broken, more])
            self.base = np.concatenate([self.base, self.wishing.base(np.array(self.pool.rows[before:]))])
            self.trust = self.trust.grown(len(self.pool))
        return len(cut)

    @cached_property
    def _many(self) -> int:
        """Rows of the pool after which no more than one is added for each search."""
        return ROWS_PER_POSITIVE * int(self.data.positive.sum())

    @cached_property
    def _asked(self) -> tuple[Constraint, ...]:
        """What every context asks for, as where rules are known: the search must not leave it."""
        asked = [dict.fromkeys(context.asked) for context in self.data.contexts]
        return tuple(each for each in asked[0] if all(each in others for others in asked))

    @cached_property
    def _free(self) -> Shared[Free]:
        return Shared(tuple(free_variables(context, self.data.schema) for context in self.data.contexts))

    @cached_property
    def _within(self) -> list[Context]:
        return [context.within(self.data.schema) for context in self.data.contexts]

    @cached_property
    def _positives(self) -> dict[int, list[int]]:
        """For each context the rows of its positives in the pool."""
        result: dict[int, list[int]] = {}
        for row, (context, sort) in enumerate(zip(self.pool.context_of, self.pool.sort, strict=True)):
            if sort == POSITIVE:
                result.setdefault(context, []).append(row)
        return result

    def _starts(self, rows: list[int], scores: NDArray[np.float64]) -> list[int]:
        """The positives of a context that are believed; the search begins at each."""
        return [row for row in rows if self.trust.values[row] > 0.5]

    @property
    def _full(self) -> bool:
        """Whether the pool takes all the memory that it may; about three times as much is in use while it is sorted."""
        return self.broken.nbytes > SHARE * allowed_memory()

    @property
    def _plenty(self) -> bool:
        return self.budget.time_limit is None or self.budget.time_limit >= PLENTY

    @property
    def _hurried(self) -> bool:
        return self.budget.time_limit is not None and self.budget.time_limit < HURRY

    def _spent(self, share: float = 1.0) -> bool:
        """Whether this share of the time for learning is over."""
        return self._seconds_to_learn(share) <= 0

    def _seconds_to_learn(self, share: float = 1.0) -> float:
        """What is left of this share of the time for learning."""
        if self.budget.exhausted:
            return 0.0
        limit = self.budget.time_limit
        return math.inf if limit is None else share * LEARNING * limit - self.budget.seconds

    def _checkpoint(self) -> None:
        if self._spent():
            raise _SpentError

    def _tell(self, note: str) -> None:
        seconds, left = self.budget.seconds, self.budget.seconds_left
        self.listener(Progress(seconds, left, 0, len(self.data), self.done, note=note, model=self.best))

    def result(self, seed: int) -> LearnResult:
        order = np.random.default_rng(seed).permutation(len(self.data.contexts)).tolist()
        where, agreed = judged(self.place, self.best, self.data, order, self._seconds_to_judge)
        everywhere = len(where) == len(self.data.contexts)
        correct, settled = int(agreed.sum()), self.settled and everywhere
        return LearnResult(
            model=self.best,
            learner=NAME,
            correct=correct,
            examples=len(agreed),
            judged=None if everywhere else tuple(where),
            stopped=self.budget.ending(correct, len(self.data), out_of_steps=settled),
            seconds=self.budget.seconds,
            seed=seed,
            constraints=len(self.best.rules),
            steps=self.done,
            trace=tuple(self.trace),
            notes=tuple(self.notes),
            committee=self.committee,
        )

    def _seconds_to_judge(self) -> float:
        """Judging may take a little longer than the limit, so that there is always something to say.

        Who interrupts a run does not wait for the rest of its time.
        """
        least = JUDGING_SECONDS - (self.budget.seconds - self.worked)
        return least if self.budget.interrupted else max(self.budget.seconds_left, least)
