"""Losses of all completions of a context: the kernels behind table solving.

The loss of a completion is the weight of the soft constraints it leaves uncovered, so its value is the sum of all
weights less its loss, and the best completions have the least loss. Completions that break a hard constraint have loss
INFEASIBLE_LOSS. Over a full cube, the completions that a clause leaves uncovered are a subcube: a clause with j free
literals costs `2^(k-j)` steps among `2^k` completions, and nothing where the context already satisfies it. A count, or
a table that is no cube, costs a step for each completion.

Constraint j asks for `needs[j]` of `literals[starts[j]:starts[j + 1]]`, DIMACS-style; soft ones come first, as many as
there are `weights`, then the hard ones.

Slow twins: `optima` and `value` in tests/naive.py (tests/test_solve.py).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.kernels.bundle import Bundle
from hassle.kernels.codes import INFEASIBLE_LOSS
from hassle.kernels.compiled import kernel, least_of, part
from hassle.kernels.coverage import bits_in, find_uncovered


@dataclass(frozen=True, eq=False)
class Constraints(Bundle):
    """A model."""

    starts: NDArray[np.int64]
    literals: NDArray[np.int32]
    needs: NDArray[np.int32]
    weights: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Listed(Bundle):
    """The tables of `tables.completions.Tables`."""

    words: NDArray[np.int32]
    starts: NDArray[np.int64]
    offsets: NDArray[np.int64]
    full: NDArray[np.bool_]


@part
def charge_subcube(losses, mask, value, cost):
    """Add the cost of a soft constraint, or of a hard one, to the words of a full cube with word & mask == value."""
    others = np.int64(losses.size - 1) & ~np.int64(mask)
    step = np.int64(0)
    while True:
        if cost == INFEASIBLE_LOSS:
            losses[value | step] = INFEASIBLE_LOSS
        else:
            losses[value | step] += cost
        step = (step - others) & others
        if step == 0:
            break


@part
def charge_listed(losses, words, mask, value, left, cost):
    """The same for the words of a list in which fewer than `left` bits of (word ^ value) & mask are 1."""
    for i in range(losses.size):
        if bits_in(np.int32((words[i] ^ value) & mask)) < left:
            losses[i] = INFEASIBLE_LOSS if cost == INFEASIBLE_LOSS else losses[i] + cost


@part
def find_tests(places, constraints, tests):
    """The tests of all constraints: row j of `tests` is about constraint j."""
    for j in range(constraints.needs.size):
        literals = constraints.literals[constraints.starts[j] : constraints.starts[j + 1]]
        find_uncovered(places, literals, constraints.needs[j], tests.left[j], tests.masks[j], tests.values[j])


@part
def charge_all(constraints, tests, listed, t, losses):
    """Write the losses of table t."""
    for i in range(losses.size):
        losses[i] = 0
    words = listed.words[listed.starts[t] : listed.starts[t] + losses.size]
    for j in range(constraints.needs.size):
        cost = constraints.weights[j] if j < constraints.weights.size else np.int64(INFEASIBLE_LOSS)
        left, mask, value = tests.left[j, t], tests.masks[j, t], tests.values[j, t]
        if left == 1 and listed.full[t]:
            charge_subcube(losses, mask, value, cost)
        elif left > 0:
            charge_listed(losses, words, mask, value, left, cost)


@kernel
def least_losses(places, listed, constraints, tests, losses, least):
    """Write each context's least loss to `least` (INFEASIBLE_LOSS where no completion is feasible, or there is none).

    `losses` has room for those of all tables, and then they are kept there, or for those of any one of them; then those
    of the last are.
    """
    find_tests(places, constraints, tests)
    keeps_all = losses.size >= listed.offsets[least.size]
    for t in range(least.size):
        start = listed.offsets[t] if keeps_all else np.int64(0)
        own = losses[start : start + listed.offsets[t + 1] - listed.offsets[t]]
        charge_all(constraints, tests, listed, t, own)
        least[t] = least_of(own) if own.size else INFEASIBLE_LOSS


@kernel
def losses_of(assignments, constraints, losses):
    """Write the loss of each full assignment (a row of 0 and 1) to `losses`."""
    for k in range(assignments.shape[0]):
        loss = np.int64(0)
        for j in range(constraints.needs.size):
            left = constraints.needs[j]
            for at in range(constraints.starts[j], constraints.starts[j + 1]):
                lit = constraints.literals[at]
                if (assignments[k, abs(lit) - 1] == 1) == (lit > 0):
                    left -= 1
                    if left <= 0:
                        break
            if left > 0:
                if j >= constraints.weights.size:
                    loss = INFEASIBLE_LOSS
                    break
                loss += constraints.weights[j]
        losses[k] = loss


@kernel
def pick_ranked(losses, least, ranks, places):
    """Write the places of the losses equal to the least that have these (ascending) ranks among them."""
    seen = np.int64(0)
    found = 0
    for i in range(losses.size):
        if losses[i] == least:
            if seen == ranks[found]:
                places[found] = i
                found += 1
                if found == ranks.size:
                    return
            seen += 1
