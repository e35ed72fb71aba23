"""The soak notices what grows: a leak of memory, files or threads that is put before it is told."""

import importlib.util
import random
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "benchmarks" / "soak.py"
pytestmark = pytest.mark.skipif(not SOURCE.exists(), reason="benchmarks are not installed")


@pytest.fixture(scope="module")
def soak():
    spec = importlib.util.spec_from_file_location("soak", SOURCE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["soak"] = module
    spec.loader.exec_module(module)
    return module


def a_run(soak, memory=0, files=0, threads=0):
    """An hour, a measurement a minute, with so many bytes, files and threads more each time after the warming up."""
    after = [max(0, minute - 20) for minute in range(61)]
    return [
        soak.Usage(60.0 * minute, 2**28 + memory * more, 10 + files * more, 3 + threads * more)
        for minute, more in enumerate(after)
    ]


def test_a_steady_process_is_fine(soak):
    assert soak.findings(a_run(soak), 3600) == []
    assert soak.findings(a_run(soak, memory=2**19), 3600) == []  # 30 MB an hour


@pytest.mark.parametrize(
    ("leak", "told"), [({"memory": 2**22}, "memory"), ({"files": 1}, "files"), ({"threads": 1}, "threads")]
)
def test_a_leak_is_told(soak, leak, told):
    (line,) = soak.findings(a_run(soak, **leak), 3600)
    assert line.startswith(told)


def test_a_run_that_is_too_short_proves_nothing(soak):
    assert soak.findings(a_run(soak)[:2], 3600) == ["the run was too short to tell"]


@pytest.mark.parametrize("action", ["soak_score", "soak_solve", "soak_evaluate", "soak_files"])
def test_its_actions_work(soak, action, tmp_path):
    getattr(soak, action)(random.Random(0), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("action", ["soak_learn", "soak_ask", "kill_learn", "kill_ask"])
def test_its_longer_actions_work(soak, action, tmp_path):
    getattr(soak, action)(random.Random(0), tmp_path)
