"""Exact scores of changed models, without solving anything anew.

A candidate model is kept as losses: the loss of a completion is the sum, over the clauses it leaves uncovered, of their
costs, where a soft clause costs its weight and a hard clause costs `hard`, more than all soft clauses together. So
a completion is feasible iff its loss is below `hard`, and optimal in its context iff besides no completion has a smaller loss.

Why a neighbour is cheap. A clause covers a point iff one of its literals is true there, so the smallest loss among
the points that a clause covers is the smallest of its literals' minima: `minima[l, c]` = smallest loss in context c among the
points where literal l is true. If clause j is taken out and a clause D of cost d put in its place, the best loss in context c is

    min( min over literals l of D of minima_without_j[l, c],  best_without_j[c] + d )

(if the best point is covered by D the first term is it; if not, it costs d more). Taking clause j out lowers the losses in a subcube only,
the points that falsify each of its literals, hence `minima_without_j[l, c]` is the smaller of `minima[l, c]` and the
minimum of that subcube where l is true, less the cost of j. All minima of a subcube together take one pass over it (`fold_minima`).
So the points are visited once per clause and not once per neighbour, and a neighbour costs a few passes over contexts and examples.

Literal 2v is "variable v is false", 2v+1 "variable v is true". Points are laid out as in `kernels.table`: the points of context c
are the words 0..2^k-1 over its k free variables. All arithmetic on losses is int32, and loops run over slices from 0, so
that they vectorise.

Invariant between calls: `losses`, `minima`, `best` and `example_losses` belong to the clauses in `signs` and `costs`.
"""

from collections import namedtuple

import numpy as np
from numba import njit

NOWHERE = np.int32(2**31 - 1)  # minimum over no points at all
BLOCKED = np.int32(2**30)  # loss of a point that the context itself rules out
MOST_CLAUSES = 1000  # keeps BLOCKED + clauses * hard, hard = 1000 * clauses, within int32

# What the data fixes. falsehoods[l, e] is -1 where example e makes literal l false, else 0.
Problem = namedtuple(
    "Problem",
    "places free offsets blocked falsehoods context_of point_of positive hard",
)

# The candidate model and what is kept up to date for it.
Candidate = namedtuple("Candidate", "signs costs losses minima best example_losses")

# The same quantities with one clause taken out, and room to work in.
Rest = namedtuple("Rest", "minima best example_losses buffer row charges literals")


@njit(cache=True, nogil=True)
def list_literals(signs_of_clause, literals):
    """Write the literals of a clause, given by a sign per variable, to `literals`; return how many they are."""
    count = 0
    for variable in range(signs_of_clause.size):
        sign = signs_of_clause[variable]
        if sign != 0:
            literals[count] = 2 * variable + (sign > 0)
            count += 1
    return count


@njit(cache=True, nogil=True)
def uncovered_subcube(places, literals):
    """The local words in which every literal is false: (is there any, mask of the bits they share, the values of those bits)."""
    mask = np.int64(0)
    value = np.int64(0)
    for literal in literals:
        place = places[literal >> 1]
        wanted = literal & 1
        if place >= 0:
            mask |= np.int64(1) << place
            value |= np.int64(1 - wanted) << place
        elif place == -1 - wanted:  # fixed to the value that makes the literal true
            return False, mask, value
    return True, mask, value


@njit(cache=True, nogil=True)
def enclosing_block(size, mask, value):
    """The smallest aligned block of words that holds the subcube w & mask == value: (start, size)."""
    start = np.int64(0)
    half = size >> 1
    while mask & half:
        start += value & half
        size = half
        half >>= 1
    return start, size


@njit(cache=True, nogil=True)
def copy_subcube(block, mask, value, buffer):
    """Copy a block of losses to `buffer`, with NOWHERE for its words outside the subcube w & mask == value.

    Visiting all words of the block without a branch vectorises, and is faster than gathering those inside.
    """
    mask = np.int32(mask & (block.size - 1))
    value = np.int32(value & (block.size - 1))
    for i in range(block.size):
        loss = block[i]
        inside = np.int32(np.int32(i) & mask) == value
        buffer[i] = loss if inside else NOWHERE


