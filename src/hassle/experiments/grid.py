"""Carrying out a grid of runs, on this machine or on many, through one code path.

Both ways are executors in the sense of :mod:`concurrent.futures`: processes here, or a Dask cluster. Each finished run
is kept at once by the driver, so killing the driver or a worker loses at most the runs that were under way, and the
same command does those again. Another driver in the same folder does other runs, and each waits for the last ones of
the other.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from typing import Any

from hassle.errors import InputError
from hassle.experiments.run import Run, attempt, failure
from hassle.experiments.store import Store


@dataclass(frozen=True)
class GridProgress:
    """How far a grid is; ``seconds_left`` is None until it can be told."""

    done: int
    total: int
    failed: int
    seconds_left: float | None


Record = dict[str, Any]
Watcher = Callable[[GridProgress], None]
Keeper = Callable[[Run, Record], None]

# Runs claimed and handed out at a time: on a cluster enough for a large one, few enough to keep track of; here as many
# as are to be done next, so that another driver finds some left.
WINDOW = 1000
SECONDS_BETWEEN_LOOKS = 1.0


def carry_out(runs: Sequence[Run], store: Store, jobs: int, cluster: str | None, watch: Watcher) -> None:
    """Do the runs that are not done yet."""
    missing = store.missing(runs)
    total, done_before = len(runs), len(runs) - len(missing)
    started, finished, failed = time.monotonic(), 0, 0

    def keep(run: Run, record: Record) -> None:
        nonlocal finished, failed
        store.keep(run, record)
        store.release(run)
        finished += 1
        failed += record["error"] is not None
        pace = (time.monotonic() - started) / finished
        done = done_before + finished
        watch(GridProgress(done, total, failed, pace * (total - done)))

    def claimed(run: Run) -> bool:
        """Whether it is for this driver to do; not if another one is at it, or has done it meanwhile."""
        nonlocal done_before
        if not store.claim(run):
            others.append(run)
            return False
        if store.has(run):
            store.release(run)
            done_before += 1
            return False
        return True

    others: list[Run] = []
    while missing or others:
        if not missing:
            time.sleep(SECONDS_BETWEEN_LOOKS)
            missing, others = others, []
        mine = (run for run in list(missing) if claimed(run))
        lost = _all_at_once(mine, jobs, cluster, keep)
        # One of the first took its worker along; alone in a process of its own it takes no other along.
        suspects, missing = lost[: 2 * jobs + 1], lost[2 * jobs + 1 :]
        for run in suspects:
            if _all_at_once([run], 1, cluster, keep):
                keep(run, failure(run, "the process that carried it out died (out of memory?)"))


def _all_at_once(runs: Iterable[Run], jobs: int, cluster: str | None, keep: Keeper) -> list[Run]:
    """Keep the runs as they finish; returns those that were lost because a worker died, the likely culprits first.

    A run is taken from ``runs`` when it is about to begin.
    """
    coming, under_way = iter(runs), dict[Future[Record], Run]()
    following = next(coming, None)
    if following is None:
        return []
    with _executor(jobs, cluster) as executor:
        try:
            while following is not None or under_way:
                while following is not None and len(under_way) < (WINDOW if cluster else 2 * jobs):
                    under_way[executor.submit(attempt, following)] = following
                    following = next(coming, None)
                done, _ = wait(under_way, return_when=FIRST_COMPLETED)
                for future in done:
                    record = future.result()
                    keep(under_way.pop(future), record)
        except Exception as error:
            if not _means_death(error):
                raise
            culprit = [under_way.pop(future)] if future in under_way else []
            return [*culprit, *under_way.values(), *([] if following is None else [following]), *coming]
    return []


def _means_death(error: Exception) -> bool:
    """Whether a worker died; Dask's own error is known by its name, as Dask need not be installed."""
    return isinstance(error, BrokenProcessPool | CancelledError) or type(error).__name__ == "KilledWorker"


@contextmanager
def _executor(jobs: int, cluster: str | None) -> Iterator[Executor]:
    if cluster is None:
        # Forking is not safe with numba's threads. (max_tasks_per_child is not used: it can hang the pool.)
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_end_with_parent) as pool:
            try:
                yield pool
            except BaseException:
                processes = list((pool._processes or {}).values())
                pool.shutdown(wait=False, cancel_futures=True)
                for process in processes:
                    process.terminate()
                raise
        return
    try:
        from distributed import Client
    except ImportError:
        raise InputError("--cluster needs Dask", fix="install hassle with its extra 'cluster'") from None
    try:
        client = Client(cluster, timeout=10)
    except (OSError, TimeoutError, ValueError) as error:
        raise InputError(f"no Dask scheduler answers at {cluster!r} ({error})", fix="check the address") from None
    with client:
        yield client.get_executor(pure=False, retries=3)


def _end_with_parent() -> None:
    """In a worker: end at once when the driver does, however that was killed."""

    def watch() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
