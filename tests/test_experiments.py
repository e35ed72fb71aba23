"""Experiments: the grid is the paper's, runs are kept once, a killed grid goes on, and tables say what the rows say."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from hassle.cli.main import main
from hassle.errors import DataWarning
from hassle.experiments import driver, grid
from hassle.experiments.catalogue import EXPERIMENTS, GROWTH
from hassle.experiments.driver import conduct, table_of
from hassle.experiments.experiment import Scale
from hassle.experiments.figures import draw
from hassle.experiments.grid import carry_out
from hassle.experiments.manifest import read_options
from hassle.experiments.options import Options
from hassle.experiments.run import FEW_INFEASIBLE, Run, attempt, failure, perform, problem
from hassle.experiments.store import Store, read_rows, rows_of, write_rows
from hassle.experiments.summary import Mean, markdown_table

# What depends on the clock or the machine, not on the run.
CLOCK = {"seconds", "seconds_to_best", "cpu_seconds", "memory_mb", "neighbour_us"}


def small_runs(count=6):
    base = Run("q5", variables=5, hard=2, soft=2, contexts=8, constraints=4, steps=30, cutoffs=(9.0,))
    return [replace(base, data_seed=seed) for seed in range(count)]


def without_clock(rows):
    return [{name: value for name, value in row.items() if name not in CLOCK} for row in rows]


def nobody(_):
    pass


def test_few_infeasible_negatives_are_a_few_of_all():
    settings = small_runs(1)[0]
    _, all_of_them = problem(replace(settings, contexts=60, negative_kind="infeasible"))
    _, few = problem(replace(settings, contexts=60, negative_kind=FEW_INFEASIBLE))
    assert few.positive.sum() == all_of_them.positive.sum()
    assert 0 < (~few.positive).sum() < 0.15 * (~all_of_them.positive).sum()


def test_every_run_of_a_grid_has_its_own_key():
    for experiment in EXPERIMENTS.values():
        keys = [run.key for run in experiment.runs(Scale())]
        assert len(set(keys)) == len(keys)


def test_another_data_seed_keeps_the_model():
    first, second = small_runs(2)
    assert problem(first)[0] == problem(second)[0]
    assert problem(first)[1] != problem(second)[1]


def test_a_run_limited_by_steps_is_repeatable():
    run = small_runs(1)[0]
    assert without_clock(perform(run)) == without_clock(perform(run))


def test_a_failed_run_is_recorded_and_stops_nothing(tmp_path):
    bad = replace(small_runs(1)[0], hard=500)
    store = Store(tmp_path)
    store.prepare()
    carry_out([bad, *small_runs(1)], store, 1, None, nobody)
    failed, fine = store.records([bad, *small_runs(1)])
    assert "clauses asked for" in failed["error"]
    assert fine["error"] is None
    assert fine["rows"]


def test_finished_runs_are_not_done_again(tmp_path):
    runs = small_runs(3)
    store = Store(tmp_path)
    store.prepare()
    store.keep(runs[0], failure(runs[0], "kept as it is"))
    done = []
    carry_out(runs, store, 1, None, done.append)
    assert store.records(runs[:1])[0]["error"] == "kept as it is"
    assert [now.done for now in done] == [2, 3]


DAMAGES = {
    "empty": lambda whole: b"",
    "truncated": lambda whole: whole[: len(whole) // 2],
    "without its last bytes": lambda whole: whole[:-3],
    "zeroes": lambda whole: bytes(len(whole)),
    "not text": lambda whole: b"\xff\xfe" + whole,
    "a list": lambda whole: b"[]",
    "another run": lambda whole: whole.replace(b'"data_seed": 0', b'"data_seed": 7'),
    "without rows": lambda whole: json.dumps({**json.loads(whole), "rows": None}).encode(),
    "with too few rows": lambda whole: json.dumps({**json.loads(whole), "rows": []}).encode(),
    "with odd rows": lambda whole: json.dumps({**json.loads(whole), "rows": [3]}).encode(),
    "without an error": lambda whole: json.dumps({"run": json.loads(whole)["run"], "rows": [{}]}).encode(),
    "nested": lambda whole: b"[" * 100_000,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_told_and_its_run_done_again(damage, tmp_path):
    runs = small_runs(2)
    store = Store(tmp_path)
    store.prepare()
    for run in runs:
        store.keep(run, {"run": asdict(run), "rows": [{"score": 0.5}], "error": None})
    assert not store.missing(runs)
    path = tmp_path / "runs" / f"{runs[0].key}.json"
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert store.records(runs) == json.loads(
        json.dumps([{"run": asdict(runs[1]), "rows": [{"score": 0.5}], "error": None}])
    )
    with pytest.warns(DataWarning, match=f"done again: {runs[0].key}.json$"):
        assert store.missing(runs) == runs[:1]
    store.keep(runs[0], failure(runs[0], "again"))
    assert not store.missing(runs)


def test_many_damaged_files_are_told_in_one_line(tmp_path):
    runs = small_runs(6)
    store = Store(tmp_path)
    store.prepare()
    for run in runs:
        store._path(run).write_text("{")
    with pytest.warns(DataWarning, match=r"and 3 more$") as told:
        assert store.missing(runs) == runs
    assert len(told) == 1


SMALL_Q4 = ["experiment", "q4", "--models", "1", "--datasets", "1", "--cutoff", "0.1"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a small experiment that was done, and what it printed."""
    out = tmp_path_factory.mktemp("finished") / "out"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main([*SMALL_Q4, "-o", str(out)]) == 0
    return out, printed.getvalue()


