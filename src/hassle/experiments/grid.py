"""Carrying out a grid of runs, on this machine or on many, through one code path.

Both ways are executors in the sense of :mod:`concurrent.futures`: processes here, or a Dask cluster. Each finished run
is kept at once by the driver, so killing the driver or a worker loses at most the runs that were under way, and the
same command does those again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from hassle.errors import InputError, ResourceError
from hassle.experiments.run import Run, attempt
from hassle.experiments.store import Store


@dataclass(frozen=True)
class GridProgress:
    """How far a grid is; ``seconds_left`` is None until it can be told."""

    done: int
    total: int
    failed: int
    seconds_left: float | None


Watcher = Callable[[GridProgress], None]


def carry_out(runs: Sequence[Run], store: Store, jobs: int, cluster: str | None, watch: Watcher) -> None:
    """Do the runs that are not done yet."""
    missing = store.missing(runs)
    if not missing:
        return
    started, finished, failed = time.monotonic(), 0, 0
    with _executor(jobs, cluster) as executor:
        for run, record in _completed(executor, missing, window=4 * max(jobs, 8)):
            store.keep(run, record)
            finished += 1
            failed += record["error"] is not None
            pace = (time.monotonic() - started) / finished
            watch(
                GridProgress(len(runs) - len(missing) + finished, len(runs), failed, pace * (len(missing) - finished))
            )


def _completed(executor: Executor, runs: Sequence[Run], window: int) -> Iterator[tuple[Run, dict[str, Any]]]:
    """Runs and their records as they finish, a limited number of them handed out at a time."""
    waiting, under_way = list(reversed(runs)), dict[Future[dict[str, Any]], Run]()
    while waiting or under_way:
        while waiting and len(under_way) < window:
            run = waiting.pop()
            under_way[executor.submit(attempt, run)] = run
        done, _ = wait(under_way, return_when=FIRST_COMPLETED)
        for future in done:
            run = under_way.pop(future)
            try:
                yield run, future.result()
            except BrokenProcessPool:
                raise ResourceError(
                    "a worker process died (out of memory?); the same command goes on from here"
                ) from None


@contextmanager
def _executor(jobs: int, cluster: str | None) -> Iterator[Executor]:
    if cluster is None:
        # Forking is not safe with numba's threads. (max_tasks_per_child is not used: it can hang the pool.)
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            try:
                yield pool
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for process in list((pool._processes or {}).values()):
                    process.terminate()
                raise
        return
    try:
        from distributed import Client
    except ImportError:
        raise InputError("--cluster needs Dask", fix="pip install 'hassle-learn[cluster]'") from None
    try:
        client = Client(cluster, timeout=10)
    except (OSError, TimeoutError, ValueError) as error:
        raise InputError(f"no Dask scheduler answers at {cluster!r} ({error})", fix="check the address") from None
    with client:
        yield client.get_executor(pure=False, retries=3)
