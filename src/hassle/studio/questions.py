"""Questions to the person, put by :class:`hassle.Interview`, and what their answers add to a study.

An interview knows the examples and judgements of a study; when those change otherwise (undo, another column), a new one
begins. Its committee thinks in the background, so that nobody waits between two questions.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from hassle.errors import InputError
from hassle.logic import Assignment
from hassle.studio.layout import Items
from hassle.studio.study import Judgement, Study

if TYPE_CHECKING:
    from hassle.interview import Answer, Interview, Question

# What each answer adds: judgements, rules that must hold, and rules that are none.
Said = tuple[tuple[Judgement, ...], tuple[str, ...], tuple[str, ...]]


class Asking:
    """The interview about a study, and the question that is open."""

    def __init__(self) -> None:
        self._interview: Interview | None = None
        self._basis: tuple[object, ...] = ()
        self._interviews = 0

    def question(self, study: Study) -> dict[str, Any]:
        """The question to put now, as the page gets it; or why there is none."""
        interview = self._about(study)
        number = len(interview.answers) + 1
        if (why := interview.done) is not None:
            return {"done": why, "number": number, "expected": interview.expected.words}
        question = interview.next()
        return {"id": self._id(interview), "number": number, **_shown(question, study)}

    def answer(self, study: Study, asked: str, value: str, on: list[int] | None) -> tuple[str, Said]:
        """Take the answer to the open question, which must be the one that was asked; what it adds to the study."""
        interview = self._about(study)
        if asked != self._id(interview):  # answered in another tab, or the study has changed since
            raise InputError("that question is no longer open", fix="answer another")
        question = interview.next()
        said: object = value
        if on is not None and question.kind == "change":
            said = Assignment.of(study.schema, Items.of(study.schema).bits(on))
        elif value not in {*question.answers, "unknown"}:
            raise InputError(f"{value!r} is no answer to this question", fix="choose one of those shown")
        interview.answer(said)
        answer = interview.answers[-1]
        added = _added(answer, study)
        self._basis = _basis(study, added[0])
        return _words(answer), added

    def _about(self, study: Study) -> Interview:
        from hassle.interview import Interview

        basis = _basis(study)
        same = len(basis) == len(self._basis) and all(map(operator.is_, basis, self._basis))
        if self._interview is None or not same:
            self._interview, self._basis = Interview(study.data, known=study.known()), basis
            self._interviews += 1
        return self._interview

    def _id(self, interview: Interview) -> str:
        return f"{self._interviews}.{len(interview.answers) + 1}"


def _basis(study: Study, more: tuple[Judgement, ...] = ()) -> tuple[object, ...]:
    """What an interview must have been told to be about this study."""
    return study.base, *study.state.judgements, *more


def _shown(question: Question, study: Study) -> dict[str, Any]:
    items = Items.of(study.schema)
    yes, no, also = items.of_context(question.context)
    return {
        "kind": question.kind,
        "words": question.words,
        "answers": {**question.answers, "unknown": "I don't know"},
        "shown": {name: items.on(decision) for name, decision in question.decisions.items()},
        "yes": yes,
        "no": no,
        "also": also,
    }


def _words(answer: Answer) -> str:
    said = answer.question.answers.get(answer.value, "I don't know")
    return f"Answered: {answer.question.words} {said}"


def _added(answer: Answer, study: Study) -> Said:
    context = answer.question.context.text(study.schema)
    judged = [Judgement(context, dict(decision), label.value) for decision, label in answer.examples]
    if (pair := answer.comparison) is not None:
        judged.append(Judgement(context, dict(pair[0]), "better", dict(pair[1])))
    rule = getattr(answer.question, "rule", None)
    pinned = (f"must {rule}",) if rule and answer.value == "always" else ()
    forbidden = (rule,) if rule and answer.value == "no" else ()
    return tuple(judged), pinned, forbidden
