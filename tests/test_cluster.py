"""``learn(..., cluster=...)`` on a Dask cluster of two processes: the same models, and what is lost when things die."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import types

import pytest

import hassle
from hassle.cli.main import main
from hassle.errors import InputError
from hassle.generate import generate
from hassle.learners import cluster as clusters
from hassle.learners.cluster import Cluster
from hassle.learners.places import Shared

distributed = pytest.importorskip("distributed")

MADE = generate(7, 4, 4, 20, seed=3)


SETTINGS = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}


@pytest.fixture
def client():
    """Of a cluster of its own for each test, as some kill its workers."""
    with (
        distributed.LocalCluster(n_workers=2, **SETTINGS) as made,
        distributed.Client(made, set_as_default=False) as client,
    ):
        yield client


def test_a_cluster_gives_the_same_models_as_this_process(client, tmp_path, monkeypatch, capsys):
    here = hassle.learn(MADE.data, "statistical", steps=3000, seed=1)
    there = hassle.learn(MADE.data, "statistical", steps=3000, seed=1, cluster=client)
    assert there.model == here.model
    assert there.details["cluster"]["workers"] == 2
    assert there.details["cluster"]["done_here"] == 0
    assert there.notes == here.notes
    folds = hassle.cross_validate(MADE.data, "statistical", folds=2, steps=500, seed=1)
    afar = hassle.cross_validate(MADE.data, "statistical", folds=2, steps=500, seed=1, cluster=client)
    assert [fold.result.model for fold in afar.folds] == [fold.result.model for fold in folds.folds]
    assert afar.correct == folds.correct
    command = ["crossval", "examples.csv", "--learner", "statistical", "--folds", "2", "--steps", "500", "--json"]
    monkeypatch.chdir(tmp_path)
    MADE.data.write("examples.csv")
    assert main([*command, "--cluster", client.scheduler.address]) == 0
    assert json.loads(capsys.readouterr().out)["correct"] >= 0


def process_of(shared: int) -> int:
    return os.getpid() + 0 * shared


def killer(shared: int) -> int:
    """Ends its worker, but not the process that started the cluster."""
    if os.getpid() != shared:
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


@pytest.mark.slow
def test_pieces_survive_their_workers(client):
    place = Cluster(client)
    own = Shared(os.getpid())
    assert place.do(lambda: False, process_of, own) != os.getpid()
    for pid in client.run(os.getpid).values():
        os.kill(pid, signal.SIGKILL)  # both: what was shared is lost with them, and shared again
    assert place.do(lambda: False, process_of, own) != 0
    assert place.done_here == 0
    # A piece that takes every worker along is done here in the end.
    assert place.do(lambda: False, killer, own) == os.getpid()
    assert place.notes == ("1 of 3 pieces of work were lost and done again in this process",)


@pytest.mark.slow
def test_learning_goes_on_when_a_worker_is_killed(client):
    victim = next(iter(client.run(os.getpid).values()))
    killed = []

    def listener(progress):
        if progress.steps + progress.neighbours and not killed:
            killed.append(victim)
            os.kill(victim, signal.SIGKILL)

    here = hassle.learn(MADE.data, "sls", steps=400, seed=2)
    there = hassle.learn(MADE.data, "sls", steps=400, seed=2, cluster=client, listener=listener)
    assert there.model == here.model


@pytest.mark.slow
def test_learning_goes_on_here_when_the_cluster_goes_away(monkeypatch):
    monkeypatch.setattr(clusters, "GONE_SECONDS", 1.0)
    made = distributed.LocalCluster(n_workers=1, **SETTINGS)
    closing = threading.Thread(target=made.close)

    def listener(progress):
        if progress.neighbours and not closing.ident:
            closing.start()

    with distributed.Client(made, set_as_default=False, timeout=2) as client:
        found = hassle.learn(MADE.data, "statistical", time_limit=15, cluster=client, listener=listener)
    closing.join()
    assert found.correct == len(MADE.data)
    assert any("so the rest was done in this process" in note for note in found.notes)


LEARNING = """
import sys
import hassle
from hassle.generate import generate

def listener(progress):
    if progress.neighbours:
        print("at work", flush=True)

data = generate(7, 4, 4, 20, noise=0.3, seed=3).data
found = hassle.learn(data, "sls", time_limit=600, cluster="local", listener=listener)
print(found.stopped, found.correct > 0, found.details["cluster"]["pieces"] > 0, flush=True)
"""


@pytest.mark.slow
def test_ctrl_c_ends_the_remote_work_and_keeps_the_best():
    command = [sys.executable, "-c", LEARNING]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, text=True)
    assert run.stdout is not None
    assert run.stdout.readline() == "at work\n"
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does, to the workers too
    out, err = run.communicate(timeout=120)
    assert out.splitlines()[-1] == "interrupted True True"
    assert "Traceback" not in err
    assert_nobody_is_left(run.pid)


def assert_nobody_is_left(group: int) -> None:
    """A process that has ended takes a moment to be gone."""
    for _ in range(600):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("a process is left")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense", "tcp://", ""])
def test_a_bad_address_is_one_line(address, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(clusters, "CONNECTING_SECONDS", 1.0)
    MADE.data.write(tmp_path / "examples.csv")
    assert main(["learn", str(tmp_path / "examples.csv"), "--cluster", address]) == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert f"no Dask scheduler answers at {address!r}" in told[0]


def test_without_dask_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match="extra 'cluster'"):
        hassle.learn(MADE.data, cluster="local")


def test_what_is_no_cluster_is_refused():
    with pytest.raises(InputError, match="int is no cluster"):
        hassle.learn(MADE.data, cluster=3)


def test_workers_with_another_hassle_are_refused():
    answers = {"tcp://a": clusters.__version__, "tcp://b": "0.0.1"}
    client = types.SimpleNamespace(wait_for_workers=lambda *a, **b: None, run=lambda *a, **b: answers)
    with pytest.raises(InputError, match=r"tcp://b has hassle 0\.0\.1"):
        Cluster(client)
    answers["tcp://b"] = ModuleNotFoundError("no hassle")
    with pytest.raises(InputError, match="cannot run hassle"):
        Cluster(client)
