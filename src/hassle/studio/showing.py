"""What the page is shown of a study: its parts, as JSON will hold them."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from hassle.data import Dataset
from hassle.model import Rule
from hassle.model.family_words import plural
from hassle.model.rules import rule_text
from hassle.model.words import rule_words
from hassle.studio.columns import ALL_GOOD
from hassle.studio.evidence import Evidence, evidence, seen_of
from hassle.studio.layout import Items, groups, layout
from hassle.studio.study import Study, rule_line, with_judgements

# Situations of the examples that are offered.
SITUATIONS = 60

Part = dict[str, Any]


def rule_id(rule: Rule, study: Study) -> str:
    """A short name for what a rule says, the same in every run."""
    return hashlib.sha256(rule_text(rule.what, study.schema).encode()).hexdigest()[:12]


def columns_part(study: Study) -> Part | None:
    """The file's columns, and what was recognised in them."""
    if study.source is None:
        return None
    found = study.recognition
    schema = None if found.data is None else found.data.schema
    return {
        "columns": [vars(view) for view in found.columns],
        "rows": found.rows,
        "lines": found.lines,
        "problem": found.problem,
        "line": found.line,
        "warnings": found.warnings,
        "fixed": found.fixed,
        "sheets": found.sheets,
        "sheet": study.state.roles.sheet,
        "skip_gaps": study.state.roles.skip_gaps,
        "all_good": study.state.roles.label == ALL_GOOD,
        "good": None if found.data is None else int(found.data.positive.sum()),
        "bad": None if found.data is None else int((~found.data.positive).sum()),
        "compared": 0 if found.data is None else len(found.data.comparisons),
        "contexts": None if found.data is None else len(found.data.contexts),
        "dimensions": [] if schema is None else [
            vars(each) | {"attributes": list(each.attributes), "names": plural(each.name)}
            for each in schema.dimensions
        ],
    }  # fmt: skip


def layout_part(study: Study, weighed: Weighed) -> Part | None:
    """Where decisions stand on the page."""
    if study.source is None or study.recognition.data is None:
        return None
    return weighed.layout(study)


def rules_part(study: Study, weighed: Weighed) -> Part | None:
    """The rules, and what the examples say of each."""
    if study.source is None or study.recognition.data is None:
        return None
    heaviest = max((abs(rule.weight) for rule in study.rules if rule.weight is not None), default=None)
    pinned, schema = set(study.pinned), study.schema
    rules = []
    for rule in study.rules:
        told = weighed.evidence(rule, study)
        rules.append(
            {
                "id": rule_id(rule, study),
                "words": rule_words(rule.what, schema),
                "line": rule_line(rule, schema),
                "hard": rule.weight is None,
                "weight": None if rule.weight is None else format(rule.weight, "f"),
                "share": None if rule.weight is None or not heaviest else float(abs(rule.weight) / heaviest),
                "pinned": rule in pinned,
                "confidence": round(told.confidence, 3),
                **vars(told),
            }
        )
    learned = study.learned
    return {
        "rules": rules,
        "forbidden": [{"text": text, "words": rule_words(rule.what, schema)}
                      for text, rule in zip(study.state.forbidden, study.forbidden, strict=True)],
        "share": None if learned is None else learned.share,
        "correct": 0 if learned is None else learned.correct,
        "examples": 0 if learned is None else learned.examples,
        "notes": [] if learned is None else list(learned.notes),
        "draft": study.state.learned is None,
        "judgements": len(study.state.judgements),
    }  # fmt: skip


def history_part(study: Study) -> Part:
    """Every step."""
    steps = [{"said": step.said, "when": step.when, "note": step.note} for step in study.steps]
    return {"steps": steps, "at": study.at}


class Weighed:
    """What is the same as long as the examples are: made once."""

    def __init__(self) -> None:
        self._base: Dataset | None = None
        self._judged: Any = None
        self._evidence: dict[Any, Evidence] = {}
        self._seen: Dataset
        self._layout: Part

    def seen(self, study: Study) -> Dataset:
        self._refresh(study)
        return self._seen

    def evidence(self, rule: Rule, study: Study) -> Evidence:
        self._refresh(study)
        key = (rule.what, rule.weight is not None and rule.weight < 0)
        if key not in self._evidence:
            self._evidence[key] = evidence(rule, self._seen)
        return self._evidence[key]

    def layout(self, study: Study) -> Part:
        self._refresh(study)
        return self._layout

    def _refresh(self, study: Study) -> None:
        if self._base is study.base and self._judged is study.state.judgements:
            return
        if self._base is not study.base:
            given = [view.name for view in study.recognition.columns if view.role == "given"]
            drawn = layout(study.schema, given)
            key = hashlib.sha256(json.dumps(drawn).encode()).hexdigest()[:12]  # what the numbers of items mean
            self._layout = {**drawn, "key": key, "groups": groups(study.schema), **_situations(study)}
        self._base, self._judged = study.base, study.state.judgements
        self._seen = with_judgements(seen_of(study.base), study.state.judgements)
        self._evidence = {}


def _situations(study: Study) -> Part:
    """The situations of the examples, to choose from, and the one that the page begins with."""
    items = Items.of(study.schema)
    data = study.base
    offered = []
    for context in data.contexts[:SITUATIONS]:
        yes, no, also = items.of_context(context)
        text = context.text(study.schema)
        offered.append({"text": text or "nothing in particular", "yes": yes, "no": no, "also": also})
    return {"situations": offered}