@njit(cache=True, nogil=True)
def add_to_subcube(block, mask, value, amount):
    """Add `amount` to the losses of the words of a block that are in the subcube w & mask == value."""
    mask = np.int32(mask & (block.size - 1))
    value = np.int32(value & (block.size - 1))
    for i in range(block.size):
        inside = np.int32(np.int32(i) & mask) == value
        block[i] = np.int32(block[i] + (amount if inside else np.int32(0)))


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def lower_minima(places, free, losses, mask, value, less, minima, best, context, buffer):
    """Lower the context's minima and best by the losses, each `less` less, of the subcube w & mask == value.

    Top bit first: the two halves of the cube give the minima of that bit's two literals, and the pointwise minimum
    of the halves is the cube of the bits below. At a bit that is fixed the half where it has its value is the cube.
    """
    start, size = enclosing_block(losses.size, mask, value)
    copy_subcube(losses[start : start + size], mask, value, buffer)
    at = 0  # the cube is buffer[at : at + size]
    bit = 0
    while 1 << (bit + 1) <= size:
        bit += 1
    while size > 1:
        size >>= 1
        bit -= 1
        if mask >> bit & 1:
            at += value & size
            continue
        least_low, least_high = fold_half(buffer[at : at + size], buffer[at + size : at + 2 * size])
        literal = 2 * free[bit]
        minima[literal, context] = min(minima[literal, context], np.int32(least_low - less))
        minima[literal + 1, context] = min(minima[literal + 1, context], np.int32(least_high - less))
    least = np.int32(buffer[at] - less)
    for variable in range(places.size):
        place = places[variable]
        if place < 0:
            literal = 2 * variable - 1 - place
            minima[literal, context] = min(minima[literal, context], least)
        elif mask >> place & 1:
            literal = 2 * variable + (value >> place & 1)
            minima[literal, context] = min(minima[literal, context], least)
    best[context] = min(best[context], least)


@njit(cache=True, nogil=True)
def refresh_context(problem, candidate, rest, context):
    """Compute the context's minima and best from its losses."""
    for literal in range(candidate.minima.shape[0]):
        candidate.minima[literal, context] = NOWHERE
    candidate.best[context] = NOWHERE
    lower_minima(
        problem.places[context],
        problem.free[context],
        candidate.losses[problem.offsets[context] : problem.offsets[context + 1]],
        np.int64(0),
        np.int64(0),
        np.int32(0),
        candidate.minima,
        candidate.best,
        context,
        rest.buffer,
    )


@njit(cache=True, nogil=True)
def add_clause(losses, mask, value, cost):
    """Add the cost of a clause to the losses of a context, given the subcube it leaves uncovered."""
    start, size = enclosing_block(losses.size, mask, value)
    add_to_subcube(losses[start : start + size], mask, value, cost)


@njit(cache=True, nogil=True)
def copy_example_losses(problem, candidate):
    for e in range(problem.point_of.size):
        candidate.example_losses[e] = candidate.losses[problem.point_of[e]]


@njit(cache=True, nogil=True)
def rebuild(problem, candidate, rest):
    """Bring all that is kept for a candidate up to date with its signs and costs, from nothing."""
    for i in range(candidate.losses.size):
        candidate.losses[i] = 0
    for i in range(problem.blocked.size):
        candidate.losses[problem.blocked[i]] = BLOCKED
    for j in range(candidate.costs.size):
        literals = rest.literals[: list_literals(candidate.signs[j], rest.literals)]
        for context in range(problem.places.shape[0]):
            some, mask, value = uncovered_subcube(problem.places[context], literals)
            if some:
                losses = candidate.losses[problem.offsets[context] : problem.offsets[context + 1]]
                add_clause(losses, mask, value, candidate.costs[j])
    for context in range(problem.places.shape[0]):
        refresh_context(problem, candidate, rest, context)
    copy_example_losses(problem, candidate)


