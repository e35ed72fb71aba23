"""How the committee thinks: from examples and answers to members and their opinions in situations like those to plan.

Where contexts leave few completions, members are states of chains of the statistical learner (:mod:`members`). Else,
where decisions are arranged, they are families learned by the structured learner, and variations of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from hassle.data import Dataset
from hassle.interview.agreement import agrees
from hassle.interview.answers import Answer
from hassle.interview.large import large_thought, learned_from
from hassle.interview.members import WARM_CHAINS, Drawn, draw_members, taught_models
from hassle.interview.opinions import Opinions
from hassle.interview.prior import prior_models
from hassle.interview.questions import RuleRight
from hassle.interview.situations import Situations, all_completions, few_completions, new_context
from hassle.interview.thoughts import Thought, trusted
from hassle.learners.knowing import Known
from hassle.learners.statistical.teaching import lessons
from hassle.learners.wishes import Wishes, with_rules, without
from hassle.logic import EMPTY, Context, as_context
from hassle.logic.arranging import arranged
from hassle.model import Model
from hassle.solve import aligned, optima

# Situations in which opinions are compared, members, and members at most that stand for an earlier thought.
SITUATIONS, MEMBERS = 80, 80
# Members that vote, each as often as it is trusted, situations that they vote in, and those in which what they have
# taught is judged.
VOTERS, LESSONS, JUDGED = 100, 200, 300
# What is not in the data is taken to be wrong so often: that two decisions are just as good is true of no member by
# chance, and none would be left that is trusted.
UNSAID = 0.25
# Best decisions with nothing given that are looked at, tries for a context in which none of them is possible, and how
# many contexts that leave one possible are taken to have been seen beside those that were.
FREE, TRIES, HARMLESS_BEFORE = 64, 20, 0.5
# How much earlier members count beside new ones.
EARLIER = 0.3
# How often answers are taken to be wrong, at least and at most; and as if so many wrong and right ones had been seen
# before. Little, at first: where a wrong answer is likelier than a rule, no single answer ever teaches a rule.
WRONG, MOST_WRONG, WRONG_BEFORE, RIGHT_BEFORE = 0.002, 0.2, 0.5, 40


@dataclass(frozen=True)
class Thinking:
    """What does not change during an interview."""

    given: Dataset
    known: Model | None
    contexts: tuple[Context, ...]
    seed: int
    by_clock: bool

    @classmethod
    def about(
        cls, given: Dataset, known: Model | None, contexts: Sequence[object] | None, seed: int, by_clock: bool
    ) -> Thinking:
        rules = None if known is None else aligned(known, given.schema)
        seen = given.contexts if contexts is None else tuple(as_context(each, given.schema) for each in contexts)
        return cls(given, rules, seen, seed, by_clock)

    @cached_property
    def few(self) -> bool:
        """Whether contexts leave so few completions that all can be looked at."""
        schema = self.given.schema
        return all(few_completions(context, schema) for context in self.contexts or (EMPTY,))

    def data(self, answers: Sequence[Answer]) -> Dataset:
        """The examples to begin with, and what the answers gave."""
        examples = [
            (answer.question.context, decision, label) for answer in answers for decision, label in answer.examples
        ]
        compared = [(answer.question.context, *answer.comparison) for answer in answers if answer.comparison]
        if not examples and not compared:
            return self.given
        return self.given.extended(Dataset.build(self.given.schema, examples, compared))

    def completed(self, model: Model) -> Model:
        """A member with the known rules."""
        if self.known is None:
            return model
        return with_rules(model, (*self.known.rules, *without(model, self.known.rules).rules))

    @cached_property
    def wishes(self) -> Wishes:
        """The known rules with weights, which every member has."""
        return Wishes.of(self.known)

    def thought(self, answers: Sequence[Answer], before: Thought | None) -> Thought:
        """What to make of these answers; members of the thought before are where chains start."""
        data = self.data(answers)
        rng = np.random.default_rng([self.seed, len(answers)])
        if not self.few:
            known = self._known_and_confirmed(data, answers)
            earlier = None if before is None else before.learned
            learned = learned_from(data, len(answers), earlier, known, self.seed, self.by_clock)
            seen = self.contexts or data.contexts
            return replace(large_thought(learned, data, answers, seen, rng), learned=learned)
        later = None if before is None else before.after(answers[before.answers :])
        wrong = WRONG if later is None else self._wrong(later, answers)
        drawn = self._drawn(data, later, wrong, rng)
        # What the data does not say (that two are as good, that something is no rule) makes members trusted or not.
        unsaid = [answer for answer in answers if answer.known and not answer.examples and not answer.comparison]
        members, weights = list(drawn.models), trusted(drawn.models, drawn.weights, unsaid, UNSAID)
        if later is not None:  # earlier members that still hold stay, and count less
            kept = np.argsort(-later.weights, kind="stable")[: MEMBERS - len(members)]
            members += [later.members[m] for m in kept]
            weights = np.concatenate([weights, EARLIER * later.weights[kept]])
        opinions = Opinions.of([self.completed(member) for member in members], self._situations(rng, later))
        with threadpool_limits(1):
            assert opinions.risk.shape == (len(members), len(members))
        return Thought(len(answers), tuple(members), weights / weights.sum(), opinions, wrong)

    def _known_and_confirmed(self, data: Dataset, answers: Sequence[Answer]) -> Model | None:
        """The known rules, and those that were said to hold always, unless a good decision breaks them."""
        said = [
            answer.question.rule
            for answer in answers
            if isinstance(answer.question, RuleRight) and answer.value == "always"
        ]
        confirmed = Model.build(arranged(data.schema), hard=list(dict.fromkeys(said)))
        good = data.assignments[data.positive]
        kept = [rule for rule in confirmed.rules if replace(confirmed, rules=(rule,)).feasible(good).all()]
        rules = (*(() if self.known is None else self.known.rules), *kept)
        return replace(confirmed, rules=tuple(dict.fromkeys(rules))) if rules else None

    def _wrong(self, before: Thought, answers: Sequence[Answer]) -> float:
        """How often answers seem to be wrong: as often as the best member of the thought before would not have given
        them.
        """
        known = [answer for answer in answers if answer.known]
        model = self.completed(before.model)
        missed = sum(not agrees(model, answer) for answer in known)
        return min(MOST_WRONG, max(WRONG, (missed + WRONG_BEFORE) / (len(known) + RIGHT_BEFORE)))

    def spokesman(self, answers: Sequence[Answer], thought: Thought) -> Model:
        """The model that decides as the members would by votes, as far as one model can.

        What most members say in situations that nobody has decided in is taught to one of them; of the models on its
        way, and the members' own choice, the one is taken whose decisions put least at risk in other situations.
        """
        if not self.few:
            return thought.model
        rng = np.random.default_rng([self.seed, len(answers), 2])
        data, asked = self._left(self.data(answers))
        if not len(data):
            return thought.model
        chosen = rng.choice(len(thought.members), size=VOTERS, p=thought.weights)
        voters = [self.completed(thought.members[m]) for m in chosen]
        where = self._contexts(rng, LESSONS, thought.model)
        more = lessons(voters, [context for context in where if context not in set(data.contexts)], self.given.schema)
        if not len(more):
            return thought.model
        pupils = taught_models(thought.model, more, data, asked, thought.wrong, int(rng.integers(2**31)), self.wishes)
        candidates = list(dict.fromkeys([thought.model, *pupils]))
        judged = Opinions.of(
            [self.completed(model) for model in (*candidates, *thought.members)],
            self._listed(self._contexts(rng, JUDGED, thought.model)),
        )
        with threadpool_limits(1):
            risk = judged.risk[: len(candidates), len(candidates) :] @ thought.weights
        return candidates[int(risk.argmin())]

    def _left(self, data: Dataset) -> tuple[Dataset, NDArray[np.bool_]]:
        """The data without what is known, as chains take it, and which examples were asked about."""
        data = data.paired()
        asked = np.arange(len(data)) >= len(self.given)
        if self.known is not None and self.known.feasible(data.assignments).any():
            narrowed = Known.of(self.known, data)
            data, asked = narrowed.left, asked[~narrowed.broken]
        return data, asked

    def _drawn(self, data: Dataset, before: Thought | None, wrong: float, rng: np.random.Generator) -> Drawn:
        data, asked = self._left(data)
        if not len(data):
            models = map(self.wishes.around, prior_models(self.given.schema, MEMBERS, rng))
            return Drawn(tuple(models), np.full(MEMBERS, 1 / MEMBERS))
        starts = []
        if before is not None:
            chosen = rng.choice(len(before.members), size=WARM_CHAINS, p=before.weights)
            starts = [before.members[m] for m in chosen]
        return draw_members(data, asked, starts, wrong, int(rng.integers(2**31)), self.wishes)

    def _situations(self, rng: np.random.Generator, before: Thought | None) -> Situations:
        fixed = np.random.default_rng(self.seed)
        half = SITUATIONS // 2
        model = None if before is None else before.model
        return self._listed(dict.fromkeys([*self._contexts(fixed, half, model), *self._contexts(rng, half, model)]))

    def _contexts(self, rng: np.random.Generator, count: int, model: Model | None) -> list[Context]:
        """So many contexts like those seen, or fewer, as each is there once."""
        drawn = dict.fromkeys(itertools.islice(self.situations(rng, model), count))
        return [context for context in drawn if few_completions(context, self.given.schema)]

    def situations(self, rng: np.random.Generator, model: Model | None) -> Iterator[Context]:
        """Contexts like those seen, without end.

        People ask where something stands in the way: mostly, what is best with nothing given is not possible in the
        contexts that were seen. As far as that is so by this model, it is so in those that are drawn.
        """
        free = np.zeros((0, len(self.given.variables)), dtype=np.uint8)
        if model is not None and self.few:
            free = optima(self.completed(model), EMPTY, limit=FREE).assignments
        count = sum(bool(context.holds(free).any()) for context in self.contexts)
        harmless = (count + HARMLESS_BEFORE) / (len(self.contexts) + HARMLESS_BEFORE)
        while True:
            for _ in range(TRIES):
                context = new_context(self.contexts, self.given.schema, rng)
                if rng.random() < harmless or not context.holds(free).any():
                    break
            yield context

    def _listed(self, contexts: Iterable[Context]) -> Situations:
        own = tuple(contexts)
        return Situations.of(own, [all_completions(context, self.given.schema) for context in own])
