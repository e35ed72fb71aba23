"""Exact scores of changed models, without solving anything anew.

A candidate model is kept as losses: the loss of a completion is the sum, over the clauses it leaves uncovered, of their
costs, where a soft clause costs its weight and a hard clause costs `hard`, more than all soft clauses together. So a
completion is feasible iff its loss is below `hard`, and optimal in its context iff, besides, no loss there is smaller.

Why a neighbour is cheap. A clause covers a point iff one of its literals is true there, so the least loss among the
points that a clause covers is the least of its literals' minima, `m[l, c]` being the least loss in context c where
literal l is true. Take clause j out of the model and put a clause D of cost d in: then the best loss in context c is

    min( min over the literals l of D of m_without_j[l, c],  best_without_j[c] + d )

for if D covers the best point, the first term is its loss, and if not, it costs d more. And clause j only matters in
the subcube of points that it leaves uncovered: `m_without_j[l, c]` is the lesser of `m[l, c]` and the least loss where
l is true in that subcube, minus the cost of j. The minima of a subcube take one pass over it for all literals together
(`find_minima`), and stay valid until a move changes losses inside it. So points are visited once in a while for a
clause and never for a neighbour, which costs a few short passes over contexts and examples, all vectorised: int32
throughout, no branches, loops from 0 over slices.

`benchmarks/sls.py` measures it. Tried and rejected: gathering a subcube's points one by one (slower than masking the
others in a block), and a whole search in one kernel (compiling it took longer than most searches).

Literal 2v is "variable v is false", 2v+1 "variable v is true". The points of a context are all the words over its free
variables; those that its general part or the domain rules out are `blocked`.

Slow twins: tests/naive.py, for every neighbour and after any moves (tests/test_sls_scoring.py).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.kernels.bundle import Bundle
from hassle.kernels.codes import NO_CLAUSE, NO_LITERAL, TRUE
from hassle.kernels.compiled import kernel, part
from hassle.kernels.coverage import Places, find_uncovered
from hassle.kernels.moves import changed_cost, changed_sign

NOWHERE = np.int32(2**31 - 1)  # minimum over no points at all
BLOCKED = np.int32(2**30)  # loss of a point that the context itself or the domain rules out
MOST_CLAUSES = 1000  # keeps BLOCKED + clauses * hard, hard = 1000 * clauses, within int32


@dataclass(frozen=True, eq=False)
class Problem(Bundle):
    """What the data fixes. Point p of context c is at offsets[c] + p."""

    places: NDArray[np.int16]
    settled: Places
    free: NDArray[np.int32]  # [c, b] is the variable of bit b
    offsets: NDArray[np.int64]
    blocked: NDArray[np.int64]
    assignments: NDArray[np.uint8]
    falsehoods: NDArray[np.int32]  # [l, e] is -1 where example e makes literal l false, else 0
    context_of: NDArray[np.uint32]
    point_of: NDArray[np.int64]
    positive: NDArray[np.bool_]
    errors: NDArray[np.int64]  # the bits of `kernels.moves`
    hard: np.int32


@dataclass(frozen=True, eq=False)
class Candidate(Bundle):
    """The candidate model: its clauses, and one row more in `signs`, empty, whose subcube is everything."""

    signs: NDArray[np.int8]
    costs: NDArray[np.int32]
    losses: NDArray[np.int32]
    example_losses: NDArray[np.int32]
    minima: NDArray[np.int32]  # [j, l, c]: the least loss where clause j is uncovered and l true in context c
    least: NDArray[np.int32]  # [j, c]: the least of all where it is uncovered
    stale: NDArray[np.bool_]  # [j, c]: whether both are out of date


@dataclass(frozen=True, eq=False)
class Rest(Bundle):
    """The candidate without one clause, and room to work in."""

    minima: NDArray[np.int32]
    best: NDArray[np.int32]
    example_losses: NDArray[np.int32]
    row: NDArray[np.int32]
    charges: NDArray[np.int32]
    literals: NDArray[np.int32]
    signs: NDArray[np.int8]
    numbers: NDArray[np.int32]
    left: NDArray[np.int16]
    masks: NDArray[np.int32]
    values: NDArray[np.int32]
    buffer: NDArray[np.int32]


@part
def list_literals(signs_of_clause, literals):
    """Write the literals of a clause, given by a sign per variable, to `literals`; return how many they are."""
    count = 0
    for variable in range(signs_of_clause.size):
        sign = signs_of_clause[variable]
        if sign != 0:
            literals[count] = 2 * variable + (sign > 0)
            count += 1
    return count


@part
def find_uncovered_words(problem, signs_of_clause, rest):
    """Find for every context the words that a clause leaves uncovered (`kernels.coverage`)."""
    count = 0
    for variable in range(signs_of_clause.size):
        sign = signs_of_clause[variable]
        if sign != 0:
            rest.numbers[count] = (variable + 1) * sign
            count += 1
    rest.numbers[count] = 0
    find_uncovered(problem.settled, rest.numbers, np.int32(1), rest.left, rest.masks, rest.values)


@part
def uncovered_block(rest, context, size):
    """The words, of `size`, of a context that were found uncovered, as (start, size, mask, value).

    They are the words of the block [start, start + size) with word & mask == value; size is 0 if there are none.
    """
    mask, value = np.int64(rest.masks[context]), np.int64(rest.values[context])
    start = np.int64(0)
    if rest.left[context] <= 0:
        return start, np.int64(0), mask, value
    half = size >> 1
    while mask & half:
        start += value & half
        size = half
        half >>= 1
    return start, size, mask & (size - 1), value & (size - 1)


@part
def copy_subcube(block, mask, value, buffer):
    """Copy a block of losses to `buffer`, with NOWHERE for its words outside the subcube w & mask == value."""
    mask = np.int32(mask)
    value = np.int32(value)
    for i in range(block.size):
        loss = block[i]
        inside = np.int32(np.int32(i) & mask) == value
        buffer[i] = loss if inside else NOWHERE


@part
def add_to_subcube(block, mask, value, amount):
    """Add `amount` to the losses of the words of a block that are in the subcube w & mask == value."""
    mask = np.int32(mask)
    value = np.int32(value)
    for i in range(block.size):
        inside = np.int32(np.int32(i) & mask) == value
        block[i] = np.int32(block[i] + (amount if inside else np.int32(0)))


@part
def fold_half(low, high):
    """Minima of two halves of a cube; leaves their pointwise minimum in `low`."""
    least_low = NOWHERE
    least_high = NOWHERE
    for i in range(low.size):
        a = low[i]
        b = high[i]
        least_low = min(least_low, a)
        least_high = min(least_high, b)
        low[i] = min(a, b)
    return least_low, least_high


@part
def find_minima(block, mask, value, free, buffer, minima, context):
    """Write the minima of the literals of the bits in the block that are not in `mask`; return the least loss.

    Top bit first: the two halves of the cube give the minima of that bit's two literals, and the pointwise minimum
    of the halves is the cube of the bits below. At a bit in the mask, the half where it has its value is the cube.
    """
    copy_subcube(block, mask, value, buffer)
    size = block.size
    at = 0  # the cube is buffer[at : at + size]
    bit = 0
    while 2 << bit <= size:
        bit += 1
    while size > 1:
        size >>= 1
        bit -= 1
        if mask >> bit & 1:
            at += value & size
        else:
            least_low, least_high = fold_half(buffer[at : at + size], buffer[at + size : at + 2 * size])
            minima[2 * free[bit], context] = least_low
            minima[2 * free[bit] + 1, context] = least_high
    return buffer[at]


@kernel
def update_minima(problem, candidate, rest, wanted, stop):
    """Bring the minima of the wanted clauses up to date where they are stale; False if `stop` was raised meanwhile."""
    for clause in range(wanted.size):
        if not wanted[clause]:
            continue
        if stop[0]:
            return False
        minima, least, stale = candidate.minima[clause], candidate.least[clause], candidate.stale[clause]
        find_uncovered_words(problem, candidate.signs[clause], rest)
        for context in range(stale.size):
            if not stale[context]:
                continue
            stale[context] = False
            places = problem.places[context]
            first = problem.offsets[context]
            start, size, mask, value = uncovered_block(rest, context, problem.offsets[context + 1] - first)
            lowest = NOWHERE
            if size > 0:
                block = candidate.losses[first + start : first + start + size]
                lowest = find_minima(block, mask, value, problem.free[context], rest.buffer, minima, context)
            least[context] = lowest
            for variable in range(places.size):  # those that have one value all over the subcube
                place = places[variable]
                sign = candidate.signs[clause, variable]
                if place < 0 or sign != 0 or size == 0:
                    value_there = (sign < 0) if place >= 0 else (place == TRUE)
                    minima[2 * variable, context] = NOWHERE if value_there else lowest
                    minima[2 * variable + 1, context] = lowest if value_there else NOWHERE
    return True


@part
def charge_uncovered(falsehoods, literals, cost, charges):
    """Write what a clause of these literals costs each example: `cost` where it is uncovered, else 0."""
    for e in range(charges.size):
        charges[e] = cost
    for literal in literals:
        falsehood = falsehoods[literal]
        for e in range(charges.size):
            charges[e] &= falsehood[e]


@part
def take_out(problem, candidate, rest, clause):
    """Fill `rest` with the minima, best and example losses of the candidate without one clause.

    The minima of that clause and of everything must be up to date.
    """
    literals = rest.literals[: list_literals(candidate.signs[clause], rest.literals)]
    cost = candidate.costs[clause]
    everything = candidate.costs.size
    for literal in range(rest.minima.shape[0]):
        target = rest.minima[literal]
        whole = candidate.minima[everything, literal]
        inner = candidate.minima[clause, literal]
        for c in range(target.size):
            target[c] = min(whole[c], np.int32(inner[c] - cost))
    for c in range(rest.best.size):
        rest.best[c] = min(candidate.least[everything, c], np.int32(candidate.least[clause, c] - cost))
    charge_uncovered(problem.falsehoods, literals, cost, rest.charges)
    for e in range(rest.charges.size):
        rest.example_losses[e] = np.int32(candidate.example_losses[e] - rest.charges[e])


@part
def score_with(problem, rest, literals, cost):
    """Score of the model in `rest` with a clause of these literals and this cost put in."""
    best = rest.row
    for c in range(best.size):
        best[c] = np.int32(rest.best[c] + cost)
    for literal in literals:
        minima = rest.minima[literal]
        for c in range(best.size):
            best[c] = min(best[c], minima[c])
    charges = rest.charges
    charge_uncovered(problem.falsehoods, literals, cost, charges)
    correct = np.int32(0)
    for e in range(charges.size):
        loss = np.int32(rest.example_losses[e] + charges[e])
        optimal = (loss == best[problem.context_of[e]]) & (loss < problem.hard)
        correct = np.int32(correct + (optimal == problem.positive[e]))
    return correct


@part
def write_changed_signs(signs_of_clause, move, target):
    """Write the signs of a clause as they are after a move (clause, kind, literal)."""
    for variable in range(target.size):
        target[variable] = signs_of_clause[variable]
    if move[2] != NO_LITERAL:
        target[move[2] >> 1] = changed_sign(move[1], move[2])


@kernel
def score_moves(problem, candidate, rest, moves, example, scores, fixes, stop):
    """Score the moves, those of one clause side by side, into `scores`; False if `stop` was raised meanwhile.

    `fixes` tells for each move whether the example is classified correctly after it. Minima must be up to date.
    """
    context = problem.context_of[example]
    clause = NO_CLAUSE
    for i in range(scores.size):
        move = moves[i]
        if move[0] != clause:
            if stop[0]:
                return False
            clause = move[0]
            take_out(problem, candidate, rest, clause)
        write_changed_signs(candidate.signs[clause], move, rest.signs)
        literals = rest.literals[: list_literals(rest.signs, rest.literals)]
        scores[i] = score_with(problem, rest, literals, changed_cost(candidate.costs[clause], move[1], problem.hard))
        loss = rest.example_losses[example] + rest.charges[example]  # left there by score_with, as is the row
        optimal = loss == rest.row[context] and loss < problem.hard
        fixes[i] = optimal == problem.positive[example]
    return True


@part
def disjoint(signs_of_one, signs_of_other):
    """True if no point is uncovered by both clauses, because they have opposite literals."""
    for variable in range(signs_of_one.size):  # noqa: SIM110 - compiles to a loop; any() does not
        if signs_of_one[variable] * signs_of_other[variable] < 0:
            return True
    return False


@part
def charge_clause(problem, candidate, rest, clause, cost):
    """Add `cost` to the losses of all points that the clause leaves uncovered; mark the minima this may change."""
    find_uncovered_words(problem, candidate.signs[clause], rest)
    charged = rest.row
    for context in range(charged.size):
        first = problem.offsets[context]
        width = problem.offsets[context + 1] - first
        start, size, mask, value = uncovered_block(rest, context, width)
        add_to_subcube(candidate.losses[first + start : first + start + size], mask, value, cost)
        charged[context] = size > 0
    for other in range(candidate.stale.shape[0]):
        if not disjoint(candidate.signs[clause], candidate.signs[other]):
            stale = candidate.stale[other]
            for context in range(charged.size):
                stale[context] |= charged[context] != 0


@kernel
def replace_clause(problem, candidate, rest, clause, signs, cost):
    """Put a clause of these signs and this cost in the place of another; only minima are left for later."""
    for sign in (-1, 1):  # once as it is, to take its cost off, once as it will be
        if sign > 0:
            for variable in range(signs.size):
                candidate.signs[clause, variable] = signs[variable]
            candidate.costs[clause] = cost
        charge_clause(problem, candidate, rest, clause, np.int32(sign * candidate.costs[clause]))
    for context in range(candidate.stale.shape[1]):
        candidate.stale[clause, context] = True
    for e in range(problem.point_of.size):
        candidate.example_losses[e] = candidate.losses[problem.point_of[e]]
