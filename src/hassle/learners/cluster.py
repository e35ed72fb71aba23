"""A Dask cluster as a place where pieces of work run; the only module that knows Dask besides the experiments.

Dask does a piece again elsewhere when its worker dies. What is done here is the rest: what is shared is put on the
workers again if all that had it are gone; a piece that takes its workers along, or does not come back, is done in this
process; and if the scheduler goes away, or every worker does, so is everything from then on, which :attr:`notes` says.

Only threads that wait for pieces speak to Dask, never the main thread: Ctrl-C cannot catch it with a lock in its hands.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from hassle.errors import InputError
from hassle.learners.options import usable_cores
from hassle.learners.places import GLANCE_SECONDS, CalledOffError, Shared, unshared
from hassle.version import __version__

if TYPE_CHECKING:
    from distributed import Client, Future

LOCAL = "local"
CONNECTING_SECONDS, CLOSING_SECONDS = 10.0, 5.0
# How long a cluster may be without its scheduler, or without any worker, before it counts as gone.
GONE_SECONDS = 5.0
# How often a piece is handed out that comes back without a result.
ATTEMPTS = 3

P = ParamSpec("P")
Result = TypeVar("Result")


class Cluster:
    """The workers of a Dask client as a place for pieces; it goes on in this process if they go away."""

    afar = True

    def __init__(self, client: Client) -> None:
        self.client = client
        self.workers = _checked_workers(client)
        self.at_once = sum(self.workers.values())
        self.pieces = 0
        self.done_here = 0
        self._gone: str | None = None
        self._lock = threading.Lock()
        self._cores = threading.Semaphore(usable_cores())
        self._looked = self._seen = time.monotonic()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of how the cluster fared."""
        if self._gone is not None:
            return (f"{self._gone} after {self.pieces:,} pieces of work, so the rest was done in this process",)
        if self.done_here:
            return (f"{self.done_here} of {self.pieces:,} pieces of work were lost and done again in this process",)
        return ()

    def record(self) -> dict[str, int]:
        """The documented JSON keys."""
        return {"workers": len(self.workers), "pieces": self.pieces, "done_here": self.done_here}

    def do(self, until: Callable[[], bool], work: Callable[..., Result], *arguments: Any) -> Result:
        """What a worker makes of the piece, or this process where none does."""
        for _ in range(ATTEMPTS):
            if until():
                raise CalledOffError
            if self._gone is not None:
                break
            future = self._handed_out(work, arguments)
            if future is None:
                continue
            status = self._status_of(future, until)
            if status == "finished":
                result: Result = future.result()
                with self._lock:
                    self.pieces += 1
                return result
            if status == "error" and not _died(error := future.exception()):
                raise error
            if status in ("error", "deserted"):
                break
            for each in arguments:
                if isinstance(each, Shared):
                    each.copy = None  # perhaps all that had it are gone
            self._await_scheduler(until)
        with self._lock:
            self.pieces += 1
            self.done_here += 1
        with self._cores:
            if until():
                raise CalledOffError
            return work(*unshared(arguments))

    def _handed_out(self, work: Callable[..., Any], arguments: Sequence[Any]) -> Future | None:
        """The piece on its way; None where the scheduler does not take it."""
        try:
            sent = [self._copy_of(each) if isinstance(each, Shared) else each for each in arguments]
            return self.client.submit(work, *sent, pure=False)
        except Exception as error:  # whatever the connection, or sharing without any worker, makes of its end
            if self.client.status == "running" and not isinstance(error, OSError | TimeoutError | CancelledError):
                raise
            self._lose(f"the cluster did not answer ({type(error).__name__})")
            return None

    def _status_of(self, future: Future, until: Callable[[], bool]) -> str:
        """How it ended: finished, error, cancelled, or deserted."""
        bell = threading.Event()
        future.add_done_callback(lambda _: bell.set())
        while not bell.wait(GLANCE_SECONDS) and not future.done():
            if until():
                future.cancel()
                raise CalledOffError
            if self.client.status not in ("running", "connecting"):
                return "cancelled"
            if self._deserted():
                future.cancel()
                return "deserted"
        return str(future.status)

    def _copy_of(self, shared: Shared[Any]) -> Future:
        """The value on the workers, put there if it is not yet."""
        with shared.lock:
            if shared.copy is None or shared.copy.cancelled():
                shared.copy = self.client.scatter(shared.value, broadcast=True, hash=False)
            return shared.copy

    def _await_scheduler(self, until: Callable[[], bool]) -> None:
        """Wait a little for a connection that was lost."""
        deadline = time.monotonic() + GONE_SECONDS
        while self.client.status == "connecting" and time.monotonic() < deadline and not until():
            time.sleep(GLANCE_SECONDS)
        if self.client.status != "running" and not until():
            self._lose("the scheduler of the cluster went away")

    def _deserted(self) -> bool:
        """Whether there has been no worker for some time; one of those who wait looks now and then."""
        if self._gone is not None:
            return True
        now = time.monotonic()
        with self._lock:
            if now - self._looked < 1.0:
                return False
            self._looked = now
        try:
            if self.client.nthreads():
                self._seen = time.monotonic()
        except Exception:  # the connection is gone; whoever waits for a piece is told
            return False
        if time.monotonic() - self._seen < GONE_SECONDS:
            return False
        self._lose("the cluster had no worker left")
        return True

    def _lose(self, why: str) -> None:
        with self._lock:
            self._gone = self._gone or why


