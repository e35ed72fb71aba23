"""Results to stdout, as text or as one JSON object, models to files; progress to stderr, on a terminal only."""

from __future__ import annotations

import json
import os
import secrets
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from hassle.errors import InputError

if TYPE_CHECKING:
    from hassle.model import Model

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


def put(record: Mapping[str, Any]) -> None:
    """Print an object that is not the result yet, at once."""
    print(json.dumps(record, ensure_ascii=not _speaks_unicode(), default=_plain), flush=True)


def write_or_rescue(model: Model, path: str) -> tuple[str | None, str | None]:
    """Write the model; where that fails, as JSON to a new file elsewhere, or the work of hours would be lost.

    Returns the file that holds the model, if any does, and what went wrong, if anything did.
    """
    try:
        try:
            model.write(path)
        except KeyboardInterrupt:  # only a second one gives the model up
            model.write(path)
        return path, None
    except BrokenPipeError:
        raise
    except (InputError, OSError) as error:
        what = str(error) if isinstance(error, InputError) else f"{path}: cannot be written ({error.strerror})"
    for folder in (os.curdir, tempfile.gettempdir()):
        rescue = os.path.join(os.path.abspath(folder), f"hassle-model-{secrets.token_hex(4)}.json")
        try:
            model.write(rescue)
        except (InputError, OSError):
            continue
        return rescue, f"{what}; the model was written to {rescue} instead"
    return None, f"{what}; nor could the model be written elsewhere, so it is printed"


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
