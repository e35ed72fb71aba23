"""A Metropolis search over models: constraints come, go, change their literals, need, hardness and weights.

The target is the posterior: the likelihood of `kernels.evidence` times a prior under which models are unordered sets
of constraints. Constraints have forms: clauses of one length each, and counts (a need of two or more) of all lengths
together. Constraints of one form are equally likely, but for counts, which are equally likely for one length and need.
The shares of the forms are unknown (a Dirichlet, so that forms which the data has shown before become cheaper); that of
counts is small before any data, so that a count must explain what clauses do not. Where columns have values, clauses of
alike literals are one more form, and all counts are of alike literals (`kernels.alike`). Clauses need not be sensible:
chains that could not pass through others got stuck, and tidying takes superfluous literals out.

`sharpness` below 1 flattens the target (annealing); at 1 the states of the chain are samples of models that explain the
data about equally well.

Slow twins: a state after many moves is compared with one that is built anew, and log priors with their definition
(tests/test_statistical_evidence.py).
"""

import numpy as np

from hassle.kernels.alike import are_alike, is_sensible
from hassle.kernels.chance import below, fraction
from hassle.kernels.codes import BIRTH, DEATH, EXCHANGE, HARDNESS, LITERALS, NEED, WEIGHT
from hassle.kernels.compiled import clear_row, copy_row, kernel, part
from hassle.kernels.evidence import (
    HARD,
    drop_change,
    find_both,
    keep_change,
    length_of,
    try_on_examples,
    try_on_neighbours,
)
from hassle.kernels.proposals import change_need, draw_new, edit_literals, log_chance_of, same_row

HEAVIEST = np.int64(1000)  # typed: a part is compiled anew for a plain number that it is handed

# How often each kind of move is tried, by its code.
MOVE_CHANCES = {BIRTH: 0.12, DEATH: 0.12, LITERALS: 0.47, NEED: 0.03, HARDNESS: 0.10, WEIGHT: 0.08, EXCHANGE: 0.08}
MOVE_SUMS = np.cumsum([MOVE_CHANCES[move] for move in range(len(MOVE_CHANCES))])

# A new constraint is soft as often as hard. A new weight is drawn anew as often as near the old one, and then at most
# so far away.
SOFT_CHANCE = 0.5
ANY_WEIGHT_CHANCE = 0.5
FARTHEST_WEIGHT = 60

# Moves are judged in stages, each of which may end them (delayed acceptance, Christen and Fox 2005: the target is the
# same, and most moves are cheaper). First by a share TASTE of what a random block of so many contexts says: hardly any
# random change is worth a look at all contexts. Then by all examples, and last, for a share HASTE of the moves, by the
# neighbouring contexts; the other moves are judged by these along with the examples, because a constraint that only the
# contexts speak for would hardly ever pass.
BLOCK, TASTE = 16, 0.7
HASTE = 0.85

COUNTS = 0  # the form of constraints that need two literals or more; the form of a clause is its length
SMALLEST = 1e-300  # so that no logarithm is taken of 0


@part
def choose_move(random):
    choice = fraction(random)
    move = 0
    while move < MOVE_SUMS.size - 1 and choice >= MOVE_SUMS[move]:
        move += 1
    return move


@part
def form_of(row, belief):
    if row[0] != 1:
        return COUNTS
    return belief.form_weights.size - 1 if are_alike(row, belief.atoms) else length_of(row)


@part
def log_prior_of_one_more(row, hard, state, belief):
    """Log prior of a model with one more constraint, less that of the model whose forms and kinds the state has."""
    form, length = form_of(row, belief), length_of(row)
    share = np.log(
        (belief.form_weights[form] + state.forms[form]) / (belief.form_total + state.kinds[0] + state.kinds[1])
    )
    if form == COUNTS:
        share -= np.log((belief.log_sets.size - 2.0) * (length - 1.0))  # lengths from 2, needs from 2
    elif form == belief.form_weights.size - 1:
        share -= np.log(belief.form_weights.size - 3.0)  # lengths from 2
    expected = belief.count_logs[state.kinds[0] + state.kinds[1]]
    return share + expected - log_sets_like(form, length, belief) + np.log(1.0 + state.kinds[hard])


