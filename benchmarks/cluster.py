"""What a cluster costs and what it gives: two workers beside two threads, and what a hundred workers would do.

    python benchmarks/cluster.py [ratio] [processor] [serial] [workers] [--repeats N]        all without a name

ratio    the same learner with the same seed in this process (2 threads) and on a local cluster (2 workers), in turns:
         work done in the same time (moves, neighbours), or time for the same work (rounds of the structured learner).
         Starting the cluster is not counted: it is there already, as clusters are.
processor  processor time of the same chains here, and on two workers together with the process that started them, in
         which the scheduler runs, too: on a busy machine that tells more than the clock
serial   two rounds of the structured learner in one thread, processor time: how much of it is searching for cuts, which
         a cluster shares, and how much is not
workers  the same number of rounds on simulated workers: pieces are sent to a real Dask scheduler and its workers wait
         instead of working, as long as the piece would take; legs of chains likewise. What is not shared is added as
         measured by `serial`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from functools import partial

import numpy as np
from distributed import Client, LocalCluster

import hassle
from hassle.generate import generate
from hassle.generate.arranged import arranged_examples, ward
from hassle.learners.budget import Budget
from hassle.learners.cluster import Cluster
from hassle.learners.places import LEG_SECONDS, Afar, Here, Shared, each, in_pieces
from hassle.learners.statistical.legs import ChainAfar, Task
from hassle.learners.statistical.problem import make_problem
from hassle.learners.structured.cutting import Beginning, piece_of_cuts
from hassle.learners.structured.search import Search
from hassle.learners.threads import run_all

SECONDS = 20.0
SIZES = (1, 2, 10, 100)
LEGS = 6


def small() -> hassle.Dataset:
    return generate(12, 10, 10, 200, seed=1).data


def arranged(contexts: int) -> hassle.Dataset:
    home = ward(8, 7, 3, np.random.default_rng(1))
    return arranged_examples(home.truth, home.situation, contexts, np.random.default_rng(2))


def ratio(repeats: int) -> None:
    data, plans = small(), arranged(40)
    runs = {
        "statistical, moves": lambda **where: learned(data, "statistical", **where).neighbours,
        "sls, neighbours": lambda **where: learned(data, "sls", **where).neighbours,
        "structured, 1 / seconds": lambda **where: 1 / rounds(plans, **where),
    }
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as made, Client(made) as client:
        for name, run in runs.items():
            ratios = []
            for _ in range(repeats):
                here, there = run(jobs=2), run(cluster=client)
                ratios.append(there / here)
                print(f"  {name}: here {here:.4g}, cluster {there:.4g}")
            print(f"{name}: cluster / here {statistics.median(ratios):.2f} (median of {repeats})", flush=True)


def processor(steps: int = 250_000) -> None:
    data = generate(10, 8, 8, 60, seed=1).data
    hassle.learn(data, "statistical", steps=100)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as made, Client(made) as client:
        hassle.learn(data, "statistical", steps=100, cluster=client)
        began = time.process_time()
        hassle.learn(data, "statistical", steps=steps)
        here, began = time.process_time() - began, time.process_time()
        before = sum(client.run(time.process_time).values())
        hassle.learn(data, "statistical", steps=steps, cluster=client)
        there = sum(client.run(time.process_time).values()) - before
        print(f"here {here:.1f} s; workers {there:.1f} s, beside them {time.process_time() - began:.1f} s")


def learned(data: hassle.Dataset, learner: str, **where: object) -> hassle.LearnResult:
    return hassle.learn(data, learner, time_limit=SECONDS, seed=1, target_score=1.0, **where)


def rounds(data: hassle.Dataset, **where: object) -> float:
    """Seconds of the run itself: opening a client's cluster is not among them."""
    return hassle.learn(data, "structured", steps=2, seed=1, **where).seconds


class Timed(Here):
    """One thread that measures how much processor time the pieces take."""

    def __init__(self) -> None:
        super().__init__(1)
        self.seconds, self.pieces = 0.0, 0

    def do(self, until, work, *arguments):  # type: ignore[no-untyped-def]
        began = time.thread_time()
        result = super().do(until, work, *arguments)
        self.seconds += time.thread_time() - began
        self.pieces += 1
        return result


