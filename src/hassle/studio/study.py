"""A study: one file of past decisions, what a person said about it, and what was learned from both.

A study never changes: every step makes a new one, which remembers the steps before. It is kept in one file
(``.hassle``, JSON) that opens again, on the page and in Python:

    study = hassle.studio.Study.open("ward.hassle")
    study.rules, study.model, study.data
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from hassle.data import Dataset
from hassle.errors import InputError
from hassle.files.atomic import write_text
from hassle.files.decode import read_text, shown_name
from hassle.logic import Schema, as_bits, as_context
from hassle.model import Model, Rule
from hassle.model.rules import MUST, parse_rules, rule_text
from hassle.model.weights import unit_for
from hassle.studio.columns import Recognition, Roles, recognition
from hassle.studio.source import Source

FORMAT, VERSION = "hassle-study", 1
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class Learned:
    """The rules that a run of the learner found, in the rule language, and how well they explain the examples."""

    rules: str = ""
    correct: int = 0
    examples: int = 0
    stopped: str = ""
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def share(self) -> float | None:
        return self.correct / self.examples if self.examples else None


@dataclass(frozen=True)
class Judgement:
    """What a person said of a plan: its ``values`` by column, made in ``context``, are good or bad (``label``).

    Or they are ``better`` than those of another plan (``than``).
    """

    context: str
    values: Mapping[str, int | str]
    label: str
    than: Mapping[str, int | str] | None = None


@dataclass(frozen=True)
class State:
    """All that a step can change. ``pinned`` are lines of the rule language, ``forbidden`` such without a weight."""

    roles: Roles = field(default_factory=Roles)
    pinned: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    learned: Learned | None = None


@dataclass(frozen=True)
class Step:
    """What was done, when, the state after it, and what the person noted."""

    said: str
    state: State
    when: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    note: str = ""


@dataclass(frozen=True)
class Study:
    """Steps on a ``source``; the first ``at`` of them count, the others were undone.

    ``draft`` is what a run that is not over has found so far.
    """

    source: Source | None = None
    steps: tuple[Step, ...] = ()
    at: int = 0
    draft: Learned | None = None

    @classmethod
    def of(cls, source: Source) -> Study:
        """The study of a file, with nothing done yet but opening it."""
        return cls(source, (Step(f"Opened {source.name}", State()),), 1)

    @property
    def state(self) -> State:
        return self.steps[self.at - 1].state if self.at else State()

    # What was done.

    def stepped(self, said: str, **changes: Any) -> Study:
        """The study with one more step; what was undone before is forgotten."""
        step = Step(said, replace(self.state, **changes))
        return replace(self, steps=(*self.steps[: self.at], step), at=self.at + 1, draft=None)

    def gone_to(self, at: int) -> Study:
        """With only the first steps counted: undo, and redo."""
        if not 1 <= at <= len(self.steps):
            raise InputError(f"there is no step {at}", fix=f"the steps are 1 to {len(self.steps)}")
        return replace(self, at=at, draft=None)

    def noted(self, place: int, note: str) -> Study:
        """With a note at a step."""
        if not 1 <= place <= len(self.steps):
            raise InputError(f"there is no step {place}", fix=f"the steps are 1 to {len(self.steps)}")
        steps = list(self.steps)
        steps[place - 1] = replace(steps[place - 1], note=note)
        return replace(self, steps=tuple(steps))

    # What it amounts to.

    @property
    def recognition(self) -> Recognition:
        if self.source is None:
            raise InputError("the study has no file yet", fix="open one")
        return recognition(self.source, self.state.roles)

    @property
    def schema(self) -> Schema:
        return self.base.schema

    @property
    def base(self) -> Dataset:
        """The examples of the file."""
        found = self.recognition
        if found.data is None:
            raise InputError(found.problem, file=self.source.name if self.source else None, line=found.line)
        return found.data

    @cached_property
    def data(self) -> Dataset:
        """The examples of the file, and after them what the person judged."""
        return with_judgements(self.base, self.state.judgements)

    @cached_property
    def pinned(self) -> tuple[Rule, ...]:
        return parse_rules("\n".join(self.state.pinned), self.schema)

    @cached_property
    def forbidden(self) -> tuple[Rule, ...]:
        return parse_rules("\n".join(f"{MUST} {text}" for text in self.state.forbidden), self.schema)

    @property
    def learned(self) -> Learned | None:
        """What was learned, or what a first run that is not over has found."""
        return self.state.learned or self.draft

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """Pinned rules first, then learned ones that are neither pinned nor forbidden."""
        learned = () if self.learned is None else parse_rules(self.learned.rules, self.schema)
        said = {rule.what for rule in (*self.pinned, *self.forbidden)}
        return (*self.pinned, *(rule for rule in learned if rule.what not in said))

    @cached_property
    def model(self) -> Model:
        """The model that plans are made with."""
        about = {"study": self.source.name if self.source else ""}
        return replace(self._model_of(self.rules) or Model(self.schema), about=about)

    def known(self) -> Model | None:
        """The pinned rules, which a learner learns around; None without any."""
        return self._model_of(self.pinned)

    def never(self) -> Model | None:
        """The rules that a learner is not to find again; None without any."""
        return self._model_of(self.forbidden)

    def _model_of(self, rules: tuple[Rule, ...]) -> Model | None:
        unit = unit_for(rule.weight for rule in rules if rule.weight is not None)
        return Model(self.schema, rules, unit) if rules else None

    # Files.

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Study:
        """The study in a file."""
        try:
            return study_from_text(read_text(path))
        except InputError as error:
            raise error.at(file=shown_name(path)) from None

    def save(self, path: str | PathLike[str]) -> None:
        """The study to a file, whole or not at all."""
        write_text(path, study_text(self))


def with_judgements(data: Dataset, judgements: tuple[Judgement, ...]) -> Dataset:
    """The examples with the judgements after them; those that no longer fit the columns are passed over."""
    examples, comparisons = [], []
    for judgement in judgements:
        try:
            context = as_context(judgement.context, data.schema)
            bits = as_bits(dict(judgement.values), data.schema)
            other = bits if judgement.than is None else as_bits(dict(judgement.than), data.schema)
        except InputError:
            continue
        if not context.holds(np.stack([bits, other])).all():
            continue
        if judgement.than is None:
            examples.append((context, bits, judgement.label))
        else:
            comparisons.append((context, bits, other))
    if not examples and not comparisons:
        return data
    more = Dataset.build(data.schema, examples, comparisons)
    lines = None if data.lines is None else np.concatenate([data.lines, np.zeros(len(more), dtype=np.int64)])
    return replace(data.extended(more), source=data.source, lines=lines)


def rules_text(rules: tuple[Rule, ...], schema: Schema) -> str:
    """The rules, a line each, in the rule language."""
    return "".join(f"{rule_line(rule, schema)}\n" for rule in rules)


def rule_line(rule: Rule, schema: Schema) -> str:
    return f"{MUST if rule.weight is None else format(rule.weight, 'f')} {rule_text(rule.what, schema)}"


def study_text(study: Study) -> str:
    """The study as JSON. The source comes last: it is long, and the same every time."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "at": study.at,
        "steps": [
            {"said": step.said, "when": step.when, "note": step.note, "state": _state_data(step.state)}
            for step in study.steps
        ],
        "draft": None if study.draft is None else vars(study.draft),
    }
    source = "null" if study.source is None else study.source.json_text
    return f'{json.dumps(head, ensure_ascii=False)[:-1]}, "source": {source}}}\n'


