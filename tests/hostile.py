"""Generators of what hostile users do: files, contexts, command lines, environments; and what must hold all the same.

Whatever is done to a command, it ends with a documented exit code, no traceback, with ``--json`` exactly one object on
stdout, and no file that is half written or left over (:func:`check`).
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest import mock

import typer
from hypothesis import strategies as st

from hassle.cli.main import build_app, main
from hassle.errors import HassleError
from hassle.files import read_examples, read_model

# Done, no, bad input, interrupted. Not 70: a mistake of ours is what all this is to find.
EXIT_CODES = (0, 1, 2, 130)

EXAMPLES_CSV = b"a,b,c,context,label\n1,0,1,a,1\n0,0,1,,0\n1,1,0,a & (b | c),infeasible\n0,1,1,!a,1\n"
EXAMPLES_JSONL = (
    b'{"variables": ["a", "b", "c"]}\n{"context": "!a", "assignment": {"a": 0, "b": 1, "c": 0}, "label": "positive"}\n'
    b'{"assignment": [1, 1, 0], "label": 0}\n{"assignment": "100", "label": "suboptimal"}\n'
)
MODEL_WCNF = b"c unit 1000\nc var 1 a\nc var 2 b\nc var 3 c\nh 1 2 0\n500 -1 0\nc soft -250 3 0\n250 -3 0\n"
MODEL_JSON = (
    b'{"format": "hassle-model", "version": 1, "variables": ["a", "b", "c"], "unit": 1000, "hard": [["a", "b"]],'
    b' "soft": [{"clause": ["!a"], "weight": 0.5}], "about": {"learner": "sls"}}\n'
)
MODEL_CNF = b"c var 1 a\nc var 2 b\nc var 3 c\np cnf 3 2\n1 2 0\n-1 -3 0\n"
CONTEXTS = b"a\n!b\n# ill\na & (b | c)\n"
CONTEXTS_CSV = b"day;context;note\nmon;a;\ntue;!a, b;x\n"

EXAMPLES = (EXAMPLES_CSV, EXAMPLES_JSONL)
MODELS = (MODEL_WCNF, MODEL_JSON, MODEL_CNF)
CONTEXT_LISTS = (CONTEXTS, CONTEXTS_CSV)

# Pieces that formats are made of, and pieces that break them.
FRAGMENTS = (
    *(
        b"\n",
        b"\r",
        b"\r\n",
        b",",
        b";",
        b"\t",
        b"|",
        b'"',
        b"'",
        b'""',
        b"#",
        b"sep=;\n",
        b"label",
        b"Label",
        b"context",
    ),
    *(
        b"0",
        b"1",
        b"-1",
        b"2",
        b"true",
        b"yes",
        b"999999999999999999999",
        b"1e999",
        b"NaN",
        b"-0",
        b"0.0000001",
        b"1_0",
    ),
    *(b"a", b"b", b"!a", b"a & b", b"a <-> b -> c", b"((((", b"))))", b"not", b"()", b"&&", b"\\", b"a\\'b"),
    *(b"{", b"}", b"[", b"]", b":", b'{"variables": ["a"]}\n', b'"hard"', b"null", b"[" * 2000, b"(" * 300, b"\\ud800"),
    *(b"h ", b"p cnf 3 2\n", b"p wcnf 3 2 9\n", b"c var 1 x\n", b"c unit 7\n", b"c soft -5 1 2 0\n", b" 0\n", b"%\n"),
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3\x28", b"\xf0\x9f\x98\x80", b"\xe2\x80\xa8", b"\xc2\xa0", b"\x1b[31m"),
    *(b"\x1f\x8b", b"PK\x03\x04", b"=cmd|' /C calc'!A0", b"../../etc/passwd", b"%s%n", b"$(id)", b"x" * 5000),
)


@cache
def mutated(originals: tuple[bytes, ...]) -> st.SearchStrategy[bytes]:
    """A good file with a few pieces cut out, repeated, or put in."""

    @st.composite
    def changed(draw: st.DrawFn) -> bytes:
        data = draw(st.sampled_from(originals))
        for _ in range(draw(st.integers(1, 4))):
            start = draw(st.integers(0, len(data)))
            end = min(len(data), start + draw(st.integers(0, 12)))
            piece = draw(
                st.sampled_from((b"", data[start:end] * 2)) | st.sampled_from(FRAGMENTS) | st.binary(max_size=4)
            )
            data = data[:start] + piece + data[end:]
        return data

    return changed()


@cache
def files(originals: tuple[bytes, ...]) -> st.SearchStrategy[bytes]:
    """What may stand in a file that is given for one of the originals."""
    foreign = st.sampled_from((*EXAMPLES, *MODELS, *CONTEXT_LISTS))
    pieces = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map(b"".join)
    utf16 = mutated(originals).map(lambda data: data.decode("utf-8", "replace").encode("utf-16"))
    return mutated(originals) | mutated(originals) | pieces | foreign | st.binary(max_size=60) | utf16


@cache
def context_texts() -> st.SearchStrategy[str]:
    """Formulas, nearly formulas, and anything else; no NUL, which no command line can hold."""
    words = (
        "a",
        "b",
        "c",
        "!",
        "~",
        "not ",
        " & ",
        " | ",
        " -> ",
        " <-> ",
        ",",
        "(",
        ")",
        "true",
        "false",
        "'a'",
        '"',
        "'",
    )
    odd = (
        "\\",
        "=",
        "a=1",
        "a >= 1",
        "🙂",
        "\u2028",
        "\n",
        " ",
        "(" * 120,
        "!" * 500,
        " -> a" * 120,
        "1",
        "-",
        "d",
        "A",
    )
    anything = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
    return st.lists(st.sampled_from(words) | st.sampled_from(odd), max_size=12).map("".join) | anything


# Values for options; none of them asks for much work.
ODD_VALUES = (
    *("", "-", "--", "0", "1", "2", "3", "-1", "+1", "1.5", "1e-9", "0.001", "nan", "inf", "-inf", "1_000", "０"),
    *("9" * 40, "true", "None", "[]", "{}", "a", "auto", "table", "rc2", "sls", "csv", ".", "..", "gone", "no/where"),
    *(
        "m.wcnf",
        "m.json",
        "e.csv",
        "e.jsonl",
        "c.txt",
        "out.json",
        "out.csv",
        "out.wcnf",
        "out.svg",
        "x" * 5000,
        "🙂",
        "\udcff",
    ),
)

# Commands that only read and compute, and what keeps the others short.
QUICK = {
    "show": [],
    "solve": ["--time-limit", "1"],
    "label": [],
    "score": [],
    "evaluate": ["--time-limit", "1", "--samples", "5"],
    "inspect": [],
    "convert": [],
    "learn": ["--learner", "sls", "--steps", "2", "--time-limit", "1", "--jobs", "1", "--constraints", "2"],
    "crossval": ["--learner", "sls", "--steps", "2", "--time-limit", "1", "--jobs", "1", "--constraints", "2"],
}


@cache
def options_of(command: str) -> tuple[str, ...]:
    """The options of a command, as the parser knows them, but for --json and those that keep it short."""
    group = typer.main.get_command(build_app())
    parameters = getattr(group, "commands")[command].params  # noqa: B009 (Typer does not say that it is a group)
    names = [name for parameter in parameters for name in parameter.opts if name.startswith("-")]
    return tuple(name for name in names if name not in (*QUICK[command], "--json"))


@cache
def command_lines() -> st.SearchStrategy[list[str]]:
    """A command, the files of :func:`folder` or other arguments, and options with any values, in any order."""

    @st.composite
    def line(draw: st.DrawFn) -> list[str]:
        command = draw(st.sampled_from(sorted(QUICK)))
        likely = st.sampled_from(("m.wcnf", "m.json", "e.csv", "e.jsonl"))
        arguments = draw(st.lists(likely | st.sampled_from(ODD_VALUES), max_size=3))
        for _ in range(draw(st.integers(0, 4))):
            option = draw(st.sampled_from(options_of(command)))
            arguments += draw(st.sampled_from(([option], [option, None], [f"{option}=", None])))
        arguments = [draw(st.sampled_from(ODD_VALUES)) if word is None else word for word in arguments]
        # First, so that no option given later swallows a limit.
        return [command, *QUICK[command], *arguments]

    return line()


ENVIRONMENTS: dict[str, dict[str, str | None]] = {
    "C": {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "latin-1": {"PYTHONIOENCODING": "latin-1:strict"},
    "no home": {"HOME": None, "USER": None, "LOGNAME": None, "XDG_CACHE_HOME": None},
    "odd home": {"HOME": "/proc/none", "XDG_CACHE_HOME": "/proc/none", "NUMBA_CACHE_DIR": None},
    "no colour": {"NO_COLOR": "1", "FORCE_COLOR": "1"},
    "narrow": {"COLUMNS": "1", "LINES": "1"},
    "wide": {"COLUMNS": "x"},
    "dumb": {"TERM": "dumb"},
    "no terminal": {"TERM": None},
    "no temporary folder": {"TMPDIR": "/no/where", "TEMP": "/no/where", "TMP": "/no/where"},
    "no path": {"PATH": None},
}


# Running commands


@dataclass(frozen=True)
class Outcome:
    """How a command ended, and what it printed."""

    arguments: list[str]
    code: int
    out: str
    err: str


def run(arguments: list[str], stdin: bytes = b"") -> Outcome:
    """The command in this process, as fast as it gets."""
    errors = ("strict", "strict", "backslashreplace")  # as Python has them
    streams = [
        io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors=handler, newline="")
        for data, handler in zip((stdin, b"", b""), errors, strict=True)
    ]
    with mock.patch.multiple(sys, stdin=streams[0], stdout=streams[1], stderr=streams[2]):
        with mock.patch.dict(os.environ, HASSLE_DEBUG="1"):
            code = main(arguments)
        for stream in streams[1:]:
            stream.flush()
        out, err = (stream.buffer.getvalue().decode("utf-8", "backslashreplace") for stream in streams[1:])
    return Outcome(arguments, code, out, err)


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A working folder with one good file of each kind."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        for file, data in (
            ("m.wcnf", MODEL_WCNF),
            ("m.json", MODEL_JSON),
            ("m.cnf", MODEL_CNF),
            ("e.csv", EXAMPLES_CSV),
            ("e.jsonl", EXAMPLES_JSONL),
            ("c.txt", CONTEXTS),
        ):
            Path(file).write_bytes(data)
        try:
            yield Path(name)
        finally:
            os.chdir(before)


def check(outcome: Outcome, place: Path) -> None:
    """What holds whatever was done."""
    story = f"{outcome.arguments}\n{outcome.code}\n{outcome.out[:500]}\n{outcome.err[-3000:]}"
    assert outcome.code in EXIT_CODES, story
    assert "Traceback" not in outcome.err, story
    if outcome.code in (2, 130) and "--json" not in outcome.arguments and outcome.out:
        raise AssertionError(f"a result and an error: {story}")
    if "--json" in outcome.arguments and not {"--help", "-h"} & set(outcome.arguments):
        assert outcome.out.count("\n") == 1, story
        assert isinstance(json.loads(outcome.out), dict), story
    for path in place.rglob("*"):
        if path.is_file():
            assert is_whole(path), f"{path.name}: {path.read_bytes()[:200]!r}: {story}"


def is_whole(path: Path) -> bool:
    """Whether a file of the working folder is one that was there before, or a whole one of its format."""
    name = path.name
    if name in ("m.wcnf", "m.json", "m.cnf", "e.csv", "e.jsonl", "c.txt", "hostile"):
        return True  # somebody may have asked to write there; what is there is read by the next command
    try:
        if path.suffix in (".wcnf", ".cnf", ".json"):
            return bool(read_model(path).variables)
        if path.suffix == ".jsonl":
            return len(read_examples(path)) > 0
    except HassleError:
        return False
    return path.suffix in (".csv", ".tsv", ".svg", ".png", ".pdf") and path.stat().st_size > 0
