"""Answers, and what they say as data: examples and comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hassle.data import Label
from hassle.errors import InputError
from hassle.interview.questions import UNKNOWN, AOrB, ChangeIt, GoodOrBad, Question, RuleRight
from hassle.logic import Assignment, as_bits

# What may be said besides the answers that a question lists.
OTHER_WORDS = {
    "don't know": UNKNOWN,
    "?": UNKNOWN,
    "yes": "good",
    "broken": "infeasible",
    "first": "a",
    "second": "b",
    "equal": "same",
}

LABELS = {
    "good": Label.POSITIVE,
    "bad": Label.NEGATIVE,
    "infeasible": Label.INFEASIBLE,
    "suboptimal": Label.SUBOPTIMAL,
}


@dataclass(frozen=True)
class Answer:
    """What was said to a question: one of its answers, or ``unknown``; ``changed`` is the decision of a `ChangeIt`.

    ``seconds`` is how long it took, where somebody looked at the clock; ``foreseen``: the committee expected it.
    """

    question: Question
    value: str
    changed: Assignment | None = None
    seconds: float | None = None
    foreseen: bool = False

    @classmethod
    def of(cls, question: Question, value: object, seconds: float | None = None) -> Answer:
        """The answer in whatever form a caller has it; a decision is the changed one."""
        if isinstance(question, ChangeIt) and not (isinstance(value, str) and value.strip("01")):
            bits = as_bits(value, question.schema)
            if not question.context.holds(bits[None, :])[0]:
                raise InputError("the changed decision breaks the situation", fix="keep to what is given")
            changed = Assignment.of(question.schema, bits)
            same = changed.bits == question.assignment.bits
            return cls(question, "good" if same else "changed", None if same else changed, seconds)
        said = str(value).strip().lower()
        said = said if said in question.answers else OTHER_WORDS.get(said, said)
        if said not in question.answers and said != UNKNOWN:
            known = ", ".join([*question.answers, UNKNOWN])
            raise InputError(f"{value!r} is no answer to this question", fix=f"say one of {known}")
        if said == "changed":
            raise InputError("the changed decision is missing", fix="answer with the decision as it should be")
        return cls(question, said, None, seconds)

    @property
    def known(self) -> bool:
        return self.value != UNKNOWN

    @property
    def words(self) -> str:
        """What was said, of which decision, in one line."""
        said = self.question.answers.get(self.value, "I don't know")
        shown = "; ".join(f"{name} {decision}" for name, decision in self.question.decisions.items())
        rule = f"{self.question.phrase}; " if isinstance(self.question, RuleRight) else ""
        return f"{self.question.situation}, {rule}{shown}: {said}"

    @property
    def examples(self) -> tuple[tuple[Assignment, Label], ...]:
        """The examples that the answer gives in the question's context."""
        question = self.question
        if isinstance(question, GoodOrBad) and self.known:
            return ((question.assignment, LABELS[self.value]),)
        if isinstance(question, ChangeIt) and self.changed is not None:
            return (self.changed, Label.POSITIVE), (question.assignment, Label.NEGATIVE)
        if isinstance(question, ChangeIt) and self.value == "good":
            return ((question.assignment, Label.POSITIVE),)
        if isinstance(question, RuleRight) and self.value == "always":
            return ((question.forbidden, Label.INFEASIBLE),)
        return ()

    @property
    def comparison(self) -> tuple[Assignment, Assignment] | None:
        """The better decision and the worse one, where the answer says so."""
        if not isinstance(self.question, AOrB) or self.value not in ("a", "b"):
            return None
        pair = (self.question.first, self.question.second)
        return pair if self.value == "a" else (pair[1], pair[0])

    def to_json(self) -> dict[str, Any]:
        result: dict[str, Any] = {"answer": self.value}
        if self.changed is not None:
            result["changed"] = dict(self.changed)
        if self.seconds is not None:
            result["seconds"] = round(self.seconds, 3)
        if self.foreseen:
            result["foreseen"] = True
        return result


def answer_from_json(question: Question, value: Mapping[str, Any]) -> Answer:
    """The answer to a question in its JSON form: ``answer``, or ``changed`` with the changed decision."""
    seconds = value.get("seconds")
    if seconds is not None and not isinstance(seconds, int | float):
        raise InputError(f"'seconds' is {seconds!r}", fix="write a number, or leave it out")
    foreseen = value.get("foreseen") is True
    if isinstance(question, ChangeIt) and "changed" in value:
        return replace(Answer.of(question, value["changed"], seconds), foreseen=foreseen)
    if "answer" not in value:
        raise InputError("there is no 'answer'", fix=f"say one of {', '.join([*question.answers, UNKNOWN])}")
    return replace(Answer.of(question, value["answer"], seconds), foreseen=foreseen)