def on_cluster(function: Callable[P, Result]) -> Callable[P, Result]:
    """Gives a function that learns from data with a learner the option ``cluster``: where all its work runs."""

    @wraps(function)
    def run(*arguments: P.args, **options: P.kwargs) -> Result:
        cluster = options.pop("cluster", None)
        if cluster is None:
            return function(*arguments, **options)
        _check_learner(str(arguments[1] if len(arguments) > 1 else options.get("learner", "auto")))
        with opened(cluster) as place:
            options["place"] = place
            found: Any = function(*arguments, **options)
            result: Any = replace(found, notes=(*found.notes, *place.notes))
            if hasattr(found, "details"):
                result = replace(result, details={**found.details, "cluster": place.record()})
            return result

    return run


def _check_learner(name: str) -> None:
    from hassle.learners.registry import FORMER_NAMES, LEARNERS, has_option

    if FORMER_NAMES.get(name, name) in LEARNERS and not has_option(name, "place"):
        able = ", ".join(each for each in LEARNERS if has_option(each, "place"))
        raise InputError(
            f"the learner {name!r} works in one process, not on a cluster",
            fix=f"leave the cluster out, or choose one of {able}",
        )


@contextmanager
def opened(cluster: Any) -> Iterator[Cluster]:
    """The cluster of an address, or of a client that somebody else has opened and will close."""
    if isinstance(cluster, str):
        with at_address(cluster) as found:
            yield found
    elif hasattr(cluster, "submit") and hasattr(cluster, "scatter"):
        yield Cluster(cluster)
    else:
        raise InputError(
            f"{type(cluster).__name__} is no cluster", fix="pass the address of a Dask scheduler, or a Client"
        )


@contextmanager
def at_address(address: str) -> Iterator[Cluster]:
    """The cluster whose scheduler is at this address, ``tcp://host:8786``; a new one on this machine for ``local``."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise InputError("--cluster needs Dask", fix="install hassle with its extra 'cluster'") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is said in the notes
    client = _new_client() if address == LOCAL else _client_at(address)
    try:
        yield Cluster(client)
    finally:
        own = client.cluster if address == LOCAL else None
        for each in (client, own):
            if each is not None:
                with suppress(TimeoutError, OSError):  # its processes end with this one at the latest
                    each.close(timeout=CLOSING_SECONDS)


def _client_at(address: str) -> Client:
    from distributed import Client

    if not address:  # Dask would start a cluster of its own
        raise InputError("no Dask scheduler answers at '' (it is empty)", fix=f"check the address, or give {LOCAL!r}")
    try:
        return Client(address, timeout=CONNECTING_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"no Dask scheduler answers at {address!r} ({why})", fix="check the address") from None


def _new_client() -> Client:
    from distributed import Client, LocalCluster, WorkerPlugin

    class Deaf(WorkerPlugin):
        """A terminal sends Ctrl-C to all its processes, but it is for this one to say when workers end."""

        def setup(self, worker: Any) -> None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    cluster = LocalCluster(
        n_workers=usable_cores(), threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
    )
    client = Client(cluster, timeout=CONNECTING_SECONDS, set_as_default=False)
    client.register_plugin(Deaf())
    return client


def _checked_workers(client: Client) -> dict[str, int]:
    """The threads of each worker, which must have hassle as it is here; what pieces need is loaded there."""
    try:
        client.wait_for_workers(1, timeout=CONNECTING_SECONDS)
    except TimeoutError:
        raise InputError("the cluster has no workers", fix="start some with: dask worker ADDRESS") from None
    answers: dict[str, Any] = client.run(_prepared, on_error="return")
    for address, version in answers.items():
        if version != __version__:
            said = f"has hassle {version}" if isinstance(version, str) else f"cannot run hassle ({version})"
            raise InputError(f"the worker {address} {said}", fix=f"install hassle {__version__} there")
    threads: dict[str, int] = client.nthreads()
    return {address: threads.get(address, 1) for address in answers}


async def _prepared() -> str:
    """On a worker: what takes seconds to load, or to compile, is so before the clock of a run starts."""
    await asyncio.to_thread(_load_kernels)
    return __version__


def _load_kernels() -> None:
    import numpy as np

    from hassle.data import Dataset
    from hassle.learners import learn
    from hassle.learners.structured.search import Search

    data = Dataset.build("abc", [("", "110", 1), ("a", "111", 0), ("!c", "000", 0)])
    learn(data, "statistical", steps=10)
    learn(data, "sls", steps=2, searches=1)
    Search.of(data.schema, [], []).improved(data.assignments[0], np.arange(3), 1, 0)


def _died(error: BaseException) -> bool:
    """Whether the worker was lost rather than the piece wrong; known by name, as Dask's modules need not be loaded."""
    return type(error).__name__ in ("KilledWorker", "CancelledError", "FutureCancelledError")
