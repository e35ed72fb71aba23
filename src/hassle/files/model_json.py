"""Models as JSON: names, decimal weights, and how the model was learned.

    {"format": "hassle-model", "version": 2,
     "variables": ["ana", "ben", "cleo"], "unit": 1000,
     "hard": [["ana", "!ben"], {"at least": 2, "of": ["ana", "ben", "!cleo"]}],
     "soft": [{"clause": ["ben"], "weight": 0.5}, {"at least": 2, "of": ["ana", "ben", "cleo"], "weight": -1}],
     "about": {}}

A clause is a list of literals, a count says how many of which literals; a family is a text of the rule language,
``{"rule": "for every day: at least 2 of works[*, day, early]"}``. A literal is the name of a variable, or ``!``
and a name; a name that itself starts with ``!`` or a quotation mark is quoted as in the context language. A schema that
is more than names stands under ``schema`` (:mod:`hassle.files.schema_data`) instead of ``variables``; the literals of
its choices and numbers are ``shift=night`` and ``staff>=3``. A weight is a number; one of more digits than other
programs' floating point holds is a text. ``unit`` and ``about`` may be left out, and so may ``hard`` and ``soft`` where
they are empty. Version 1, which has neither counts nor a schema, is read too.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from hassle.errors import InputError
from hassle.files.decode import clipped
from hassle.files.json_text import parse_json
from hassle.files.schema_data import is_bare, schema_from_data, schema_to_data
from hassle.logic import Constraint, Schema, as_schema, check_names
from hassle.logic.formula import Literal
from hassle.logic.names import find, quoted
from hassle.logic.parser import parse_formula
from hassle.model import Family, Model, Peers, Rule, exact_weight
from hassle.model.rules import family_text, parse_family
from hassle.model.weights import unit_for

FORMAT, VERSION = "hassle-model", 2
DEEPEST = 100
# What each version may hold.
_KEYS = {
    1: ("format", "version", "variables", "unit", "hard", "soft", "about"),
    2: ("format", "version", "variables", "schema", "unit", "hard", "soft", "committee", "about"),
}


def read_model_json(text: str) -> Model:
    """The model in a JSON text."""
    return model_from_json(parse_json(text, exact=True))


def model_json_text(model: Model) -> str:
    """The model as JSON, one clause per line."""
    parts = []
    for key, value in model_to_json(model).items():
        if key in ("hard", "soft") and value:
            items = ",\n    ".join(_dumped(item, key) for item in value)
            parts.append(f'  "{key}": [\n    {items}\n  ]')
        else:
            parts.append(f'  "{key}": {_dumped(value, key)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def model_to_json(model: Model) -> dict[str, Any]:
    """The model as JSON's own types: what a model file holds."""
    words = [_quoted(name) for name in model.variables]
    bare = is_bare(model.schema)
    return {
        "format": FORMAT,
        "version": VERSION,
        **({"variables": list(model.variables)} if bare else {"schema": schema_to_data(model.schema)}),
        "unit": model.unit,
        "hard": [
            item.get("clause", item)
            for item in (_item(rule.what, words) for rule in model.rules if rule.weight is None)
        ],
        "soft": [
            {**_item(rule.what, words), "weight": _number(rule.weight)}
            for rule in model.rules
            if rule.weight is not None
        ],
        **({} if model.peers is None else {"committee": _committee(model.peers)}),
        "about": dict(model.about),
    }


def _committee(peers: Peers) -> dict[str, Any]:
    return {
        "models": [model_to_json(model) for model in peers.models],
        "hard": list(peers.hard),
        "soft": list(peers.soft),
    }


