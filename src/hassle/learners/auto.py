"""``auto``: the learner for those who do not want to choose one.

Where the contexts' completions can be listed quickly, the statistical learner goes first (of very many examples in a
sample of the contexts that grows as long as it helps, :mod:`hassle.learners.growing`): it needs no number of
clauses, no clause length and no idea of the noise. If it explains the examples, or believes that the rest are wrong
labels, that is the answer. Otherwise local search gets what is left of the time, first to repair that model, then from
random ones, and whichever model explains most examples is returned, so that the answer never scores below the local
search that was run. Under noise local search is not run: it has no notion of a wrong label, so it explains more
examples and is worse for it. Wrong labels are believed in only if the chains have settled and agree on them, if the
model explains more than no rules at all would, and, over few variables, if it is proved that no model explains
everything; over few variables data that some model explains is explained (:mod:`hassle.learners.ranking`). Where there
are too many completions to list them quickly, the structured learner is called if the decisions are arranged
(people × days × shifts), by the schema or by their names. Else some contexts stand for all if each is small, or the
learner for large contexts is called instead. Rules that counting finds within a second (:mod:`hassle.learners.mined`)
are the answer where they explain more than all this, as may be where the time is too short.

Where rules with weights are known, only the statistical and the structured learner are called: the others do not learn
around them (:mod:`hassle.learners.wishes`).

What was done, and why, stands in the result's notes.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from hassle.learners.budget import Budget, Listener
from hassle.learners.growing import has_very_many, learn_growing
from hassle.learners.options import MOST_MEMBERS, check_counts
from hassle.learners.places import Place
from hassle.learners.result import LearnResult
from hassle.learners.starting import Start, start_option
from hassle.learners.wishes import Wishes
from hassle.logic.arranging import arranged
from hassle.tables.limits import QUICK_POINTS, TABLE_POINTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hassle.data import Dataset
    from hassle.learners.statistical.chains import Chain, Draw
    from hassle.learners.statistical.sampler import Sampler
    from hassle.logic import Schema
    from hassle.model import Model

# The share of the time after which local search takes over where the statistical learner leaves something unexplained.
FIRST_SHARE = 0.85
# Where more labels than this seem wrong, the chains have rather got stuck: local search may explain them.
MOST_WRONG = 0.25
# Of fewer examples than this it is hardly ever sure that some are wrong.
ENOUGH_TO_DOUBT = 60
# Repairing the statistical learner's model: its share of the time left, steps until it starts again from the model, so
# that little is changed, and clauses added.
POLISH_SHARE, POLISH_STEPS, SPARE_CLAUSES = 0.5, 50, 3
# Seconds for the ranking of all assignments over few variables; it usually takes a fraction of one.
RANKING_SECONDS = 5.0
# Of very many small contexts some are enough: so much work (in completions), in at least so many contexts.
SAMPLE_POINTS, FEWEST_SAMPLED = 2**20, 200
# Variables up to which clauses of three literals are few enough to mine them all where contexts are large.
MOST_FOR_TRIPLES = 40
# For the rules that are the answer where there is no other: a share of the time, of which they hardly ever need a part,
# and seconds at least.
MINING_SHARE, MINING_SECONDS = 0.25, 0.3
# Contexts of the data on which members of a committee are compared, and votes in all; the seconds that each must have
# had where it is learned by itself.
MOST_COMPARED, MOST_VOTES, MEMBER_SECONDS = 100, 200_000, 2.0


@dataclass(frozen=True)
class AutoLearner:
    """Options: ``constraints`` and ``max_literals`` bound the model where given, ``jobs`` the processes at a time.

    ``committee`` asks for so many models that fit equally well; the one that the others agree with most is returned.
    ``start``: an earlier result, or a model, to go on from. ``known``: rules with weights that are not learned but
    respected, ``forbidden``: a model of rules that are not to be learned; then only learners are called that can.
    ``place``: where chains, searches and cuts run, if not in this process.
    """

    constraints: int | None = None
    max_literals: int | None = None
    jobs: int | None = None
    committee: int | None = None
    start: Start | None = None
    known: Model | None = None
    place: Place | None = None
    forbidden: Model | None = None

    def __post_init__(self) -> None:
        check_counts(self, "constraints", "max_literals", "jobs", "committee")

    def learn(self, data: Dataset, budget: Budget, seed: int, listener: Listener) -> LearnResult:
        from hassle.learners.statistical.problem import fits_tables

        mined = None if self._bound else self._mined(data, budget, seed)
        if has_very_many(data) and self.committee is None and (some := quick_sample(data, seed)) is not None:
            found = self._growing(some, data, budget, seed, listener)
        elif fits_tables(data) and work_in(data).sum() <= QUICK_POINTS:
            found = self._by_statistics(data, budget, seed, listener)
        elif (structure := arranged(data.schema)).arrangements:
            found = self._by_structure(data, structure, budget, seed, listener)
            if (
                mined is None or found.model.constraints
            ):  # that many small rules know more decisions by heart says nothing for them
                return found
        elif (sample := quick_sample(data, seed)) is not None:
            found = self._from_sample(sample, data, budget, seed, listener)
        elif self._bound:
            found = self._by_structure(data, structure, budget, seed, listener)
        else:
            found = self._by_cuts(data, budget, seed, listener)
        if (
            mined is None
            or found.correct >= budget.enough(found.examples)
            or found.committee is not None
            or budget.interrupted
        ):
            return found
        if data.positive.all() and found.model.constraints:  # any rules explain that; it says nothing for these
            return found
        return better_of(found, mined, data)

    @property
    def _bound(self) -> bool:
        """Whether something is known with a weight, or forbidden, which not all learners respect."""
        return self.known is not None or self.forbidden is not None

    def _mined(self, data: Dataset, budget: Budget, seed: int) -> Model:
        """The rules that counting finds: done first, so that there is an answer whatever becomes of the rest."""
        from hassle.learners.mined import mined_model
        from hassle.model import Model

        # A run that is limited by steps must not depend on the clock.
        seconds = math.inf if budget.time_limit is None else max(MINING_SECONDS, MINING_SHARE * budget.seconds_left)
        try:
            return mined_model(data, seed, seconds, self.constraints, self.max_literals)
        except KeyboardInterrupt:  # the learners below end at once, and say so
            budget.interrupt.set()
            return Model(data.schema)

    def _by_structure(
        self, data: Dataset, structure: Schema, budget: Budget, seed: int, listener: Listener
    ) -> LearnResult:
        """Families over the dimensions of the schema, or over those that its names show."""
        from hassle.learners.structured import StructuredLearner
        from hassle.learners.weighing import IGNORING, weights_note

        learner = StructuredLearner(
            jobs=self.jobs,
            known=self.known,
            place=self.place,
            forbidden=self.forbidden,
            committee=self.committee,
            **start_option(StructuredLearner, self.start),
        )
        found = learner.learn(replace(data, schema=structure), budget, seed, listener)
        shape = " × ".join(f"{len(each.members)} {each.name}" for each in structure.dimensions)
        told = "" if data.schema.arrangements else ", as the names show"
        notes = [f"the decisions are arranged ({shape}{told}) and contexts are large, so families of rules are learned"]
        if not structure.arrangements:
            notes = ["contexts are large, so rules of up to two literals are learned around the known ones"]
        ignored = [name for name in ("constraints", "max_literals") if getattr(self, name) is not None]
        if ignored:
            notes.append(f"{' and '.join(ignored)}: of no effect there")
        if data.weighted and "structured" in IGNORING:
            notes.append(weights_note("structured"))
        return replace(found, learner="auto", notes=(*notes, *found.notes))

    def _from_sample(
        self, sample: NDArray[np.int64], data: Dataset, budget: Budget, seed: int, listener: Listener
    ) -> LearnResult:
        """What the statistical learner makes of some of very many small contexts."""
        seen = data.subset(examples_in(sample.tolist(), data))
        found = self._by_statistics(seen, budget, seed, listener)
        note = f"learned from the {len(seen):,} of {len(data):,} examples in {len(sample):,} contexts, drawn at random"
        return replace(found, notes=(note, *found.notes), judged=tuple(sample.tolist()))

    def _growing(
        self, some: NDArray[np.int64], data: Dataset, budget: Budget, seed: int, listener: Listener
    ) -> LearnResult:
        """What the statistical learner makes of a sample of these contexts that grows as long as it helps."""
        import numpy as np

        def learned(seen: Dataset, budget: Budget, start: Start | None) -> LearnResult:
            return replace(self, start=start)._by_statistics(seen, budget, seed, listener)

        order = np.random.default_rng(seed).permutation(some).tolist()
        return learn_growing(data, order, budget, self.start, learned)

    def _by_statistics(self, data: Dataset, budget: Budget, seed: int, listener: Listener) -> LearnResult:
        from hassle.learners.statistical.learner import StatisticalLearner, chosen_result

        own = (self.constraints, self.max_literals, self.jobs, self.start, self.known, self.place, self.forbidden)
        # Where local search may not repair anything, all of the time is for the chains.
        explored = StatisticalLearner(*own).explore(data, budget, seed, listener, 1.0 if self._bound else FIRST_SHARE)
        draws, chains = explored.draws, explored.chains
        found = replace(chosen_result(explored, data, budget, seed), learner="auto")
        notes = [f"the statistical learner explains {found.correct} of {len(data)} examples", *found.notes]
        if self.committee is not None:
            found = _with_committee(found, draws, self.committee, data, Wishes.of(self.known))
        if not self._bound and found.correct < budget.enough(len(data)) and not budget.interrupted:
            if data.positive.all():
                found = _explaining_all(found, draws, data)
            else:
                found, more = self._improved(found, chains, data, budget, seed, listener)
                notes += more
        if found.committee is not None:
            notes.append(f"{len(found.committee)} models that fit equally well form the committee")
        elif self.committee is not None:
            notes.append("there is no committee, as no other model explains as much; give it more time")
        return replace(found, seconds=budget.seconds, notes=tuple(notes))

    def _improved(
        self, found: LearnResult, chains: list[Chain], data: Dataset, budget: Budget, seed: int, listener: Listener
    ) -> tuple[LearnResult, list[str]]:
        """What is left unexplained is taken for wrong labels where there is reason to, and else explained otherwise."""
        from hassle.learners.statistical.chains import agree_on_wrong_labels
        from hassle.learners.statistical.sampler import believed_noise

        ranked, notes = self._ranked(data, budget)
        if budget.interrupted:
            return replace(found, stopped="interrupted"), notes
        noise = believed_noise(len(data) - found.correct, len(data))
        if found.correct <= int(data.positive.sum()):
            notes.append("that is no more than a model without any rules would")
        elif self._are_wrong(noise, data) and ranked is None and agree_on_wrong_labels(chains):
            share = f"it takes about {100 * noise:.0f} % of the labels to be wrong"
            return found, [*notes, f"{share}, so local search is not run"]
        found, more = self._or_local_search(found, chains[0].sampler, data, budget, seed, listener)
        notes += more
        if ranked is not None and found.correct < budget.enough(len(data)):
            notes.append("ranking all assignments one by one explains every example")
            found = replace(
                found, model=ranked, correct=len(data), stopped="perfect", constraints=len(ranked.constraints)
            )
        return found, notes

    def _are_wrong(self, noise: float, data: Dataset) -> bool:
        """Whether this share of the labels may be taken to be wrong without a try to explain them."""
        return 0 < noise <= MOST_WRONG and len(data) >= ENOUGH_TO_DOUBT

    def _ranked(self, data: Dataset, budget: Budget) -> tuple[Model | None, list[str]]:
        """Over few variables: a model that explains everything, if there is one of the size and length allowed."""
        from hassle.errors import ResourceError
        from hassle.learners.ranking import MOST_VARIABLES, explaining_model

        if len(data.variables) > MOST_VARIABLES:
            return None, []
        try:
            model = explaining_model(data, min(RANKING_SECONDS, max(0.5, budget.seconds_left)))
        except ResourceError:
            return None, []
        except KeyboardInterrupt:
            budget.interrupt.set()
            return None, []
        if model is None:
            return None, ["no model explains all examples: some labels contradict each other"]
        longest = max((len(constraint.literals) for constraint in model.constraints), default=0)
        allowed = len(model.constraints) <= (self.constraints or len(model.constraints)) and longest <= (
            self.max_literals or longest
        )
        return (model if allowed else None), []

    def _or_local_search(
        self, found: LearnResult, sampler: Sampler, data: Dataset, budget: Budget, seed: int, listener: Listener
    ) -> tuple[LearnResult, list[str]]:
        """The best of the model found and what local search makes of it, or else of random models.

        Where few examples are left, explaining them must not cost the truth: a model that explains them is taken only
        if it is the more plausible one, and random models are not tried.
        """
        from hassle.learners.sls.learner import LocalSearch, default_constraints
        from hassle.learners.statistical.sampler import believed_noise, judge

        few_left = not believed_noise(len(data) - found.correct, len(data))

        clauses, searches = found.model.constraints, []
        plain = LocalSearch(max_literals=self.max_literals, jobs=self.jobs, place=self.place)
        if clauses and all(constraint.is_clause for constraint in clauses):  # local search knows no counts
            size = len(clauses) + (SPARE_CLAUSES if found.model.hard and self.constraints is None else 0)
            polish = replace(plain, constraints=size, start=_lighter(found.model), restart_probability=1 / POLISH_STEPS)
            searches.append(("repairing it by local search", polish, POLISH_SHARE))
        # Where the statistical learner has failed, its number of clauses is no guide.
        many = self.constraints or max(len(clauses), default_constraints(len(data.variables)))
        if not few_left:
            searches.append(("local search from random models", replace(plain, constraints=many), 1.0))
        notes = []
        for what, search, share in searches:
            if found.correct >= budget.enough(len(data)) or budget.exhausted:
                break
            searched = search.learn(data, budget.part(share), seed, listener)
            steps, neighbours = found.steps + searched.steps, found.neighbours + searched.neighbours
            better = searched.correct > found.correct
            verdict = "" if better else ", which is no more"
            if better and few_left:
                before, after = judge([found.model, searched.model], sampler)
                better = after.log_posterior > before.log_posterior
                verdict = "" if better else ", with rules that nothing else speaks for"
            notes.append(f"{what} explains {searched.correct}{verdict}")
            chosen = replace(searched, learner="auto") if better else found
            found = replace(chosen, steps=steps, neighbours=neighbours)
        return found, notes

    def _by_cuts(self, data: Dataset, budget: Budget, seed: int, listener: Listener) -> LearnResult:
        from hassle.learners.cuts import CutsLearner
        from hassle.learners.cuts.learner import LONGEST
        from hassle.learners.weighing import weights_note

        longest = self.max_literals or (3 if len(data.variables) <= MOST_FOR_TRIPLES else 2)
        learner = CutsLearner(max_literals=min(LONGEST, longest))
        count = self.committee or 1
        if budget.time_limit is not None:  # a member that had no time to learn would have nothing to say
            count = max(1, min(count, int(budget.seconds_left / MEMBER_SECONDS)))
        results: list[LearnResult] = []
        for i in range(count):
            if results and budget.exhausted:
                break
            results.append(learner.learn(data, budget.part(1 / (count - i)), seed + i, listener))
        best = max(results, key=lambda result: (result.score or 0, result.examples, -len(result.model.constraints)))
        notes = [
            f"contexts leave many variables open, so rules of up to {learner.max_literals} literals are mined and "
            "weights cut by a MaxSAT solver",
            f"that explains {best.correct} of {best.examples} examples",
        ]
        ignored = [name for name in ("constraints", "jobs") if getattr(self, name) is not None]
        if self.place is not None:
            ignored.append("cluster")
        if ignored:
            notes.append(f"{' and '.join(ignored)}: of no effect where contexts leave many variables open")
        if longest > LONGEST:
            notes.append(f"clauses there have at most {LONGEST} literals")
        if data.weighted:
            notes.append(weights_note("cuts"))
        best = replace(best, learner="auto", seconds=budget.seconds, notes=(*best.notes, *notes))
        if self.committee is None:
            return best
        # Those judged in other contexts cannot be compared.
        members = dict.fromkeys(
            result.model for result in results if (result.correct, result.judged) == (best.correct, best.judged)
        )
        return _announce(best, list(members), [best.correct] * len(members), data)


def better_of(found: LearnResult, rules: Model, data: Dataset) -> LearnResult:
    """What was found, or these rules if they explain more where that was judged."""
    from hassle.solve import feasibility_agrees

    right = feasibility_agrees(rules, data)
    if int(right[examples_in(found.judged, data)].sum()) <= found.correct:
        return found
    note = "the rules that the positives keep against all odds, found by counting, explain more and are returned"
    return replace(
        found,
        model=rules,
        correct=int(right.sum()),
        examples=len(data),
        stopped="perfect" if right.all() else found.stopped,
        constraints=len(rules.constraints),
        notes=(*found.notes, note),
        judged=None,
    )


def examples_in(contexts: Collection[int] | None, data: Dataset) -> NDArray[np.int64]:
    """The places of the examples in these contexts, of all without any."""
    import numpy as np

    return np.arange(len(data)) if contexts is None else np.flatnonzero(np.isin(data.context_of, list(contexts)))


def work_in(data: Dataset) -> NDArray[np.float64]:
    """For each context: how many points a move of the statistical learner looks at, or could in the same time."""
    from hassle.tables.completions import points_in

    return points_in(data.contexts, data.schema) + TABLE_POINTS


def quick_sample(data: Dataset, seed: int) -> NDArray[np.int64] | None:
    """Random contexts, as many as are quick; None where these are few, as contexts are large."""
    import numpy as np

    order = np.random.default_rng(seed).permutation(len(data.contexts))
    sample = order[: int(np.searchsorted(np.cumsum(work_in(data)[order]), SAMPLE_POINTS))]
    return np.sort(sample) if len(sample) >= FEWEST_SAMPLED else None


def _explaining_all(found: LearnResult, draws: list[Draw], data: Dataset) -> LearnResult:
    """Of positives alone over few variables: the most plausible model visited that explains all of them, or no rules.

    No rules at all explain positives alone, so what is left unexplained is no reason to look for other ones. Few
    positives cannot show that some of them are wrong, though.
    """
    from hassle.learners.ranking import MOST_VARIABLES
    from hassle.learners.statistical.learner import as_model
    from hassle.model import Model

    if len(data.variables) > MOST_VARIABLES or found.committee is not None:
        return found
    whole = [draw for draw in draws if draw.correct == len(data)]
    best = max(whole, key=lambda draw: draw.log_posterior, default=None)
    model = Model(data.schema) if best is None else as_model(best.sample, data.schema)
    size = len(model.constraints)
    return replace(found, model=model, correct=len(data), stopped="perfect", constraints=size)


def _with_committee(found: LearnResult, draws: list[Draw], size: int, data: Dataset, wishes: Wishes) -> LearnResult:
    """A committee of distinct models that fit as well as the one found, as far apart in the chains as can be."""
    import numpy as np

    from hassle.learners.statistical.learner import as_model

    good = [draw for draw in draws if draw.correct >= found.correct]
    fitting = {as_model(draw.sample, data.schema, wishes): draw.correct for draw in good}
    fitting.pop(found.model, None)
    distinct = list(fitting)
    places = np.linspace(0, len(distinct) - 1, min(size, MOST_MEMBERS, len(distinct) + 1) - 1).astype(int)
    members = [found.model, *(distinct[i] for i in places)]
    return _announce(found, members, [found.correct, *(fitting[model] for model in members[1:])], data)


def _announce(found: LearnResult, members: list[Model], correct: list[int], data: Dataset) -> LearnResult:
    """The result with the committee of these members, spoken for by the one the others agree with most."""
    from hassle.solve.committee import Committee

    committee = Committee(tuple(members))
    compared = max(1, min(MOST_COMPARED, MOST_VOTES // len(members) ** 2))
    chosen = committee.speaker(data.contexts[:compared])
    speaker = members[chosen]
    announced = committee.announced_by(speaker)
    size = len(speaker.constraints)
    return replace(found, model=announced, correct=correct[chosen], constraints=size, committee=committee)


def _lighter(model: Model) -> Model:
    """The model with weights as local search has them, which are below 1."""
    from hassle.kernels.moves import HEAVIEST, WHOLE

    heaviest = Decimal(HEAVIEST) / WHOLE
    return replace(
        model,
        rules=tuple(
            rule if rule.weight is None else replace(rule, weight=min(rule.weight, heaviest)) for rule in model.rules
        ),
    )
