"""How likely the examples are under a model, and how that changes with one constraint.

The story behind the likelihood. In each context, positives are drawn uniformly from the model's optima, never the same
again unless the data has examples twice; negatives are drawn uniformly from the infeasible or from the suboptimal
completions, in proportions that are estimated; a label is wrong at a rate that is estimated too. So an example adds to
the log likelihood the log chance of its label given the verdict on it (`Belief.label_logs`), and that of being drawn:
the log chance of its kind (`Belief.kind_logs`), less the log of the number of completions with that verdict that it may
be. A model is rewarded for what it excludes, which the share of well classified examples is blind to. What was asked
about or compared rather than drawn says nothing by having been chosen: only its label counts.

The contexts tell something as well, where decisions were recorded because a circumstance mattered. A context has
*impact* if it forces the model to break a soft constraint. Each context is compared with neighbours, in which one
circumstance is different: the chance that it was this one that was recorded is its weight (`Belief.impact_logs`) as a
share of the weights of all of them (a pseudo-likelihood, Besag 1975). Where contexts were not chosen for their impact,
the weights are estimated equal and the term is constant. A context that could not be recorded weighs nothing: one that
the model makes impossible, or that has fewer optima than every context of the data has positives.

The loss of a completion is the cost of the constraints it leaves uncovered: its weight for a soft one, HARD for a hard
one, so a completion is feasible iff its loss is below HARD. Wishes that are known cost something at every point
beforehand (`Cases.base`). Tables list the completions as `tables.completions` says.
Context g of the data is table g * (1 + neighbours), and the tables after it are its neighbours, which have no examples.
A constraint is a row: its need, then its literals, DIMACS-style, filled up with 0. A row of zeros is no constraint.

Invariant between trials: `losses`, `evidence` and `impacts` of a State belong to its first `count[0]` constraints, and
the `evidence` and `impacts` of the Trial equal the state's.

Slow twins: tests/naive_evidence.py (tests/test_statistical_evidence.py).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.kernels.alike import Atoms
from hassle.kernels.bundle import Bundle
from hassle.kernels.codes import COSTLY, HARMLESS, IMPOSSIBLE, INFEASIBLE, OPTIMAL, POSITIVE, SUBOPTIMAL
from hassle.kernels.compiled import clear_row, copy_row, kernel, part
from hassle.kernels.coverage import Places, bits_in, find_uncovered_among

HARD = np.int32(2**20)
MOST_CONSTRAINTS = 500  # hard costs add up to less than 2^31, soft ones to less than HARD
NOWHERE = np.int32(2**31 - 1)  # least loss of no completions at all


@dataclass(frozen=True, eq=False)
class Cases(Bundle):
    """What the data fixes: tables, and their examples. Equal examples are one entry, with the sum of their weights."""

    places: NDArray[np.int16]
    settled: Places  # what coverage needs to know of the places
    words: NDArray[np.int32]
    word_starts: NDArray[np.int64]  # where in words those of table t are
    offsets: NDArray[np.int64]  # the points of table t are offsets[t] to offsets[t + 1]
    starts: NDArray[np.int64]  # the examples of table t are starts[t] to starts[t + 1] of the following
    points: NDArray[np.int64]
    labels: NDArray[np.int8]
    weights: NDArray[np.float64]
    drawn: NDArray[np.float64]  # the sum of the weights of those that were not merely asked about or compared
    base: NDArray[np.int32]  # what known wishes cost at each point; of no length where there are none
    neighbours: int
    distinct: bool  # no completion was drawn twice in a context
    fewest: int  # positives that every context of the data has


@dataclass(frozen=True, eq=False)
class Belief(Bundle):
    """Chances, as logs where they are called so."""

    label_logs: NDArray[np.float64]  # [label, verdict]
    kind_logs: NDArray[np.float64]  # [verdict]: of what is drawn to be an example
    impact_logs: NDArray[np.float64]  # [impact]: a context's weight
    total_logs: NDArray[np.float64]  # [h, c]: the weight of h harmless and c costly contexts together
    logs: NDArray[np.float64]  # of the number i,
    log_factorials: NDArray[np.float64]  # and of its factorial
    log_sets: NDArray[np.float64]  # of the number of sets of k literals
    atoms: Atoms
    form_weights: NDArray[np.float64]  # the prior weight of counts, of clauses of each length, and of alike literals
    form_total: float  # their sum
    count_logs: NDArray[np.float64]  # [n]: what speaks for a constraint more where there are n


@dataclass(frozen=True, eq=False)
class State(Bundle):
    """The current model and what is kept up to date for it."""

    rows: NDArray[np.int32]
    costs: NDArray[np.int32]
    count: NDArray[np.int64]
    losses: NDArray[np.int32]
    evidence: NDArray[np.float64]
    impacts: NDArray[np.int8]
    forms: NDArray[np.int32]  # how many constraints are of each form,
    kinds: NDArray[np.int32]  # and how many are soft and hard (`metropolis.log_prior`)
    known: NDArray[np.int32]  # constraints, as rows, whose weights are known: none may be a rule of the model


@dataclass(frozen=True, eq=False)
class Trial(Bundle):
    """The change on trial. Of two rows, the first is about the constraint that goes, the second about the one that
    comes.
    """

    rows: NDArray[np.int32]
    losses: NDArray[np.int32]  # room for those of a table
    touched: NDArray[np.int64]  # the tables that it makes a difference in, count[0] of them
    count: NDArray[np.int64]
    evidence: NDArray[np.float64]  # of all tables after the change, as are impacts
    impacts: NDArray[np.int8]
    left: NDArray[np.int16]  # two rows, as masks and values (`kernels.coverage`)
    masks: NDArray[np.int32]
    values: NDArray[np.int32]


@part
def length_of(row):
    """The number of literals of a row."""
    count = 0
    while 1 + count < row.size and row[1 + count] != 0:
        count += 1
    return count


# Four loops rather than one, because each vectorises, and most changes are of the first kind. `left`, `mask` and
# `value` are as in `kernels.coverage`.


@part
def charge_clause(losses, words, mask, value, cost, result):
    """Losses in a table with the cost of one clause more, and the least of them."""
    least = NOWHERE
    for i in range(losses.size):
        loss = np.int32(losses[i] + (cost if np.int32(words[i] & mask) == value else np.int32(0)))
        result[i] = loss
        least = min(least, loss)
    return least


@part
def charge_count(losses, words, left, mask, value, cost, result):
    """The same for any constraint."""
    least = NOWHERE
    for i in range(losses.size):
        true = bits_in(np.int32(np.int32(words[i] ^ value) & mask))
        loss = np.int32(losses[i] + (cost if true < left else np.int32(0)))
        result[i] = loss
        least = min(least, loss)
    return least


@part
def exchange_clauses(losses, words, old_mask, old_value, old_cost, new_mask, new_value, new_cost, result):
    """Losses in a table after one clause has taken another's place, and the least of them."""
    least = NOWHERE
    for i in range(losses.size):
        word = words[i]
        loss = losses[i]
        loss = np.int32(loss - (old_cost if np.int32(word & old_mask) == old_value else np.int32(0)))
        loss = np.int32(loss + (new_cost if np.int32(word & new_mask) == new_value else np.int32(0)))
        result[i] = loss
        least = min(least, loss)
    return least


