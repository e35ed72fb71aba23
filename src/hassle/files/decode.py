"""Files in: bytes from a path or standard input, as text with ``\\n`` line ends.

What would take more memory than is allowed is refused before it does. UTF-8 with or without a byte-order mark, and
UTF-16 with one (Excel's "Unicode text"), are understood. Anything else is an error of one line: guessing an encoding
would silently change names.
"""

from __future__ import annotations

import codecs
import contextlib
import difflib
import io
import os
import sys
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from hassle.errors import InputError, ResourceError
from hassle.memory import allowed_memory, memory_refusal, shown_bytes

STANDARD = "-"
# Bytes read at a time, and bytes of memory that understanding a byte of a file takes. Measured: 10 for long CSV files
# and 13 for models, 18 where long contexts are most of the file.
# Of a table that is read in pieces only what is distinct is kept: an eighth at least, by a guess.
PIECE, UNDERSTANDING, LEAST_UNDERSTANDING = 2**20, 15, 1 / 8
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ": "xz",
    b"BZh": "bzip2",
    b"PK\x03\x04": "zip",
    b"\x28\xb5\x2f\xfd": "zstd",
}


def shown_name(path: str | PathLike[str]) -> str:
    """How messages call the file that is read."""
    return "standard input" if os.fspath(path) == STANDARD else os.fspath(path)


def read_text(path: str | PathLike[str]) -> str:
    """The whole text of a file; ``-`` is standard input."""
    try:
        return decoded(read_bytes(path, text=True))
    except InputError as error:
        raise error.at(file=shown_name(path)) from None


def read_in_pieces(path: str | PathLike[str]) -> tuple[str, Iterator[str]]:
    """The beginning of a text file, and what follows, each up to the end of a line.

    A short file, and what is no file (standard input, a pipe), is its own beginning.
    """
    try:
        size = os.path.getsize(path) if os.fspath(path) != STANDARD and os.path.isfile(path) else 0
    except (OSError, ValueError):
        size = 0
    if size <= PIECE:
        return read_text(path), iter(())
    _check_size(size, LEAST_UNDERSTANDING, shown_name(path))  # and whoever keeps what is read asks as it grows
    pieces = _pieces(path)
    return next(pieces, ""), pieces


def _pieces(path: str | PathLike[str]) -> Iterator[str]:
    """The text of a long file, as :func:`read_text` would have it; that says what is wrong where it is no text."""
    try:
        with open(path, "rb") as file:
            start = file.read(max(map(len, _COMPRESSED)))
            file.seek(0)
            if not start.startswith(tuple(_COMPRESSED)):
                text = io.TextIOWrapper(file, encoding=_encoding(start), newline=None)
                while piece := text.read(PIECE) + text.readline():
                    if "\0" in piece:
                        break
                    yield piece
                else:
                    return
    except (OSError, UnicodeDecodeError):
        pass
    read_text(path)
    raise InputError("cannot be read", fix="save it as UTF-8 text", file=shown_name(path))


def lines_of(text: str, rest: Iterable[str] = ()) -> Iterator[str]:
    """The lines of a text and of what follows it, with their ends.

    A little at a time: a ``StringIO`` takes four bytes for each character.
    """
    start = 0
    while start < len(text):
        end = text.find("\n", start + PIECE) + 1 or len(text)
        yield from io.StringIO(text[start:end], newline="")
        start = end
    for piece in rest:
        yield from io.StringIO(piece, newline="")


def read_bytes(path: str | PathLike[str], text: bool = False) -> bytes:
    """All that a file holds; of what should be ``text`` and is not, its beginning will do."""
    name = shown_name(path)
    try:
        if os.fspath(path) == STANDARD:
            return _bounded(_standard_input(), name, text)
        with open(path, "rb") as file:
            return _bounded(file, name, text)
    except FileNotFoundError:
        if os.path.islink(path):
            what = f"is a link to {os.path.realpath(path)!r}, which is not there"
            raise InputError(what, fix="restore that file, or name another", file=name) from None
        raise InputError("there is no such file", fix=_near(Path(path)), file=name) from None
    except IsADirectoryError:
        raise InputError("is a directory", fix="name a file in it", file=name) from None
    except PermissionError:
        raise InputError("may not be read", fix="check its permissions", file=name) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
        raise InputError(f"cannot be read ({getattr(error, 'strerror', None) or error})", file=name) from None


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise InputError("is closed", fix="name a file", file=shown_name(STANDARD))
    return sys.stdin.buffer


def _bounded(file: BinaryIO, name: str, text: bool) -> bytes:
    """All that the file holds. One that is too large, or without an end such as /dev/zero, is refused early."""
    with contextlib.suppress(io.UnsupportedOperation):  # standard input may be a program's own
        _check_size(os.fstat(file.fileno()).st_size, UNDERSTANDING, name)
    pieces: list[bytes] = []
    total = 0
    while piece := file.read(PIECE):
        if text and not pieces and b"\0" in piece and not piece.startswith(UTF_16):
            return piece  # no text, as whoever decodes it will tell
        pieces.append(piece)
        total += len(piece)
        _check_size(total, UNDERSTANDING, name)
    return b"".join(pieces)


def _check_size(count: int, understanding: float, name: str) -> None:
    """What a pipe holds is not known before, so that it is asked again and again."""
    if understanding * count > allowed_memory():
        needed = shown_bytes(understanding * count)
        raise ResourceError(
            f"{name}: holds {shown_bytes(count)} or more, which would take about {needed} of memory, "
            + memory_refusal("divide it")
        )


def decoded(data: bytes) -> str:
    """The text that these bytes hold."""
    for magic, kind in _COMPRESSED.items():
        if data.startswith(magic):
            raise InputError(f"is compressed ({kind})", fix="unpack it first")
    encoding = _encoding(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"is not {'UTF-16' if encoding == 'utf-16' else 'UTF-8'} text (byte {data[error.start]:#04x})",
            fix="save it as UTF-8",
            line=data.count(b"\n", 0, error.start) + 1,
        ) from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        raise InputError(
            "holds a NUL character, so it is not a text file",
            fix="save it as UTF-8 text",
            line=text.count("\n", 0, text.index("\0")) + 1,
        )
    if not text.strip():
        raise InputError("is empty")
    return text


def _encoding(data: bytes) -> str:
    return "utf-16" if data.startswith(UTF_16) else "utf-8-sig"


def _near(path: Path) -> str:
    """What to do about a missing file: a name like it, where there is one."""
    try:
        present = [entry.name for entry in os.scandir(path.parent)]
    except OSError:
        return f"there is no directory {str(path.parent)!r} either"
    near = difflib.get_close_matches(path.name, present, n=1)
    return f"did you mean {str(path.with_name(near[0]))!r}?" if near else "check the path"


def clipped(value: object, limit: int = 60) -> str:
    """A value as messages quote it, cut where it is long."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[:limit]}…"
