"""Counting diagrams: the best assignments of weighted constraints, counted and ready to be drawn from, uniformly.

The constraints are taken apart top down, as model counters do (a decision-DNNF; Darwiche, "New advances in compiling
CNF", 2004). A part is a set of constraints that hang together. It branches on one of their variables; each branch is
what unit propagation then fixes, the variables that no constraint speaks of any more, and the independent parts into
which the remaining ones fall. Equal parts are taken apart once.

Counts stay counts: what is left of one is its open literals and how many of them are still needed, whichever were met,
so that parts soon are equal. (20 choices among three values with 13 counts and 30 wishes: 20 s. As clauses, over the
variables of an encoding, they were not done after a minute.)

Soft constraints take part in this with a cost for being violated, and every part knows its least cost and how many
assignments have it: a branch adds the costs of its parts and multiplies their numbers, a part keeps its cheapest
branches and adds theirs. So the optima are counted without encoding the weighted sum, and drawing branches in
proportion to their numbers draws every optimum with the same probability, exactly.

The variable to branch on is the one that a min-fill elimination order puts last: the clauses then soon fall apart, and
the number of parts is exponential only in how entangled the clauses are, not in the number of variables.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from hassle.errors import ResourceError
from hassle.logic import Clause, Constraint
from hassle.solve.optima_cnf import OptimaProblem

MOST_PARTS = 500_000
# Costs of violating a constraint are never 0, so 0 can mark one that must hold. (None could not: its hash differs from
# run to run in Python 3.11, and with it the order of a part's constraints and what a seed draws.)
_HARD = 0

Cost = int
Count = tuple[Clause, int]  # a constraint's literals and need, as a tuple because it is hashed all the time
Part = frozenset[tuple[Count, Cost]]


@dataclass(frozen=True, slots=True)
class Branch:
    """What a decision leads to: literals settled, variables free, parts still open, and what is lost for certain."""

    settled: frozenset[int]
    free: tuple[int, ...]
    parts: tuple[Part, ...]
    cost: int


@dataclass(frozen=True, slots=True)
class Best:
    """The cheapest branches of a part, their cost, and how many assignments each has."""

    cost: int
    branches: tuple[Branch, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Diagram:
    """The cheapest assignments of weighted constraints: ``count`` of them (0: none at all), each of cost ``cost``."""

    root: Branch | None
    parts: Mapping[Part, Best | None]
    cost: int
    count: int

    def count_where(self, literals: Iterable[int]) -> int:
        """How many of them make all these literals true: one pass over the diagram."""
        wanted = frozenset(literals)
        if self.root is None or any(-lit in wanted for lit in wanted):
            return 0
        counts: dict[Part, int] = {}
        for part, best in self.parts.items():  # inner parts come before those that hold them
            counts[part] = 0 if best is None else sum(_count_in(branch, wanted, counts) for branch in best.branches)
        return _count_in(self.root, wanted, counts)

    def draw(self, rng: np.random.Generator, variables: int) -> NDArray[np.uint8]:
        """One of them as the 0/1 values of the first ``variables`` variables, each with the same probability."""
        assert self.root is not None
        assert self.count
        bits = np.zeros(variables + 1, dtype=np.uint8)
        pending = [self.root]
        while pending:
            branch = pending.pop()
            for lit in branch.settled:
                if abs(lit) <= variables:
                    bits[abs(lit)] = lit > 0
            for v in branch.free:
                if v <= variables:
                    bits[v] = rng.integers(2)
            pending += [self._choose(part, rng) for part in branch.parts]
        return bits[1:]

    def _choose(self, part: Part, rng: np.random.Generator) -> Branch:
        best = self.parts[part]
        assert best is not None
        rank = below(sum(best.counts), rng)
        for branch, count in zip(best.branches, best.counts, strict=True):
            if rank < count:
                return branch
            rank -= count
        raise AssertionError(part)


def _count_in(branch: Branch, wanted: frozenset[int], counts: Mapping[Part, int]) -> int:
    """How many assignments of the branch make the wanted literals true, given these numbers for its parts."""
    if any(-lit in branch.settled for lit in wanted):
        return 0
    free = sum(v not in wanted and -v not in wanted for v in branch.free)
    return prod(counts[part] for part in branch.parts) << free


def below(bound: int, rng: np.random.Generator) -> int:
    """A uniform integer from 0 to bound - 1, of any size."""
    bits = (bound - 1).bit_length()
    while bits:
        number = int.from_bytes(rng.bytes((bits + 7) // 8), "little") & ((1 << bits) - 1)
        if number < bound:
            return number
    return 0


def diagram_of(problem: OptimaProblem, *, time_limit: float | None = None) -> Diagram:
    """The diagram of the problem's assignments; ResourceError where it grows too large or takes too long."""
    counts: dict[Count, Cost] = {}
    constant = 0
    for demand in problem.demands:
        for item in demand.items:
            count = _count(item.constraint)
            counts[count] = counts.get(count, 0) + (item.loss if item.wanted else -item.loss)
            constant += 0 if item.wanted else item.loss
    counts = {count: cost for count, cost in counts.items() if cost}
    counts.update(dict.fromkeys(map(_count, problem.constraints), _HARD))
    diagram = _taken_apart(counts, problem.variables, time_limit)
    # No assignment can beat the budgets together, and only those that meet each of them reach their sum.
    if diagram.cost + constant > sum(demand.budget for demand in problem.demands):
        return Diagram(None, {}, 0, 0)
    return diagram