@part
def exchange_counts(
    losses, words, old_left, old_mask, old_value, old_cost, new_left, new_mask, new_value, new_cost, result
):
    """The same for any constraints."""
    least = NOWHERE
    for i in range(losses.size):
        word = words[i]
        loss = losses[i]
        old_true = bits_in(np.int32(np.int32(word ^ old_value) & old_mask))
        new_true = bits_in(np.int32(np.int32(word ^ new_value) & new_mask))
        loss = np.int32(loss - (old_cost if old_true < old_left else np.int32(0)))
        loss = np.int32(loss + (new_cost if new_true < new_left else np.int32(0)))
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


@part
def verdict_on(loss, least):
    if loss >= HARD:
        return INFEASIBLE
    return OPTIMAL if loss == least else SUBOPTIMAL


@part
def evidence_in(cases, belief, table, losses, least):
    """Log likelihood of a context's examples."""
    first, last = cases.starts[table], cases.starts[table + 1]
    if first == last:
        return 0.0
    optimal, feasible = count_verdicts(losses, least)
    sizes = (np.int64(losses.size) - np.int64(feasible), np.int64(feasible - optimal), np.int64(optimal))
    before = 0  # optima that were drawn as positives before this one
    result = 0.0
    for e in range(first, last):
        verdict = verdict_on(losses[cases.points[e]], least)
        good = verdict == OPTIMAL and cases.labels[e] == POSITIVE
        result += cases.weights[e] * belief.label_logs[cases.labels[e], verdict]
        chance = belief.kind_logs[verdict] - belief.logs[sizes[verdict] - (before if good else 0)]
        result += cases.drawn[e] * chance
        before += cases.distinct and good
    return result


