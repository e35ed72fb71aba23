"""An interview: questions whose answers teach hard rules and preferences at once, from as few answers as can be.

    interview = hassle.Interview(data)            # or a schema, where there are no examples yet
    while not interview.done:
        question = interview.next()
        interview.answer(input(question.words))   # one of question.answers, or "unknown"
    interview.model

A committee of models that explain the answers equally well is kept (:mod:`thoughts`); the next question is the one
whose answer is expected to take most off the risk of acting on what is known, per second of a person's attention
(:mod:`values`). Wrong answers are expected: they make members doubted, never impossible.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from hassle.data import Dataset
from hassle.errors import InputError
from hassle.interview.answers import Answer
from hassle.interview.contradictions import Contradiction, contradictions
from hassle.interview.polling import Candidate, decisions_to_change, decisions_to_judge, pairs_to_compare, polls
from hassle.interview.questions import KINDS, ChangeIt, GoodOrBad, Question
from hassle.interview.rule_questions import rules_to_confirm
from hassle.interview.thinking import Thinking
from hassle.interview.thoughts import Expected, Thought
from hassle.interview.values import expected_gains
from hassle.interview.variations import yielding
from hassle.logic import Assignment, Context, Schema, as_context
from hassle.model import Model
from hassle.solve import solve
from hassle.solve.committee import Committee

# Answers in a row that say nothing, after which there is no more to ask of this person.
SILENCE = 10
# What is sure enough.
TARGET = Expected(0.01, 0.005)
# Answers in a row that must have been foreseen before the committee is believed: members may all be wrong alike.
CONFIRMED = 5
# Situations in which it is seen whether the model has a plan at all.
MOST_TRIED = 6
# Seconds that a person is kept waiting for a better committee, at most.
PATIENCE = 1.5


class Interview:
    """Puts questions and learns from the answers.

    Parameters
    ----------
    data
        Examples to begin with, or a schema (or the names of yes-or-no columns) where there are none.
    known
        Rules that must hold, as a model of hard rules: respected, and not asked about.
    contexts
        Situations like those to ask about; by default those of the examples.
    kinds
        The kinds of question, all of :data:`~hassle.interview.questions.KINDS` by default; rules are asked about where
        contexts leave many completions.
    seed
        Decides all that is random; 0 by default.
    target
        When to stop: the infeasibility and the regret that are small enough, 0.01 and 0.005 by default.
    background
        Whether the committee thinks in a thread of its own, so that nobody waits for it. Without it, the same seed and
        answers give the same questions.
    path
        A file to which everything is saved after each answer.
    """

    def __init__(
        self,
        data: Dataset | Schema | Iterable[str],
        *,
        known: Model | None = None,
        contexts: Sequence[object] | None = None,
        kinds: Iterable[str] = tuple(KINDS),
        seed: int = 0,
        target: tuple[float, float] = (TARGET.infeasibility, TARGET.regret),
        background: bool = True,
        path: str | PathLike[str] | None = None,
    ) -> None:
        self.given = data if isinstance(data, Dataset) else Dataset.build(data, [])
        self.kinds = tuple(kinds)
        for kind in self.kinds:
            if kind not in KINDS:
                raise InputError(f"there is no kind of question {kind!r}", fix=f"choose from {', '.join(KINDS)}")
        if not self.kinds:
            raise InputError("there is no kind of question to put", fix=f"choose from {', '.join(KINDS)}")
        self.known = known
        self.contexts_given = None if contexts is None else [_context_text(each, self.schema) for each in contexts]
        if not isinstance(seed, int) or seed < 0:
            raise InputError(f"the seed is {seed!r}", fix="give a whole number, 0 or more")
        self.seed = seed
        self.target = Expected(*(float(share) for share in target))
        self.path = path
        self.answers: list[Answer] = []
        self._thinking = Thinking.about(self.given, known, contexts, seed, background)
        self._pending: Question | None = None
        self._thought: Thought | None = None
        self._current: tuple[int, Thought] | None = None
        self._spokesman: tuple[int, Model] | None = None
        self._background = background
        self._threads: ThreadPoolExecutor | None = None
        self._next_thought: Future[Thought] | None = None
        self._lock = threading.RLock()
        if path is not None:
            self.save(path)

    # What is known so far.

    @property
    def schema(self) -> Schema:
        """What the columns of decisions mean."""
        return self.given.schema

    @property
    def data(self) -> Dataset:
        """The examples to begin with, and those that the answers gave."""
        return self._thinking.data(self.answers)

    @property
    def thought(self) -> Thought:
        """What the committee makes of all answers; the first one takes as long as learning does."""
        with self._lock:
            count = len(self.answers)
            if self._current is None or self._current[0] != count:
                thought = self._latest()
                self._current = (count, thought.after(self.answers[thought.answers :]))
            return self._current[1]

    @property
    def model(self) -> Model:
        """One model that decides as the committee would by votes; it takes a second or two, once for each answer."""
        with self._lock:
            count = len(self.answers)
            if self._spokesman is None or self._spokesman[0] != count:
                found = self._thinking.spokesman(tuple(self.answers), self.thought)
                self._spokesman = (count, self._thinking.completed(found))
            return self._spokesman[1]

    @property
    def committee(self) -> Committee:
        """Models that explain the answers about equally well."""
        return Committee(tuple(self._thinking.completed(member) for member in self.thought.members))

    @property
    def expected(self) -> Expected:
        """The infeasibility and the regret that the committee expects of its own choice."""
        return self.thought.expected

    @property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """Pairs of answers, or of an answer and an example, of which one must be wrong."""
        return contradictions(self.given, self.answers)

    @property
    def done(self) -> str | None:
        """Why no more questions are needed: ``sure`` or ``silent``; None while there are."""
        if len(self.answers) >= SILENCE and not any(answer.known for answer in self.answers[-SILENCE:]):
            return "silent"
        if not any(answer.known for answer in self.answers) and not len(self.given):
            return None
        recent = [answer for answer in self.answers if answer.known][-CONFIRMED:]
        confirmed = len(recent) == CONFIRMED and all(answer.foreseen for answer in recent)
        return "sure" if confirmed and self._seems_sure() else None

    def _seems_sure(self) -> bool:
        expected = self.expected
        return expected.infeasibility <= self.target.infeasibility and expected.regret <= self.target.regret

    # Questions and answers.

    def next(self) -> Question:
        """The question whose answer is expected to be worth most; the same one until it is answered."""
        with self._lock:
            if self._pending is None:
                self._pending = self._choose()
            return self._pending

    def answer(self, *said: Any, seconds: float | None = None) -> tuple[Contradiction, ...]:
        """Take an answer: ``answer(value)`` to the question put last, ``answer(question, value)``, or an `Answer`.

        The value is one of the question's answers, ``unknown``, or the changed decision. Returns the contradictions
        with what was said before.
        """
        answer = self._read(said, seconds)
        with self._lock:
            before = set(self.contradictions)
            if answer.known and self._thought is not None:
                answer = replace(answer, foreseen=self.thought.foresees(answer))
            self.answers.append(answer)
            self._pending = None
            if self.path is not None:
                self.save(self.path)
            if self._background:
                self._think_ahead()
            return tuple(each for each in self.contradictions if each not in before)

    def _read(self, said: Sequence[Any], seconds: float | None) -> Answer:
        match said:
            case [Answer() as answer]:
                return answer
            case [value]:
                if self._pending is None:
                    raise InputError("there is no question to answer", fix="call next() first")
                return Answer.of(self._pending, value, seconds)
            case [Question() as question, value]:
                return Answer.of(question, value, seconds)
        raise InputError("that is no answer", fix="pass a value, a question and a value, or an Answer")

    def undo(self) -> Question:
        """Take back the last answer; its question is the next one again."""
        with self._lock:
            if not self.answers:
                raise InputError("there is no answer to take back")
            self._pending = self.answers.pop().question
            self._current = self._spokesman = None
            if self._thought is not None and self._thought.answers > len(self.answers):
                self._thought = None
            self._next_thought = None
            if self.path is not None:
                self.save(self.path)
            return self._pending

    def situations(self, rng: np.random.Generator) -> Iterator[Context]:
        """Situations such as questions are put in, without end."""
        return self._thinking.situations(rng, self.thought.model)

    def candidates(self) -> list[Candidate]:
        """The questions that could be put now, and how members would answer them."""
        thought = self.thought
        asked = self._asked()
        rng = np.random.default_rng([self.seed, len(self.answers)])
        found: list[Candidate] = []
        if "good-or-bad" in self.kinds:
            found += decisions_to_judge(thought.opinions, thought.weights, self.schema, asked)
        if "a-or-b" in self.kinds:
            found += pairs_to_compare(thought.opinions, thought.weights, self.schema, asked, rng)
        if "change" in self.kinds:
            found += decisions_to_change(thought.opinions, thought.weights, self.schema, asked)
        if "rule" in self.kinds and thought.learned is not None:
            data = self.data
            good = data.assignments[data.positive]
            found += rules_to_confirm(thought.members, thought.opinions, thought.weights, good, self.schema, asked)
        return found

    def _choose(self) -> Question:
        if self._wants_a_plan():
            return self._plan_to_change()
        candidates = [] if self._seems_sure() else self.candidates()
        if not candidates:
            return self._check()
        thought = self.thought
        with threadpool_limits(1):  # matrices are small: more threads would only wait for each other
            gains = expected_gains(polls(candidates), thought.weights, thought.opinions.risk, thought.wrong)
        worth = gains / [each.question.seconds for each in candidates]
        return candidates[int(worth.argmax())].question

    def _check(self) -> Question:
        """Where members agree on all that matters: is what they decide elsewhere good?

        Who finds that it is not has looked at it already, and a good decision instead is worth far more than a verdict.
        """
        rng = np.random.default_rng([self.seed, len(self.answers), 1])
        asked = self._asked()
        model = self._thinking.completed(self.thought.model)
        question: Question | None = None
        for context in itertools.islice(self.situations(rng), 200):
            best = solve(model, context)
            if best is None:
                continue
            decision = Assignment.of(self.schema, best.bits)
            question = ChangeIt(context, decision) if "change" in self.kinds else GoodOrBad(context, decision)
            if question.key not in asked:
                return question
        if question is None:
            raise InputError("no situation can be found in which anything is allowed", fix="correct the known rules")
        return question

    def _wants_a_plan(self) -> bool:
        """Whether a plan is to be changed until it is good: where contexts leave many completions, nearly always.

        What is wrong with a learner's plans its members do not know: they have the same rules, or none. A changed plan
        tells, and it is a good one besides. Only after a plan that was as foreseen another question may be put.
        """
        if self.thought.learned is None or "change" not in self.kinds:
            return False
        said = [answer for answer in self.answers if answer.known]
        return not said or not (isinstance(said[-1].question, ChangeIt) and said[-1].foreseen)

    def _plan_to_change(self) -> Question:
        """A plan where the model has none, as its rules are too many; else the one on which members differ most."""
        thought = self.thought
        model = self._thinking.completed(thought.model)
        rng = np.random.default_rng([self.seed, len(self.answers), 3])
        for context in itertools.islice(self.situations(rng), MOST_TRIED):
            if solve(model, context) is None:
                nearly = solve(self._thinking.completed(yielding(thought.model)), context)
                if nearly is not None:
                    question = ChangeIt(context, Assignment.of(self.schema, nearly.bits))
                    if question.key not in self._asked():
                        return question
        found = decisions_to_change(thought.opinions, thought.weights, self.schema, self._asked())
        return found[0].question if found else self._check()

    def _asked(self) -> set[Hashable]:
        """What was asked already, or is said by the examples."""
        keys: set[Hashable] = {answer.question.key for answer in self.answers} | self._told
        for answer in self.answers:
            keys |= {GoodOrBad(answer.question.context, decision).key for decision, _ in answer.examples}
        return keys

    @cached_property
    def _told(self) -> frozenset[Hashable]:
        """The questions that the examples to begin with have answered."""
        return frozenset(GoodOrBad(example.context, example.assignment).key for example in self.given)

    # Thinking, here or in the background.

    def _latest(self) -> Thought:
        """The newest thought there is, or a new one where nobody thinks in the background."""
        if self._background and self._thought is not None:
            future = self._next_thought
            if future is not None:
                with contextlib.suppress(TimeoutError):
                    self._take(future.result(timeout=PATIENCE))
            return self._thought
        if self._thought is None or self._thought.answers != len(self.answers):
            self._thought = self._thinking.thought(self.answers, self._thought)
        return self._thought

    def _take(self, thought: Thought) -> None:
        self._next_thought = None
        if thought.answers <= len(self.answers):
            self._thought = thought

    def _think_ahead(self) -> None:
        """Begin to think about all answers, unless the last thought is not over yet."""
        if self._next_thought is not None and self._next_thought.done():
            self._take(self._next_thought.result())
        if self._next_thought is None and self._thought is not None:
            if self._threads is None:
                self._threads = ThreadPoolExecutor(1, thread_name_prefix="interview")
            self._next_thought = self._threads.submit(self._thinking.thought, tuple(self.answers), self._thought)

    # Files.

    def save(self, path: str | PathLike[str]) -> None:
        """Everything said so far to a JSONL file, whole or not at all; it is a data file as well."""
        from hassle.interview.record import write_record

        write_record(self, path)

    @classmethod
    def resume(cls, path: str | PathLike[str], **options: Any) -> Interview:
        """The interview that was saved to this file, which goes on saving to it."""
        from hassle.interview.record import read_record

        return read_record(cls, path, options)


def _context_text(context: object, schema: Schema) -> str:
    return as_context(context, schema).text(schema)