def serial(contexts: int = 30) -> tuple[float, float, int]:
    """Seconds that cannot be shared, seconds of a piece, and how many there are."""
    place = Timed()
    data = arranged(contexts)
    hassle.learn(arranged(5), "structured", steps=1, place=Here(1))  # kernels
    began = time.process_time()
    hassle.learn(data, "structured", steps=2, seed=1, place=place)
    total = time.process_time() - began
    rest = total - place.seconds
    print(
        f"structured, {contexts} contexts, 2 rounds: {total:.1f} s, of which {place.seconds:.1f} s in {place.pieces} "
        f"searches for cuts; the rest, {100 * rest / total:.0f} %, is serial",
        flush=True,
    )
    return rest, place.seconds / place.pieces, place.pieces


def waiting_cuts(search, free, beginnings, steps, seconds, each_takes):  # type: ignore[no-untyped-def]
    """In the place of :func:`piece_of_cuts`: it takes as long, and finds nothing."""
    assert piece_of_cuts
    time.sleep(each_takes * len(beginnings))
    return [None] * len(beginnings)


def waiting_leg(task, parcel, budget, seconds):  # type: ignore[no-untyped-def]
    time.sleep(seconds)
    return parcel


def workers(rest: float, each_takes: float, searches: int) -> None:
    schema = arranged(2).schema
    search = Search.of(schema, [], [])
    free = Shared(tuple(np.arange(len(schema.variables)) for _ in range(100)))
    bits = np.zeros(len(schema.variables), dtype=np.uint8)
    begins = [Beginning(i % 100, bits, bits, i) for i in range(searches)]
    print("workers   cuts, s   with the rest, s   speed-up   serial   legs of chains: share of the time at work")
    first = 0.0
    for size in SIZES:
        # A worker of many threads stands for many workers: they only wait.
        with (
            LocalCluster(n_workers=1, threads_per_worker=size, dashboard_address=":0") as made,
            Client(made) as client,
        ):
            place = Cluster(client)
            pieces = [(Shared(search), free, piece, 1500, 100.0, each_takes) for piece in in_pieces(begins, place)]
            began = time.monotonic()
            each(place, lambda: False, waiting_cuts, pieces)
            cuts = time.monotonic() - began
            first = first or cuts + rest
            at_work = legs(place, size)
        share = rest / (rest + cuts)
        print(
            f"{size:7d} {cuts:9.1f} {cuts + rest:18.1f} {first / (cuts + rest):10.1f} {share:8.0%} {at_work:8.0%}",
            flush=True,
        )


def legs(place: Cluster, size: int) -> float:
    """How much of the time workers are at work that carry out legs of chains, one chain each."""
    data = small()
    task = Task(make_problem(data, np.random.default_rng(0)), 4, 6, 50, 0.9, warm=False)
    shared, budget = Shared(task), Budget(1000.0)
    chains = []
    for seed in range(size):
        sampler = task.sampler(seed)
        sampler.refresh_pool()
        sampler.search(200, 0.5)
        chains.append(Afar(ChainAfar(sampler, budget, 0.9), place, partial(waiting_leg), shared, budget))
    place.do(lambda: False, waiting_leg, shared, None, budget, 0.0)  # what is shared is there
    ends = time.monotonic() + LEGS * LEG_SECONDS
    before = place.pieces

    def glance() -> None:
        if time.monotonic() > ends:
            for chain in chains:
                chain.call_off()

    began = time.monotonic()
    run_all(chains, size, budget, glance)
    return (place.pieces - before) * LEG_SECONDS / (size * (time.monotonic() - began))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=["ratio", "processor", "serial", "workers", []], default=[])
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    parts = given.parts or ["ratio", "workers"]
    if "ratio" in parts:
        ratio(given.repeats)
    if "processor" in parts:
        processor()
    if "workers" in parts:
        workers(*serial())
    elif "serial" in parts:
        serial()


if __name__ == "__main__":
    main()