@part
def impact_of(cases, losses, least):
    """A context that has fewer optima than every one of the data has positives could not be among them."""
    if least >= HARD:
        return IMPOSSIBLE
    if cases.fewest > 1 and count_verdicts(losses, least)[0] < cases.fewest:
        return IMPOSSIBLE
    return COSTLY if least > 0 else HARMLESS


@part
def impact_evidence(impacts, belief):
    """Log share of a context's weight among itself, the first, and its neighbours."""
    harmless = 0
    costly = 0
    for t in range(impacts.size):
        harmless += impacts[t] == HARMLESS
        costly += impacts[t] == COSTLY
    return belief.impact_logs[impacts[0]] - belief.total_logs[harmless, costly]


@kernel
def total_impact(cases, belief, impacts):
    """The contexts' share of the log likelihood."""
    group = 1 + cases.neighbours
    result = 0.0
    if group > 1:
        for first in range(0, impacts.size, group):
            result += impact_evidence(impacts[first : first + group], belief)
    return result


@part
def impact_gain(cases, belief, state, trial, first, last):
    """What the change on trial adds to the log likelihood of the contexts whose tables are these."""
    group = 1 + cases.neighbours
    gain = 0.0
    for own in range(first, last, group):
        differs = False
        for t in range(own, own + group):
            differs |= trial.impacts[t] != state.impacts[t]
        if differs:
            gain += impact_evidence(trial.impacts[own : own + group], belief)
            gain -= impact_evidence(state.impacts[own : own + group], belief)
    return gain


@part
def find_both(cases, trial, first, last):
    """Find where the constraints that go and come are uncovered, in the tables from `first` to before `last`."""
    for k in range(2):
        row = trial.rows[k]
        find_uncovered_among(
            cases.settled, row[1:], row[0], first, last, trial.left[k], trial.masks[k], trial.values[k]
        )


@part
def same_test(trial, t):
    """Whether the constraints that go and come are uncovered at the same points of table t."""
    same_left = trial.left[0, t] == trial.left[1, t]
    return same_left and trial.masks[0, t] == trial.masks[1, t] and trial.values[0, t] == trial.values[1, t]


@part
def is_touched(trial, t, same_cost):
    """Whether the change on trial makes a difference in table t."""
    first, second = trial.left[0, t] <= 0, trial.left[1, t] <= 0
    if first and second:
        return False
    return first or second or not same_cost or not same_test(trial, t)


@part
def lose(cases, state, trial, t, costs, result):
    """Write to `result` the losses of table t after the change on trial; returns the least of them."""
    start, end = cases.offsets[t], cases.offsets[t + 1]
    before = state.losses[start:end]
    words = cases.words[cases.word_starts[t] : cases.word_starts[t] + end - start]
    left, masks, values = trial.left, trial.masks, trial.values
    old_cost = costs[0] if left[0, t] > 0 else np.int32(0)
    new_cost = costs[1] if left[1, t] > 0 else np.int32(0)
    if old_cost != 0 and new_cost != 0 and not same_test(trial, t):
        if left[0, t] == 1 and left[1, t] == 1:
            return exchange_clauses(
                before, words, masks[0, t], values[0, t], old_cost, masks[1, t], values[1, t], new_cost, result
            )
        return exchange_counts(
            before, words, np.int32(left[0, t]), masks[0, t], values[0, t], old_cost,
            np.int32(left[1, t]), masks[1, t], values[1, t], new_cost, result,
        )  # fmt: skip
    k = 0 if new_cost == 0 else 1
    cost = np.int32(new_cost - old_cost)
    if left[k, t] == 1:
        return charge_clause(before, words, masks[k, t], values[k, t], cost, result)
    return charge_count(before, words, np.int32(left[k, t]), masks[k, t], values[k, t], cost, result)


