"""Hard clauses from the positives: what none of them violates although chance would have it violated often.

Under chance the literals of a clause are false independently, each as often as among the positives; a clause then
expects ``e`` violations and has none with probability ``exp(-e)``. Contexts fix many variables at random, so clauses
that are merely preferred do get violated. How common rules are is read off the data, for each shape of clauses (so many
literals, so many of them positive) by itself, because rules of one kind come in numbers; it decides how many violations
must have been expected before a clause counts as a rule.

Mislabelled positives are told by breaking many of the clauses that nearly all others respect, as infeasible negatives
do; they take no part in the mining.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hassle.learners.cuts.tallies import Block, false_literals, tallies
from hassle.logic import Clause, Constraint
from hassle.solve.implication import irredundant

# A clause is taken as hard if that is at least so probable; clauses with fewer expected violations are not looked at.
CERTAINTY = 0.95
LEAST_EXPECTED = 2.0
ITERATIONS = 30
# In the search for mislabelled positives: a clause is respected if it has at most so small a part of the expected
# violations, and a positive is suspect if it breaks at least so many of them.
RESPECTED = 0.15
FEWEST_BROKEN = 3
EXPECTED_RESPECTED = 12.0


@dataclass(frozen=True)
class Rules:
    """Hard clauses, and which positives broke too many rules to be believed."""

    clauses: tuple[Clause, ...]
    suspect: NDArray[np.bool_]

    def irredundant(self, variables: int, checkpoint: Callable[[], None]) -> Rules:
        """The same rules, none implied by the others; this takes a SAT solver, and may take longer than the mining."""
        kept = irredundant([Constraint(clause) for clause in self.clauses], variables, checkpoint=checkpoint)
        return replace(self, clauses=tuple(constraint.literals for constraint in kept))


def mine_rules(
    positives: NDArray[np.uint8], negatives: NDArray[np.uint8], max_literals: int, checkpoint: Callable[[], None]
) -> Rules:
    """The hard clauses of up to ``max_literals`` literals; ``checkpoint`` is called often and may raise to stop."""
    suspect = _suspects(positives, negatives, max_literals, checkpoint)
    found = _unviolated(positives[~suspect], max_literals, checkpoint) if len(positives) else []
    return Rules(tuple(found), suspect)


def _suspects(
    positives: NDArray[np.uint8], negatives: NDArray[np.uint8], max_literals: int, checkpoint: Callable[[], None]
) -> NDArray[np.bool_]:
    """Positives that look like infeasible negatives: they break many clauses that nearly all positives respect."""
    respected = _respected(positives, 2, checkpoint) or _respected(positives, max_literals, checkpoint)
    broken = _broken(respected, positives)
    among_negatives = _broken(respected, negatives)
    typical = np.median(among_negatives[among_negatives > 0]) if (among_negatives > 0).any() else np.inf
    return np.asarray(broken >= max(FEWEST_BROKEN, typical / 3))


def _broken(clauses: Sequence[Clause], rows: NDArray[np.uint8]) -> NDArray[np.int64]:
    """For each row: how many of the clauses it violates."""
    result = np.zeros(len(rows), dtype=np.int64)
    for clause in clauses:
        result += ~Constraint(clause).held_by(rows)
    return result


def _respected(positives: NDArray[np.uint8], max_literals: int, checkpoint: Callable[[], None]) -> list[Clause]:
    found = []
    for block, expected in _expectations(positives, max_literals, checkpoint):
        rare = (expected > EXPECTED_RESPECTED) & (block.counts < RESPECTED * expected)
        found += [block.clause(int(place)) for place in np.flatnonzero(rare)]
    return found


def _unviolated(positives: NDArray[np.uint8], max_literals: int, checkpoint: Callable[[], None]) -> list[Clause]:
    """Clauses without violations that are more likely rules than spared by chance, clause shape by clause shape."""
    unviolated: dict[tuple[int, int], list[tuple[float, Clause]]] = {}
    telling: dict[tuple[int, int], int] = {}
    for block, expected in _expectations(positives, max_literals, checkpoint):
        for positive in range(max_literals + 1):
            # Fewer expected violations than this say nothing either way.
            told = (block.positive_literals == positive) & (expected >= LEAST_EXPECTED)
            shape = (block.length, positive)
            telling[shape] = telling.get(shape, 0) + int(told.sum())
            unviolated.setdefault(shape, []).extend(
                (float(expected[place]), block.clause(place))
                for place in np.flatnonzero(told & (block.counts == 0)).tolist()
            )
    return [clause for shape, found in unviolated.items() for clause in believed(found, telling[shape])]


def believed(unviolated: list[tuple[float, Clause]], clauses: int) -> list[Clause]:
    """Those that are rules with near certainty; the share of rules among ``clauses`` clauses is found by iteration."""
    spared = np.exp(-np.array([expected for expected, _ in unviolated]))
    share = 0.01
    for _ in range(ITERATIONS):
        rule = share / (share + (1 - share) * spared)
        share = min(0.5, float(rule.sum()) / max(1, clauses))
    return [clause for (_, clause), sure in zip(unviolated, rule.tolist(), strict=True) if sure > CERTAINTY]


def _expectations(
    positives: NDArray[np.uint8], max_literals: int, checkpoint: Callable[[], None]
) -> Iterator[tuple[Block, NDArray[np.float32]]]:
    """Blocks of counted violations with the number that chance expects."""
    false = false_literals(positives)
    marginals = false.mean(axis=0) if len(false) else np.zeros(false.shape[1], dtype=np.float32)
    for block in tallies(false, np.ones(len(false), dtype=np.float32), max_literals):
        checkpoint()
        yield block, len(false) * block.product(marginals)
