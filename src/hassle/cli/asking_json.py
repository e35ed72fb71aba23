"""An interview as lines of JSON: a question per line out, an answer per line in."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from hassle.cli.output import put
from hassle.errors import InputError

if TYPE_CHECKING:
    from hassle.interview import Interview


def asked_by_lines(interview: Interview, most: int | None) -> str:
    """Put questions until there is no more to ask or the input ends; returns why it ended.

    A line that is no answer is told as an object with ``error`` and ``fix``, and the question stands.
    """
    from hassle.files.json_text import parse_json
    from hassle.interview.answers import answer_from_json

    asked = 0
    while most is None or asked < most:
        if interview.done:
            return str(interview.done)
        question = interview.next()
        put({"number": len(interview.answers) + 1, "question": question.to_json(), **_expected(interview)})
        line = _line()
        if line is None:
            return "quit"
        try:
            said = parse_json(line)
            if not isinstance(said, dict):
                raise InputError("the answer is no object", fix='write {"answer": "unknown"}')
            if said.get("quit"):
                return "quit"
            if said.get("undo"):
                interview.undo()
                asked = max(0, asked - 1)
                continue
            found = interview.answer(answer_from_json(question, said))
            asked += 1
            if found:
                put({"contradictions": [each.words for each in found]})
        except InputError as error:
            put(error.record())
    return "questions"


def _expected(interview: Interview) -> dict[str, Any]:
    expected = interview.expected
    return {"infeasibility": expected.infeasibility, "regret": expected.regret}


def _line() -> str | None:
    """The next line that says something."""
    while sys.stdin is not None and (line := sys.stdin.readline()):
        if line.strip():
            return line
    return None