@part
def try_on_examples(cases, belief, state, costs, trial, first, last):
    """Try the change in the contexts whose tables are from `first` to before `last`, where `find_both` has found its
    tests; returns the gain in the log likelihood of their examples.

    `costs` are those of the constraint that goes and of the one that comes. What was tried is added to `touched`.
    """
    gain = 0.0
    for t in range(first, last, 1 + cases.neighbours):
        if is_touched(trial, t, costs[0] == costs[1]):
            room = trial.losses[: cases.offsets[t + 1] - cases.offsets[t]]
            least = lose(cases, state, trial, t, costs, room)
            trial.touched[trial.count[0]] = t
            trial.count[0] += 1
            trial.impacts[t] = impact_of(cases, room, least)
            trial.evidence[t] = evidence_in(cases, belief, t, room, least)
            gain += trial.evidence[t] - state.evidence[t]
    return gain


@part
def try_on_neighbours(cases, belief, state, costs, trial, first, last):
    """The rest of what `try_on_examples` began in these tables; returns the gain in the log likelihood of contexts."""
    group = 1 + cases.neighbours
    if group == 1:
        return 0.0
    for t in range(first, last):
        if t % group != 0 and is_touched(trial, t, costs[0] == costs[1]):
            room = trial.losses[: cases.offsets[t + 1] - cases.offsets[t]]
            trial.touched[trial.count[0]] = t
            trial.count[0] += 1
            least = lose(cases, state, trial, t, costs, room)
            trial.impacts[t] = impact_of(cases, room, least)
    return impact_gain(cases, belief, state, trial, first, last)


@part
def keep_change(cases, state, costs, trial):
    """Make the change on trial, tried to the end; the state's list of constraints is the caller's business."""
    for i in range(trial.count[0]):
        t = trial.touched[i]
        lose(cases, state, trial, t, costs, state.losses[cases.offsets[t] : cases.offsets[t + 1]])
        state.evidence[t] = trial.evidence[t]
        state.impacts[t] = trial.impacts[t]


@part
def drop_change(state, trial):
    """Forget the change on trial."""
    for i in range(trial.count[0]):
        t = trial.touched[i]
        trial.evidence[t] = state.evidence[t]
        trial.impacts[t] = state.impacts[t]


@part
def least_loss(losses):
    """The least of a table's losses, NOWHERE if it has no points."""
    least = NOWHERE
    for i in range(losses.size):
        least = min(least, losses[i])
    return least


@kernel
def rebuild(cases, state, trial):
    """Bring the losses up to date with the constraints, from nothing; what follows from them is left to `weigh`."""
    for i in range(state.losses.size):
        state.losses[i] = cases.base[i] if cases.base.size > 0 else np.int32(0)
    clear_row(trial.rows[0])
    for j in range(state.count[0]):
        copy_row(state.rows[j], trial.rows[1])
        find_both(cases, trial, 0, state.impacts.size)
        costs = (np.int32(0), state.costs[j])
        for t in range(state.impacts.size):
            if is_touched(trial, t, state.costs[j] == 0):
                lose(cases, state, trial, t, costs, state.losses[cases.offsets[t] : cases.offsets[t + 1]])


@kernel
def weigh(cases, belief, state, trial):
    """Bring evidence and impacts up to date with the losses, after they or the belief have changed."""
    for t in range(state.impacts.size):
        losses = state.losses[cases.offsets[t] : cases.offsets[t + 1]]
        least = least_loss(losses)
        state.impacts[t] = impact_of(cases, losses, least)
        state.evidence[t] = evidence_in(cases, belief, t, losses, least)
        trial.impacts[t] = state.impacts[t]
        trial.evidence[t] = state.evidence[t]
