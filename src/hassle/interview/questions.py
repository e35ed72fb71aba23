"""Questions that people answer comfortably, each with its words, its answers and its JSON form.

- *good or bad*: this decision in this situation; a bad one may break a rule, or not be the best;
- *A or B*: two decisions in one situation that differ in at most :data:`MOST_DIFFERENCES` columns;
- *is this rule right?* always, usually, or no, with the evidence and a decision that it would forbid;
- *change it*: a decision to be changed until it is good, which gives a good and a bad one at once.

"I don't know" (``unknown``) is an answer to all of them. ``seconds`` is what an answer is taken to cost a person: rough
figures, so that questions can be compared by what they teach in a minute.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hassle.errors import InputError
from hassle.logic import Assignment, Context, Schema, as_bits, as_context

UNKNOWN = "unknown"
MOST_DIFFERENCES = 8

# Seconds to look at a decision, for each column in which two of them differ or one is changed, and to read a rule.
LOOKING, DIFFERENCE, CHANGING, READING = 6.0, 1.0, 2.0, 10.0


@dataclass(frozen=True)
class Question(ABC):
    """What all kinds have: the situation in which the question is put."""

    context: Context

    kind: ClassVar[str]
    answers: ClassVar[Mapping[str, str]]  # each answer, and what it means

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """The columns of its decisions."""

    @property
    @abstractmethod
    def decisions(self) -> Mapping[str, Assignment]:
        """The decisions that are shown, by their names in the JSON form."""

    @property
    @abstractmethod
    def words(self) -> str:
        """The question as a sentence; the decisions are shown beside it."""

    @property
    def seconds(self) -> float:
        return LOOKING

    @property
    def situation(self) -> str:
        """The context as people read it."""
        text = self.context.text(self.schema)
        return f"Where {text}" if text else "With nothing given"

    @property
    def key(self) -> Hashable:
        """Equal for questions that ask the same."""
        return (self.kind, self.context, frozenset(each.bits for each in self.decisions.values()))

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "words": self.words,
            "context": self.context.text(self.schema),
            **{name: dict(decision) for name, decision in self.decisions.items()},
            "answers": {**self.answers, UNKNOWN: "I don't know"},
            "seconds": self.seconds,
        }


@dataclass(frozen=True)
class OneDecision(Question):
    """What the questions have in common that are about a single decision."""

    assignment: Assignment

    @property
    def schema(self) -> Schema:
        return self.assignment.schema

    @property
    def decisions(self) -> Mapping[str, Assignment]:
        return {"assignment": self.assignment}


@dataclass(frozen=True)
class GoodOrBad(OneDecision):
    """Is this a best decision in this situation?"""

    kind = "good-or-bad"
    answers: ClassVar[Mapping[str, str]] = {
        "good": "good: as good as any here",
        "infeasible": "bad: it breaks a rule",
        "suboptimal": "bad: allowed, but not the best",
        "bad": "bad, for whatever reason",
    }

    @property
    def words(self) -> str:
        return f"{self.situation}: is this decision good or bad?"


@dataclass(frozen=True)
class AOrB(Question):
    """Which of the two is better in this situation?"""

    first: Assignment
    second: Assignment

    kind = "a-or-b"
    answers: ClassVar[Mapping[str, str]] = {
        "a": "A is better",
        "b": "B is better",
        "same": "neither is better",
    }

    @property
    def schema(self) -> Schema:
        return self.first.schema

    @property
    def decisions(self) -> Mapping[str, Assignment]:
        return {"a": self.first, "b": self.second}

    @property
    def differences(self) -> tuple[str, ...]:
        """The columns in which the two differ."""
        return tuple(name for name in self.first if self.first[name] != self.second[name])

    @property
    def words(self) -> str:
        return f"{self.situation}: which is better, A or B? They differ in {', '.join(self.differences)}."

    @property
    def seconds(self) -> float:
        return LOOKING + DIFFERENCE * len(self.differences)

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "differences": list(self.differences)}


@dataclass(frozen=True)
class RuleRight(Question):
    """Is this rule right? ``forbidden`` is a decision that the rule would forbid; ``rule`` is in the rule language.

    So many good decisions keep it (``kept``) and break it (``broken``).
    """

    forbidden: Assignment
    rule: str
    phrase: str
    kept: int = 0
    broken: int = 0

    kind = "rule"
    answers: ClassVar[Mapping[str, str]] = {
        "always": "always: what breaks it is not allowed",
        "usually": "usually: it is a wish",
        "no": "no",
    }

    @property
    def schema(self) -> Schema:
        return self.forbidden.schema

    @property
    def decisions(self) -> Mapping[str, Assignment]:
        return {"forbidden": self.forbidden}

    @property
    def words(self) -> str:
        evidence = f"{self.kept} good decisions keep it, {self.broken} break it"
        return f"Is this a rule: {self.phrase}? ({evidence}; it would forbid the decision shown.)"

    @property
    def seconds(self) -> float:
        return READING

    @property
    def key(self) -> Hashable:
        return (self.kind, self.rule)

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "rule": self.rule, "phrase": self.phrase, "kept": self.kept, "broken": self.broken}


@dataclass(frozen=True)
class ChangeIt(OneDecision):
    """Change this decision until it is good; ``expected`` is in how many columns that is expected to be."""

    expected: int = 2

    kind = "change"
    answers: ClassVar[Mapping[str, str]] = {"good": "it is good as it is", "changed": "good once it is changed"}

    @property
    def words(self) -> str:
        return f"{self.situation}: change this decision until you like it."

    @property
    def seconds(self) -> float:
        return LOOKING + CHANGING * self.expected

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "expected": self.expected}


KINDS: Mapping[str, type[Question]] = {each.kind: each for each in (GoodOrBad, AOrB, RuleRight, ChangeIt)}


def question_from_json(value: Mapping[str, Any], schema: Schema) -> Question:
    """The question of this JSON form; InputError where it is none."""
    kind = value.get("kind")
    context = as_context(value.get("context"), schema)

    def decision(name: str) -> Assignment:
        if name not in value:
            raise InputError(f"the question has no {name!r}", fix="add it")
        bits = as_bits(value[name], schema)
        if not context.holds(bits[None, :])[0]:
            raise InputError(f"{name!r} breaks the question's own context", fix="correct one of them")
        return Assignment.of(schema, bits)

    match kind:
        case GoodOrBad.kind:
            return GoodOrBad(context, decision("assignment"))
        case AOrB.kind:
            return AOrB(context, decision("a"), decision("b"))
        case RuleRight.kind:
            said = (str(value.get("rule", "")), str(value.get("phrase", "")))
            return RuleRight(
                context, decision("forbidden"), *said, int(value.get("kept", 0)), int(value.get("broken", 0))
            )
        case ChangeIt.kind:
            return ChangeIt(context, decision("assignment"), int(value.get("expected", 2)))
    raise InputError(f"there is no kind of question {kind!r}", fix=f"the kinds are {', '.join(KINDS)}")
