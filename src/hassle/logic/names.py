"""Names of variables: what is allowed, and how to find what the user meant.

A name is any printable text without line breaks or surrounding blanks, so that it survives every file format. Names
that are not identifiers are quoted in formulas.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from hassle.errors import InputError

_WORD = re.compile(r"\w+")
WORDS = frozenset({"and", "or", "not", "true", "false"})


def check_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names as a tuple, or an error that names the first bad or repeated one."""
    result = tuple(names)
    seen: set[str] = set()
    for name in result:
        if not isinstance(name, str) or not name:
            raise InputError(f"a variable has no name ({name!r})", fix="name every variable")
        if name != name.strip() or not name.isprintable():
            raise InputError(
                f"{name!r} cannot be a variable's name",
                fix="remove line breaks, control characters and blanks around it",
            )
        if name in seen:
            raise InputError(f"variable {name!r} is named twice", fix="give every variable its own name")
        seen.add(name)
    return result


def default_names(count: int) -> tuple[str, ...]:
    """``x1 … xn``, for models and data that come without names."""
    return tuple(f"x{i}" for i in range(1, count + 1))


class Same:
    """A key that is equal only for the very same tuple: Python would hash all its names at every look."""

    __slots__ = ("names",)

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def __hash__(self) -> int:
        return id(self.names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.names is other.names


@lru_cache(maxsize=64)
def _index(key: Same) -> Mapping[str, int]:
    return {name: i for i, name in enumerate(key.names)}


def index_of(names: tuple[str, ...]) -> Mapping[str, int]:
    """From name to index, made once for each tuple of names and found at once from then on."""
    return _index(Same(names))


def find(name: str, names: tuple[str, ...], what: str = "variable") -> int:
    """The index of a name, or an error that suggests the nearest one."""
    index = index_of(names).get(name)
    if index is None:
        near = difflib.get_close_matches(name, names, n=1)
        fix = f"did you mean {near[0]!r}?" if near else f"known are {listing(names)}"
        raise InputError(f"unknown {what} {name!r}", fix=fix)
    return index


def listing(names: Iterable[str], limit: int = 6) -> str:
    """A few names, for messages."""
    names = tuple(names)
    shown = ", ".join(names[:limit])
    return shown + (f" and {len(names) - limit} more" if len(names) > limit else "")


def quoted(name: str) -> str:
    """The name as it is written in a formula."""
    # Python's identifiers may hold marks that are no word characters to the parser.
    if name.isidentifier() and _WORD.fullmatch(name) and name.lower() not in WORDS:
        return name
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
