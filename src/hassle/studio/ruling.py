"""What a person does to rules: each is a step of a study, as what is said in its history and what changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hassle.errors import HassleError, InputError
from hassle.model import Rule
from hassle.model.rules import parse_rule, rule_text
from hassle.model.words import rule_words
from hassle.studio.showing import rule_id
from hassle.studio.study import Learned, Study, rule_line

# A wish's weight where a person has not said one.
USUAL_WEIGHT = "0.5"

Change = tuple[str, dict[str, Any]]


def rule_of(study: Study, rule: str) -> Rule:
    """The rule that the page calls so."""
    for each in study.rules:
        if rule_id(each, study) == rule:
            return each
    raise InputError("that rule is not there any more", fix="choose another")


def changed_rule(study: Study, rule: str, action: str, text: str = "") -> Change:
    """Pin a rule, let go of it, forbid it, make it hard or soft, or put another in its place."""
    old = rule_of(study, rule)
    schema, state = study.schema, study.state
    what, words = rule_text(old.what, schema), rule_words(old.what, schema)
    others = tuple(line for line in state.pinned if _what(study, line) != old.what)
    match action:
        case "pin":
            return f"Pinned: {words}", {"pinned": (*others, rule_line(old, schema))}
        case "unpin":  # until the learner says otherwise it stays as it is
            return f"No longer pinned: {words}", {"pinned": others, "learned": _learned_with(study, old)}
        case "forbid":
            forbidden = (*(each for each in state.forbidden if each != what), what)
            return f"Forbidden: {words}", {"pinned": others, "forbidden": forbidden}
        case "hard":
            return f"Must hold: {words}", {"pinned": (*others, f"must {what}")}
        case "soft":
            weight = text.strip() or USUAL_WEIGHT
            line = rule_line(parse_rule(f"{weight} {what}", schema)[0], schema)
            return f"A wish, weight {weight}: {words}", {"pinned": (*others, line)}
        case "edit":
            new = tuple(rule_line(each, schema) for each in parse_rule(text, schema))
            same = any(_what(study, line) == old.what for line in new)
            forbidden = state.forbidden if same or old in study.pinned else (*state.forbidden, what)
            return f"Changed to: {text.strip()}", {"pinned": (*others, *new), "forbidden": forbidden}
    raise InputError(f"rules know no {action!r}", fix="load the page again")


def written_rule(study: Study, text: str) -> Change:
    """A new rule in the rule language."""
    if not text.strip():
        raise InputError("there is nothing written", fix="write a rule such as: must ana_mon | ben_mon")
    schema, state = study.schema, study.state
    new = parse_rule(text, schema)
    whats = {each.what for each in new}
    others = tuple(line for line in state.pinned if _what(study, line) not in whats)
    forbidden = tuple(each for each in state.forbidden if _what(study, f"must {each}") not in whats)
    lines = tuple(rule_line(each, schema) for each in new)
    return f"Wrote: {text.strip()}", {"pinned": (*others, *lines), "forbidden": forbidden}


def allowed_rule(study: Study, place: int) -> Change:
    """A forbidden rule is allowed again."""
    forbidden = study.state.forbidden
    if not 0 <= place < len(forbidden):
        raise InputError("that rule is not forbidden", fix="load the page again")
    return f"Allowed again: {forbidden[place]}", {"forbidden": (*forbidden[:place], *forbidden[place + 1 :])}


def rules_that_fit(study: Study) -> dict[str, tuple[str, ...]]:
    """What was pinned and forbidden, as far as it can be said of the study's columns."""
    state = study.state
    return {"pinned": _that_fit(state.pinned, "", study), "forbidden": _that_fit(state.forbidden, "must ", study)}


def _that_fit(lines: tuple[str, ...], mark: str, study: Study) -> tuple[str, ...]:
    kept = []
    for line in lines:
        try:
            parse_rule(f"{mark}{line}", study.schema)
        except HassleError:
            continue
        kept.append(line)
    return tuple(kept)


def _what(study: Study, line: str) -> Any:
    return parse_rule(line, study.schema)[0].what


def _learned_with(study: Study, rule: Rule) -> Learned | None:
    """What was learned, with this rule among it."""
    learned = study.state.learned
    line = rule_line(rule, study.schema)
    if learned is None or line in learned.rules.splitlines():
        return learned
    return replace(learned, rules=f"{learned.rules}{line}\n")
