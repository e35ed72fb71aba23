"""Models as JSON: names, decimal weights, and how the model was learned.

    {"format": "hassle-model", "version": 1,
     "variables": ["ana", "ben"], "unit": 1000,
     "hard": [["ana", "!ben"]],
     "soft": [{"clause": ["ben"], "weight": 0.5}],
     "about": {}}

A literal is a name, or ``!`` and a name; a name that itself starts with ``!`` or a quotation mark is quoted as in the
context language. A weight is a number; one of more digits than other programs' floating point holds is a text. ``unit``
and ``about`` may be left out, and so may ``hard`` and ``soft`` where they are empty.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from hassle.errors import InputError
from hassle.files.decode import clipped
from hassle.files.json_text import parse_json
from hassle.logic import Clause, Constraint, as_schema, check_names, clauses_of
from hassle.logic.formula import Literal
from hassle.logic.names import find, quoted
from hassle.logic.parser import parse_formula
from hassle.model import Model, Rule, exact_weight
from hassle.model.weights import unit_for

FORMAT, VERSION = "hassle-model", 1
DEEPEST = 100
_KEYS = ("format", "version", "variables", "unit", "hard", "soft", "about")


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
    return {
        "format": FORMAT,
        "version": VERSION,
        "variables": list(model.variables),
        "unit": model.unit,
        "hard": [_clause_words(clause, words) for clause in clauses_of(model.hard)],
        "soft": [
            {"clause": _clause_words(clause, words), "weight": _number(soft.weight)}
            for soft, clause in zip(model.soft, clauses_of(model.soft_constraints), strict=True)
        ],
        "about": dict(model.about),
    }


def model_from_json(value: object) -> Model:
    """The model that JSON's own types describe; floats are taken at their decimal face value."""
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InputError("is not a model file", fix=f'a model is an object with "format": "{FORMAT}"')
    if value.get("version") != VERSION or isinstance(value["version"], bool):
        raise InputError(f"version {clipped(value.get('version'))} is unknown", fix=f"this program reads {VERSION}")
    for key in value:
        if key not in _KEYS:
            raise InputError(f"unknown key {clipped(key)}", fix=f"known are {', '.join(_KEYS)}")
    names = check_names(_typed(value, "variables", list))
    words = _Literals(names)
    hard = tuple(
        _placed(f"hard clause {k}", _clause, item, words) for k, item in enumerate(_typed(value, "hard", list), 1)
    )
    soft = tuple(
        _placed(f"soft clause {k}", _soft, item, words) for k, item in enumerate(_typed(value, "soft", list), 1)
    )
    unit = _typed(value, "unit", int) if "unit" in value else unit_for(item.weight for item in soft)
    about = _plain(_typed(value, "about", dict))
    _dumped(about, "about")  # what was read can be written
    return Model(as_schema(names), (*map(Rule, hard), *soft), unit, about)


def _typed(value: dict[str, Any], key: str, kind: type) -> Any:
    found = value.get(key, kind()) if key != "variables" else value.get(key)
    if not isinstance(found, kind) or isinstance(found, bool):
        wanted = {list: "a list", dict: "an object", int: "a whole number"}[kind]
        missing = "is missing" if found is None else f"is {clipped(found)}"
        raise InputError(f"{key!r} {missing}", fix=f"write {wanted}")
    return found


class _Literals(dict[str, int]):
    """From the words that stand for literals to the literals; each distinct word is understood once."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__()
        self.names = names

    def __missing__(self, word: str) -> int:
        sign, name = (-1, word[1:]) if word.startswith("!") else (1, word)
        if name.startswith(("'", '"')):
            formula = parse_formula(name, self.names)
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
    if not isinstance(item, dict) or item.keys() != {"clause", "weight"}:
        raise InputError(f"{clipped(item)} is not a soft clause", fix='write {"clause": [...], "weight": ...}')
    return Rule(_clause(item["clause"], words), exact_weight(item["weight"]))


def _clause(item: object, words: _Literals) -> Constraint:
    if not isinstance(item, list):
        raise InputError(f"{clipped(item)} is not a clause", fix='write a list of literals such as ["a", "!b"]')
    for word in item:
        if not isinstance(word, str):
            raise InputError(f"{clipped(word)} is not a literal", fix='write a name, or "!" and a name')
    return Constraint.of(words[word] for word in item)


def _quoted(name: str) -> str:
    return quoted(name) if name.startswith(("!", "'", '"')) else name


def _clause_words(clause: Clause, words: list[str]) -> list[str]:
    return [words[abs(lit) - 1] if lit > 0 else "!" + words[abs(lit) - 1] for lit in clause]


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
