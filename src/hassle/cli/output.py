"""Results to stdout, as text or as one JSON object; progress to stderr, on a terminal only."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from decimal import Decimal
from typing import Any

_answered = False


def expect_answer() -> None:
    """A command begins, which prints one answer."""
    global _answered
    _answered = False


def emit(record: Mapping[str, Any], text: str, as_json: bool) -> None:
    """Print the result in the form the user asked for."""
    global _answered
    _answered = True
    print(json.dumps(record, ensure_ascii=not _speaks_unicode(), default=_plain) if as_json else text)


def emit_error(record: Mapping[str, Any]) -> None:
    """Print the JSON object of an error, unless the result has been printed: Ctrl-C may come that late."""
    if _answered:
        return
    with suppress(OSError, ValueError):  # whoever closed stdout has been told on stderr
        emit(record, "", as_json=True)
        if sys.stdout is not None:
            sys.stdout.flush()


def _speaks_unicode() -> bool:
    return (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no JSON form")


@contextmanager
def working(message: str) -> Iterator[None]:
    """Show on a terminal that something is under way."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(message):
        yield
