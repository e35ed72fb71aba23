"""What learning from comparisons costs time in: near completions of positives, and one pass of the weight sampler.

A comparison says that one assignment is worth more than another; its slack is how much more, under the current weights.
All weights and slacks are whole numbers, so a tie is a tie.
"""

import numpy as np

from hassle.kernels.compiled import allocating_kernel, copy_row, kernel


@allocating_kernel
def near_completions(bits, fixed, clauses, found):
    """Flip each free variable of ``bits`` and repair what that breaks: how many rows of ``found`` are then feasible.

    ``clauses`` are rows of literals filled up with 0. A broken clause is repaired by a free variable that has not been
    changed yet; with clauses of two literals there is at most one way, so every change made is forced.
    """
    count = 0
    variables = bits.size
    changed = np.empty(variables, dtype=np.bool_)
    for v in range(variables):
        if fixed[v]:
            continue
        row = found[count]
        copy_row(bits, row)
        changed[:] = False
        row[v] = 1 - row[v]
        changed[v] = True
        feasible = True
        again = True
        while again and feasible:
            again = False
            for j in range(clauses.shape[0]):
                covered = False
                way = -1
                for p in range(clauses.shape[1]):
                    lit = clauses[j, p]
                    if lit == 0:
                        break
                    u = abs(lit) - 1
                    if (row[u] == 1) == (lit > 0):
                        covered = True
                        break
                    # Which of several ways is taken varies with the variable, so that neighbours differ.
                    if not fixed[u] and not changed[u] and (way < 0 or (v + j + p) % 2 == 0):
                        way = u
                if covered:
                    continue
                if way < 0:
                    feasible = False
                    break
                row[way] = 1 - row[way]
                changed[way] = True
                again = True
        if feasible:
            count += 1
    return count


@allocating_kernel
def resample(columns, bounds, log_odds, losses, order, draws, weights, slacks):
    """Draw the weight of each clause in ``order`` from its distribution given all others (one Gibbs pass).

    ``columns`` = (starts, rows, signs): the comparisons that clause j takes part in, and whether it speaks for (1) or
    against (-1) the better assignment. ``bounds[j]`` are the least and the largest weight. A weight other than 0 costs
    ``log_odds[j]``; ``losses[k]`` is what comparison k costs (log-likelihood, not positive) when lost and when tied.
    The cost as a function of the weight is a staircase: its steps are added up, then one stair is drawn.
    """
    starts, rows, signs = columns
    widest = 0
    for j in order:
        widest = max(widest, bounds[j, 1] - bounds[j, 0] + 1)
    steps = np.empty(widest + 1)
    for place in range(order.size):
        j = order[place]
        least = bounds[j, 0]
        size = bounds[j, 1] - least + 1
        steps[: size + 1] = 0.0
        for q in range(starts[j], starts[j + 1]):
            k = rows[q]
            lost = losses[k, 0]
            if lost == 0.0:
                continue
            sign = signs[q]
            # The comparison is tied where the weight is least + turn.
            turn = -sign * (slacks[k] - sign * (weights[j] - least))
            if 0 <= turn < size:
                steps[turn] += losses[k, 1]
                steps[turn + 1] -= losses[k, 1]
            if sign > 0:
                if turn > 0:
                    steps[0] += lost
                    if turn < size:
                        steps[turn] -= lost
            elif turn < 0:
                steps[0] += lost
            elif turn + 1 < size:
                steps[turn + 1] += lost
        total = 0.0
        highest = -np.inf
        for t in range(size):
            total += steps[t]
            highest = max(highest, total + (log_odds[j] if t + least != 0 else 0.0))
        total = 0.0
        mass = 0.0
        chance = 0.0
        for t in range(size):
            total += steps[t]
            # Most stairs are as high as the one before, and so is their chance.
            if t == 0 or steps[t] != 0.0 or t + least == 0 or t + least == 1:
                chance = np.exp(total + (log_odds[j] if t + least != 0 else 0.0) - highest)
            steps[t] = chance
            mass += chance
        left = draws[place] * mass
        t = 0
        while t < size - 1 and left >= steps[t]:
            left -= steps[t]
            t += 1
        change = t + least - weights[j]
        if change != 0:
            weights[j] += change
            for q in range(starts[j], starts[j + 1]):
                slacks[rows[q]] += signs[q] * change


@kernel
def fill_columns(clauses, better, worse, starts, changes, counts, rows, signs):
    """For each clause, the comparisons in which exactly one side violates it: how many, which, and for whom it speaks.

    ``better`` and ``worse`` have a row for each variable, so that neighbouring comparisons lie side by side.
    ``changes[starts[v]:starts[v + 1]]`` are the comparisons whose sides differ in variable v. With empty ``rows`` the
    comparisons are only counted.
    """
    place = 0
    longest = clauses.shape[1]
    for j in range(clauses.shape[0]):
        before = place
        for p in range(longest):
            if clauses[j, p] == 0:
                break
            v = abs(clauses[j, p]) - 1
            for q in range(starts[v], starts[v + 1]):
                k = changes[q]
                lost = True
                won = True
                for other in range(longest):
                    lit = clauses[j, other]
                    if lit == 0:
                        break
                    u = abs(lit) - 1
                    # A comparison that changes several variables of the clause is found once, by the first of them.
                    first = other >= p or better[u, k] == worse[u, k]
                    lost &= first and (worse[u, k] == 1) != (lit > 0)
                    won &= first and (better[u, k] == 1) != (lit > 0)
                    if not (lost or won):
                        break
                if lost != won:
                    if rows.size:
                        rows[place] = k
                        signs[place] = 1 if lost else -1
                    place += 1
        counts[j] = place - before
