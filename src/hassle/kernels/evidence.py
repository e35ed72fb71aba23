"""How likely the examples are under a model, and how that changes with one clause.

The story behind the likelihood. In each context, positives are drawn uniformly from the model's optima; negatives are
drawn uniformly from the infeasible or from the suboptimal completions, in proportions that are estimated; a label is
wrong at a rate that is estimated too. So an example adds to the log likelihood the log chance of its label given the
verdict on it (`Belief.verdict_logs`), less the log of the number of completions with that verdict. A model is rewarded
for what it excludes, which the share of well classified examples is blind to.

The contexts tell something as well, where decisions were recorded because a circumstance mattered. A context has
*impact* if it forces the model to break a soft clause. Each context is compared with neighbours that have
one literal turned around: the chance that it was this one that was recorded is its weight (`Belief.state_logs`) as a
share of the weights of all of them (a pseudo-likelihood, Besag 1975). Where contexts were not chosen for their impact,
the weights are estimated equal and the term is constant.

The loss of a completion is the cost of the clauses it leaves uncovered: its weight for a soft clause, HARD for a hard
one, so a completion is feasible iff its loss is below HARD. Completions that a context's general part rules out have
losses from BLOCKED. Tables are laid out as in `kernels.table`. Context g of the data is table g * (1 + neighbours), and
the tables after it are its neighbours, which have no examples. Clauses are rows of DIMACS-style literals, filled up
with 0.

Invariant between trials: `losses`, `evidence` and `states` of a Chain belong to its first `count[0]` clauses, and the
`evidence` and `states` of the Trial equal the chain's.
"""

from collections import namedtuple

import numpy as np

from hassle.kernels.compiled import inlined, kernel, least_of, part

HARD = np.int32(2**20)
BLOCKED = np.int32(2**30)
MOST_CLAUSES = 500  # hard costs add up to less than BLOCKED, soft ones to less than HARD

INFEASIBLE = 0
SUBOPTIMAL = 1
OPTIMAL = 2

# States of a context: nothing need be broken in it, a soft clause must be, or a hard one.
HARMLESS = 0
COSTLY = 1
IMPOSSIBLE = 2

# What the data fixes. Equal examples are one entry of points and labels, and counts says how many they are.
# fixed_true[2 v + s, t] = 1 where table t fixes variable v to s.
# bits[v, t] is variable v's bit in the words of table t, 0 where it is fixed.
Cases = namedtuple("Cases", "places fixed_true bits offsets allowed starts points labels counts neighbours")

# All as logs: verdict_logs[label, verdict]; state_logs[state], a context's weight; total_logs[h, c], the weight of h
# harmless and c costly contexts together; logs[i] of the number i; log_clauses[k] of the number of clauses of k
# literals.
# length_weights are not logs: the prior weight of each length of clauses, and at 0 their sum.
Belief = namedtuple("Belief", "verdict_logs state_logs total_logs logs log_clauses length_weights")

# The model and what is kept up to date for it.
Chain = namedtuple("Chain", "clauses costs count losses evidence states")

# The change on trial: room for losses; count[0] touched tables; the evidence and states of all tables after the change.
# Row 0 of satisfied, masks and values is about the clause that goes, row 1 about the one that comes.
Trial = namedtuple("Trial", "losses touched count evidence states satisfied masks values")


@part
def length_of(clause):
    """The number of literals of a row."""
    count = 0
    while count < clause.size and clause[count] != 0:
        count += 1
    return count


@part
def mark_uncovered(cases, clause, satisfied, masks, values):
    """For each table: whether the context satisfies the clause, or there is no clause; else the words w that the clause
    leaves uncovered, which are those with w & mask == value. Over all tables at once, because then it vectorises.
    """
    for t in range(satisfied.size):
        satisfied[t] = np.int8(clause[0] == 0)
        masks[t] = 0
        values[t] = 0
    for literal in clause:
        if literal == 0:
            break
        fixed = cases.fixed_true[2 * abs(literal) - 2 + (literal > 0)]
        bits = cases.bits[abs(literal) - 1]
        for t in range(satisfied.size):
            satisfied[t] |= fixed[t]
            masks[t] |= bits[t]
        if literal < 0:
            for t in range(satisfied.size):
                values[t] |= bits[t]


