"""The process that learns: takes requests as lines of JSON, answers with lines of JSON, and ends with its studio.

    {"do": "learn", "run": 3, "study": "…", "seconds": 60, "seed": 0}       {"do": "stop"}

    {"event": "ready"}
    {"event": "rules", "run": 3, "rules": "must …", "seconds": 1.7, "left": 58.3, "note": "…"}
    {"event": "share", "run": 3, "correct": 61, "examples": 80, "seconds": 2.9}      of the same contexts each time
    {"event": "done", "run": 3, "rules": "…", "correct": 300, "examples": 313, "stopped": "time", …}
    {"event": "failed", "run": 3, "error": "…"}

Standard input is the tie to the studio: when it is closed, however the studio ended, this process ends at once.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import signal
import sys
import threading
import time
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

from hassle.errors import DataWarning, HassleError

if TYPE_CHECKING:
    from hassle.data import Dataset
    from hassle.learners import Progress
    from hassle.model import Model
    from hassle.studio.study import Study

# Contexts in which models are judged while the search goes on, and seconds for one of them.
JUDGED_CONTEXTS, JUDGING_SECONDS = 12, 1.5
# Seconds between two messages that say nothing but how far it is.
EVERY = 0.4


class Speaker:
    """Writes events, from whatever thread."""

    def __init__(self, out: TextIO) -> None:
        self._out, self._lock = out, threading.Lock()

    def tell(self, event: str, **more: Any) -> None:
        with self._lock:
            self._out.write(json.dumps({"event": event, **more}) + "\n")
            self._out.flush()


def main() -> None:
    """Serve requests until standard input is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal is for the studio
    # Whatever prints must not spoil the protocol.
    speaker = Speaker(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)
    requests: queue.Queue[dict[str, Any]] = queue.Queue()
    current = [threading.Event()]

    def listen() -> None:
        for line in sys.stdin:
            request = json.loads(line)
            current[0].set()  # a new request takes the place of the run before
            if request["do"] == "learn":
                current[0] = request["stop"] = threading.Event()
                requests.put(request)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    _warm_up()
    speaker.tell("ready")
    while True:
        request = requests.get()
        try:
            _learn(request, speaker)
        except HassleError as error:
            speaker.tell("failed", run=request["run"], error=str(error))
        except Exception as error:  # a mistake of ours must reach the page, and not end the process
            speaker.tell("failed", run=request["run"], error=f"internal error: {type(error).__name__}: {error}")


def _warm_up() -> None:
    """Load what a run will need, while the person still looks for the file."""
    from ortools.sat.python import cp_model  # noqa: F401


def _learn(request: dict[str, Any], speaker: Speaker) -> None:
    from hassle.learners import learn
    from hassle.studio.study import rules_text, study_from_text

    run, stop = request["run"], request["stop"]
    logging.getLogger("hassle").addHandler(_Announcing(speaker, run))
    study = study_from_text(request["study"])
    judge = Judge(study.data, speaker, run)
    told = Teller(study, speaker, run, judge)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        result = learn(study.data, time_limit=request["seconds"], seed=request["seed"], interrupt=stop, listener=told,
                       **what_to_learn(study))  # fmt: skip
    judge.close()
    if not result.examples:  # there was no time left to say how good it is
        correct, examples = judge.verdict(result.model)
        result = replace(result, correct=correct, examples=examples)
    speaker.tell(
        "done",
        run=run,
        rules=rules_text(result.model.rules, study.schema),
        correct=result.correct,
        examples=result.examples,
        stopped=result.stopped,
        seconds=round(result.seconds, 3),
        notes=list(result.notes),
    )


def by_structure(data: Dataset) -> bool:
    """Whether families are to be learned: decisions are arranged, and contexts leave more open than can be listed.

    There ``auto`` would do the same, but for clauses found by counting, which it returns where the time was short: they
    say of each nurse and day what a family says once, and nobody wants to read them.
    """
    from hassle.learners.auto import work_in
    from hassle.learners.statistical.problem import fits_tables
    from hassle.tables.limits import QUICK_POINTS

    return bool(data.schema.arrangements) and not (fits_tables(data) and work_in(data).sum() <= QUICK_POINTS)


def what_to_learn(study: Study) -> dict[str, Any]:
    """The options of the learner, which learns around what the person said, and never again what was forbidden."""
    known, never = study.known(), study.never()
    options: dict[str, Any] = {"known": known, **({} if never is None else {"forbidden": never})}
    if by_structure(study.data):
        return {**options, "learner": "structured"}
    return {**options, "start": study.model if study.state.learned and study.rules else None}


class _Announcing(logging.Handler):
    """Passes on that kernels are compiled, which takes a while, once on a machine."""

    def __init__(self, speaker: Speaker, run: int) -> None:
        super().__init__(logging.WARNING)
        self.speaker, self.run = speaker, run

    def emit(self, record: logging.LogRecord) -> None:
        note = "getting ready for this machine; that takes a minute, once"
        self.speaker.tell("rules", run=self.run, seconds=0.0, left=None, note=note)


class Teller:
    """The listener of a run: tells rules when they change, and else now and then how far it is."""

    def __init__(self, study: Study, speaker: Speaker, run: int, judge: Judge) -> None:
        self.study, self.speaker, self.run, self.judge = study, speaker, run, judge
        self.last = ""
        self.when = 0.0

    def __call__(self, progress: Progress) -> None:
        from hassle.studio.study import rules_text

        more: dict[str, Any] = {}
        if progress.model is not None and progress.model.rules:
            text = rules_text(progress.model.rules, self.study.schema)
            if text != self.last:
                self.last = more["rules"] = text
                self.judge.consider(progress.model, progress.seconds)
        now = time.monotonic()
        if not more and now < self.when + EVERY:
            return
        self.when = now
        left = progress.seconds_left if progress.seconds_left < 1e9 else None
        self.speaker.tell("rules", run=self.run, seconds=progress.seconds, left=left, note=progress.note, **more)


class Judge:
    """Says how much models explain, beside the search: the latest one, in the same random contexts each time."""

    def __init__(self, data: Dataset, speaker: Speaker, run: int) -> None:
        import numpy as np

        order = np.random.default_rng(0).permutation(len(data.contexts))
        self.contexts = order[:JUDGED_CONTEXTS].tolist()
        self.data, self.speaker, self.run = data, speaker, run
        self.waiting: queue.SimpleQueue[tuple[Model, float] | None] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def consider(self, model: Model, seconds: float) -> None:
        self.waiting.put((model, seconds))

    def close(self) -> None:
        self.waiting.put(None)

    def verdict(self, model: Model) -> tuple[int, int]:
        """How many examples the model explains, of how many in the same contexts."""
        from hassle.solve import verdicts_in_time

        self.end = time.monotonic() + JUDGING_SECONDS
        try:
            _, agreed = verdicts_in_time(replace(model, schema=self.data.schema), self.data, self.contexts, self._left)
        except HassleError:
            return 0, 0
        return int(agreed.sum()), len(agreed)

    def _left(self) -> float:
        return self.end - time.monotonic()

    def _work(self) -> None:
        while (job := self.waiting.get()) is not None:
            while not self.waiting.empty():  # only the latest counts
                if (newer := self.waiting.get()) is None:
                    return
                job = newer
            model, seconds = job
            correct, examples = self.verdict(model)
            if examples:
                self.speaker.tell("share", run=self.run, correct=correct, examples=examples, seconds=seconds)


if __name__ == "__main__":
    main()
