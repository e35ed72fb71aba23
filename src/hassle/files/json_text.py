"""JSON texts, read strictly: repeated keys, NaN and texts nested too deeply are errors, not surprises."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

from hassle.errors import InputError
from hassle.files.decode import clipped


def parse_json(text: str, *, exact: bool = False, line: int | None = None) -> Any:
    """The value; ``exact`` keeps decimals as they are written. ``line`` is the text's place when it is one of many."""
    try:
        return (_exact if exact else _plain)(text)
    except json.JSONDecodeError as error:
        what = f"is not JSON: {error.msg} at column {error.colno}"
        raise InputError(what, line=error.lineno if line is None else line) from None
    except InputError as error:
        raise error.at(line=line) from None
    except RecursionError:
        raise InputError("is nested too deeply to be read", line=line) from None
    except InvalidOperation:
        raise InputError("holds a number beyond all measure", fix="write a smaller one", line=line) from None
    except ValueError as error:  # a whole number of thousands of digits
        raise InputError(f"is not JSON that can be read: {error}", line=line) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise InputError(f"key {clipped(repeated)} stands twice in one object", fix="remove one")
    return result


def _constant(word: str) -> NoReturn:
    raise InputError(f"{word} is not a JSON number", fix="write a finite number")


def _decoder(**options: Any) -> Callable[[str], Any]:
    return json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, **options).decode


_plain = _decoder()
_exact = _decoder(parse_float=Decimal)