def _state_data(state: State) -> dict[str, Any]:
    return {
        "roles": state.roles.to_data(),
        "pinned": state.pinned,
        "forbidden": state.forbidden,
        "judgements": [vars(judgement) for judgement in state.judgements],
        "learned": None if state.learned is None else vars(state.learned),
    }


def study_from_text(text: str) -> Study:
    """The study that JSON describes."""
    try:
        data = json.loads(whole_text(text))
    except (ValueError, RecursionError):
        raise InputError("is no study: it is not JSON", fix="open a .hassle file, or a table of examples") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError("is no study", fix="open a .hassle file, or a table of examples")
    if data.get("version") != VERSION:
        raise InputError(f"is a study of version {data.get('version')!r}", fix="use a newer hassle")
    try:
        source = None if data.get("source") is None else Source.from_data(data["source"])
        steps = tuple(
            Step(str(step["said"]), _state_from(step["state"]), str(step["when"]), str(step["note"]))
            for step in data["steps"]
        )
        at = int(data["at"])
        draft = None if data.get("draft") is None else _learned_from(data["draft"])
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(f"is a damaged study ({type(error).__name__}: {error})", fix="take an earlier copy") from None
    if not 0 <= at <= len(steps):
        raise InputError("is a damaged study: it stands at a step that is not there", fix="take an earlier copy")
    return Study(source, steps, at, draft)


def whole_text(json_text: str) -> str:
    """JSON without halves of characters (``\\ud800``), which can be neither saved nor sent: each becomes a ``?``."""
    if not _HALF.search(json_text):
        return json_text
    return json.dumps(json.loads(json_text), ensure_ascii=False).encode("utf-8", "replace").decode()


def _state_from(data: Mapping[str, Any]) -> State:
    return State(
        Roles.from_data(data["roles"]),
        tuple(map(str, data["pinned"])),
        tuple(map(str, data["forbidden"])),
        tuple(map(_judgement_from, data["judgements"])),
        None if data["learned"] is None else _learned_from(data["learned"]),
    )


def _judgement_from(data: Mapping[str, Any]) -> Judgement:
    than = data.get("than")
    return Judgement(
        str(data["context"]), dict(data["values"]), str(data["label"]), None if than is None else dict(than)
    )


def _learned_from(data: Mapping[str, Any]) -> Learned:
    return Learned(
        str(data["rules"]),
        int(data["correct"]),
        int(data["examples"]),
        str(data["stopped"]),
        float(data["seconds"]),
        tuple(map(str, data["notes"])),
    )
