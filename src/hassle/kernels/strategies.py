"""Choosing among scored neighbours, by score and by age.

What a move (clause, kind, literal) changes is its *part* of the model: the place of one variable in one clause, or
the weight and hardness of one clause. `changed[clause, part]` is the step that last changed it, 0 if none did.
Undoing a step means changing the same part again, so these ages are the memory of recent candidates that Novelty
needs.
"""

import numpy as np
from numba import njit

from hassle.kernels.chance import below


@njit(cache=True, nogil=True)
def part_of(move, variables):
    """Column of `changed` that a move touches: that of its variable, or the last one for weight and hardness."""
    return variables if move[2] < 0 else move[2] >> 1


@njit(cache=True, nogil=True)
def pick_best(scores, state):
    """A neighbour with the highest score, each such one equally likely."""
    chosen = 0
    ties = 0
    for i in range(scores.size):
        if scores[i] > scores[chosen]:
            chosen = i
            ties = 1
        elif scores[i] == scores[chosen]:
            ties += 1
            if below(state, ties) == 0:
                chosen = i
    return chosen


@njit(cache=True, nogil=True)
def pick_fittest(moves, scores, changed, barred, state):
    """The neighbour with the highest score, ties going to the part unchanged for longest, then to chance.

    Neighbours that touch a part last changed in step `barred` (0: none) do not take part; -1 if none is left.
    """
    variables = changed.shape[1] - 1
    chosen = -1
    chosen_last = np.int64(0)
    ties = 0
    for i in range(scores.size):
        last = changed[moves[i, 0], part_of(moves[i], variables)]
        if barred > 0 and last == barred:
            continue
        better = chosen < 0 or scores[i] > scores[chosen] or (scores[i] == scores[chosen] and last < chosen_last)
        if better:
            ties = 1
        elif scores[i] == scores[chosen] and last == chosen_last:
            ties += 1
            better = below(state, ties) == 0
        if better:
            chosen = i
            chosen_last = last
    return chosen


@njit(cache=True, nogil=True)
def newest_change(moves, changed):
    """The step of the most recent change to any part that the neighbours touch; 0 if they were never changed."""
    variables = changed.shape[1] - 1
    newest = np.int64(0)
    for i in range(moves.shape[0]):
        newest = max(newest, changed[moves[i, 0], part_of(moves[i], variables)])
    return newest
