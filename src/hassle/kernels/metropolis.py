"""A Metropolis search over models: clauses come, go, change their literals, their hardness and their weights.

The target is the posterior: the likelihood of `kernels.evidence` times a prior under which models are unordered sets
of clauses, clauses of one length are equally likely, and the shares of the lengths are unknown (a Dirichlet, so that
lengths which the data has shown before become cheaper). `sharpness` below 1 flattens the target (annealing); at 1 the
states of the chain are samples of models that explain the data about equally well.
"""

import numpy as np

from hassle.kernels.chance import below, fraction
from hassle.kernels.compiled import copy_row, kernel, part
from hassle.kernels.evidence import (
    HARD,
    drop_change,
    keep_change,
    length_of,
    try_on_examples,
    try_on_neighbours,
)
from hassle.kernels.proposals import draw_new, edit_clause, log_chance_of, same_clause

BIRTH, DEATH, LITERALS, HARDNESS, WEIGHT, EXCHANGE = 0, 1, 2, 3, 4, 5
HEAVIEST = 1000

# Share of the moves that are judged by the examples first and, only if they pass, by the neighbouring contexts (delayed
# acceptance, Christen and Fox 2005: the target is the same, and most moves are cheaper). The others are judged by both
# at once, because a clause that only the contexts speak for would hardly ever pass.
HASTE = 0.75


@part
def choose_move(state):
    choice = fraction(state)
    if choice < 0.12:
        return BIRTH
    if choice < 0.24:
        return DEATH
    if choice < 0.65:
        return LITERALS
    if choice < 0.75:
        return HARDNESS
    if choice < 0.92:
        return WEIGHT
    return EXCHANGE


@part
def log_prior_of_one_more(length, hard, lengths, kinds, belief):
    """Log prior of a model with one more clause, less that of the model: `lengths` and `kinds` count its clauses."""
    before = belief.length_weights
    share = np.log((before[length] + lengths[length]) / (before[0] + kinds[0] + kinds[1]))
    return share - belief.log_clauses[length] + np.log(1.0 + kinds[hard])


@kernel
def log_prior(chain, lengths, kinds, belief):
    """Log prior of the chain's model; fills the counts of its clauses by length and kind."""
    lengths[:] = 0
    kinds[:] = 0
    result = 0.0
    for j in range(chain.count[0]):
        length = length_of(chain.clauses[j])
        hard = np.int64(chain.costs[j] == HARD)
        result += log_prior_of_one_more(length, hard, lengths, kinds, belief)
        lengths[length] += 1
        kinds[hard] += 1
    return result


@part
def new_cost(state, cost, move):
    """The cost that a clause gets by a move that sets costs; 0 if the move does not apply."""
    if move in (HARDNESS, BIRTH):
        soft = cost == HARD if move == HARDNESS else fraction(state) < 0.5
        return np.int32(1 + below(state, HEAVIEST)) if soft else HARD
    if move == WEIGHT:
        if cost == HARD:
            return np.int32(0)
        weight = 1 + below(state, HEAVIEST) if fraction(state) < 0.5 else cost + below(state, 121) - 60
        return np.int32(weight) if 1 <= weight <= HEAVIEST and weight != cost else np.int32(0)
    return np.int32(cost)


@part
def is_listed(chain, clause):
    # A loop, because numba does not compile any().
    for j in range(chain.count[0]):  # noqa: SIM110
        if same_clause(chain.clauses[j], clause):
            return True
    return False


@part
def prior_gain(move, old, old_cost, new, cost, lengths, kinds, belief):
    """Change of the log prior; the counts are changed along, and changed back by `uncount`."""
    gain = 0.0
    if move != BIRTH:
        lengths[length_of(old)] -= 1
        kinds[np.int64(old_cost == HARD)] -= 1
        gain -= log_prior_of_one_more(length_of(old), np.int64(old_cost == HARD), lengths, kinds, belief)
    if move != DEATH:
        gain += log_prior_of_one_more(length_of(new), np.int64(cost == HARD), lengths, kinds, belief)
        lengths[length_of(new)] += 1
        kinds[np.int64(cost == HARD)] += 1
    return gain


