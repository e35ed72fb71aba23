"""What was learned is not lost: -o is checked first, a failed write is rescued, closed streams cost nothing."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

from hassle import learners
from hassle.cli.main import main
from hassle.cli.output import write_or_rescue
from hassle.files import atomic
from hassle.model import Model

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX shells, links and devices")

EXAMPLES = "a,b,label\n1,0,1\n1,1,0\n0,0,0\n0,1,0\n"
CONTRADICTION = "a,b,label\n1,0,1\n1,0,0\n0,1,1\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    (tmp_path / "work" / "examples.csv").write_text(EXAMPLES)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path / "work"


BAD_TARGETS = {
    "model": "has no extension",
    "model.txt": "'.txt' names no format",
    "absent/model.json": "there is no directory",
    "examples.csv/model.json": "cannot be written",
    "directory.json": "is a directory",
    "dangling.json": "is a link, and there is no directory",
}


@pytest.fixture
def bad_targets(folder):
    (folder / "directory.json").mkdir()
    (folder / "dangling.json").symlink_to("nowhere/model.json")


def work_is_not_begun(monkeypatch, *doors):
    def begin(*_arguments, **_options):
        raise AssertionError("the work was begun")

    for door in doors:
        monkeypatch.setattr(door, begin)


@posix
@pytest.mark.parametrize(("target", "message"), BAD_TARGETS.items())
def test_learn_checks_its_output_before_learning(bad_targets, monkeypatch, capsys, target, message):
    work_is_not_begun(monkeypatch, "hassle.learners.learn", "hassle.data.Dataset.read")
    assert main(["learn", "examples.csv", "-o", target]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


@posix
@pytest.mark.parametrize("target", [t for t in BAD_TARGETS if t.endswith(".json")])
def test_convert_checks_its_output_before_reading(bad_targets, monkeypatch, capsys, target):
    work_is_not_begun(monkeypatch, "hassle.files.read_model", "hassle.files.read_text")
    assert main(["convert", "model.wcnf", target]) == 2
    assert BAD_TARGETS[target] in capsys.readouterr().err


@posix
@pytest.mark.parametrize("target", ["examples.csv", "examples.csv/deeper", "dangling/problem"])
def test_generate_checks_its_folder_before_generating(folder, monkeypatch, capsys, target):
    (folder / "dangling").symlink_to("examples.csv")
    work_is_not_begun(monkeypatch, "hassle.generate.generate")
    assert main(["generate", "-o", target]) == 2
    assert "is not a directory" in capsys.readouterr().err


def test_a_folder_that_may_not_be_written_is_told_before_learning(folder, monkeypatch, capsys):
    def refuse(*_arguments):
        raise PermissionError

    work_is_not_begun(monkeypatch, "hassle.learners.learn")
    monkeypatch.setattr("hassle.files.atomic.new_draft", refuse)
    assert main(["learn", "examples.csv", "-o", "model.json"]) == 2
    assert "may not be written" in capsys.readouterr().err


@posix
def test_a_link_to_a_file_that_is_not_there_yet_is_written_through(folder, capsys):
    (folder / "model.json").symlink_to("later.json")
    assert main(["learn", "examples.csv", "-o", "model.json", "--steps", "1"]) == 0
    assert (folder / "model.json").is_symlink()
    assert Model.read(folder / "later.json").variables == ("a", "b")


def test_checking_leaves_nothing_behind_and_the_old_file_as_it_was(folder, monkeypatch):
    (folder / "model.json").write_text("old")
    monkeypatch.setattr("hassle.learners.learn", lambda *_, **__: pytest.fail("stop here"))
    with pytest.raises(pytest.fail.Exception):
        main(["learn", "examples.csv", "-o", "model.json"])
    assert sorted(entry.name for entry in folder.iterdir()) == ["examples.csv", "model.json"]
    assert (folder / "model.json").read_text() == "old"


# The learner that is there soonest: these tests are about what becomes of its answer.
LEARN = ("learn", "examples.csv", "--steps", "1", "--learner", "sls", "--seed", "1")


def learn_in_a_shell(folder, redirections, *options):
    command = f"{sys.executable} -m hassle {' '.join([*LEARN, *options])} {redirections}"
    return subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, timeout=120)


@posix
@pytest.mark.parametrize("target", ["/dev/full", "gone/model.json", "soft.cnf"])
def test_a_model_that_cannot_be_written_is_rescued(folder, monkeypatch, capsys, target):
    """A full disk, a folder removed meanwhile, a format that cannot hold what was learned."""
    if target == "/dev/full":
        if not os.path.exists(target):
            pytest.skip("no device that is always full")
        (folder / "full.json").symlink_to(target)
        target = "full.json"
    if target == "soft.cnf":  # what is best in the contexts is possible without them, but not best
        rows = ["1,1,,1", "0,1,,0", "1,0,,0", "0,1,!a,1", "0,0,!a,0", "1,0,!b,1"]
        (folder / "examples.csv").write_text("\n".join(["a,b,context,label", *rows]))
    if target == "gone/model.json":
        (folder / "gone").mkdir()
        original = learners.learn

        def learn(*arguments, **options):
            result = original(*arguments, **options)
            (folder / "gone").rmdir()
            return result

        monkeypatch.setattr("hassle.learners.learn", learn)
    assert main(["learn", "examples.csv", "-o", target, "--steps", "200"]) == 2
    said = capsys.readouterr()
    rescue = re.search(r"the model was written to (\S+) instead", said.err)
    assert rescue is not None
    assert rescue[1] in said.out
    assert os.path.dirname(rescue[1]) == str(folder)
    assert main(["score", rescue[1], "examples.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["score"] == 1


def test_where_the_working_folder_is_full_too_the_model_goes_to_the_temporary_one(folder, monkeypatch, capsys):
    def full(place):
        if place == folder:
            raise OSError(28, "No space left on device")
        return original(place)

    original = atomic.new_draft
    monkeypatch.setattr("hassle.cli.learn.write_or_rescue", _with(monkeypatch, full))
    assert main(["learn", "examples.csv", "-o", "model.json", "--steps", "1"]) == 2
    [rescue] = (folder.parent / "temporary").glob("hassle-model-*.json")
    said = capsys.readouterr()
    assert "No space left on device" in said.err
    assert str(rescue) in said.err
    assert Model.read(rescue).variables == ("a", "b")
    assert not list(folder.glob("hassle-model-*"))


def _with(monkeypatch, new_draft):
    """Writing where drafts are made so; the check before learning is not affected."""

    def write(*arguments):
        with monkeypatch.context() as patch:
            patch.setattr(atomic, "new_draft", new_draft)
            return write_or_rescue(*arguments)

    return write


def test_where_nothing_can_be_written_the_model_is_printed(folder, monkeypatch, capsys):
    def full(_place):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hassle.cli.learn.write_or_rescue", _with(monkeypatch, full))
    assert main(["learn", "examples.csv", "-o", "model.json", "--steps", "100"]) == 2
    said = capsys.readouterr()
    assert "nor could the model be written elsewhere" in said.err
    assert "Rules, which always hold" in said.out
    assert sorted(entry.name for entry in folder.iterdir()) == ["examples.csv"]


def test_ctrl_c_while_the_model_is_written_does_not_lose_it(folder, monkeypatch, capsys):
    original, pressed = atomic._write, []

    def press_once(*arguments):
        if not pressed:
            pressed.append(True)
            raise KeyboardInterrupt
        original(*arguments)

    monkeypatch.setattr(atomic, "_write", press_once)
    assert main(["learn", "examples.csv", "-o", "model.json", "--steps", "1"]) == 0
    assert Model.read(folder / "model.json").variables == ("a", "b")


@posix
@pytest.mark.parametrize("redirections", ["2>&-", "2>/dev/full", ">&-", ">&- 2>&-", "<&- >&- 2>&-", "<&-"])
def test_closed_streams_lose_nothing(folder, redirections):
    if "full" in redirections and not os.path.exists("/dev/full"):
        pytest.skip("no device that is always full")
    (folder / "examples.csv").write_text(CONTRADICTION)  # so that there are warnings to be told
    done = learn_in_a_shell(folder, redirections, "-o", "model.json")
    assert done.returncode == 0
    assert Model.read(folder / "model.json").variables == ("a", "b")
    assert ("written to model.json" in done.stdout) == (">&- " not in f" {redirections} ".replace("2>&- ", ""))
    assert "warning" not in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert ("hold the same assignment" in done.stderr) == ("2>" not in redirections)


@posix
@pytest.mark.parametrize("options", [[], ["--json"], ["-o", "-"]])
def test_a_closed_stderr_leaves_stdout_to_the_answer(folder, options, capsys):
    (folder / "examples.csv").write_text(CONTRADICTION)
    closed = learn_in_a_shell(folder, "2>&-", *options)
    assert closed.returncode == main([*LEARN, *options]) == 0
    without_seconds = re.compile(r'after [0-9.]+ s|"seconds": [0-9.e-]+')
    assert without_seconds.sub("", closed.stdout) == without_seconds.sub("", capsys.readouterr().out)
