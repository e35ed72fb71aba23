"""The record of an interview: a JSONL file of the examples to begin with, the questions and the answers.

It is a data file as well: a line that gives an example or a comparison is one, with what was asked under the key
``asked``; a line with nothing but ``asked`` (an "I don't know", the settings) teaches nothing and is passed over by
`Dataset.read`. The file is written anew after each answer, whole or not at all, so that a process may be killed at any
moment: what was answered is there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from hassle.data import Dataset
from hassle.errors import InputError
from hassle.files.atomic import write_text
from hassle.files.decode import read_text
from hassle.files.json_text import parse_json
from hassle.files.jsonl_examples import ASKED, jsonl_text, read_jsonl, read_schema_line
from hassle.interview.answers import Answer, answer_from_json
from hassle.interview.questions import question_from_json
from hassle.logic import Assignment, Schema
from hassle.logic.arranging import arranged
from hassle.model import Model, parse_rules, rule_text

if TYPE_CHECKING:
    from hassle.interview.interview import Interview


def record_text(interview: Interview) -> str:
    """The record as JSON Lines."""
    settings = {
        "interview": 1,
        "examples": len(interview.given),
        "seed": interview.seed,
        "kinds": list(interview.kinds),
        "target": [interview.target.infeasibility, interview.target.regret],
        "known": [] if interview.known is None else _rules(interview.known),
        "contexts": interview.contexts_given,
    }
    head, *examples = jsonl_text(interview.given).rstrip("\n").split("\n")
    lines = [head, _line({ASKED: settings}), *examples]
    for number, answer in enumerate(interview.answers, 1):
        lines += _answer_lines(number, answer)
    return "\n".join(lines) + "\n"


def is_record(path: str | PathLike[str]) -> bool:
    """Whether the file begins as a record does."""
    try:
        with open(path, encoding="utf-8") as file:
            file.readline()
            return file.readline().startswith(f'{{"{ASKED}": {{"interview"')
    except (OSError, UnicodeDecodeError):
        return False


def write_record(interview: Interview, path: str | PathLike[str]) -> None:
    write_text(path, record_text(interview))


def _answer_lines(number: int, answer: Answer) -> Iterator[str]:
    """A line with the question and the answer, and what else the answer gives as lines of their own."""
    question = answer.question
    asked = {"number": number, **question.to_json(), **answer.to_json()}
    for key in ("words", "answers"):
        asked.pop(key)
    asked["attention"] = question.seconds
    if answer.seconds is None:
        asked.pop("seconds", None)
    data = list(_data(answer, question.schema))
    yield _line({**(data[0] if data else {}), ASKED: asked})
    for each in data[1:]:
        yield _line({**each, ASKED: {"with": number}})


def _data(answer: Answer, schema: Schema) -> Iterator[dict[str, Any]]:
    context = {"context": answer.question.context.text(schema)}
    for decision, label in answer.examples:
        yield {**context, "assignment": _values(decision), "label": label.value}
    if answer.comparison is not None:
        better, worse = answer.comparison
        yield {**context, "better": _values(better), "worse": _values(worse)}


def _values(decision: Assignment) -> Any:
    return str(decision) if decision.schema.plain else list(decision.values())


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _rules(model: Model) -> list[str]:
    return [f"must {rule_text(rule.what, model.schema)}" for rule in model.rules]


def _model(rules: list[str], schema: Schema) -> Model:
    over = arranged(schema)
    return Model(over, tuple(parse_rules("\n".join(rules), over)))


def read_record(kind: type[Interview], path: str | PathLike[str], options: dict[str, Any]) -> Interview:
    """The interview of a record; options stand in for its settings."""
    name = fspath(path)
    try:
        return _read(kind, path, options)
    except InputError as error:
        raise error.at(file=name) from None


def _read(kind: type[Interview], path: str | PathLike[str], options: dict[str, Any]) -> Interview:
    lines = [(number, line) for number, line in enumerate(read_text(path).split("\n"), 1) if line.strip()]
    if not lines:
        raise InputError("is empty", fix="begin with examples, or with a schema")
    head, *rows = lines
    schema = read_schema_line(head[1], head[0])
    parsed = [(number, line, _object(line, number)) for number, line in rows]
    settings = next((value[ASKED] for _, _, value in parsed if "interview" in (value.get(ASKED) or {})), None)
    if settings is None:
        raise InputError("is no record of an interview", fix="begin one with these examples")
    given = [line for _, line, value in parsed if ASKED not in value]
    data = read_jsonl("\n".join([head[1], *given]), source=None) if given else Dataset.build(schema, [])
    if len(data) != settings.get("examples", len(data)):
        raise InputError(
            f"holds {len(data)} examples without a question, and {settings['examples']} were there at the beginning",
            fix="add examples to a file of their own, and begin a new interview with both",
        )
    try:
        interview = _begun(kind, data, settings, options)
    except (TypeError, ValueError, AttributeError):
        raise InputError(
            "holds settings that cannot be read", fix="begin a new interview with these examples"
        ) from None
    for number, _, value in parsed:
        asked = value.get(ASKED)
        if asked is None or "interview" in asked or "with" in asked:
            continue
        try:
            question = question_from_json(asked, schema)
            interview.answers.append(answer_from_json(question, asked))
        except InputError as error:
            raise error.at(line=number) from None
        except (TypeError, ValueError, AttributeError):
            raise InputError("the question cannot be read", fix="remove the line", line=number) from None
    interview.path = path
    return interview


def _begun(kind: type[Interview], data: Dataset, settings: dict[str, Any], options: dict[str, Any]) -> Interview:
    """The interview before its first answer."""
    known = settings.get("known") or None
    chosen = {
        "seed": settings.get("seed", 0),
        "kinds": settings.get("kinds") or None,
        "target": tuple(settings.get("target") or ()) or None,
        "known": None if known is None else _model(known, data.schema),
        "contexts": settings.get("contexts"),
        **options,
    }
    return kind(data, **{name: value for name, value in chosen.items() if value is not None})


def _object(line: str, number: int) -> dict[str, Any]:
    value = parse_json(line, line=number)
    if not isinstance(value, dict) or not isinstance(value.get(ASKED, {}), dict):
        raise InputError("is no line of an interview", fix="remove it", line=number)
    return value
