"""Bad input of every kind: exit code 2 and one line that says what is wrong, where, and what to do."""

from __future__ import annotations

import pytest

from hassle.cli.main import main

GOOD_CSV = "a,b,context,label\n1,0,a,1\n0,0,,0\n"
GOOD_MODEL = "c var 1 a\nc var 2 b\nc unit 1000\nh 1 2 0\n500 -1 0\n"

FILES = {
    "good.csv": GOOD_CSV,
    "model.wcnf": GOOD_MODEL,
    "empty.csv": "",
    "commas.csv": ",,,\n,,,\n",
    "header.csv": "a,b,label\n",
    "nolabel.csv": "a,b\n1,0\n",
    "cell.csv": "a,b,label\n1,0,1\n1,2,1\n",
    "label.csv": "a,b,label\n1,0,fine\n",
    "missing.csv": "a,b,label\n1,0,\n",
    "twice.csv": "a,a,label\n1,0,1\n",
    "short.csv": "a,b,label\n1,0\n",
    "long.csv": "a,b,label\n1,0,1,1\n",
    "extra.csv": "a,b,date,label\n1,0,2021-03-04,1\n",
    "context.csv": "a,b,context,label\n1,0,a &,1\n",
    "unknown.csv": "a,b,context,label\n1,0,ca,1\n",
    "breaks.csv": "a,b,context,label\n1,0,!a,1\n",
    "other.csv": "a,z,label\n1,0,1\n",
    "broken.jsonl": '{"variables": ["a"]}\n{"assignment": [1], "label": 1\n',
    "novars.jsonl": '{"assignment": [1], "label": 1}\n',
    "size.jsonl": '{"variables": ["a", "b"]}\n{"assignment": "1", "label": 1}\n',
    "letters.wcnf": "h 1 x 0\n",
    "unended.wcnf": "h 1 2\n",
    "weight.wcnf": "heavy 1 0\n",
    "tautology.wcnf": "h 1 -1 0\n",
    "unit.wcnf": "c unit 7\n5 1 0\n",
    "header.cnf": "p cnf two 3\n1 0\n",
    "range.cnf": "p cnf 1 1\n2 0\n",
    "broken.json": '{"variables": ["a"',
    "fine.json": '{"format": "hassle-model", "version": 1, "variables": ["a"], "unit": 1000, "hard": [],'
    ' "soft": [{"clause": ["a"], "weight": 0.00000001}]}',
    "clause.json": '{"format": "hassle-model", "version": 1, "variables": ["a"], "unit": 1000, "hard": [["b"]],'
    ' "soft": []}',
    "binary.csv": b"\xff\x00\x9f\x92\x80" * 9,
}

