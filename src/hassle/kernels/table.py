"""Losses of all completions of a context: the kernels behind table solving.

The loss of a completion is the weight of the soft clauses it leaves uncovered, so its value is the sum of all weights
less its loss, and the best completions have the least loss. Completions that break a hard clause have loss
``INFEASIBLE``. The completions a clause leaves uncovered form a subcube of the context's completions, so a clause with
j free literals costs ``2^(k-j)`` steps among ``2^k`` completions, and nothing where the context already satisfies it.

Layout: bit p of a completion's word is the context's p-th free variable; ``places[v]`` is that position, or ``FALSE``
or ``TRUE`` for a variable that the context fixes. Clauses are ``literals[starts[j]:starts[j + 1]]``, DIMACS-style; soft
clauses come first, as many as there are ``weights``, then the hard ones.
"""

import numpy as np

from hassle.kernels.compiled import kernel, least_of, part

FALSE = -1
TRUE = -2
INFEASIBLE = np.iinfo(np.int64).max


@part
def uncovered(places, clause):
    """The completions that the clause leaves uncovered: whether there are any, their fixed bits, those bits' values."""
    mask = np.int64(0)
    value = np.int64(0)
    for lit in clause:
        place = places[abs(lit) - 1]
        if place >= 0:
            bit = np.int64(1) << np.int64(place)
            mask |= bit
            if lit < 0:
                value |= bit
        elif (place == TRUE) == (lit > 0):
            return False, mask, value
    return True, mask, value


@kernel
def fill_losses(places, starts, literals, weights, losses):
    """Write the loss of every completion to ``losses``, one entry for each of the ``2^k`` words."""
    losses[:] = 0
    everything = np.int64(losses.size - 1)
    for j in range(starts.size - 1):
        some, mask, value = uncovered(places, literals[starts[j] : starts[j + 1]])
        if not some:
            continue
        others = everything & ~mask
        step = np.int64(0)
        while True:
            if j < weights.size:
                losses[value | step] += weights[j]
            else:
                losses[value | step] = INFEASIBLE
            step = (step - others) & others
            if step == 0:
                break


@kernel
def least_losses(places, free_counts, starts, literals, weights, scratch, least):
    """Write each context's least loss to ``least`` (``INFEASIBLE`` where no completion is feasible).

    ``scratch`` has room for the losses of any of them.
    """
    for c in range(places.shape[0]):
        losses = scratch[: np.int64(1) << np.int64(free_counts[c])]
        fill_losses(places[c], starts, literals, weights, losses)
        least[c] = least_of(losses)


@kernel
def losses_of(assignments, starts, literals, weights, losses):
    """Write the loss of each full assignment (a row of 0 and 1) to ``losses``."""
    for k in range(assignments.shape[0]):
        loss = np.int64(0)
        for j in range(starts.size - 1):
            covered = False
            for lit in literals[starts[j] : starts[j + 1]]:
                if (assignments[k, abs(lit) - 1] == 1) == (lit > 0):
                    covered = True
                    break
            if not covered:
                if j >= weights.size:
                    loss = INFEASIBLE
                    break
                loss += weights[j]
        losses[k] = loss


@kernel
def pick_ranked(losses, least, ranks, words):
    """Write the words of the completions with the least loss that have these (ascending) ranks among them."""
    seen = np.int64(0)
    found = 0
    for word in range(losses.size):
        if losses[word] == least:
            if seen == ranks[found]:
                words[found] = word
                found += 1
                if found == ranks.size:
                    return
            seen += 1
