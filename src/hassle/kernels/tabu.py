"""Tabu search for an assignment that breaks little weight (Glover 1989; for MaxSAT: Mazure, Saïs and Grégoire 1997).

Constraints need at least so many of their literals. They come by variable: ``rows[owned[v]:owned[v+1]]`` are those that
variable v occurs in, with ``signs``; and by constraint: ``vars_of[starts[i]:starts[i+1]]`` are the variables of
constraint i, with ``var_signs``. Slow twin: ``tests/naive_tabu.py``, which asks each variable anew at every step.

A step makes the best change that is not tabu, or one that beats everything so far. A change flips a variable, or, where
variables are the values of a choice (``choice_end[v] > choice_start[v]``), moves it to another value. What flipping a
variable would gain is kept for all of them, and a step changes it only for those that share a constraint which it
brings to its need, or from it. What other values of a choice would gain is seen once the present one is taken away.

Over 60 variables a step takes a fifth of what it takes to ask each variable anew, over 1,000 a twentieth.
"""

import numpy as np

from hassle.kernels.chance import below
from hassle.kernels.compiled import allocating_kernel, copy_row, part


@part
def gain_of(v, bits, rows, signs, first, last, true, needs, weights):
    """How much less weight is broken if variable v is flipped."""
    gain = 0.0
    for k in range(first, last):
        i = rows[k]
        now = true[i]
        if (bits[v] == 1) == (signs[k] > 0):
            if now == needs[i]:
                gain -= weights[i]
        elif now == needs[i] - 1:
            gain += weights[i]
    return gain


@part
def is_among(bits, rows, count):
    for i in range(count):
        same = True
        for v in range(bits.size):
            if rows[i, v] != bits[v]:
                same = False
                break
        if same:
            return True
    return False


@part
def moved(i, before, after, vars_of, var_signs, first, last, needs, weights, bits, gains):
    """Constraint i goes from ``before`` true literals to ``after``: what flipping its variables gains changes."""
    need, weight = needs[i], weights[i]
    if_true = (weight if before == need else 0.0) - (weight if after == need else 0.0)
    if_false = (weight if after == need - 1 else 0.0) - (weight if before == need - 1 else 0.0)
    if if_true == 0.0 and if_false == 0.0:
        return
    for k in range(first, last):
        u = vars_of[k]
        gains[u] += if_true if (bits[u] == 1) == (var_signs[k] > 0) else if_false


@part
def flip(v, bits, vars_of, var_signs, starts, rows, signs, owned, needs, weights, true, gains):
    """Flip a variable; what flipping others gains follows."""
    for k in range(owned[v], owned[v + 1]):
        i = rows[k]
        after = true[i] - 1 if (bits[v] == 1) == (signs[k] > 0) else true[i] + 1
        moved(i, true[i], after, vars_of, var_signs, starts[i], starts[i + 1], needs, weights, bits, gains)
        true[i] = after
    bits[v] = 1 - bits[v]
    gains[v] = gain_of(v, bits, rows, signs, owned[v], owned[v + 1], true, needs, weights)


@allocating_kernel
def tabu_search(
    bits,
    free,
    choice_start,
    choice_end,
    vars_of,
    var_signs,
    starts,
    rows,
    signs,
    owned,
    needs,
    weights,
    steps,
    state,
    best,
):
    """Search from ``bits`` over the variables in ``free``; the weight that the best found break, and how many of those
    are in ``best``, which has room for some that are equally good.

    ``bits`` is changed on the way. Of more that are equally good than there is room for, the last ones stay.
    """
    variables = bits.size
    true = np.zeros(needs.size, dtype=np.int32)
    for v in range(variables):
        for k in range(owned[v], owned[v + 1]):
            if (bits[v] == 1) == (signs[k] > 0):
                true[rows[k]] += 1
    cost = 0.0
    for i in range(needs.size):
        if true[i] < needs[i]:
            cost += weights[i]
    gains = np.zeros(variables)
    for v in range(variables):
        gains[v] = gain_of(v, bits, rows, signs, owned[v], owned[v + 1], true, needs, weights)
    least = cost
    copy_row(bits, best[0])
    found = 1
    kept = np.zeros(variables)
    until = np.zeros(variables, dtype=np.int64)
    for step in range(steps):
        chosen, leaving, gained, ties = -1, -1, -1e300, 0
        column, other, lost = -1, -1, 0.0
        for f in range(free.size + 1):
            v = free[f] if f < free.size else -1
            behind = v < 0 or choice_start[v] != column or choice_end[v] == choice_start[v]
            if behind and other >= 0:  # back to the value that the last choice has
                flip(other, bits, vars_of, var_signs, starts, rows, signs, owned, needs, weights, true, gains)
                copy_row(kept, gains)
                other = -1
            if v < 0:
                break
            if choice_end[v] > choice_start[v]:
                if behind:
                    column, lost = choice_start[v], 0.0
                    for u in range(choice_start[v], choice_end[v]):
                        if bits[u] == 1:
                            other = u
                    if other >= 0:
                        copy_row(gains, kept)
                        lost = gains[other]
                        flip(other, bits, vars_of, var_signs, starts, rows, signs, owned, needs, weights, true, gains)
                if v == other:
                    continue
                gain = gains[v] + lost
            else:
                gain = gains[v]
            if gain <= gained - 1e-12 or (until[v] > step and cost - gain >= least - 1e-9):
                continue
            if gain > gained + 1e-12:
                chosen, leaving, gained, ties = v, other, gain, 1
            else:
                ties += 1
                if below(state, ties) == 0:
                    chosen, leaving = v, other
        if chosen < 0:
            continue
        if leaving >= 0:
            flip(leaving, bits, vars_of, var_signs, starts, rows, signs, owned, needs, weights, true, gains)
            until[leaving] = step + 4 + below(state, 8)
        flip(chosen, bits, vars_of, var_signs, starts, rows, signs, owned, needs, weights, true, gains)
        until[chosen] = step + 4 + below(state, 8)
        cost -= gained
        if cost < least - 1e-9:
            least = cost
            found = 0
        if cost < least + 1e-9 and not is_among(bits, best, min(found, best.shape[0])):
            copy_row(bits, best[found % best.shape[0]])
            found += 1
    return least, min(found, best.shape[0])
