"""Answers that cannot both be right, whatever the model: to be shown, with both rows, not to be argued about.

Feasibility and value do not depend on the situation; what is best does. So, whatever the model:

- what is infeasible in one situation is so in all;
- of two feasible decisions the better one is the same in all situations;
- what is best in a situation is best in every narrower one, and nothing that is possible there is better.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from hassle.data import Dataset, Label
from hassle.interview.answers import Answer
from hassle.logic import Context

Row = tuple[int, ...]


@dataclass(frozen=True)
class Statement:
    """What an answer, or an example, says of one decision, or of two: ``worse`` is then the other one."""

    source: str
    words: str
    context: Context
    decision: Row
    label: Label | None = None
    worse: Row | None = None

    @property
    def rows(self) -> tuple[Row, ...]:
        return (self.decision,) if self.worse is None else (self.decision, self.worse)


@dataclass(frozen=True)
class Contradiction:
    """Two statements of which one must be wrong, and why."""

    first: Statement
    second: Statement
    why: str

    @property
    def words(self) -> str:
        return (
            f"These two do not go together, as {self.why}:\n"
            f"  {self.first.source}: {self.first.words}\n  {self.second.source}: {self.second.words}"
        )


def contradictions(given: Dataset, answers: Sequence[Answer]) -> tuple[Contradiction, ...]:
    """All pairs of statements that contradict each other, with at least one answer in each.

    Only statements that share a decision can, so only those are compared.
    """
    said = [each for number, answer in enumerate(answers, 1) for each in _said(number, answer)]
    mentioned = {row for statement in said for row in statement.rows}
    about: dict[Row, list[Statement]] = {row: [] for row in mentioned}
    for k in _places(given, mentioned):
        statement = _example(given, k)
        about[statement.decision].append(statement)
    found: dict[Contradiction, None] = {}
    for second in said:
        for first in dict.fromkeys(each for row in second.rows for each in about[row]):
            why = _conflict(first, second) or _conflict(second, first)
            if why:
                found[Contradiction(first, second, why)] = None
        for row in second.rows:
            about[row].append(second)
    return tuple(found)


def _places(given: Dataset, rows: Collection[Row]) -> list[int]:
    """The examples whose decision is one of these."""
    wanted = {bytes(row) for row in rows}
    return [k for k, row in enumerate(given.assignments) if row.tobytes() in wanted] if wanted else []


def _said(number: int, answer: Answer) -> Iterator[Statement]:
    source, context = f"answer {number}", answer.question.context
    for decision, label in answer.examples:
        yield Statement(source, answer.words, context, decision.bits, label)
    if answer.comparison is not None:
        better, worse = answer.comparison
        yield Statement(source, answer.words, context, better.bits, worse=worse.bits)


def _example(given: Dataset, k: int) -> Statement:
    example, line = given[k], given.line(k)
    source = f"example {k + 1}" if line is None else f"line {line}"
    where = example.context.text(given.schema)
    words = f"{'Where ' + where if where else 'With nothing given'}, {example.assignment}: {example.label}"
    return Statement(source, words, example.context, example.assignment.bits, example.label)


def _conflict(one: Statement, other: Statement) -> str | None:
    """Why the two cannot both be right, if ``one`` is the statement that comes first in the sentence."""
    if one.label == Label.INFEASIBLE and one.decision == other.decision and _feasible(other):
        return "what is not allowed in one situation is allowed in none"
    if one.worse is not None and other.worse is not None:
        if (one.decision, one.worse) == (other.worse, other.decision):
            return "of two decisions only one is better"
        return None
    if one.label != Label.POSITIVE:
        return None
    if other.worse is not None:
        if other.worse == one.decision and _holds(one.context, other.decision):
            return "nothing is better than a best decision where both are possible"
        return None
    if other.decision == one.decision and other.label != Label.POSITIVE and _narrower(other.context, one.context):
        return "what is best stays best where less is possible"
    return None


def _feasible(statement: Statement) -> bool:
    """Whether the statement says that its decision is allowed; the worse of two need not be."""
    return statement.worse is not None or statement.label in (Label.POSITIVE, Label.SUBOPTIMAL)


def _holds(context: Context, row: Row) -> bool:
    import numpy as np

    return bool(context.holds(np.array(row, dtype=np.uint8)[None, :])[0])


def _narrower(context: Context, wider: Context) -> bool:
    """Whether one context is the other, or asks for all of its literals and more."""
    return context == wider or (
        context.rest is None and wider.rest is None and set(context.literals) >= set(wider.literals)
    )