@part
def uncount(move, old, old_cost, new, cost, lengths, kinds):
    if move != BIRTH:
        lengths[length_of(old)] += 1
        kinds[np.int64(old_cost == HARD)] += 1
    if move != DEATH:
        lengths[length_of(new)] -= 1
        kinds[np.int64(cost == HARD)] -= 1


@part
def ratio_of_chances(move, old, new, count, pool, longest, log_clauses):
    """Log ratio of the chances of proposing the way back and the way forth, for moves that draw clauses."""
    ratio = 0.0
    if move in (DEATH, EXCHANGE):
        ratio += log_chance_of(old, pool, longest, log_clauses)
    if move in (BIRTH, EXCHANGE):
        ratio -= log_chance_of(new, pool, longest, log_clauses)
    if move == BIRTH:
        ratio -= np.log(count + 1.0)
    elif move == DEATH:
        ratio += np.log(count * 1.0)
    return ratio


@part
def store(chain, move, j, clause, cost):
    """Make the move in the chain's list of clauses."""
    last = chain.count[0] - 1
    if move == BIRTH:
        j = last + 1
        chain.count[0] += 1
    elif move == DEATH:
        copy_row(chain.clauses[last], chain.clauses[j])
        chain.costs[j] = chain.costs[last]
        chain.clauses[last, :] = 0
        chain.costs[last] = 0
        chain.count[0] -= 1
        return
    copy_row(clause, chain.clauses[j])
    chain.costs[j] = cost


@kernel
def search(cases, belief, sources, pool, chain, trial, state, steps, sharpness):
    """Try so many moves; returns how many were made."""
    longest = belief.log_clauses.size - 1
    lengths = np.zeros(longest + 1, dtype=np.int64)
    kinds = np.zeros(2, dtype=np.int64)
    log_prior(chain, lengths, kinds, belief)  # for the counts
    nothing = np.zeros(chain.clauses.shape[1], dtype=np.int16)
    old = nothing.copy()
    new = nothing.copy()
    made = 0
    for _ in range(steps):
        move = choose_move(state)
        count = chain.count[0]
        if (move == BIRTH and count == chain.costs.size) or (move != BIRTH and count == 0):
            continue
        j = np.int64(0)
        old_cost = np.int32(0)
        old[:] = 0
        if move != BIRTH:
            j = below(state, count)
            copy_row(chain.clauses[j], old)
            old_cost = chain.costs[j]
        ratio = 0.0
        copy_row(nothing if move == DEATH else old, new)
        if move in (BIRTH, EXCHANGE):
            draw_new(state, sources, pool, longest, new)
        elif move == LITERALS:
            possible, ratio = edit_clause(state, sources.assignments.shape[1], longest, new)
            if not possible:
                continue
        cost = np.int32(0) if move == DEATH else new_cost(state, old_cost, move)
        if move != DEATH and cost == 0:
            continue
        if (move in (BIRTH, EXCHANGE, LITERALS)) and is_listed(chain, new):
            continue
        gain = prior_gain(move, old, old_cost, new, cost, lengths, kinds, belief)
        ratio += ratio_of_chances(move, old, new, count, pool, longest, belief.log_clauses)
        # The ratio is flattened along with the target, so that a hot chain does not fill up with clauses.
        gain += try_on_examples(cases, belief, chain, old, old_cost, new, cost, trial)
        level = np.log(max(fraction(state), 1e-300))
        likely = level < sharpness * (gain + ratio)
        accepted = False
        in_haste = fraction(state) < HASTE
        if likely or not in_haste:
            more = try_on_neighbours(cases, belief, chain, old_cost, cost, trial)
            if in_haste:
                accepted = np.log(max(fraction(state), 1e-300)) < sharpness * more
            else:
                accepted = level < sharpness * (gain + more + ratio)
        if accepted:
            keep_change(cases, chain, old_cost, cost, trial)
            store(chain, move, j, new, cost)
            made += 1
        else:
            drop_change(chain, trial)
            uncount(move, old, old_cost, new, cost, lengths, kinds)
    return made