def _count(constraint: Constraint) -> Count:
    return constraint.literals, constraint.need


def _taken_apart(counts: Mapping[Count, Cost], variables: int, time_limit: float | None) -> Diagram:
    deadline = None if time_limit is None else time.monotonic() + time_limit
    rank = {v: place for place, v in enumerate(elimination_order(literals for literals, _ in counts))}
    root = _branch(counts.items(), (), range(1, variables + 1))
    best: dict[Part, Best | None] = {}
    branches: dict[Part, list[Branch]] = {}
    pending = [] if root is None else list(root.parts)
    while pending:
        part = pending[-1]
        if part in best:
            pending.pop()
            continue
        if part not in branches:
            if len(best) >= MOST_PARTS or (deadline is not None and time.monotonic() > deadline):
                raise ResourceError(
                    f"the best assignments are too entangled to be drawn uniformly (stopped after {len(best)} parts); "
                    "allow more time or give a narrower context"
                )
            branches[part] = _split(part, rank)
        unknown = [inner for branch in branches[part] for inner in branch.parts if inner not in best]
        if unknown:
            pending += unknown
        else:
            best[part] = _best(branches.pop(part), best)
            pending.pop()
    found = None if root is None else _best([root], best)
    return Diagram(None, {}, 0, 0) if found is None else Diagram(root, best, found.cost, found.counts[0])


def _best(branches: Iterable[Branch], best: Mapping[Part, Best | None]) -> Best | None:
    """The cheapest of the branches; None where none has any assignment."""
    priced = []
    for branch in branches:
        inner = [best[part] for part in branch.parts]
        known = [part for part in inner if part is not None]
        if len(known) == len(inner):
            count = prod(sum(part.counts) for part in known) << len(branch.free)
            priced.append((branch.cost + sum(part.cost for part in known), branch, count))
    if not priced:
        return None
    least = min(cost for cost, _, _ in priced)
    kept = [(branch, count) for cost, branch, count in priced if cost == least]
    return Best(least, tuple(branch for branch, _ in kept), tuple(count for _, count in kept))


def _split(part: Part, rank: Mapping[int, int]) -> list[Branch]:
    variables = {abs(lit) for (literals, _), _ in part for lit in literals}
    chosen = max(variables, key=rank.__getitem__)
    both = (_branch(part, (lit,), variables) for lit in (-chosen, chosen))
    return [branch for branch in both if branch is not None]


