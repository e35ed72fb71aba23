"""One count in a process of its own: reads a formula as JSON from stdin, writes the number of its models to stdout.

The counters are C++ calls that cannot be interrupted and that write to stdout; in a process of their own they can be
stopped by the clock, and their chatter goes nowhere. This file is run as a script and imports nothing of the package,
so that it starts at once.
"""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    answers = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    request = json.load(sys.stdin)
    count = COUNTERS[request["counter"]](request["clauses"], request["projection"], request["seed"])
    os.write(answers, str(count).encode())


def ganak(clauses: list[list[int]], projection: list[int], seed: int) -> int:
    from pyganak import Counter

    counter = Counter(seed=seed)
    counter.add_clauses(clauses)
    counter.set_sampling_set(projection)
    return int(counter.count())


def approxmc(clauses: list[list[int]], projection: list[int], seed: int) -> int:
    from pyapproxmc import Counter

    counter = Counter(seed=seed, epsilon=0.8, delta=0.2)
    counter.add_clauses(clauses)
    cells, hashes = counter.count(projection)
    return int(cells) << int(hashes)


COUNTERS = {"ganak": ganak, "approxmc": approxmc}

if __name__ == "__main__":
    main()
