"""Hostile files and contexts for every command that reads any: told in one line, or read; never a crash."""

from __future__ import annotations

import pytest
from hostile import CONTEXT_LISTS, EXAMPLES, MODELS, QUICK, check, context_texts, files, folder, run
from hypothesis import given, settings
from hypothesis import strategies as st

SHORT = ["--learner", "sls", "--steps", "2", "--time-limit", "1", "--jobs", "1"]

# A command that reads the file named "hostile" (or "-"), by what it takes the file for.
TAKES = {
    "examples": [
        ["learn", "FILE", *SHORT],
        ["learn", "FILE", "-o", "out.json", *SHORT],
        ["crossval", "FILE", *SHORT],
        ["label", "m.wcnf", "FILE"],
        ["score", "m.json", "FILE", "--explain"],
        ["inspect", "FILE"],
        ["convert", "FILE", "out.jsonl"],
        ["convert", "FILE", "-", "--to", "csv"],
    ],
    "model": [
        ["show", "FILE"],
        ["solve", "FILE", "--all", "3", "--time-limit", "1"],
        ["solve", "FILE", "--contexts", "c.txt", "--time-limit", "1"],
        ["label", "FILE", "e.csv"],
        ["score", "FILE", "e.jsonl"],
        ["evaluate", "m.wcnf", "--truth", "FILE", "--time-limit", "1"],
        ["evaluate", "FILE", "--truth", "m.json", "--context", "a", "--time-limit", "1"],
        ["convert", "FILE", "out.wcnf"],
        ["convert", "FILE", "out.json"],
    ],
    "contexts": [
        ["solve", "m.wcnf", "--contexts", "FILE"],
        ["solve", "m.json", "--contexts", "FILE", "-o", "out.csv"],
    ],
}
ORIGINALS = {"examples": EXAMPLES, "model": MODELS, "contexts": CONTEXT_LISTS}


def put(data, command, named, json):
    """Run the command on a file of that content, once by name or through stdin."""
    with folder() as place:
        name = "-" if named == "-" else f"hostile{named}"
        if named != "-":
            (place / name).write_bytes(data)
        outcome = run([name if word == "FILE" else word for word in command] + ["--json"] * json, data)
        (place / name).unlink(missing_ok=True)
        check(outcome, place)


def hostile_files(kind):
    extensions = {"examples": ("", ".csv", ".jsonl", "-"), "model": ("", ".wcnf", ".cnf", ".json", "-")}
    return given(
        files(ORIGINALS[kind]),
        st.sampled_from(TAKES[kind]),
        st.sampled_from(extensions.get(kind, ("", ".csv", "-"))),
        st.booleans(),
    )


FEW, MANY = settings(max_examples=60), settings(max_examples=3000)
slow = pytest.mark.slow


@FEW
@hostile_files("examples")
def test_hostile_examples(data, command, named, json):
    put(data, command, named, json and "-" not in command)


@FEW
@hostile_files("model")
def test_hostile_models(data, command, named, json):
    put(data, command, named, json and "-" not in command)


@FEW
@hostile_files("contexts")
def test_hostile_lists_of_contexts(data, command, named, json):
    put(data, command, named, json)


@slow
@MANY
@hostile_files("examples")
def test_many_hostile_examples(data, command, named, json):
    put(data, command, named, json and "-" not in command)


@slow
@MANY
@hostile_files("model")
def test_many_hostile_models(data, command, named, json):
    put(data, command, named, json and "-" not in command)


@slow
@MANY
@hostile_files("contexts")
def test_many_hostile_lists_of_contexts(data, command, named, json):
    put(data, command, named, json)


CONTEXT_OPTIONS = (
    ["solve", "m.wcnf", "--time-limit", "1", "--context"],
    ["solve", "m.json", "--solver", "rc2", "--time-limit", "1", "--all", "2", "--context"],
    ["evaluate", "m.wcnf", "--truth", "m.json", *QUICK["evaluate"], "--context"],
    ["inspect", "e.csv", "--target"],
)


def hostile_context(text, command, json):
    with folder() as place:
        check(run([command[0], *["--json"] * json, *command[1:-1], f"{command[-1]}={text}"]), place)


@FEW
@given(context_texts(), st.sampled_from(CONTEXT_OPTIONS), st.booleans())
def test_hostile_contexts(text, command, json):
    hostile_context(text, command, json)


@slow
@MANY
@given(context_texts(), st.sampled_from(CONTEXT_OPTIONS), st.booleans())
def test_many_hostile_contexts(text, command, json):
    hostile_context(text, command, json)
