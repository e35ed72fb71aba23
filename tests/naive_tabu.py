"""The slow twin of ``kernels/tabu.py``: the same steps, by asking at every step what each change would break."""

from __future__ import annotations

import numpy as np
from numba import njit

from hassle.kernels.chance import below
from hassle.learners.structured.search import Search


@njit
def drawn(state: np.ndarray, count: int) -> int:
    return below(state, count)


def tabu_search(
    search: Search, row: np.ndarray, free: np.ndarray, steps: int, seed: int, most: int
) -> tuple[list[list[int]], float]:
    """The best assignments found, which are equally good, and the weight that they break."""
    starts, ends = search.choices
    state = np.array([seed], dtype=np.uint64)
    bits, cost = row.copy(), search.cost(row)
    least, best, found = cost, [bits.tolist()], 1
    until = np.zeros(len(row), dtype=np.int64)
    for step in range(steps):
        chosen, gained, ties = None, -np.inf, 0
        for v in free.tolist():
            changed = bits.copy()
            changed[v] ^= 1
            if ends[v] > starts[v]:
                if bits[v]:
                    continue
                changed[starts[v] : ends[v]] = 0
                changed[v] = 1
            gain = cost - search.cost(changed)
            if gain < gained or (until[v] > step and cost - gain >= least):
                continue
            ties = ties + 1 if gain == gained else 1
            if ties == 1 or drawn(state, ties) == 0:
                chosen, gained = v, gain
        if chosen is None:
            continue
        for u in range(starts[chosen], ends[chosen]):
            if bits[u]:
                bits[u] = 0
                until[u] = step + 4 + drawn(state, 8)
        bits[chosen] = 1 if ends[chosen] > starts[chosen] else 1 - bits[chosen]
        until[chosen] = step + 4 + drawn(state, 8)
        cost -= gained
        if cost < least:
            least, found = cost, 0
            best = []
        if cost == least and bits.tolist() not in best:
            if found < most:
                best.append(bits.tolist())
            else:
                best[found % most] = bits.tolist()
            found += 1
    return best, least