def model_from_json(value: object) -> Model:
    """The model that JSON's own types describe; floats are taken at their decimal face value."""
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InputError("is not a model file", fix=f'a model is an object with "format": "{FORMAT}"')
    version = value.get("version")
    if version not in _KEYS or isinstance(version, bool):
        known = " and ".join(map(str, _KEYS))
        raise InputError(f"version {clipped(version)} is unknown", fix=f"this program reads {known}")
    for key in value:
        if key not in _KEYS[version]:
            raise InputError(f"unknown key {clipped(key)}", fix=f"known are {', '.join(_KEYS[version])}")
    schema = _schema(value)
    words = _Literals(schema)
    hard = tuple(
        _placed(f"hard constraint {k}", _constraint, item, words)
        for k, item in enumerate(_typed(value, "hard", list), 1)
    )
    soft = tuple(
        _placed(f"soft constraint {k}", _soft, item, words) for k, item in enumerate(_typed(value, "soft", list), 1)
    )
    unit = _typed(value, "unit", int) if "unit" in value else unit_for(item.weight for item in soft)
    about = _plain(_typed(value, "about", dict))
    _dumped(about, "about")  # what was read can be written
    return Model(schema, (*map(Rule, hard), *soft), unit, about, _peers(value, about, len(hard), len(soft)))


def _peers(value: dict[str, Any], about: dict[str, Any], hard: int, soft: int) -> Peers | None:
    """The committee of a model of so many hard and soft rules. Earlier files have it in ``about``."""
    given = value.get("committee")
    if "committee" not in value and isinstance(about.get("committee"), dict) and "models" in about["committee"]:
        given = about.pop("committee")
    elif "committee" not in value:
        return None
    if not isinstance(given, dict) or not isinstance(given.get("models"), list):
        raise InputError("'committee' holds no models", fix="learn the model anew")
    shares = {key: _shares(given.get(key), count) for key, count in (("hard", hard), ("soft", soft))}
    return Peers(tuple(map(model_from_json, given["models"])), shares["hard"], shares["soft"])


def _shares(value: object, count: int) -> tuple[float, ...]:
    numbers = value if isinstance(value, list) else []
    if len(numbers) != count or not all(isinstance(item, int | float | Decimal) and 0 <= item <= 1 for item in numbers):
        raise InputError(f"'committee' does not say how sure it is of {count} rules", fix="learn the model anew")
    return tuple(map(float, numbers))


def _schema(value: dict[str, Any]) -> Schema:
    if "schema" not in value:
        return as_schema(check_names(_typed(value, "variables", list)))
    if "variables" in value:
        raise InputError("there are both 'variables' and a 'schema'", fix="remove one")
    try:
        return schema_from_data(value["schema"])
    except InputError as error:
        raise InputError(f"'schema': {error.what}", fix=error.fix) from None


def _typed(value: dict[str, Any], key: str, kind: type) -> Any:
    found = value.get(key, kind()) if key != "variables" else value.get(key)
    if not isinstance(found, kind) or isinstance(found, bool):
        wanted = {list: "a list", dict: "an object", int: "a whole number"}[kind]
        missing = "is missing" if found is None else f"is {clipped(found)}"
        raise InputError(f"{key!r} {missing}", fix=f"write {wanted}")
    return found


class _Literals(dict[str, int]):
    """From the words that stand for literals to the literals; each distinct word is understood once."""

    def __init__(self, schema: Schema) -> None:
        super().__init__()
        self.schema, self.names = schema, schema.variables
        # The atoms of choices and numbers go by their names, like variables that are yes-or-no.
        self.atoms = schema if schema.plain else as_schema(schema.variables)

    def __missing__(self, word: str) -> int:
        sign, name = (-1, word[1:]) if word.startswith("!") else (1, word)
        if name.startswith(("'", '"')):
            formula = parse_formula(name, self.atoms)
            if not isinstance(formula, Literal):
                raise InputError(f"{clipped(word)} is not a literal", fix='write a name, or "!" and a name')
            self[word] = sign * formula.literal
        else:
            self[word] = sign * (find(name, self.names) + 1)
        return self[word]