# Each row: the arguments, and what the message must contain.
CASES = {
    "no such file": (["label", "model.wcnf", "gone.csv"], ["gone.csv"]),
    "a directory": (["label", "model.wcnf", "."], ["."]),
    "binary junk": (["label", "model.wcnf", "binary.csv"], ["binary.csv"]),
    "empty file": (["label", "model.wcnf", "empty.csv"], ["empty.csv", "empty"]),
    "nothing but empty cells": (["label", "model.wcnf", "commas.csv"], ["commas.csv", "empty cells"]),
    "header only": (["label", "model.wcnf", "header.csv"], ["header.csv", "no example"]),
    "no label column": (["score", "model.wcnf", "nolabel.csv"], ["nolabel.csv:1", "label"]),
    "a cell that is not 0 or 1": (["label", "model.wcnf", "cell.csv"], ["cell.csv:3", "'b'", "'2'"]),
    "an unknown label": (["score", "model.wcnf", "label.csv"], ["label.csv:2", "'fine'"]),
    "a missing label": (["score", "model.wcnf", "missing.csv"], ["missing.csv:2", "label"]),
    "a column named twice": (["label", "model.wcnf", "twice.csv"], ["twice.csv:1", "'a'"]),
    "a short row": (["label", "model.wcnf", "short.csv"], ["short.csv:2", "2", "3"]),
    "a long row": (["label", "model.wcnf", "long.csv"], ["long.csv:2", "4", "3"]),
    "an extra column": (["label", "model.wcnf", "extra.csv"], ["extra.csv:1", "'date'", "--ignore"]),
    "an ignored column that is not there": (["label", "model.wcnf", "good.csv", "--ignore", "dat"], ["'dat'"]),
    "a broken context": (["label", "model.wcnf", "context.csv"], ["context.csv:2", "'a &'", "column 4"]),
    "an unknown variable in a context": (["label", "model.wcnf", "unknown.csv"], ["unknown.csv:2", "'ca'"]),
    "an example that breaks its context": (["label", "model.wcnf", "breaks.csv"], ["breaks.csv:2", "'!a'"]),
    "examples over other variables": (["label", "model.wcnf", "other.csv"], ["other.csv:1", "which the schema has"]),
    "broken JSON in JSONL": (["label", "model.wcnf", "broken.jsonl"], ["broken.jsonl:2"]),
    "JSONL without variables": (["label", "model.wcnf", "novars.jsonl"], ["novars.jsonl:1", "variables"]),
    "JSONL with a short assignment": (["label", "model.wcnf", "size.jsonl"], ["size.jsonl:2", "1", "2"]),
    "letters in a clause": (["show", "letters.wcnf"], ["letters.wcnf:1", "'x'"]),
    "a clause without its 0": (["show", "unended.wcnf"], ["unended.wcnf:1", "0"]),
    "a weight that is no number": (["show", "weight.wcnf"], ["weight.wcnf:1", "heavy"]),
    "a tautology": (["show", "tautology.wcnf"], ["tautology.wcnf:1", "1"]),
    "a unit that is no power of ten": (["show", "unit.wcnf"], ["unit.wcnf", "7"]),
    "a bad CNF header": (["show", "header.cnf"], ["header.cnf:1", "two"]),
    "a variable beyond the header": (["show", "range.cnf"], ["range.cnf:2", "2"]),
    "broken JSON": (["show", "broken.json"], ["broken.json:1"]),
    "a weight too fine": (["show", "fine.json"], ["fine.json", "1E-8"]),
    "an unknown name in a clause": (["show", "clause.json"], ["clause.json", "'b'"]),
    "examples as a model": (["show", "good.csv"], ["good.csv", "model"]),
    "a model as examples": (["label", "model.wcnf", "model.wcnf"], ["model.wcnf", "examples"]),
    "a context with an unknown variable": (["solve", "model.wcnf", "--context", "a & bb"], ["column 5", "'bb'"]),
    "a context with an open bracket": (["solve", "model.wcnf", "-c", "(a | b"], ["column 1", "("]),
    "an unknown solver": (["solve", "model.wcnf", "--solver", "cplex"], ["'cplex'", "table"]),
    "a negative number of assignments": (["solve", "model.wcnf", "--all", "-3"], ["--all", "-3"]),
    "no number where one is due": (["solve", "model.wcnf", "--seed", "one"], ["--seed", "one"]),
    "an unknown option": (["solve", "model.wcnf", "--contxt", "a"], ["--contxt"]),
    "an unknown command": (["slove", "model.wcnf"], ["slove", "solve"]),
    "a missing argument": (["label", "model.wcnf"], ["EXAMPLES"]),
    "an unknown output format": (["convert", "model.wcnf", "model.xlsx"], ["model.xlsx", ".wcnf"]),
    "an unknown format for stdout": (["convert", "model.wcnf", "-", "--to", "xlsx"], [".xlsx", ".wcnf"]),
    "two results for stdout": (["convert", "model.wcnf", "-", "--json"], ["--json"]),
    "an output folder that is not there": (["convert", "model.wcnf", "no/where/m.json"], ["no/where"]),
    "examples converted to a model": (["convert", "good.csv", "good.wcnf"], ["good.csv"]),
    "a folder that is stdout": (["generate", "-o", "-"], ["'-'", "folder"]),
    "too few variables": (["generate", "-o", "out", "--variables", "0"], ["--variables", "0"]),
    "noise that is no probability": (["generate", "-o", "out", "--noise", "1.5"], ["--noise", "1.5"]),
    "more clauses than there are": (
        ["generate", "-o", "out", "--variables", "2", "--hard", "90"],
        ["clauses asked for"],
    ),
    "an unknown kind of negatives": (["generate", "-o", "out", "--negative-kind", "odd"], ["odd"]),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, content in FILES.items():
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", CASES)
def test_bad_input_gets_one_line_and_exit_code_2(case, folder, capsys):
    arguments, expected = CASES[case]
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    code = main(arguments)
    printed = capsys.readouterr()
    assert code == 2
    assert (printed.out == "") == ("--json" not in arguments)
    assert printed.err.startswith("hassle: ")
    assert printed.err.count("\n") == 1, printed.err
    for part in expected:
        assert part in printed.err, printed.err
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert after == before


def test_the_table_has_enough_kinds():
    assert len(CASES) >= 25
