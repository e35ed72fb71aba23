"""Hard clauses from the positives: what none of them violates although chance would have it violated often.

Under chance the literals of a clause are false independently, each as often as among the positives; a clause then
expects ``e`` violations and has none with probability ``exp(-e)``. Contexts fix many variables at random, so clauses
that are merely preferred do get violated. Where to draw the line is read off the data: among clauses of similar ``e``,
the share of those without violations that chance explains must be small.

Mislabelled positives are told by breaking many of the clauses that nearly all others respect, as infeasible negatives
do; they take no part in the mining.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.learn.large.tallies import Block, false_literals, tallies
from hassle.logic import Clause, coverage

# Of clauses taken as hard, at most so large a share may be chance's work.
FALSE_SHARE = 0.02
# In the search for mislabelled positives: a clause is respected if it has at most so small a part of the expected
# violations, and a positive is suspect if it breaks at least so many of them.
RESPECTED = 0.15
FEWEST_BROKEN = 3
EXPECTED_RESPECTED = 12.0


@dataclass(frozen=True)
class Rules:
    """Hard clauses, none implied by the others, and which positives broke too many rules to be believed."""

    clauses: tuple[Clause, ...]
    suspect: NDArray[np.bool_]


def mine_rules(
    positives: NDArray[np.uint8], negatives: NDArray[np.uint8], max_literals: int, checkpoint: Callable[[], None]
) -> Rules:
    """The hard clauses of up to ``max_literals`` literals; ``checkpoint`` is called often and may raise to stop."""
    suspect = _suspects(positives, negatives, max_literals)
    found = _unviolated(positives[~suspect], max_literals, checkpoint) if len(positives) else []
    return Rules(tuple(irredundant(found)), suspect)


def _suspects(positives: NDArray[np.uint8], negatives: NDArray[np.uint8], max_literals: int) -> NDArray[np.bool_]:
    """Positives that look like infeasible negatives: they break many clauses that nearly all positives respect."""
    respected = _respected(positives, min(max_literals, 2)) or _respected(positives, max_literals)
    broken = (~coverage(respected, positives)).sum(axis=1)
    among_negatives = (~coverage(respected, negatives)).sum(axis=1)
    typical = np.median(among_negatives[among_negatives > 0]) if (among_negatives > 0).any() else np.inf
    return np.asarray(broken >= max(FEWEST_BROKEN, typical / 3))


def _respected(positives: NDArray[np.uint8], max_literals: int) -> list[Clause]:
    found = []
    for block, expected in _expectations(positives, max_literals):
        rare = (expected > EXPECTED_RESPECTED) & (block.counts < RESPECTED * expected)
        found += [block.clause(int(place)) for place in np.flatnonzero(rare)]
    return found


def _unviolated(positives: NDArray[np.uint8], max_literals: int, checkpoint: Callable[[], None]) -> list[Clause]:
    """Unviolated clauses, bin by bin of expected violations, down to where chance would explain too many."""
    by_bin: dict[int, list[tuple[float, Clause]]] = {}
    chance: dict[int, float] = {}
    length = 0
    accepted: list[Clause] = []
    for block, expected in _expectations(positives, max_literals):
        checkpoint()
        this_length = _length(block)
        if this_length != length:
            accepted += _believed(by_bin, chance)
            by_bin, chance, length = {}, {}, this_length
        level = np.minimum(expected, 99).astype(np.int64)
        for e in np.unique(level).tolist():
            chance[e] = chance.get(e, 0.0) + float(np.exp(-expected[level == e]).sum())
        for place in np.flatnonzero((block.counts == 0) & (expected >= 2)).tolist():
            clause = block.clause(place)
            by_bin.setdefault(int(level[place]), []).append((float(expected[place]), clause))
    return accepted + _believed(by_bin, chance)


def _believed(by_bin: dict[int, list[tuple[float, Clause]]], chance: dict[int, float]) -> list[Clause]:
    return [
        clause
        for e in sorted(by_bin, reverse=True)
        if chance[e] <= FALSE_SHARE * len(by_bin[e])
        for _, clause in sorted(by_bin[e], reverse=True)
    ]


def _length(block: Block) -> int:
    if block.prefix is not None:
        return 3
    return 1 if np.array_equal(block.left, block.right) else 2


def _expectations(positives: NDArray[np.uint8], max_literals: int) -> Iterator[tuple[Block, NDArray[np.float32]]]:
    """Blocks of counted violations with the number that chance expects."""
    false = false_literals(positives)
    marginals = false.mean(axis=0) if len(false) else np.zeros(false.shape[1], dtype=np.float32)
    for block in tallies(false, np.ones(len(false), dtype=np.float32), max_literals):
        yield block, len(false) * block.product(marginals)


def irredundant(clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses without those that shorter or earlier ones imply."""
    from pysat.solvers import Solver

    kept: list[Clause] = []
    with Solver(name="minisat22") as solver:
        for clause in sorted(clauses, key=len):
            if solver.solve(assumptions=[-lit for lit in clause]):
                kept.append(clause)
                solver.add_clause(list(clause))
    for clause in list(reversed(kept)):
        rest = [other for other in kept if other != clause]
        with Solver(name="minisat22", bootstrap_with=[list(other) for other in rest]) as solver:
            if not solver.solve(assumptions=[-lit for lit in clause]):
                kept = rest
    return kept
