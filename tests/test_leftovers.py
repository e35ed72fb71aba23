"""What killed runs leave behind is removed by the next one; what is in use, or not ours, is not."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from hassle.cli.main import main
from hassle.evaluation.doctor import inspect
from hassle.evaluation.doctor_plot import plot_inspection
from hassle.experiments.store import Store
from hassle.files import atomic, leftovers
from hassle.files.atomic import write_text
from hassle.generate import generate

pytestmark = pytest.mark.skipif(os.name != "posix", reason="locks that end with their process")

DRAFTING = """
import sys, time
from pathlib import Path
from hassle.files import leftovers
draft, handle, lock = leftovers.new_draft(Path(sys.argv[1]))
print(draft, flush=True)
time.sleep(1000)
"""
USING_A_FOLDER = """
import time
from hassle.files import leftovers
with leftovers.temporary_folder() as folder:
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "improvements").write_text("x")
    print(folder, flush=True)
    time.sleep(1000)
"""


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path):
    """As if this process had looked nowhere yet, and had a directory for temporary files of its own."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(leftovers, "_searched", set())


@pytest.fixture
def start():
    """Starts a program that prints a path and waits; whatever still runs at the end is killed."""
    running = []

    def begin(program, *arguments):
        process = subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True)
        running.append(process)
        return process, process.stdout.readline().strip()

    yield begin
    for process in running:
        process.kill()
        process.wait()


def test_a_killed_writers_draft_is_removed_by_the_next_and_a_living_ones_is_not(tmp_path, start):
    killed, dead = start(DRAFTING, str(tmp_path))
    _, alive = start(DRAFTING, str(tmp_path))
    killed.kill()
    killed.wait()
    assert os.path.exists(dead)
    write_text(tmp_path / "model.json", "{}")
    assert not os.path.exists(dead)
    assert os.path.exists(alive)
    assert (tmp_path / "model.json").read_text() == "{}"


def test_files_that_only_look_like_drafts_are_left_alone(tmp_path):
    others = [tmp_path / name for name in (".hassle-0.draft", "hassle-0123456789abcdef.draft", ".hassle-mine.json")]
    for path in others:
        path.write_text("mine")
    link = tmp_path / ".hassle-0123456789abcdef.draft"
    link.symlink_to(others[0])
    write_text(tmp_path / "model.json", "{}")
    assert all(path.read_text() == "mine" for path in others)
    assert link.is_symlink()


def test_a_draft_is_never_without_its_lock_while_it_is_written(tmp_path, monkeypatch):
    """The moment before the renaming, when the file is complete and closed, is the last one to lose it."""
    seen = []

    def replace(draft, target):
        leftovers._searched.clear()
        leftovers.remove_drafts(tmp_path)
        seen.append(os.path.exists(draft))
        os.rename(draft, target)

    monkeypatch.setattr(atomic.os, "replace", replace)
    write_text(tmp_path / "model.json", "whole")
    assert seen == [True]
    assert (tmp_path / "model.json").read_text() == "whole"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.json", "temporary"]


def test_many_writers_and_cleaners_at_once_lose_nothing(tmp_path):
    def write(name):
        for i in range(100):
            leftovers._searched.clear()
            write_text(tmp_path / name, f"{name} {i}")

    threads = [threading.Thread(target=write, args=(f"{k}.txt",)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {path.name: path.read_text() for path in tmp_path.glob("*.txt")} == {
        f"{k}.txt": f"{k}.txt 99" for k in range(6)
    }
    assert not list(tmp_path.glob(".hassle-*"))


def test_a_killed_runs_folder_is_removed_by_the_next_and_a_living_ones_is_not(start):
    killed, dead = start(USING_A_FOLDER)
    _, alive = start(USING_A_FOLDER)
    killed.kill()
    killed.wait()
    assert os.path.exists(dead)
    with leftovers.temporary_folder() as folder:
        assert folder.is_dir()
        assert not os.path.exists(dead)
        assert os.path.exists(alive)
    assert not folder.exists()


def test_folders_that_are_not_ours_are_left_alone(tmp_path):
    home = tmp_path / "temporary"
    (home / "hassle-projects").mkdir()
    (home / "hassle-projects" / "notes.txt").write_text("mine")
    (home / "elsewhere").mkdir()
    (home / "elsewhere" / leftovers.MARK).write_text("")
    (home / "hassle-link").symlink_to(home / "elsewhere")
    (home / "hassle-linked-mark").mkdir()
    (home / "hassle-linked-mark" / leftovers.MARK).symlink_to(home / "hassle-projects" / "notes.txt")
    before = sorted(home.rglob("*"))
    with leftovers.temporary_folder():
        pass
    assert sorted(home.rglob("*")) == before


def test_a_link_in_a_left_over_folder_is_removed_and_not_followed(tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "data").write_text("mine")
    folder = tmp_path / "temporary" / "hassle-left"
    folder.mkdir()
    (folder / leftovers.MARK).write_text("")
    (folder / "link").symlink_to(tmp_path / "precious")
    leftovers.remove_folders()
    assert not folder.exists()
    assert (tmp_path / "precious" / "data").read_text() == "mine"


def test_a_lasting_folder_ends_with_its_process(tmp_path):
    program = "from hassle.files.leftovers import lasting_folder; print(lasting_folder())"
    folder = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    assert folder.startswith(str(tmp_path))
    assert not os.path.exists(folder)


def test_without_locks_nothing_is_removed_and_all_works(tmp_path, monkeypatch):
    monkeypatch.setattr(leftovers, "fcntl", None)
    draft = tmp_path / ".hassle-0123456789abcdef.draft"
    draft.write_text("")
    write_text(tmp_path / "model.json", "{}")
    assert draft.exists()
    with leftovers.temporary_folder() as folder:
        assert folder.is_dir()
    assert not folder.exists()


def test_the_exact_learner_removes_the_folders_of_killed_ones(tmp_path, start):
    killed, dead = start(USING_A_FOLDER)
    killed.kill()
    killed.wait()
    (tmp_path / "examples.csv").write_text("a,b,label\n1,0,1\n0,0,0\n")
    assert main(["learn", str(tmp_path / "examples.csv"), "--learner", "milp", "--constraints", "1"]) == 0
    assert not os.path.exists(dead)
    assert list((tmp_path / "temporary").iterdir()) == []


def test_an_experiment_removes_the_drafts_of_killed_ones(tmp_path, start):
    (tmp_path / "runs").mkdir()
    killed, dead = start(DRAFTING, str(tmp_path / "runs"))
    killed.kill()
    killed.wait()
    Store(tmp_path).prepare()
    assert not os.path.exists(dead)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "SVG"])
def test_a_plot_that_fails_leaves_the_old_one(ending, tmp_path, monkeypatch):
    data = generate(4, 2, 2, 4, seed=0).data
    path = tmp_path / f"plot.{ending}"
    plot_inspection(inspect(data), data.variables, path)
    before = path.read_bytes()
    assert len(before) > 1000

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic.os, "replace", fail)
    with pytest.raises(atomic.InputError, match="No space left"):
        plot_inspection(inspect(data), data.variables, path)
    assert path.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"plot.{ending}", "temporary"]


@pytest.mark.parametrize(
    ("name", "message"), [("plot", "no ending"), ("plot.nonsense", "'nonsense'"), ("no/p.png", "no")]
)
def test_a_plot_that_cannot_be_is_told_in_one_line(name, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples.csv").write_text("a,b,label\n1,0,1\n0,0,0\n")
    assert main(["inspect", "examples.csv", "--plot", name]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"hassle: {name}: ")
    assert message in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["examples.csv", "temporary"]