@njit(cache=True, nogil=True)
def charge_uncovered(falsehoods, literals, cost, charges):
    """Write what a clause of these literals costs each example: `cost` where it is uncovered, else 0."""
    for e in range(charges.size):
        charges[e] = cost
    for literal in literals:
        falsehood = falsehoods[literal]
        for e in range(charges.size):
            charges[e] &= falsehood[e]


@njit(cache=True, nogil=True)
def take_out(problem, candidate, rest, clause):
    """Fill `rest` with the minima, best and example losses of the candidate without one clause."""
    for literal in range(candidate.minima.shape[0]):
        source = candidate.minima[literal]
        target = rest.minima[literal]
        for c in range(source.size):
            target[c] = source[c]
    for c in range(rest.best.size):
        rest.best[c] = candidate.best[c]
    cost = candidate.costs[clause]
    literals = rest.literals[: list_literals(candidate.signs[clause], rest.literals)]
    for context in range(problem.places.shape[0]):
        places = problem.places[context]
        some, mask, value = uncovered_subcube(places, literals)
        if some:
            losses = candidate.losses[problem.offsets[context] : problem.offsets[context + 1]]
            free = problem.free[context]
            lower_minima(places, free, losses, mask, value, cost, rest.minima, rest.best, context, rest.buffer)
    charge_uncovered(problem.falsehoods, literals, cost, rest.charges)
    for e in range(rest.charges.size):
        rest.example_losses[e] = np.int32(candidate.example_losses[e] - rest.charges[e])


@njit(cache=True, nogil=True)
def count_correct(example_losses, charges, best, context_of, positive, hard):
    """Number of examples whose verdict agrees with their label, given the best loss per context."""
    correct = np.int32(0)
    for e in range(charges.size):
        loss = np.int32(example_losses[e] + charges[e])
        optimal = (loss == best[context_of[e]]) & (loss < hard)
        correct = np.int32(correct + (optimal == positive[e]))
    return correct


@njit(cache=True, nogil=True)
def score_with(problem, rest, literals, cost):
    """Score of the model in `rest` with a clause of these literals and this cost put in."""
    best = rest.row
    for c in range(best.size):
        best[c] = np.int32(rest.best[c] + cost)
    for literal in literals:
        minima = rest.minima[literal]
        for c in range(best.size):
            best[c] = min(best[c], minima[c])
    charge_uncovered(problem.falsehoods, literals, cost, rest.charges)
    return count_correct(rest.example_losses, rest.charges, best, problem.context_of, problem.positive, problem.hard)


@njit(cache=True, nogil=True)
def replace_clause(problem, candidate, rest, clause, new_signs, new_cost):
    """Put a clause in the place of another and bring all up to date; contexts that fix both true are not touched."""
    old_cost = candidate.costs[clause]
    old_count = list_literals(candidate.signs[clause], rest.literals)
    old_literals = rest.literals[:old_count]
    new_count = list_literals(new_signs, rest.literals[old_count:])
    new_literals = rest.literals[old_count : old_count + new_count]
    for context in range(problem.places.shape[0]):
        old_some, old_mask, old_value = uncovered_subcube(problem.places[context], old_literals)
        new_some, new_mask, new_value = uncovered_subcube(problem.places[context], new_literals)
        losses = candidate.losses[problem.offsets[context] : problem.offsets[context + 1]]
        if old_some:
            add_clause(losses, old_mask, old_value, np.int32(-old_cost))
        if new_some:
            add_clause(losses, new_mask, new_value, new_cost)
        if old_some or new_some:
            refresh_context(problem, candidate, rest, context)
    copy_example_losses(problem, candidate)
    for variable in range(new_signs.size):
        candidate.signs[clause, variable] = new_signs[variable]
    candidate.costs[clause] = new_cost
