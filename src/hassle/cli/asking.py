"""An interview in a terminal: the decision as a table, one key per answer, a line of progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hassle.cli.plans import plan_lines
from hassle.errors import InputError

if TYPE_CHECKING:
    from hassle.interview import Interview, Question
    from hassle.interview.oracle import Oracle
    from hassle.interview.thoughts import Expected

UNKNOWN, UNDO, QUIT, CHANGE = "?", "z", "q", "c"

# The key of each answer, by kind of question.
KEYS: Mapping[str, Mapping[str, str]] = {
    "good-or-bad": {"g": "good", "r": "infeasible", "n": "suboptimal", "b": "bad"},
    "a-or-b": {"a": "a", "b": "b", "s": "same"},
    "rule": {"a": "always", "u": "usually", "n": "no"},
    "change": {"g": "good", CHANGE: "changed"},
}


def asked_oracle(interview: Interview, oracle: Oracle, most: int) -> str:
    """Let a known model answer; returns why it ended."""
    for _ in range(most):
        if interview.done:
            return str(interview.done)
        interview.answer(oracle.answer(interview.next()))
        print(f"hassle: {progress(interview, interview.expected)}", file=sys.stderr)
    return "questions"


def progress(interview: Interview, first: Expected) -> str:
    """How many answers there are, and what the committee expects now; and before."""
    now, many = interview.expected, len(interview.answers)
    before = "" if first == now else f", {100 * first.infeasibility:.0f} before"
    return (
        f"{many} answer{'s' if many != 1 else ''}: expected to be infeasible in {100 * now.infeasibility:.0f} of 100 "
        f"situations{before}, and to lose {100 * now.regret:.1f} % of the best value"
    )


def asked_at_terminal(interview: Interview, most: int | None) -> str:
    """Put questions until there is no more to ask, or the person has enough; returns why it ended."""
    from hassle.cli.output import working

    with working("reading the examples"):
        first = interview.expected
    asked = 0
    while most is None or asked < most:
        if interview.done:
            return str(interview.done)
        with working("choosing a question"):
            question = interview.next()
        print("\n" + question_text(question))
        began = time.monotonic()
        said = _answer(question)
        if said in (None, QUIT):
            return "quit"
        if said == UNDO:
            _undo(interview)
            asked = max(0, asked - 1)
            continue
        found = interview.answer(question, said, seconds=time.monotonic() - began)
        asked += 1
        for contradiction in found:
            print(f"{contradiction.words}\nPerhaps one was a slip: `z` takes the last answer back.")
        print(progress(interview, first))
    return "questions"


def _undo(interview: Interview) -> None:
    try:
        interview.undo()
        print("The last answer is taken back.")
    except InputError as error:
        print(error.what)


def question_text(question: Question) -> str:
    """The question with its decisions as tables, what differs marked, and the keys."""
    lines = [question.words]
    for name, decision in question.decisions.items():
        if len(question.decisions) > 1:
            lines.append(f"{name.upper()}:")
        lines += [f"  {line}" for line in plan_lines(decision)]
    if len(question.decisions) > 1:
        first, second = question.decisions.values()
        lines.append("They differ in:")
        lines += [f"  {name}: {first[name]} | {second[name]}" for name in first if first[name] != second[name]]
    keys = [f"[{key}] {question.answers[answer]}" for key, answer in KEYS[question.kind].items()]
    return "\n".join([*lines, "  ".join([*keys, "[?] I don't know  [z] undo  [q] quit"])])


def _answer(question: Question) -> object:
    """What was said: an answer, a changed decision, UNDO, QUIT, or None at the end of the input."""
    keys = KEYS[question.kind]
    while True:
        key = read_key()
        if key is None or key in (UNDO, QUIT):
            return key
        if key == UNKNOWN:
            return "unknown"
        if key == CHANGE and question.kind == "change":
            try:
                return changed_decision(question, _typed("What should be otherwise (name, or name=value, …): "))
            except InputError as error:
                print(error)
                continue
        if key in keys:
            return keys[key]
        print(f"The keys are {' '.join([*keys, UNKNOWN, UNDO, QUIT])}.")


def changed_decision(question: Question, text: str) -> dict[str, object]:
    """The decision with what a person typed changed: a yes-or-no column by its name, others as ``name=value``."""
    from hassle.logic import YesNo
    from hassle.logic.names import find

    (decision,) = question.decisions.values()
    values: dict[str, object] = dict(decision)
    for part in (each.strip() for each in text.split(",")):
        if not part:
            continue
        name, told, value = part.partition("=")
        place = find(name.strip(), question.schema.column_names, "column")
        column = question.schema.columns[place]
        if told:
            values[column.name] = value.strip()
        elif isinstance(column, YesNo):
            values[column.name] = 1 - int(decision[column.name])
        else:
            raise InputError(f"{column.name} has several values", fix=f"write {column.name}=value")
    return values


def read_key() -> str | None:
    """One key from a terminal, or the first character of a line from elsewhere; None at the end of the input."""
    if sys.stdin is None:
        return None
    if not sys.stdin.isatty():
        line = sys.stdin.readline()
        return line.strip()[:1].lower() if line else None
    try:
        import termios
        import tty
    except ImportError:  # no such terminals there: a line will do
        return _typed("> ")[:1].lower() or None
    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle)  # Ctrl-C still interrupts
        return sys.stdin.read(1).lower() or None
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def _typed(prompt: str) -> str:
    print(prompt, end="", flush=True)
    return sys.stdin.readline().strip()