def _placed(place: str, read: Callable[[Any, _Literals], Any], item: object, words: _Literals) -> Any:
    try:
        return read(item, words)
    except InputError as error:
        raise InputError(f"{place}: {error.what}", fix=error.fix) from None


def _soft(item: object, words: _Literals) -> Rule:
    if not isinstance(item, dict) or "weight" not in item:
        raise InputError(f"{clipped(item)} is not a soft constraint", fix='write {"clause": [...], "weight": ...}')
    what = {key: part for key, part in item.items() if key != "weight"}
    return Rule(_constraint(what, words), exact_weight(item["weight"]))


def _constraint(item: object, words: _Literals) -> Constraint | Family:
    form = {"clause": item} if isinstance(item, list) else item
    read = _FORMS.get(frozenset(form)) if isinstance(form, dict) else None
    if read is None:
        raise InputError(
            f"{clipped(item)} is not a constraint that this program knows",
            fix='write literals such as ["a", "!b"], or {"at least": 2, "of": [...]}',
        )
    return read(form, words)


def _clause(item: dict[str, Any], words: _Literals) -> Constraint:
    return Constraint.of(_literals(item["clause"], words))


def _count(item: dict[str, Any], words: _Literals) -> Constraint:
    need = item["at least"]
    if not isinstance(need, int) or isinstance(need, bool):
        raise InputError(f"'at least' is {clipped(need)}", fix="write a whole number")
    return Constraint.of(_literals(item["of"], words), need)


def _family(item: dict[str, Any], words: _Literals) -> Family:
    text = item["rule"]
    if not isinstance(text, str):
        raise InputError(f"'rule' is {clipped(text)}", fix="write it as a text")
    families = parse_family(text, words.schema)
    if len(families) > 1:
        raise InputError(f"{text!r} says two things", fix="write 'at least' and 'at most' apart")
    return families[0]


# The keys of an object, its weight aside, tell its form. A new form is one more line here, and one in _item.
_FORMS: dict[frozenset[str], Callable[[Any, _Literals], Constraint | Family]] = {
    frozenset({"rule"}): _family,
    frozenset({"clause"}): _clause,
    frozenset({"at least", "of"}): _count,
}


def _literals(item: object, words: _Literals) -> list[int]:
    if not isinstance(item, list):
        raise InputError(f"{clipped(item)} is not a list of literals", fix='write one such as ["a", "!b"]')
    for word in item:
        if not isinstance(word, str):
            raise InputError(f"{clipped(word)} is not a literal", fix='write a name, or "!" and a name')
    return [words[word] for word in item]


def _quoted(name: str) -> str:
    return quoted(name) if name.startswith(("!", "'", '"')) else name


def _item(constraint: Constraint | Family, words: list[str]) -> dict[str, Any]:
    if isinstance(constraint, Family):
        return {"rule": family_text(constraint)}
    literals = [words[abs(lit) - 1] if lit > 0 else "!" + words[abs(lit) - 1] for lit in constraint.literals]
    return {"clause": literals} if constraint.is_clause else {"at least": constraint.need, "of": literals}


def _number(weight: Decimal) -> int | float | str:
    """A JSON number that reads back as the weight in any program, or else the weight as a text."""
    if weight == int(weight) and abs(weight) < 2**53:
        return int(weight)
    return float(weight) if Decimal(repr(float(weight))) == weight else f"{weight:f}"


def _plain(value: Any, nesting: int = 0) -> Any:
    """The decimals of an exact reading as floats."""
    if nesting > DEEPEST:
        raise InputError(f"'about' is nested more than {DEEPEST} deep", fix="make it flatter")
    if isinstance(value, dict):
        return {key: _plain(item, nesting + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, nesting + 1) for item in value]
    return float(value) if isinstance(value, Decimal) else value


def _dumped(value: object, key: str) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")  # fails on halves of characters, which JSON can name
        return text
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"the model's {key!r} cannot be written as JSON: {error}") from None