@part
def log_sets_like(form, length, belief):
    """Log of the number of sets of so many literals that a constraint of this form may have."""
    if form == belief.form_weights.size - 1:
        return belief.atoms.log_alike_clauses[length]
    return belief.atoms.log_alike[length] if form == COUNTS and not belief.atoms.plain else belief.log_sets[length]


@kernel
def log_prior(state, belief):
    """Log prior of the current model; counts its constraints by form and kind."""
    clear_row(state.forms)
    clear_row(state.kinds)
    result = 0.0
    for j in range(state.count[0]):
        result += log_prior_of_one_more(state.rows[j], np.int64(state.costs[j] == HARD), state, belief)
        count_one(state.rows[j], state.costs[j], state, belief, np.int64(1))
    return result


@part
def new_cost(random, cost, move):
    """The cost that a constraint gets by a move that sets costs; 0 if the move does not apply."""
    if move in (HARDNESS, BIRTH):
        soft = cost == HARD if move == HARDNESS else fraction(random) < SOFT_CHANCE
        return np.int32(1 + below(random, HEAVIEST)) if soft else HARD
    if move == WEIGHT:
        if cost == HARD:
            return np.int32(0)
        if fraction(random) < ANY_WEIGHT_CHANCE:
            weight = 1 + below(random, HEAVIEST)
        else:
            weight = cost + below(random, 2 * FARTHEST_WEIGHT + 1) - FARTHEST_WEIGHT
        return np.int32(weight) if 1 <= weight <= HEAVIEST and weight != cost else np.int32(0)
    return np.int32(cost)


@part
def is_listed(state, row):
    """Whether a constraint is in the model, or known."""
    for j in range(state.count[0]):
        if same_row(state.rows[j], row):
            return True
    # A loop, because numba does not compile any().
    for j in range(state.known.shape[0]):  # noqa: SIM110
        if same_row(state.known[j], row):
            return True
    return False


@part
def count_one(row, cost, state, belief, amount):
    state.forms[form_of(row, belief)] += amount
    state.kinds[np.int64(cost == HARD)] += amount


@part
def prior_gain(move, old, old_cost, new, cost, state, belief):
    """Change of the log prior; the counts are changed along, and changed back by `uncount`."""
    gain = 0.0
    if move != BIRTH:
        count_one(old, old_cost, state, belief, np.int64(-1))
        gain -= log_prior_of_one_more(old, np.int64(old_cost == HARD), state, belief)
    if move != DEATH:
        gain += log_prior_of_one_more(new, np.int64(cost == HARD), state, belief)
        count_one(new, cost, state, belief, np.int64(1))
    return gain


@part
def uncount(move, old, old_cost, new, cost, state, belief):
    if move != BIRTH:
        count_one(old, old_cost, state, belief, np.int64(1))
    if move != DEATH:
        count_one(new, cost, state, belief, np.int64(-1))


@part
def ratio_of_chances(move, old, new, count, atoms, pool, longest, log_sets):
    """Log ratio of the chances of proposing the way back and the way forth, for moves that draw constraints."""
    ratio = 0.0
    if move in (DEATH, EXCHANGE):
        ratio += log_chance_of(old, atoms, pool, longest, log_sets)
    if move in (BIRTH, EXCHANGE):
        ratio -= log_chance_of(new, atoms, pool, longest, log_sets)
    if move == BIRTH:
        ratio -= np.log(count + 1.0)
    elif move == DEATH:
        ratio += np.log(count * 1.0)
    return ratio


@part
def store(state, move, j, row, cost):
    """Make the move in the state's list of constraints."""
    last = state.count[0] - 1
    if move == BIRTH:
        j = last + 1
        state.count[0] += 1
    elif move == DEATH:
        copy_row(state.rows[last], state.rows[j])
        state.costs[j] = state.costs[last]
        clear_row(state.rows[last])
        state.costs[last] = 0
        state.count[0] -= 1
        return
    copy_row(row, state.rows[j])
    state.costs[j] = cost


