"""Problems in files, decisions in fresh contexts; versions of the learners; two drivers in one folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from hassle import Dataset, Model
from hassle.cli.main import main
from hassle.errors import DataWarning
from hassle.evaluation.decisions import decision_quality, quality_of_answers, random_contexts
from hassle.experiments import catalogue, driver, grid
from hassle.experiments.catalogue import EXPERIMENTS
from hassle.experiments.experiment import Scale
from hassle.experiments.grid import carry_out
from hassle.experiments.options import problem_files
from hassle.experiments.run import (
    COMMITTEE,
    FRESH_SEED,
    LEARNERS_VERSION,
    NEWER,
    Run,
    failure,
    perform,
    problem,
    version_of,
)
from hassle.experiments.store import Store, read_rows
from hassle.generate import generate
from hassle.learners import learn

PUBLISHED = Path(__file__).parents[2] / "shared" / "data" / "gen"


@pytest.fixture
def problems(tmp_path):
    folder = tmp_path / "problems"
    folder.mkdir()
    for k in (1, 2, 10):
        made = generate(5, 3, 3, 8, seed=k)
        made.data.write(folder / f"n5-{k}.csv")
        made.truth.write(folder / f"n5-{k}.wcnf")
    made.data.write(folder / "alone.csv")  # has no truth
    return folder


def test_any_folder_of_problems_is_run_and_goes_on(problems, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(catalogue, "FRESH_CONTEXTS", 20)
    command = ["experiment", "gen", "--problems", str(problems), "-o", str(tmp_path / "out"), "--cutoff", "0.2"]
    assert main([*command, "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    rows = read_rows(tmp_path / "out" / "rows.csv")
    assert [row["problem"] for row in rows] == ["n5-1.csv", "n5-2.csv", "n5-10.csv"] * 2
    assert {row["method"] for row in rows} == {"auto", COMMITTEE}
    for row in rows:
        assert (row["variables"], row["hard"], row["soft"], row["contexts"]) == (5, 3, 3, 8)
        assert row["version"] == version_of(row["method"])
        assert 0 <= row["decisions_optimal"] + row["decisions_infeasible"] <= 1
        assert row["accuracy"] is not None
    assert "| 12 | HASSLE-GEN, published |" in printed
    assert str(problems) not in (tmp_path / "out" / "rows.csv").read_text()
    for name in ("gen.png", "gen.svg", "table.md", "manifest.json"):
        assert (tmp_path / "out" / name).stat().st_size
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out" / "runs").iterdir()}
    assert main(command) == 0
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out" / "runs").iterdir()} == before


def test_what_a_row_says_of_decisions_is_what_evaluate_says(problems):
    run = Run("gen", problem=str(problems / "n5-1.csv"), method="walksat", steps=40, constraints=6, fresh_contexts=50)
    (row,) = perform(run)
    truth, data = problem(run)
    assert (truth, data) == (Model.read(problems / "n5-1.wcnf"), Dataset.read(problems / "n5-1.csv"))
    model = learn(data, "sls", steps=40, constraints=6, jobs=1, searches=1).model
    expected = decision_quality(model, truth, random_contexts(truth, 50, FRESH_SEED)).record()
    assert row["decisions_optimal"] == expected["optimal"]
    assert row["decisions_infeasible"] == expected["infeasible"]
    assert row["decisions_regret"] == expected["regret"]


def test_the_truth_decides_perfectly_and_no_answer_is_none():
    truth = generate(5, 3, 3, 8, seed=1).truth
    contexts = random_contexts(truth, 30, 1)
    best = quality_of_answers(lambda context, _: truth.bits(truth.solve(context)), truth, contexts)
    assert (best.optimal, best.infeasible, best.regret) == (1, 0, 0)
    none = quality_of_answers(lambda context, _: None, truth, contexts)
    assert (none.optimal, none.unanswered, none.regret) == (0, 1, None)


def test_problems_come_in_the_order_of_their_numbers(problems):
    assert [Path(file).stem for file in problem_files(str(problems))] == ["n5-1", "n5-2", "n5-10"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gen", "-o", "x"], "--problems"),
        (["gen", "--problems", ".", "-o", "x"], "there is no problem"),
        (["q1", "--problems", ".", "-o", "x"], "leave --problems out"),
    ],
)
def test_bad_options_are_told_in_one_line(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["experiment", *arguments]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the problems of HASSLE-GEN are not here")
def test_the_published_problems_are_twenty_five():
    runs = EXPERIMENTS["gen"].runs(Scale(problems=problem_files(str(PUBLISHED))))
    assert len(runs) == 2 * 25
    assert {run.cutoffs for run in runs} == {(60.0,)}
    assert {(run.hard, run.soft, run.contexts) for run in runs} == {(16, 16, 100)}
    assert sorted({run.variables for run in runs}) == [12, 14, 16, 18, 20]


# Versions.


def test_a_problems_content_is_part_of_the_key_and_its_place_is_not(problems, tmp_path):
    run = Run("gen", problem=str(problems / "n5-1.csv"))
    moved = tmp_path / "moved"
    moved.mkdir()
    for name in ("n5-1.csv", "n5-1.wcnf"):
        (moved / name).write_bytes((problems / name).read_bytes())
    assert replace(run, problem=str(moved / "n5-1.csv")).key == run.key
    other = tmp_path / "other"
    other.mkdir()
    (other / "n5-1.csv").write_bytes((problems / "n5-1.csv").read_bytes())
    (other / "n5-1.wcnf").write_bytes((problems / "n5-2.wcnf").read_bytes())
    assert replace(run, problem=str(other / "n5-1.csv")).key != run.key


def small_runs(count=4):
    base = Run("q5", variables=5, hard=2, soft=2, contexts=8, constraints=4, steps=30, cutoffs=(9.0,))
    return [replace(base, data_seed=seed) for seed in range(count)]


def test_runs_of_other_learners_are_not_reused_and_told(tmp_path, monkeypatch):
    store = Store(tmp_path)
    store.prepare()
    with monkeypatch.context() as earlier:
        earlier.setitem(NEWER, "walksat", LEARNERS_VERSION - 1)
        old = small_runs(2)
    for run in old:
        store.keep(run, {"run": asdict(run), "rows": [{"score": 0.5}], "error": None})
    assert store.outdated() == 2
    assert store.missing(small_runs(2)) == small_runs(2)
    with pytest.warns(DataWarning, match="2 runs were made by another version of the learners"):
        driver._tell_outdated(store)


def test_the_version_says_when_the_local_search_has_changed():
    """If this fails because a search takes other steps, raise LEARNERS_VERSION and put the new figures here."""
    data = generate(8, 10, 10, 40, seed=1).data
    found = [
        (result.correct, result.neighbours)
        for options in ({}, {"paper": True}, {"strategy": "novelty+"}, {"strategy": "adaptive-novelty+"})
        for result in [learn(data, "sls", steps=150, constraints=20, searches=1, jobs=1, **options)]
    ]
    assert (LEARNERS_VERSION, len(data), found) == (2, 160, FIGURES)


FIGURES = [(146, 3339), (137, 6493), (147, 6220), (154, 6475)]


# Two drivers.


def test_a_claimed_run_is_left_to_its_driver(tmp_path, monkeypatch):
    """The other driver's claims are those of another process; when it ends without a result, we do the run."""
    monkeypatch.setattr(grid, "SECONDS_BETWEEN_LOOKS", 0.05)
    runs = small_runs(3)
    store = Store(tmp_path)
    store.prepare()
    other = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path), json.dumps(asdict(runs[0]))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        assert other.stdout.readline() == "claimed\n"
        assert not store.claim(runs[0])
        assert store.claim(runs[1])
        done = []

        def watch(now):
            done.append(now.done)
            if now.done == 2:
                assert not store.has(runs[0])  # still the other's
                other.kill()

        carry_out(runs, store, 1, None, watch)
    finally:
        other.kill()
        other.wait()
    assert done == [1, 2, 3]
    assert [record["error"] for record in store.records(runs)] == [None] * 3