def _branch(counts: Iterable[tuple[Count, Cost]], decided: tuple[int, ...], variables: Iterable[int]) -> Branch | None:
    """The constraints once the decided literals are true; None where they contradict."""
    true: set[int] = set(decided)
    left = list(counts)
    cost = 0
    while True:
        remaining, units, lost = _conditioned(left, true)
        if remaining is None:
            return None
        cost += lost
        left = remaining
        if not units:
            break
        true |= units
    merged = _merged(left)
    mentioned = {abs(lit) for literals, _ in merged for lit in literals}
    free = tuple(v for v in variables if v not in mentioned and v not in true and -v not in true)
    return Branch(frozenset(true), free, _connected(merged), cost)


def _conditioned(
    counts: list[tuple[Count, Cost]], true: set[int]
) -> tuple[list[tuple[Count, Cost]] | None, set[int], int]:
    """What the true literals leave of the constraints (None: a contradiction), hard units among it, and costs."""
    left: list[tuple[Count, Cost]] = []
    units: set[int] = set()
    lost = 0
    for (literals, need), cost in counts:
        if not true.isdisjoint(literals):
            need -= len(true.intersection(literals))
        if need <= 0:
            continue
        if any(lit in true or -lit in true for lit in literals):
            literals = tuple(lit for lit in literals if lit not in true and -lit not in true)
        if need > len(literals):
            if cost == _HARD:
                return None, units, 0
            lost += cost
        elif need == len(literals) and cost == _HARD:
            if any(-lit in units for lit in literals):
                return None, units, 0
            units.update(literals)
        else:
            left.append(((literals, need), cost))
    return left, units, lost


def _merged(counts: list[tuple[Count, Cost]]) -> dict[Count, Cost]:
    """Equal constraints as one; what must hold costs nothing besides, and costs that cancel out vanish."""
    hard = {count for count, cost in counts if cost == _HARD}
    soft: dict[Count, int] = {}
    for count, cost in counts:
        if count not in hard:
            soft[count] = soft.get(count, 0) + cost
    return {count: soft.get(count, _HARD) for count, _ in counts if count in hard or soft[count]}


def _connected(counts: Mapping[Count, Cost]) -> tuple[Part, ...]:
    """The constraints in groups that share no variables."""
    leader: dict[int, int] = {}

    def find(v: int) -> int:
        while leader[v] != v:
            leader[v] = leader[leader[v]]
            v = leader[v]
        return v

    for literals, _ in counts:
        first = abs(literals[0])
        leader.setdefault(first, first)
        for lit in literals[1:]:
            other = leader.setdefault(abs(lit), abs(lit))
            leader[find(other)] = find(first)
    groups: dict[int, list[tuple[Count, Cost]]] = {}
    for count, cost in counts.items():
        groups.setdefault(find(abs(count[0][0])), []).append((count, cost))
    return tuple(frozenset(group) for group in groups.values())


def elimination_order(clauses: Iterable[Clause]) -> list[int]:
    """Variables in the order of elimination that, step by step, adds the fewest links between their neighbours."""
    neighbours: dict[int, set[int]] = {}
    for clause in clauses:
        variables = {abs(lit) for lit in clause}
        for v in variables:
            neighbours.setdefault(v, set()).update(variables - {v})
    fill = {v: _fill(v, neighbours) for v in neighbours}
    order = []
    while fill:
        v = min(fill, key=lambda u: (fill[u], u))
        order.append(v)
        around = neighbours.pop(v)
        del fill[v]
        for u in around:
            neighbours[u] |= around - {u}
            neighbours[u].discard(v)
        for u in around.union(*(neighbours[w] for w in around)):
            fill[u] = _fill(u, neighbours)
    return order


def _fill(v: int, neighbours: Mapping[int, set[int]]) -> int:
    """How many pairs of neighbours of v are not linked."""
    around = neighbours[v]
    return sum(len(around - neighbours[u]) - 1 for u in around) // 2
