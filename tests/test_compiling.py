"""A fresh machine: compiling is announced once, is not counted against a time limit, and can be done beforehand."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from hassle.compiling import ANNOUNCEMENT, Clock
from hassle.learners.budget import Budget

# One kernel, so that it takes a second and not twenty.
SOLVE = """
from hassle.compiling import clock
from hassle.model import Model
Model.build(["a"], ["a"]).solve(solver="table")
print(clock.kernels)
"""

# As where the installation is read-only.
READ_ONLY = """
from numba.core.caching import InTreeCacheLocator
InTreeCacheLocator.from_function = classmethod(lambda *_: None)
"""

WARM = """
import numpy as np
from hassle.compiling import clock
from hassle.cli.warming import warm_up
from hassle.generate import generate
from hassle.generate.arranged import arranged_examples, ward
from hassle.learners import learn
assert warm_up().kernels == clock.kernels > 15
before = clock.kernels
data = generate(6, 4, 4, 20, seed=3).data
for learner in ("auto", "statistical", "sls", "cuts", "milp"):
    learn(data, learner, time_limit=10, target_score=0.5)
home = ward(4, 3, 2, np.random.default_rng(0))
learn(arranged_examples(home.truth, home.situation, 5, np.random.default_rng(1)), "structured", time_limit=3)
assert clock.kernels == before
"""


class FakeTime:
    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    """The clock of a process that has compiled nothing yet, with the time that it goes by."""
    time, clock = FakeTime(), Clock()
    monkeypatch.setattr("hassle.compiling.time", time)
    monkeypatch.setattr("hassle.learners.budget.time", time)
    monkeypatch.setattr("hassle.learners.budget.clock", clock)
    return clock, time


def run(program, **environment):
    given = {**os.environ, **{name: str(value) for name, value in environment.items()}}
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=given)


def test_compiling_does_not_count_against_the_time_limit(clock):
    compiling, time = clock
    budget = Budget(10, started=time.monotonic(), compiled=compiling.seconds)
    time.now += 3
    compiling.start()
    time.now += 4
    compiling.start()  # what it calls
    time.now += 10
    assert budget.seconds_left == 7  # while it is under way
    compiling.stop()
    compiling.stop()
    assert (budget.seconds, compiling.seconds, compiling.kernels) == (3, 14, 1)
    time.now += 7
    assert budget.exhausted


def test_what_was_compiled_before_a_run_is_no_gift_to_it(clock):
    compiling, time = clock
    compiling.start()
    time.now += 5
    compiling.stop()
    budget = Budget(10, started=time.monotonic(), compiled=compiling.seconds)
    time.now += 10
    assert budget.exhausted


def test_compiling_is_announced_once_on_a_machine(tmp_path):
    first = run(SOLVE, NUMBA_CACHE_DIR=tmp_path)
    assert first.stderr.splitlines() == [ANNOUNCEMENT]
    assert int(first.stdout) > 0
    second = run(SOLVE, NUMBA_CACHE_DIR=tmp_path)
    assert (second.stdout, second.stderr) == ("0\n", "")


def test_a_read_only_installation_keeps_its_kernels_in_the_users_folder(tmp_path):
    environment = {"HOME": tmp_path, "XDG_CACHE_HOME": tmp_path / "cache", "NUMBA_CACHE_DIR": ""}
    assert int(run(READ_ONLY + SOLVE, **environment).stdout) > 0
    assert list(tmp_path.rglob("table.least_losses*.nbc"))
    assert run(READ_ONLY + SOLVE, **environment).stdout == "0\n"


@pytest.mark.slow
def test_after_warming_up_no_learner_compiles_anything(tmp_path):
    done = run(WARM, NUMBA_CACHE_DIR=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines().count(ANNOUNCEMENT) == 1


def test_warming_up_says_what_it_did():
    command = [sys.executable, "-m", "hassle", "warm-up"]
    subprocess.run(command, capture_output=True, check=True)
    again = subprocess.run(command, capture_output=True, text=True)
    assert (again.stdout, again.stderr) == ("All kernels are there.\n", "")
    told = subprocess.run([*command, "--json"], capture_output=True, text=True)
    assert told.stdout == '{"kernels": 0, "seconds": 0.0}\n'