HOLDER = """
import json, sys
from pathlib import Path
from hassle.experiments.run import Run
from hassle.experiments.store import Store
settings = json.loads(sys.argv[2])
del settings["version"]  # follows from the method
store = Store(Path(sys.argv[1]))
assert store.claim(Run(**{**settings, "cutoffs": tuple(settings["cutoffs"])}))
print("claimed", flush=True)
sys.stdin.read()
"""


def test_what_another_driver_has_done_meanwhile_is_not_done_again(tmp_path, monkeypatch):
    runs = small_runs(2)
    store = Store(tmp_path)
    store.prepare()
    missing = Store.missing

    def overtaken(self, wanted):
        found = missing(self, wanted)
        self.keep(runs[0], failure(runs[0], "done by the other"))
        return found

    monkeypatch.setattr(Store, "missing", overtaken)
    carry_out(runs, store, 1, None, lambda now: None)
    assert [record["error"] for record in store.records(runs)] == ["done by the other", None]


def test_two_drivers_in_one_folder_do_every_run_once(tmp_path):
    """Each line of a log is a run that was begun, whoever began it."""
    log = tmp_path / "log"
    drivers = [
        subprocess.Popen(
            [sys.executable, "-c", DRIVER, str(tmp_path / "out"), str(log)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])},
        )
        for _ in range(2)
    ]
    for each in drivers:
        assert each.wait(120) == 0
    begun = log.read_text().split()
    assert sorted(begun) == sorted(run.key for run in small_runs(8))


DRIVER = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from hassle.experiments import grid
from hassle.experiments.run import failure
from hassle.experiments.store import Store
from test_experiment_gen import small_runs

def attempt(run):
    with open(sys.argv[2], "a") as log:
        log.write(run.key + "\\n")
    time.sleep(0.1)
    return failure(run, "only written down")

@contextmanager
def threads(jobs, cluster):
    with ThreadPoolExecutor(jobs) as pool:
        yield pool

grid.attempt, grid._executor, grid.SECONDS_BETWEEN_LOOKS = attempt, threads, 0.05
store = Store(Path(sys.argv[1]))
store.prepare()
grid.carry_out(small_runs(8), store, 1, None, lambda now: None)
assert all(store.has(run) for run in small_runs(8))
"""


def test_full_size_is_announced(tmp_path, monkeypatch, capsys):
    def fail(runs, store, jobs, cluster, watch):
        for run in runs:
            store.keep(run, failure(run, "not today"))

    monkeypatch.setattr(driver, "carry_out", fail)
    main(["experiment", "q4", "--full", "-o", str(tmp_path)])
    assert "150 runs at the paper's cutoffs are up to 150 core-hours" in capsys.readouterr().err