@part
def changed_losses(losses, old_mask, old_value, old_cost, new_mask, new_value, new_cost, result):
    """Losses after one clause has taken another's place, and the least of them."""
    least = np.int32(2**31 - 1)
    for i in range(losses.size):
        word = np.int32(i)
        loss = losses[i]
        loss = np.int32(loss - (old_cost if np.int32(word & old_mask) == old_value else np.int32(0)))
        loss = np.int32(loss + (new_cost if np.int32(word & new_mask) == new_value else np.int32(0)))
        result[i] = loss
        least = min(least, loss)
    return least


@part
def count_verdicts(losses, least):
    """The number of optimal completions, and of feasible ones."""
    optimal = np.int32(0)
    feasible = np.int32(0)
    for i in range(losses.size):
        optimal = np.int32(optimal + np.int32(losses[i] == least))
        feasible = np.int32(feasible + np.int32(losses[i] < HARD))
    return (optimal if least < HARD else np.int32(0)), feasible


# Small functions are inlined where they are called for every table: a call counts references to all arrays it is
# handed.


@inlined
def verdict_on(loss, least):
    if loss >= HARD:
        return INFEASIBLE
    return OPTIMAL if loss == least else SUBOPTIMAL


@inlined
def evidence_in(cases, belief, table, losses, least):
    """Log likelihood of a context's examples."""
    first, last = cases.starts[table], cases.starts[table + 1]
    if first == last:
        return 0.0
    optimal, feasible = count_verdicts(losses, least)
    sizes = (cases.allowed[table] - np.int64(feasible), np.int64(feasible - optimal), np.int64(optimal))
    result = 0.0
    for e in range(first, last):
        verdict = verdict_on(losses[cases.points[e]], least)
        result += cases.counts[e] * (belief.verdict_logs[cases.labels[e], verdict] - belief.logs[sizes[verdict]])
    return result


@inlined
def state_of(least):
    if least >= HARD:
        return IMPOSSIBLE
    return COSTLY if least > 0 else HARMLESS


@inlined
def impact_evidence(states, belief):
    """Log share of a context's weight among itself, the first, and its neighbours."""
    harmless = 0
    costly = 0
    for t in range(states.size):
        harmless += states[t] == HARMLESS
        costly += states[t] == COSTLY
    return belief.state_logs[states[0]] - belief.total_logs[harmless, costly]


@kernel
def total_impact(cases, belief, states):
    """The contexts' share of the log likelihood."""
    group = 1 + cases.neighbours
    result = 0.0
    if group > 1:
        for first in range(0, states.size, group):
            result += impact_evidence(states[first : first + group], belief)
    return result


@part
def impact_gain(cases, belief, chain, trial):
    """What the change on trial adds to the contexts' share of the log likelihood."""
    group = 1 + cases.neighbours
    gain = 0.0
    for first in range(0, chain.states.size, group):
        differs = False
        for t in range(first, first + group):
            differs |= trial.states[t] != chain.states[t]
        if differs:
            gain += impact_evidence(trial.states[first : first + group], belief)
            gain -= impact_evidence(chain.states[first : first + group], belief)
    return gain


@part
def mark_both(cases, old, new, trial):
    mark_uncovered(cases, old, trial.satisfied[0], trial.masks[0], trial.values[0])
    mark_uncovered(cases, new, trial.satisfied[1], trial.masks[1], trial.values[1])


@inlined
def lose(cases, chain, trial, t, old_cost, new_cost, result):
    """Write to `result` the losses of table t after the change on trial; returns the least of them."""
    losses = chain.losses[cases.offsets[t] : cases.offsets[t + 1]]
    before = np.int32(0) if trial.satisfied[0, t] != 0 else old_cost
    after = np.int32(0) if trial.satisfied[1, t] != 0 else new_cost
    return changed_losses(
        losses, trial.masks[0, t], trial.values[0, t], before, trial.masks[1, t], trial.values[1, t], after, result
    )


