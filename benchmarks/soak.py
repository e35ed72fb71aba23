"""Hours of use in one process, and processes killed at any moment: does anything grow, is anything lost?

    python benchmarks/soak.py [--seconds 3600] [--seed 0]          make soak

In random order, on random problems: learn (by every learner that tables allow), score, solve, evaluate, ask, write and
read back. Now and then a process of `hassle learn` or `hassle ask` is killed (SIGKILL) at a random moment: the model
that was there must be there, the old one or the new one and whole, and every answer that was followed by the next
question must be in the record.

Watched after each action: resident memory, open files, threads. The first third of the run is for warming up (kernels,
imports, the allocator). After it, files and threads must not exceed what was seen before by more than a few, and memory
must not grow by more than MOST_GROWTH an hour, by a line through all measurements. The exit code is 1 if anything did,
or if anything failed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hassle.data import Dataset
from hassle.errors import InputError
from hassle.evaluation import evaluate
from hassle.generate import Generated, generate
from hassle.interview import Answer, Interview, Oracle
from hassle.learners import learn
from hassle.model import Model
from hassle.solve import optima, verdicts

MOST_GROWTH = 64 * 2**20  # bytes an hour
MORE_FILES, MORE_THREADS = 3, 2
WARMING = 1 / 3
KILL_CHANCE = 0.05
LATEST_KILL = 8.0  # seconds


@dataclass(frozen=True)
class Usage:
    """What the process has in use at a moment."""

    seconds: float
    memory: int
    files: int
    threads: int

    @classmethod
    def now(cls, started: float) -> Usage:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return cls(
            time.monotonic() - started,
            pages * os.sysconf("SC_PAGE_SIZE"),
            len(os.listdir("/proc/self/fd")),
            threading.active_count(),
        )


def problem(chance: random.Random) -> Generated:
    return generate(
        chance.randint(4, 9), 3, 3, chance.randint(5, 40), noise=chance.choice([0.0, 0.1]), seed=chance.randrange(2**31)
    )


def soak_learn(chance: random.Random, folder: Path) -> None:
    made = problem(chance)
    result = learn(made.data, chance.choice(["auto", "statistical", "sls"]), steps=chance.choice([50, 2000]), seed=1)
    assert 0 <= result.correct <= result.examples == len(made.data)


def soak_score(chance: random.Random, folder: Path) -> None:
    made = problem(chance)
    assert len(verdicts(made.truth, made.data)) == len(made.data)


def soak_solve(chance: random.Random, folder: Path) -> None:
    made = problem(chance)
    for context in made.data.contexts:
        found = made.truth.solve(context)
        assert found is None or made.truth.verdict(found, context) == "optimal"
    optima(made.truth, limit=3)


def soak_evaluate(chance: random.Random, folder: Path) -> None:
    made = problem(chance)
    assert evaluate(made.truth, made.truth).accuracy == 1


def soak_ask(chance: random.Random, folder: Path) -> None:
    made = problem(chance)
    interview, oracle = Interview(made.data), Oracle(made.truth)
    for _ in range(3):
        if interview.done:
            break
        question = interview.next()
        try:
            interview.answer(oracle.answer(question))
        except InputError:  # the truth allows nothing in that situation
            interview.answer(Answer(question, "unknown"))


def soak_files(chance: random.Random, folder: Path) -> None:
    made = problem(chance)
    for extension in (".csv", ".jsonl"):
        made.data.write(folder / f"examples{extension}")
        assert Dataset.read(folder / f"examples{extension}").labels.tolist() == made.data.labels.tolist()
    for extension in (".json", ".wcnf", ".opb"):
        made.truth.write(folder / f"model{extension}")
        assert Model.read(folder / f"model{extension}").hard == made.truth.hard


def kill_learn(chance: random.Random, folder: Path) -> None:
    """Whatever the moment, the model file holds a whole model."""
    made, path = problem(chance), folder / "killed.json"
    made.data.write(folder / "killed.csv")
    Model(made.truth.schema).write(path)
    command = [
        sys.executable,
        "-m",
        "hassle",
        "learn",
        str(folder / "killed.csv"),
        "-o",
        str(path),
        "--time-limit",
        "2",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(chance.uniform(0, LATEST_KILL))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    Model.read(path)


def kill_ask(chance: random.Random, folder: Path) -> None:
    """Whatever the moment, the answers that were taken are in the record."""
    made, record = problem(chance), folder / "killed.answers.jsonl"
    record.unlink(missing_ok=True)
    made.data.write(folder / "killed.csv")
    command = [sys.executable, "-m", "hassle", "ask", str(folder / "killed.csv"), "-o", str(record), "--json"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    timer = threading.Timer(chance.uniform(0, LATEST_KILL), process.kill)
    timer.start()
    taken = 0
    try:
        for line in process.stdout:
            taken = json.loads(line).get("number", 1) - 1
            process.stdin.write('{"answer": "unknown"}\n')
            process.stdin.flush()
    except (BrokenPipeError, json.JSONDecodeError):  # killed while it was read or wrote
        pass
    timer.cancel()
    timer.join()
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        with contextlib.suppress(BrokenPipeError):
            stream.close()
    if taken:
        assert len(Interview.resume(record).answers) >= taken


ACTIONS: tuple[Callable[[random.Random, Path], None], ...] = (
    soak_learn, soak_score, soak_solve, soak_evaluate, soak_ask, soak_files,
)  # fmt: skip
KILLS: tuple[Callable[[random.Random, Path], None], ...] = (kill_learn, kill_ask)


def growth(watched: list[Usage]) -> float:
    """Bytes an hour, by a line through the measurements."""
    seconds = np.array([each.seconds for each in watched])
    slope = np.polyfit(seconds, [each.memory for each in watched], 1)[0]
    return float(slope * 3600)


def findings(watched: list[Usage], whole: float) -> list[str]:
    """What grew, in words."""
    before = [each for each in watched if each.seconds < WARMING * whole]
    after = [each for each in watched if each.seconds >= WARMING * whole]
    if not before or len(after) < 3:
        return ["the run was too short to tell"]
    found = []
    for name, more in (("files", MORE_FILES), ("threads", MORE_THREADS)):
        most, now = max(getattr(each, name) for each in before), getattr(after[-1], name)
        if now > most + more:
            found.append(f"{name}: {now} at the end, {most} at most before")
    if (grown := growth(after)) > MOST_GROWTH:
        found.append(f"memory grows by {grown / 2**20:.0f} MB an hour")
    return found


def soak(seconds: float, seed: int) -> int:
    chance = random.Random(seed)
    started = time.monotonic()
    watched, done, failed = [Usage.now(started)], Counter[str](), 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() - started < seconds:
            action = chance.choice(KILLS if chance.random() < KILL_CHANCE else ACTIONS)
            try:
                action(chance, Path(folder))
            except Exception as error:
                failed += 1
                print(f"{action.__name__} failed after {sum(done.values())} actions: {error!r}", flush=True)
            done[action.__name__] += 1
            watched.append(Usage.now(started))
    last = watched[-1]
    print(", ".join(f"{count} {name}" for name, count in sorted(done.items())))
    print(f"{last.seconds:.0f} s, {last.memory / 2**20:.0f} MB, {last.files} files, {last.threads} threads at the end")
    later = [each for each in watched if each.seconds >= WARMING * seconds]
    if len(later) > 2:
        print(f"memory after warming up: {growth(later) / 2**20:+.1f} MB an hour")
    found = findings(watched, seconds)
    for line in found:
        print(line)
    return int(bool(found or failed))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    sys.exit(soak(options.seconds, options.seed))