@part
def passes(random, log_chance):
    return log_chance >= 0 or np.log(max(fraction(random), SMALLEST)) < log_chance


@part
def try_among(cases, belief, state, trial, costs, first, last, in_haste):
    """The gain in these tables: of the examples and, unless in haste, of the contexts."""
    find_both(cases, trial, first, last)
    gain = try_on_examples(cases, belief, state, costs, trial, first, last)
    return gain if in_haste else gain + try_on_neighbours(cases, belief, state, costs, trial, first, last)


@part
def is_accepted(cases, belief, state, trial, costs, random, gain, sharpness):
    """Try the change whose rows are on trial, which gains so much beside the likelihood, stage by stage."""
    trial.count[0] = 0
    group, tables = 1 + cases.neighbours, state.impacts.size
    in_haste = fraction(random) < HASTE
    blocks = max(1, tables // (BLOCK * group))
    block = below(random, blocks)
    first = group * (block * (tables // group) // blocks)
    last = group * ((block + 1) * (tables // group) // blocks)
    some = try_among(cases, belief, state, trial, costs, first, last, in_haste)
    if blocks == 1:
        if not passes(random, sharpness * (gain + some)):
            return False
    else:
        if not passes(random, sharpness * (gain + TASTE * some)):
            return False
        rest = try_among(cases, belief, state, trial, costs, 0, first, in_haste)
        rest += try_among(cases, belief, state, trial, costs, last, tables, in_haste)
        if not passes(random, sharpness * ((1 - TASTE) * some + rest)):
            return False
    return not in_haste or passes(random, sharpness * try_on_neighbours(cases, belief, state, costs, trial, 0, tables))


@kernel
def search(cases, belief, sources, pool, state, trial, random, steps, sharpness):
    """Try so many moves; returns how many were made."""
    longest = belief.form_weights.size - 2  # clause; counts may be longer
    longest_count = belief.log_sets.size - 1
    log_prior(state, belief)  # for the counts
    old, new = trial.rows[0], trial.rows[1]
    made = 0
    for _ in range(steps):
        move = choose_move(random)
        count = state.count[0]
        if (move == BIRTH and count == state.costs.size) or (move != BIRTH and count == 0):
            continue
        j = np.int64(0)
        old_cost = np.int32(0)
        clear_row(old)
        if move != BIRTH:
            j = below(random, count)
            copy_row(state.rows[j], old)
            old_cost = state.costs[j]
        ratio = 0.0
        possible = True
        copy_row(old, new)
        if move == DEATH:
            clear_row(new)
        if move in (BIRTH, EXCHANGE):
            draw_new(random, belief.atoms, sources, pool, longest, longest_count, new)
        elif move == LITERALS:
            variables = sources.assignments.shape[1]
            possible, ratio = edit_literals(random, belief.atoms, variables, longest, longest_count, new)
        elif move == NEED:
            possible = change_need(random, longest, new)
        if not possible:
            continue
        cost = np.int32(0) if move == DEATH else new_cost(random, old_cost, move)
        if move != DEATH and cost == 0:
            continue
        if (move in (BIRTH, EXCHANGE, LITERALS, NEED)) and (
            is_listed(state, new) or (new[0] > 1 and not is_sensible(new, belief.atoms))
        ):
            continue
        gain = prior_gain(move, old, old_cost, new, cost, state, belief)
        ratio += ratio_of_chances(move, old, new, count, belief.atoms, pool, longest, belief.log_sets)
        costs = (old_cost, cost)
        # The ratio is flattened along with the target, so that a hot chain does not fill up with constraints.
        if is_accepted(cases, belief, state, trial, costs, random, gain + ratio, sharpness):
            keep_change(cases, state, costs, trial)
            store(state, move, j, new, cost)
            made += 1
        else:
            drop_change(state, trial)
            uncount(move, old, old_cost, new, cost, state, belief)
    return made