@inlined
def is_touched(trial, t, same_cost):
    """Whether the change on trial makes a difference in table t."""
    first, second = trial.satisfied[0, t] != 0, trial.satisfied[1, t] != 0
    if first and second:
        return False
    if first or second or not same_cost:
        return True
    return trial.masks[0, t] != trial.masks[1, t] or trial.values[0, t] != trial.values[1, t]


@part
def try_on_examples(cases, belief, chain, old, old_cost, new, new_cost, trial):
    """Put clause `new` in the place of clause `old`, on trial; returns the gain in the examples' log likelihood."""
    mark_both(cases, old, new, trial)
    trial.count[0] = 0
    gain = 0.0
    for t in range(0, chain.states.size, 1 + cases.neighbours):
        if is_touched(trial, t, old_cost == new_cost):
            room = trial.losses[: cases.offsets[t + 1] - cases.offsets[t]]
            least = lose(cases, chain, trial, t, old_cost, new_cost, room)
            trial.touched[trial.count[0]] = t
            trial.count[0] += 1
            trial.states[t] = state_of(least)
            trial.evidence[t] = evidence_in(cases, belief, t, room, least)
            gain += trial.evidence[t] - chain.evidence[t]
    return gain


@part
def try_on_neighbours(cases, belief, chain, old_cost, new_cost, trial):
    """The rest of the trial that `try_on_examples` began; returns the gain in the contexts' log likelihood."""
    group = 1 + cases.neighbours
    if group == 1:
        return 0.0
    for t in range(chain.states.size):
        if t % group != 0 and is_touched(trial, t, old_cost == new_cost):
            room = trial.losses[: cases.offsets[t + 1] - cases.offsets[t]]
            trial.touched[trial.count[0]] = t
            trial.count[0] += 1
            trial.states[t] = state_of(lose(cases, chain, trial, t, old_cost, new_cost, room))
    return impact_gain(cases, belief, chain, trial)


@part
def keep_change(cases, chain, old_cost, new_cost, trial):
    """Make the change on trial, tried to the end; the chain's list of clauses is the caller's business."""
    for i in range(trial.count[0]):
        t = trial.touched[i]
        lose(cases, chain, trial, t, old_cost, new_cost, chain.losses[cases.offsets[t] : cases.offsets[t + 1]])
        chain.evidence[t] = trial.evidence[t]
        chain.states[t] = trial.states[t]


@part
def drop_change(chain, trial):
    """Forget the change on trial."""
    for i in range(trial.count[0]):
        t = trial.touched[i]
        trial.evidence[t] = chain.evidence[t]
        trial.states[t] = chain.states[t]


@kernel
def rebuild(cases, chain, blocked, trial):
    """Bring the losses up to date with the chain's clauses, from nothing; what follows from them is left to `weigh`."""
    chain.losses[:] = 0
    for point in blocked:
        chain.losses[point] = BLOCKED
    nothing = np.zeros(chain.clauses.shape[1], dtype=np.int16)
    for j in range(chain.count[0]):
        mark_both(cases, nothing, chain.clauses[j], trial)
        for t in range(chain.states.size):
            losses = chain.losses[cases.offsets[t] : cases.offsets[t + 1]]
            lose(cases, chain, trial, t, np.int32(0), chain.costs[j], losses)


@kernel
def weigh(cases, belief, chain, trial):
    """Bring evidence and states up to date with the losses, after they or the belief have changed."""
    for t in range(chain.states.size):
        losses = chain.losses[cases.offsets[t] : cases.offsets[t + 1]]
        least = least_of(losses)
        chain.states[t] = state_of(least)
        chain.evidence[t] = evidence_in(cases, belief, t, losses, least)
        trial.states[t] = chain.states[t]
        trial.evidence[t] = chain.evidence[t]