def test_an_experiment_does_damaged_runs_again(finished, tmp_path, capsys):
    out = shutil.copytree(finished[0], tmp_path / "out")
    victim = sorted((out / "runs").iterdir())[0]
    victim.write_bytes(victim.read_bytes()[:100])
    assert main([*SMALL_Q4, "-o", str(out)]) == 0
    err = capsys.readouterr().err
    assert err.startswith(f"hassle: warning: {out / 'runs'}: damaged, so that the runs are done again: {victim.name}\n")
    assert "Traceback" not in err
    assert json.loads(victim.read_text())["error"] is None


@pytest.mark.parametrize(
    "content",
    [
        "",
        '{"format": "hassle-exp',
        "[]",
        "\0",
        '{"format": "hassle-experiment", "options": {"name": ["q4"]}}',
        "[" * 100_000,
    ],
)
@pytest.mark.parametrize("rerun", [False, True])
def test_a_damaged_manifest_is_told_in_one_line(content, rerun, tmp_path, capsys):
    (tmp_path / "manifest.json").write_text(content)
    what = (
        ["--rerun", str(tmp_path / "manifest.json"), "-o", str(tmp_path / "new")]
        if rerun
        else ["q4", "-o", str(tmp_path)]
    )
    assert main(["experiment", *what]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert f"{tmp_path / 'manifest.json'}: " in err
    if not rerun and "options" not in content:
        assert "delete it to go on" in err


def small_growth():
    """The experiment on growth with its quicker settings only."""
    return replace(GROWTH, settings=lambda scale: [run for run in GROWTH.settings(scale) if run.contexts < 100])


SMALL_GROWTH = """
from test_experiments import EXPERIMENTS, small_growth
from hassle.cli import run
EXPERIMENTS["growth"] = small_growth()
run()
"""


def test_a_killed_driver_goes_on_where_it_was(tmp_path, monkeypatch):
    """Only the driver is killed, and its workers must notice; runs are limited by steps, so that rows are alike."""
    monkeypatch.setitem(EXPERIMENTS, "growth", small_growth())
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    options = ["growth", "--models", "1", "--datasets", "1"]
    command = [
        sys.executable,
        "-c",
        SMALL_GROWTH,
        "experiment",
        *options,
        "--jobs",
        "2",
        "-o",
        str(tmp_path / "killed"),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    runs = tmp_path / "killed" / "runs"
    while process.poll() is None and not (runs.is_dir() and len(list(runs.glob("*.json"))) >= 2):
        time.sleep(0.02)
    process.kill()
    process.wait()
    wait_until_gone(process.pid)
    kept = {path.name: path.read_bytes() for path in runs.glob("*.json")}
    assert main(["experiment", *options, "--jobs", "1", "-o", str(tmp_path / "killed")]) == 0
    finished = {path.name: path.read_bytes() for path in runs.glob("*.json")}
    expected = EXPERIMENTS["growth"].runs(Scale(1, 1))
    assert sorted(finished) == sorted(f"{run.key}.json" for run in expected)
    assert all(finished[name] == content for name, content in kept.items())
    assert main(["experiment", *options, "--jobs", "1", "-o", str(tmp_path / "whole")]) == 0
    rows, uninterrupted = (read_rows(tmp_path / name / "rows.csv") for name in ("killed", "whole"))
    assert len(rows) == len(expected)
    assert without_clock(rows) == without_clock(uninterrupted)


def wait_until_gone(group):
    """Until no process of the group is left; fails after a while."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    os.killpg(group, signal.SIGKILL)
    pytest.fail("workers outlive their driver")


def test_a_dead_worker_costs_nothing(tmp_path):
    runs = small_runs(3)
    store = Store(tmp_path)
    store.prepare()
    killed = []

    def kill_one(_):
        if not killed:
            worker = multiprocessing.active_children()[0]
            killed.append(worker.pid)
            worker.kill()

    carry_out(runs, store, 2, None, kill_one)
    assert killed
    assert [record["error"] for record in store.records(runs)] == [None] * 3


def test_a_run_that_kills_its_worker_is_recorded(tmp_path, monkeypatch):
    runs = small_runs(2)
    store = Store(tmp_path)
    store.prepare()
    monkeypatch.setattr(grid, "_all_at_once", lambda runs, jobs, cluster, keep: list(runs))
    monkeypatch.setattr(grid, "SECONDS_BETWEEN_LOOKS", 0.01)
    carry_out(runs, store, 1, None, nobody)
    assert all("died" in record["error"] for record in store.records(runs))


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_rows_even_when_a_worker_is_killed(tmp_path):
    from distributed import LocalCluster

    runs = small_runs(12)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        store = Store(tmp_path / "cluster")
        store.prepare()
        killed = []

        def kill_one(now):
            if not killed:
                worker = next(iter(cluster.workers.values()))
                killed.append(worker.pid)
                os.kill(worker.pid, signal.SIGKILL)

        carry_out(runs, store, 2, cluster.scheduler_address, kill_one)
    assert killed
    assert not store.missing(runs)
    expected = without_clock(rows_of(attempt(run) for run in runs))
    assert without_clock(rows_of(store.records(runs))) == json.loads(json.dumps(expected))


def test_rows_survive_their_file(tmp_path):
    rows = [{"a": 1, "b": 0.5, "c": None, "d": "x", "e": True}, {"a": 2, "f": "only here"}]
    write_rows(tmp_path / "rows.csv", rows)
    back = read_rows(tmp_path / "rows.csv")
    assert back[0] == {"a": 1, "b": 0.5, "c": None, "d": "x", "e": True, "f": None}
    assert back[1]["f"] == "only here"


def test_means_and_standard_errors_are_right():
    mean = Mean.of([1.0, 2.0, 3.0])
    assert (mean.value, mean.count) == (2.0, 3)
    assert mean.error == pytest.approx(1 / 3**0.5)
    assert Mean.of([]) is None
    assert Mean.of([5.0]).error is None


def test_the_table_stands_beside_the_papers_figures():
    rows = [{"kind": "both", "score": 0.9}, {"kind": "both", "score": 1.0}, {"kind": "none", "score": None}]
    lines = markdown_table(rows, ["kind"], ["score"], {("both",): {"score": 0.975}}).splitlines()
    assert lines[0] == "| kind | score | score, paper | runs |"
    assert lines[2] == "| both | 95.0 ± 5.0 | 97.5 | 2 |"
    assert lines[3] == "| none | – |  | 1 |"


def test_an_experiment_writes_rows_table_figures_and_manifest(finished, tmp_path):
    out, printed = finished
    assert "| pruned |" in printed
    for name in ("rows.csv", "table.md", "q4.png", "q4.svg", "manifest.json"):
        assert (out / name).stat().st_size > 0
    with (out / "rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6
    assert not any(row["error"] for row in rows)
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["options"]["name"] == "q4"
    assert main(["experiment", "--rerun", str(out / "manifest.json"), "-o", str(tmp_path / "again")]) == 0
    assert table_of(EXPERIMENTS["q4"], read_rows(out / "rows.csv")) + "\n" == (out / "table.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["experiment", "q9", "-o", "x"], "'q9'"),
        (["experiment", "q1"], "-o DIR"),
        (["experiment", "-o", "x"], "--rerun"),
        (["experiment", "--rerun", "gone.json", "-o", "x"], "gone.json"),
        (["experiment", "benchmark", "--cnf-dir", ".", "-o", "x"], ".cnf"),
        (["experiment", "q1", "--cnf-dir", ".", "-o", "x"], "--cnf-dir"),
        (["experiment", "q1", "--cutoff", "nan", "-o", "x"], "nan"),
        (["experiment", "--rerun", "empty.json", "-o", "x"], "empty.json"),
        (["experiment", "--rerun", "strange.json", "-o", "x"], "strange.json"),
        (["experiment", "--rerun", "none.json", "-o", "x"], "models is 0"),
        (["experiment", "q1", "-o", "other"], "another name"),
    ],
)
def test_bad_options_are_told_in_one_line(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    kind = {"format": "hassle-experiment"}
    (tmp_path / "empty.json").write_text(json.dumps(kind))
    (tmp_path / "strange.json").write_text(json.dumps({**kind, "options": {"name": "q1", "colour": "red"}}))
    (tmp_path / "none.json").write_text(json.dumps({**kind, "options": {"name": "q1", "models": 0}}))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "manifest.json").write_text(json.dumps({**kind, "options": {"name": "q4", "cutoff": 4.0}}))
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.err.count("\n") == 1


def test_an_experiment_whose_runs_all_fail_says_so(tmp_path, monkeypatch, capsys):
    """No figure then, no traceback, and a code that tells."""

    def fail(runs, store, jobs, cluster, watch):
        for run in runs:
            store.keep(run, failure(run, "no luck"))

    monkeypatch.setattr(driver, "carry_out", fail)
    assert main(["experiment", "q5", "--models", "1", "--datasets", "1", "-o", str(tmp_path)]) == 1
    assert "8 runs failed: no luck" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.png"))


def test_figures_cope_with_methods_that_always_fail(tmp_path):
    row = {"negative_kind": "both", "method": "auto", "score": 0.9, "error": None}
    assert draw(EXPERIMENTS["q5"], [row], tmp_path / "q5")[0].stat().st_size > 0


def test_the_reproduction_page_is_made_from_the_committed_rows():
    from hassle.experiments.report import is_outdated, reproduction_page

    root = Path(__file__).parent.parent
    page = (root / "docs" / "reproduction.md").read_text(encoding="utf-8")
    assert page == reproduction_page(root / "results")
    for name, experiment in EXPERIMENTS.items():
        if not (root / "results" / name).exists():
            continue
        options = read_options(str(root / "results" / name / "manifest.json"))
        rows = read_rows(root / "results" / name / "rows.csv")
        assert {row["experiment"] for row in rows} == {name}
        section = page.partition(f"## {name}\n")[2].partition("\n## ")[0]
        assert section
        if is_outdated(rows):
            assert "an earlier version of the learners" in section
        elif not experiment.from_files:
            assert len(rows) == sum(len(run.cutoffs) for run in experiment.runs(options.scale()))


def test_rows_of_other_versions_are_told():
    from hassle.experiments.report import is_outdated
    from hassle.experiments.run import version_of

    present = [{"method": method, "version": version_of(method)} for method in ("walksat", "auto")]
    assert not is_outdated(present)
    assert is_outdated([*present, {"method": "auto", "version": version_of("auto") - 1}])
    assert is_outdated([{"method": "walksat"}])  # rows of version 1 did not say so


def test_options_are_all_a_rerun_needs(tmp_path):
    options = Options("q5", models=1, datasets=1, cutoff=0.1)
    outcome = conduct(options, tmp_path, 1, None, nobody)
    assert outcome.runs == len(EXPERIMENTS["q5"].runs(options.scale()))
