"""Planning many situations in one go: every row is a best assignment by brute force, and nothing is half done."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import subprocess
import sys

import naive
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import contexts, models
from test_cli_endings import entangled, posix

from hassle.cli import planning
from hassle.cli.main import main
from hassle.errors import InputError, ResourceError
from hassle.files.context_list import contexts_in
from hassle.logic import Context
from hassle.model import Model
from hassle.solve import many, solve_all

MODEL = Model.build(("ana", "ben"), ["ana | ben"], [("!ana", "0.75")])
LIST = "ana\n!ben\n\n# ill\n!ana & !ben\nana, ben\ntrue\n"


@st.composite
def situations(draw):
    model = draw(models(max_variables=4))
    known = draw(st.lists(contexts(len(model.variables)), min_size=1, max_size=3))
    return model, draw(st.lists(st.sampled_from(known), max_size=6))


@settings(max_examples=80, deadline=None)
@given(situations(), st.sampled_from(["auto", "table", "rc2"]))
def test_every_plan_is_best_by_brute_force(case, solver):
    model, where = case
    plans = solve_all(model, where, solver=solver)
    assert [plan.context for plan in plans] == where
    for plan in plans:
        _, best = naive.optima(model, plan.context)
        assert plan.status == ("infeasible" if best is None else "optimal")
        if best is None:
            assert plan.assignment is plan.value is None
        else:
            assert plan.value == naive.value(model, plan.assignment.bits) == best
            assert naive.feasible(model, plan.context, plan.assignment.bits)


def test_each_distinct_context_is_solved_once(monkeypatch):
    asked, told = [], []
    choose = many.solver_for

    def counting(model, context, *arguments, **options):
        asked.append(context)
        return choose(model, context, *arguments, **options)

    monkeypatch.setattr(many, "solver_for", counting)
    where = ["ana", "", "(ana)", "ana & true", None, "!ben"]
    plans = solve_all(MODEL, where, watch=lambda done, total: told.append((done, total)))
    assert len(asked) == len(set(asked)) == 3
    assert told == [(0, 3), (1, 3), (2, 3)]
    assert [plan.assignment.bits for plan in plans] == [(1, 0), (0, 1), (1, 0), (1, 0), (0, 1), (1, 0)]
    assert MODEL.solve_all(where) == plans


def test_what_is_not_solved_in_time_is_unknown_and_not_infeasible():
    plans = solve_all(entangled(), ["", "x1 & !x1"], time_limit=0.3)
    assert [plan.status for plan in plans] == ["unknown", "unknown"]
    # What takes no time is done first.
    fixed = " & ".join(f"x{v}" for v in range(1, 201))
    assert [plan.status for plan in solve_all(entangled(), ["", fixed], time_limit=0.5)] == ["unknown", "optimal"]


def test_what_does_not_fit_is_told_whatever_the_time():
    with pytest.raises(ResourceError, match=r"needs .* TB, more than the .* allowed"):
        solve_all(entangled(), [""], solver="table", time_limit=100)


# Files


def rows(text):
    listed = contexts_in(text, MODEL.variables)
    return listed.header, listed.rows, listed.lines


def test_a_list_or_a_table():
    assert rows(LIST) == (
        ("context",),
        (("ana",), ("!ben",), ("!ana & !ben",), ("ana, ben",), ("true",)),
        (1, 2, 5, 6, 7),
    )
    table = "sep=;\n# next week\nwho;Context;when\n#1;ana, ben;mon\n\n# ill\n#2;;'tue\n"
    assert rows(table) == (("who", "Context", "when"), (("#1", "ana, ben", "mon"), ("#2", "", "'tue")), (4, 7))
    listed = contexts_in(table, MODEL.variables)
    assert listed.contexts == (Context.parse("ana & ben", MODEL.variables), Context())
    assert contexts_in("context\nana\n", MODEL.variables).header == ("context",)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("ana\nben &\n", 2, "ends too early"),
        ("ana\n\ncarl\n", 3, "'carl'"),
        ("id,context\n1,ana\n2,zoe\n", 3, "'zoe'"),
        ("id,context\n1,ana\n2\n", 3, "1 cells where the header has 2"),
        ("id,id,context\n1,2,ana\n", 1, "two columns 'id'"),
        ("context,Context\nana,ben\n", 1, "two columns 'Context'"),
        ('id,context\n1,"ana\n', 2, "quotation"),
        ("# nothing\n", None, "no contexts"),
        ("context\n", None, "no contexts"),
    ],
)
def test_bad_contexts_are_told_with_their_line(text, line, message, tmp_path, monkeypatch, capsys):
    with pytest.raises(InputError, match=message.replace("(", r"\(")) as caught:
        contexts_in(text, MODEL.variables)
    assert caught.value.line == line
    monkeypatch.chdir(tmp_path)
    MODEL.write("m.wcnf")
    (tmp_path / "c.csv").write_text(text)
    (tmp_path / "plan.csv").write_text("old")
    assert main(["solve", "m.wcnf", "--contexts", "c.csv", "-o", "plan.csv"]) == 2
    assert capsys.readouterr().err.startswith(f"hassle: c.csv:{'' if line is None else f'{line}:'} ")
    assert (tmp_path / "plan.csv").read_text() == "old"


# The command


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    MODEL.write("m.wcnf")
    (tmp_path / "list.txt").write_text(LIST)
    (tmp_path / "table.csv").write_text('day,context,note\nmon,ana,\ntue,!ana,"a, b"\n')
    return tmp_path


def test_plans_go_to_stdout_as_csv(folder, capsys):
    assert main(["solve", "m.wcnf", "--contexts", "list.txt"]) == 1
    printed = capsys.readouterr()
    assert list(csv.reader(io.StringIO(printed.out))) == [
        ["context", "status", "value", "ana", "ben"],
        ["ana", "optimal", "0", "1", "0"],
        ["!ben", "optimal", "0", "1", "0"],
        ["!ana & !ben", "infeasible", "", "", ""],
        ["ana, ben", "optimal", "0", "1", "1"],
        ["true", "optimal", "0.75", "0", "1"],
    ]
    assert printed.err == "hassle: no feasible assignment in 1 of 5 contexts\n"


def test_plans_go_to_a_file(folder, capsys):
    assert main(["solve", "m.wcnf", "--contexts", "table.csv", "-o", "plan.csv"]) == 0
    assert (folder / "plan.csv").read_text() == (
        'day,context,note,status,value,ana,ben\nmon,ana,,optimal,0,1,0\ntue,!ana,"a, b",optimal,0.75,0,1\n'
    )
    assert capsys.readouterr() == ("Wrote plans for 2 contexts, 2 of them feasible, to plan.csv\n", "")
    assert main(["solve", "m.wcnf", "--contexts", "table.csv", "-o", "plan.tsv"]) == 0
    assert (folder / "plan.tsv").read_text().startswith("day\tcontext\tnote\tstatus")


def test_plans_as_json(folder, capsys):
    assert main(["solve", "m.wcnf", "--contexts", "table.csv", "--json", "-o", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found.pop("seconds") >= 0
    assert found == {
        "plans": [
            {
                "line": 2,
                "context": "ana",
                "columns": {"day": "mon", "note": ""},
                "status": "optimal",
                "value": 0,
                "assignment": {"ana": 1, "ben": 0},
            },
            {
                "line": 3,
                "context": "!ana",
                "columns": {"day": "tue", "note": "a, b"},
                "status": "optimal",
                "value": 0.75,
                "assignment": {"ana": 0, "ben": 1},
            },
        ],
        "contexts": 2,
        "optimal": 2,
        "infeasible": 0,
        "unknown": 0,
    }
    assert main(["solve", "m.wcnf", "--contexts", "list.txt", "--json", "-o", "plan.csv"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["infeasible"], found["plans"][2]["assignment"]) == (1, None)
    assert len((folder / "plan.csv").read_text().splitlines()) == 6


def test_the_time_limit_is_for_all(folder, capsys):
    entangled().write("hard.wcnf")
    (folder / "two.txt").write_text("x1\nx2\n")
    assert main(["solve", "hard.wcnf", "--contexts", "two.txt", "--time-limit", "0.3"]) == 1
    printed = capsys.readouterr()
    assert printed.out.splitlines()[1].startswith("x1,unknown,,")
    assert printed.err == "hassle: no answer in time in 2 of 2 contexts\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--contexts", "list.txt", "--context", "ana"], "--context and --contexts exclude"),
        (["--contexts", "list.txt", "--all"], "--all and --contexts exclude"),
        (["-o", "plan.csv"], "--output is for the plan of --contexts or --fill"),
        (["--contexts", "list.txt", "-o", "plan.json"], "plan.json: plans are written as .csv or .tsv"),
        (["--contexts", "list.txt", "-o", "no/plan.csv"], "no/plan.csv: there is no directory 'no'"),
        (["--contexts", "gone.txt"], "gone.txt: there is no such file"),
        (["--contexts", "same.csv"], "same.csv: the plan would have two columns 'ana'"),
    ],
)
def test_bad_usage(folder, options, message, capsys):
    (folder / "same.csv").write_text("ana,context\n1,ben\n")
    assert main(["solve", "m.wcnf", *options]) == 2
    assert capsys.readouterr().err.startswith(f"hassle: {message}")
    assert not list(folder.glob("plan*"))


def test_columns_named_alike_are_no_trouble_in_json(folder, capsys):
    (folder / "same.csv").write_text("ana,context\n1,ben\n")
    assert main(["solve", "m.wcnf", "--contexts", "same.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["plans"][0]["columns"] == {"ana": "1"}


@posix
@pytest.mark.parametrize(("patience", "shown"), [(0.0, True), (60.0, False)])
def test_progress_is_shown_on_a_terminal_to_those_who_wait(folder, patience, shown):
    entangled().write("hard.wcnf")
    terminal, stderr = pty.openpty()
    program = (
        f"from hassle.cli import planning; planning.PATIENCE = {patience}; from hassle.cli.main import main; "
        "main(['solve', 'hard.wcnf', '--contexts', 'one.txt', '--time-limit', '1'])"
    )
    (folder / "one.txt").write_text("x1\n")
    subprocess.run([sys.executable, "-c", program], stderr=stderr, stdout=subprocess.DEVNULL, check=True)
    os.close(stderr)
    seen = os.read(terminal, 10_000).decode()
    os.close(terminal)
    assert ("solved 0 of 1 contexts" in seen) == shown
    assert "no answer in time in 1 of 1 contexts" in seen
    assert planning.PATIENCE == 2
