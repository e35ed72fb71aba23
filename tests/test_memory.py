"""The memory a run may take: how much that is, and that it is kept, by another way or by refusing with the numbers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading

import numpy as np
import pytest

from hassle import memory
from hassle.cli.main import main
from hassle.data import Dataset
from hassle.errors import InputError, ResourceError
from hassle.learners import learn
from hassle.learners.cuts import candidates, comparisons, tallies
from hassle.learners.cuts.candidates import columns_of
from hassle.learners.cuts.chain import Chain
from hassle.learners.cuts.comparisons import TIED, comparisons_of
from hassle.learners.statistical.problem import fits_tables
from hassle.logic.context import as_context
from hassle.memory import allowed_memory, allowing_memory, memory_size, require_memory, shown_bytes
from hassle.model import Model
from hassle.tables.limits import largest_table, table_memory

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX devices and pipes")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("2GB", 2 * 10**9),
        ("500 MB", 5 * 10**8),
        ("1.5GiB", 3 * 2**29),
        ("10k", 10**4),
        ("1T", 10**12),
        (" 7b ", 7),
        (123, 123),
    ],
)
def test_sizes_as_people_write_them(text, count):
    assert memory_size(text) == count


@pytest.mark.parametrize("text", ["", "much", "-1GB", "0", 0, "2 bananas", "GB", "1e9", "nan", True, None, "1.2.3GB"])
def test_what_is_no_size(text):
    with pytest.raises(InputError, match="is no amount of memory; write one such as"):
        memory_size(text)


def test_sizes_in_messages_read_back():
    for count in (10**4, 5 * 10**6, 2 * 10**9, 3 * 10**12):
        assert memory_size(shown_bytes(count)) == count


def test_half_of_what_is_free_unless_told_otherwise(monkeypatch):
    monkeypatch.delenv(memory.VARIABLE, raising=False)
    monkeypatch.setattr(memory, "free_memory", lambda: 1000)
    assert allowed_memory() == 500
    monkeypatch.setenv(memory.VARIABLE, "3MB")
    assert allowed_memory() == 3 * 10**6
    with allowing_memory("2GB"):
        assert allowed_memory() == 2 * 10**9
        with allowing_memory(None):
            assert allowed_memory() == 2 * 10**9
    assert allowed_memory() == 3 * 10**6
    monkeypatch.setenv(memory.VARIABLE, "lots")
    with pytest.raises(InputError, match="HASSLE_MEMORY: 'lots' is no amount"):
        allowed_memory()


def test_what_a_run_may_take_does_not_shrink_while_it_takes_it(monkeypatch):
    monkeypatch.delenv(memory.VARIABLE, raising=False)
    free = iter([1000, 10])
    monkeypatch.setattr(memory, "free_memory", lambda: next(free))
    with allowing_memory(None):
        assert allowed_memory() == allowed_memory() == 500
    assert allowed_memory() == 5


def faked(monkeypatch, files):
    monkeypatch.setattr(memory, "_text", lambda path: files.get(str(path), ""))
    monkeypatch.setattr(memory, "_address_space", lambda: None)


MEMINFO = {"/proc/meminfo": "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:    1000 kB\n"}


@pytest.mark.parametrize(
    ("files", "free"),
    [
        ({}, 1000 * 1024),
        (
            {
                "/proc/self/cgroup": "0::/a/b\n",
                "/sys/fs/cgroup/a/b/memory.max": "max\n",
                "/sys/fs/cgroup/a/memory.max": "5000\n",
                "/sys/fs/cgroup/a/memory.current": "3000\n",
                "/sys/fs/cgroup/a/memory.stat": "anon 1\ninactive_file 700\n",
            },
            2700,
        ),
        (
            {
                "/proc/self/cgroup": "5:cpu:/\n4:cpuset,memory:/outside/the/container\n0::/\n",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes": "5000\n",
                "/sys/fs/cgroup/memory/memory.usage_in_bytes": "3000\n",
                "/sys/fs/cgroup/memory/memory.stat": "inactive_file 1\ntotal_inactive_file 500\n",
            },
            2500,
        ),
        (
            {
                "/proc/self/cgroup": "0::/\n",
                "/sys/fs/cgroup/memory.max": "10\n",
                "/sys/fs/cgroup/memory.current": "30\n",
            },
            0,
        ),
    ],
    ids=["machine", "version 2, a limit above", "version 1, in a container", "used up"],
)
def test_the_least_of_what_machine_and_containers_leave_is_free(monkeypatch, files, free):
    faked(monkeypatch, MEMINFO | files)
    assert memory.free_memory() == free


def test_where_nothing_is_known_a_modest_amount_is_taken_for_free(monkeypatch):
    faked(monkeypatch, {})
    monkeypatch.setattr(os, "sysconf", lambda _name: (_ for _ in ()).throw(ValueError), raising=False)
    assert memory.free_memory() == memory.UNKNOWN


@posix
def test_a_limit_of_the_address_space_counts():
    program = "import resource; from hassle.memory import free_memory\n" + (
        "resource.setrlimit(resource.RLIMIT_AS, (10**9, 10**9)); print(free_memory())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 0 < int(done.stdout) < 10**9


def test_a_refusal_says_the_numbers_and_what_to_do():
    with allowing_memory("2GB"):
        require_memory(2 * 10**9, "this", "do less")
        with pytest.raises(ResourceError) as refused:
            require_memory(3 * 10**9, "this", "do less")
    assert str(refused.value) == (
        "this would take about 3 GB of memory, more than the 2 GB allowed; do less, or allow more with --memory of "
        "learn or HASSLE_MEMORY"
    )


# Files


@posix
@pytest.mark.parametrize("command", [["learn"], ["inspect"], ["show"]])
def test_a_file_without_an_end_is_refused_early(command, capsys):
    assert main([*command, "/dev/zero"]) == 2
    said = capsys.readouterr().err
    assert re.fullmatch(r"hassle: /dev/zero:1: holds a NUL character, so it is not a text file; .*\n", said)


def test_a_file_larger_than_memory_is_refused_unread(tmp_path, capsys, monkeypatch):
    with open(tmp_path / "huge.csv", "wb") as file:
        file.truncate(10**12)  # takes no room on the disk
    monkeypatch.setattr("hassle.files.decode._pieces", None)  # reading would fail
    assert main(["learn", str(tmp_path / "huge.csv")]) == 2
    said = capsys.readouterr().err
    assert "huge.csv: holds 1 TB or more, which would take about 125 GB of memory, more than the" in said
    assert said.count("\n") == 1


def test_the_memory_given_counts_for_reading_too(tmp_path, capsys):
    (tmp_path / "e.csv").write_text("a,b,label\n" + "1,0,1\n" * 1000)
    command = ["learn", str(tmp_path / "e.csv"), "--steps", "1", "--memory"]
    assert main([*command, "10KB"]) == 2
    assert "more than the 10 KB allowed" in capsys.readouterr().err
    assert main([*command, "1GB"]) == 0


@pytest.mark.parametrize("size", ["nothing", "-3GB"])
def test_a_bad_size_is_one_line(tmp_path, capsys, size):
    (tmp_path / "e.csv").write_text("a,b,label\n1,0,1\n")
    assert main(["learn", str(tmp_path / "e.csv"), f"--memory={size}"]) == 2
    assert "is no amount of memory" in capsys.readouterr().err


@posix
def test_an_endless_pipe_is_refused_when_it_has_sent_too_much(tmp_path):
    command = f"yes 1,0,1 | {sys.executable} -m hassle inspect -"
    environment = os.environ | {memory.VARIABLE: "100MB"}
    done = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert re.fullmatch(r"hassle: standard input: holds .* or more, .* more than the 100 MB allowed; .*\n", done.stderr)


@posix
@pytest.mark.parametrize("name", ["-", "/dev/stdin", "fifo"])
def test_pipes_are_read_to_their_end(tmp_path, name):
    """Longer than a pipe holds at a time, and than what is read at a time."""
    names = [f"x{i}" for i in range(40)]
    text = ",".join([*names, "label"]) + "\n" + ("1," * 40 + "1\n") * 20_000
    if name == "fifo":
        os.mkfifo(tmp_path / "fifo")
        threading.Thread(target=(tmp_path / "fifo").write_text, args=(text,), daemon=True).start()
    done = subprocess.run(
        [sys.executable, "-m", "hassle", "inspect", name, "--json"],
        cwd=tmp_path,
        input="" if name == "fifo" else text,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert '"examples": 20000' in done.stdout


@posix
def test_a_dangling_link_is_told(tmp_path):
    (tmp_path / "model.json").symlink_to("gone.json")
    with pytest.raises(InputError, match=r"is a link to '.*gone\.json', which is not there"):
        Model.read(tmp_path / "model.json")


# Learners


def wide(examples, variables, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (examples, variables), dtype=np.uint8)
    names = tuple(f"x{v}" for v in range(variables))
    return Dataset.build(names, [("", row.tolist(), int(row[0] or row[1])) for row in rows])


@pytest.mark.parametrize("learner", ["auto", "cuts"])
def test_what_cannot_fit_is_refused_with_the_numbers(learner):
    with pytest.raises(
        ResourceError, match=r"learning from 30 examples of 60 variables would take about .* allowed; .*"
    ):
        learn(wide(30, 60), learner, steps=1, memory="20KB")


def test_with_little_memory_fewer_positives_look_around_and_the_run_goes_on():
    data = wide(60, 40)
    many, few = (learn(data, "cuts", steps=1, memory=size) for size in ("1GB", "400KB"))
    assert not any("memory" in note for note in many.notes)
    [note] = [note for note in few.notes if "memory" in note]
    assert re.fullmatch(
        r"only \d+ comparisons are made, as the 400 KB of memory allowed hold no more \(--memory\)", note
    )


def random_comparisons(count, variables, seed=0):
    rng = np.random.default_rng(seed)
    better, worse = rng.integers(0, 2, (2, count, variables), dtype=np.uint8)
    return comparisons_of(list(better), list(worse), rng.integers(0, 5, count).tolist(), TIED, variables)


def test_the_last_clauses_are_left_out_where_columns_do_not_fit():
    compared = random_comparisons(30, 5)
    clauses = [(1,), (2,), (1, 2), (-3, 4), (4, 5)]
    whole = columns_of(clauses, compared)
    for most in range(len(whole.rows) + 2):
        part = columns_of(clauses, compared, most)
        kept = len(part.starts) - 1
        assert len(part.rows) <= most
        assert kept == len(clauses) or whole.starts[kept + 1] > most
        assert part.rows.tolist() == whole.rows[: len(part.rows)].tolist()
        chain = Chain(compared, clauses, {}, 5, 5, np.random.default_rng(0), most)
        assert chain.clauses == clauses[:kept]
        chain.run(2, 1.0, lambda: False)


def test_pieces_make_no_difference(monkeypatch):
    """Neither to what is counted of clauses, nor to the changes of comparisons, nor to the candidates."""
    compared, need = random_comparisons(40, 6), np.random.default_rng(1).random(40)
    false = tallies.false_literals(compared.better)

    def everything():
        counted = {
            block.clause(place): float(block.counts[place])
            for block in tallies.tallies(false, np.ones(len(false), dtype=np.float32), 3)
            for place in range(len(block.counts))
        }
        starts, rows = compared.changes()
        chosen = candidates.candidate_clauses(compared, need, [], [], 3, lambda: None, pool=30)
        return counted, starts.tolist(), rows.tolist(), set(chosen)

    whole = everything()
    monkeypatch.setattr(tallies, "PAIRS", 7)
    monkeypatch.setattr(comparisons, "PIECE", 10)
    monkeypatch.setattr(candidates, "PIECE", 200)
    assert everything() == whole


def test_changes_are_where_the_sides_differ():
    compared = random_comparisons(20, 4)
    starts, rows = compared.changes()
    for v in range(4):
        expected = [k for k in range(20) if compared.better[k, v] != compared.worse[k, v]]
        assert rows[starts[v] : starts[v + 1]].tolist() == expected


def test_tables_are_as_large_as_memory_allows():
    with allowing_memory(table_memory(12)):
        assert largest_table() == 12
    with allowing_memory(table_memory(12) - 1):
        assert largest_table() == 11
    with allowing_memory("1TB"):
        assert table_memory(largest_table()) == 2**30
    model = Model.build([f"x{i}" for i in range(21)], ["x0"], [("x1", 1)])
    with allowing_memory("1MB"), pytest.raises(ResourceError, match=r"needs 33\.6 MB, more than the 1 MB allowed"):
        model.solve(as_context(None, model.variables), solver="table")


def test_the_statistical_learner_leaves_tables_that_do_not_fit_to_others():
    data = wide(10, 10)
    assert fits_tables(data)
    with allowing_memory("1KB"):
        assert not fits_tables(data)
