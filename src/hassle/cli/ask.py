"""``hassle ask``: questions whose answers teach a model, by keystroke, by a known model, or as lines of JSON."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hassle.cli.options import Json, Seed, Verbose
from hassle.cli.output import emit, working
from hassle.cli.reading import read, reading_part, reads_examples, tell
from hassle.errors import InputError

if TYPE_CHECKING:
    from hassle.interview import Interview
    from hassle.interview.oracle import Oracle

EXAMPLE = "hassle ask rosters.csv -o answers.jsonl"

# Questions to a known model where nobody says how many.
MOST = 1000


@reads_examples
def ask(
    examples: Annotated[
        str, typer.Argument(metavar="EXAMPLES", help="Examples, the record of an interview, or a schema (.toml).")
    ],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="RECORD", help="Where questions and answers go, as JSONL data."),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", "-m", metavar="MODEL", help="Write the model here at the end.")
    ] = None,
    known: Annotated[
        str | None, typer.Option("--known", metavar="RULES", help="A file of rules that are known, one per line.")
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="KIND", help="good-or-bad, a-or-b, rule or change; repeatable, all by default."),
    ] = None,
    questions: Annotated[
        int | None, typer.Option("--questions", min=0, metavar="N", help="Put N questions at most.")
    ] = None,
    oracle: Annotated[
        str | None, typer.Option("--oracle", metavar="MODEL", help="Let a known model answer, to see how it goes.")
    ] = None,
    wrong: Annotated[
        float, typer.Option("--wrong", min=0, max=1, metavar="P", help="The share of its answers that are wrong.")
    ] = 0.0,
    seed: Seed = 0,
    json: Json = False,
    verbose: Verbose = False,
    **reading: Any,
) -> int:
    """Put the questions that teach most, and learn rules and preferences from the answers.

    One key answers: what it means stands below each question; `?` is "I don't know", `z` takes the last answer back,
    `q` ends. Everything is saved after each answer: the same command goes on later. With --json a question is a line
    on stdout and an answer a line on stdin: {"answer": "good"}, {"changed": {...}}, {"undo": true} or {"quit": true}.
    """
    from hassle.files.atomic import check_target

    started = time.monotonic()
    record = output or _record_beside(examples)
    check_target(record)
    if model is not None:
        check_target(model)
    if wrong and oracle is None:
        raise InputError("--wrong is for the answers of --oracle", fix="add --oracle, or leave it out")
    expert = None if oracle is None else _oracle(oracle, wrong, seed)
    interview = _begun(examples, record, known, kinds, seed, reading_part(reading), background=expert is None)
    said = len(interview.answers)
    if said:
        print(f"hassle: going on after {said} answers", file=sys.stderr)
    if expert is not None:
        from hassle.cli.asking import asked_oracle

        ended = asked_oracle(interview, expert, MOST if questions is None else questions)
    elif json:
        from hassle.cli.asking_json import asked_by_lines

        ended = asked_by_lines(interview, questions)
    else:
        from hassle.cli.asking import asked_at_terminal

        ended = asked_at_terminal(interview, questions)
    with working("choosing the model"):
        found = interview.model
    if model is not None:
        found.write(model)
    emit(_result(interview, ended, record, started), _text(interview, ended, record, model), json)
    return 0


def _oracle(path: str, wrong: float, seed: int) -> Oracle:
    from hassle.interview.oracle import Oracle
    from hassle.model import Model

    return Oracle(Model.read(path), wrong, seed)


def _record_beside(examples: str) -> str:
    """The record where none is named: beside the examples, or the file itself if it is one."""
    if examples == "-":
        raise InputError("there is no place for the answers to standard input", fix="name one with --output")
    if _is_record(examples):
        return examples
    return f"{os.path.splitext(examples)[0]}.answers.jsonl"


def _is_record(path: str) -> bool:
    from hassle.interview.record import is_record

    return path != "-" and os.path.isfile(path) and is_record(path)


def _begun(
    examples: str, record: str, known: str | None, kinds: list[str] | None, seed: int, how: Any, background: bool
) -> Interview:
    from hassle.files.rules import read_rules
    from hassle.interview import Interview
    from hassle.interview.questions import KINDS
    from hassle.logic import Schema

    if _is_record(record):
        return Interview.resume(record, background=background)
    if os.path.exists(record):
        raise InputError("exists, and is no record of an interview", fix="name another file", file=record)
    if _is_record(examples):
        interview = Interview.resume(examples, background=background)
        interview.path = record
        interview.save(record)
        return interview
    data: Any
    if examples.lower().endswith(".toml"):
        data = Schema.read(examples)
        schema = data
    else:
        table = read(examples, how)
        tell(table)
        data, schema = table.data, table.data.schema
    return Interview(
        data,
        known=None if known is None else read_rules(known, schema),
        kinds=tuple(kinds) if kinds else tuple(KINDS),
        seed=seed,
        background=background,
        path=record,
    )


def _result(interview: Interview, ended: str, record: str, started: float) -> dict[str, Any]:
    from hassle.files.model_json import model_to_json

    expected = interview.expected
    return {
        "ended": ended,
        "answers": len(interview.answers),
        "unknown": sum(not answer.known for answer in interview.answers),
        "infeasibility": expected.infeasibility,
        "regret": expected.regret,
        "contradictions": [each.words for each in interview.contradictions],
        "record": record,
        "examples": len(interview.data),
        "comparisons": len(interview.data.comparisons),
        "model": model_to_json(interview.model),
        "seconds": time.monotonic() - started,
    }


ENDINGS = {
    "sure": "The committee is sure enough",
    "silent": "Ten questions in a row had no answer",
    "quit": "Ended",
    "questions": "So many questions were asked for",
}


def _text(interview: Interview, ended: str, record: str, model: str | None) -> str:
    from hassle.model import model_words

    count = len(interview.answers)
    lines = [f"{ENDINGS[ended]} after {count} answers; {interview.expected.words}.", model_words(interview.model)]
    lines.append(f"Questions and answers are in {record}; go on with: hassle ask {record}")
    return "\n".join(lines + ([] if model is None else [f"The model is in {model}."]))
