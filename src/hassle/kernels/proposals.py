"""New constraints for a Metropolis search: drawn at random, from data, from a pool, or by editing one.

Every function draws from an explicit random state. Proposals that are not symmetric report the log of the ratio
(chance of the way back) / (chance of the way forth), which the acceptance rule needs. A constraint is a row, as in
`kernels.evidence`: its need, then its literals. Clauses have at most `longest` literals, counts at most
`longest_count`, which is no less.

Slow twin: `Constraint.of`, with which rows are compared after many moves (tests/test_statistical_evidence.py).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.kernels.alike import chance_of_alike, draw_alike, new_alike, same_said, size_of
from hassle.kernels.bundle import Bundle
from hassle.kernels.chance import below, coin, fraction
from hassle.kernels.compiled import clear_row, copy_row, part
from hassle.kernels.evidence import length_of

# A new constraint comes from the pool, or else is a random count, or else a random clause: one that a context
# falsifies, or that a negative example violates, or any.
POOL_CHANCE = 0.5
COUNT_CHANCE = 0.05
FALSIFIED_UP_TO, VIOLATED_UP_TO = 0.3, 0.9
# Where columns have values, so many of the random clauses are of alike literals, as all counts are (`kernels.alike`).
ALIKE_CHANCE = 0.3
# Most counts that people ask for are about literals of one sign.
ONE_SIGN_CHANCE = 0.7

# Editing literals: turn one around, replace one, add one, or else drop one.
TURN_UP_TO, REPLACE_UP_TO, ADD_UP_TO = 0.15, 0.5, 0.75


@dataclass(frozen=True, eq=False)
class Pool(Bundle):
    """Promising constraints with their chances; may be empty."""

    rows: NDArray[np.int32]
    chances: NDArray[np.float64]
    sums: NDArray[np.float64]  # running, of the chances


@dataclass(frozen=True, eq=False)
class Sources(Bundle):
    """What random clauses are drawn from."""

    assignments: NDArray[np.uint8]  # of the examples
    negatives: NDArray[np.int64]  # which of them are
    context_literals: NDArray[np.int32]  # how many literals each context fixes, and which


@part
def mentions(literals, variable):
    # A loop, because numba does not compile any().
    for literal in literals:  # noqa: SIM110
        if literal == variable or literal == -variable:
            return True
    return False


@part
def same_row(first, second):
    """Whether two rows are the same constraint; a need is never 0."""
    for i in range(first.size):
        if first[i] != second[i]:
            return False
        if first[i] == 0:
            return True
    return True


@part
def normalise(literals):
    """Sort the literals by variable, zeros last."""
    for i in range(1, literals.size):
        literal = literals[i]
        j = i - 1
        while j >= 0 and literal != 0 and (literals[j] == 0 or abs(literals[j]) > abs(literal)):
            literals[j + 1] = literals[j]
            j -= 1
        literals[j + 1] = literal


@part
def any_sign(random, variable):
    return variable if coin(random) else -variable


@part
def new_variable(random, literals, variables):
    """A random variable, numbered from 1, that the literals do not mention; there must be one."""
    variable = 1 + below(random, variables)
    while mentions(literals, variable):
        variable = 1 + below(random, variables)
    return variable


@part
def draw_clause(random, sources, longest, literals):
    """A random clause; most often one that a negative example violates, or that a context falsifies."""
    variables = sources.assignments.shape[1]
    choice = fraction(random)
    if choice < FALSIFIED_UP_TO:
        fixed = sources.context_literals[below(random, sources.context_literals.shape[0])]
        if fixed[0] > 0:
            draw_falsified(random, fixed[1 : 1 + fixed[0]], longest, literals)
            return
    violated = choice < VIOLATED_UP_TO and sources.negatives.size > 0
    row = sources.negatives[below(random, sources.negatives.size)] if violated else 0
    for i in range(1 + below(random, longest)):
        variable = new_variable(random, literals, variables)
        if violated:
            literals[i] = -variable if sources.assignments[row, variable - 1] else variable
        else:
            literals[i] = any_sign(random, variable)


@part
def draw_falsified(random, fixed, longest, literals):
    """A random clause that is false wherever the fixed literals are true."""
    for i in range(1 + below(random, min(fixed.size, longest))):
        literal = fixed[below(random, fixed.size)]
        while mentions(literals, np.int64(abs(literal))):
            literal = fixed[below(random, fixed.size)]
        literals[i] = -literal


@part
def draw_count(random, atoms, variables, longest_count, row):
    """A random constraint of at least two literals that needs at least two (or of one, if no two are alike)."""
    literals = row[1:]
    if not atoms.plain:
        length = draw_alike(random, longest_count, atoms, literals)
        row[0] = 2 + below(random, length - 1) if length >= 2 else 1
        return
    length = 2 + below(random, longest_count - 1)
    one_sign = fraction(random) < ONE_SIGN_CHANCE
    sign = 1 if coin(random) else -1
    for i in range(length):
        variable = new_variable(random, literals, variables)
        literals[i] = sign * variable if one_sign else any_sign(random, variable)
    row[0] = 2 + below(random, length - 1)


@part
def place_in(sums, amount):
    """The first place where the ascending sums reach the amount, or else the last."""
    low, high = 0, sums.size - 1
    while low < high:
        middle = (low + high) // 2
        if sums[middle] < amount:
            low = middle + 1
        else:
            high = middle
    return low


@part
def draw_new(random, atoms, sources, pool, longest, longest_count, row):
    """A constraint from the pool, or a random one."""
    if pool.chances.size > 0 and fraction(random) < POOL_CHANCE:
        copy_row(pool.rows[place_in(pool.sums, fraction(random))], row)
        return
    clear_row(row)
    if longest_count >= 2 and fraction(random) < COUNT_CHANCE:
        draw_count(random, atoms, sources.assignments.shape[1], longest_count, row)
    elif not atoms.plain and fraction(random) < ALIKE_CHANCE:
        row[0] = 1
        draw_alike(random, longest, atoms, row[1:])
    else:
        row[0] = 1
        draw_clause(random, sources, longest, row[1:])
    normalise(row[1:])


@part
def chance_at_random(row, atoms, longest, log_sets):
    """The chance of a random constraint, as if those were uniform among those of their length and need."""
    length = length_of(row)
    longest_count = log_sets.size - 1
    clauses = 1 - COUNT_CHANCE if longest_count >= 2 else 1.0
    if row[0] > 1:
        if not atoms.plain:
            return COUNT_CHANCE * chance_of_alike(row, length, longest_count, atoms) / (length - 1.0)
        return COUNT_CHANCE / ((longest_count - 1.0) * (length - 1.0)) * np.exp(-log_sets[length])
    if atoms.plain:
        return clauses / longest * np.exp(-log_sets[length])
    alike = 0.0
    if same_said(row, atoms) and 2 <= length <= longest:
        alike = chance_of_alike(row, length, longest, atoms)
    return clauses * (ALIKE_CHANCE * alike + (1 - ALIKE_CHANCE) / longest * np.exp(-log_sets[length]))


@part
def log_chance_of(row, atoms, pool, longest, log_sets):
    """Log chance of drawing the row."""
    uniform = chance_at_random(row, atoms, longest, log_sets)
    if pool.chances.size == 0:
        return np.log(uniform)
    listed = 0.0
    for i in range(pool.chances.size):
        if same_row(pool.rows[i], row):
            listed = pool.chances[i]
            break
    return np.log(POOL_CHANCE * listed + (1 - POOL_CHANCE) * uniform)


@part
def edit_alike(random, atoms, longest_count, row):
    """As `edit_literals`, for counts of alike literals, which stay alike: all are turned around, or none."""
    count = length_of(row)
    literals = row[1:]
    choice = fraction(random)
    at = below(random, count)
    along = 1 if coin(random) else 0
    sign = 1 if literals[0] > 0 else -1
    label = atoms.labels[abs(literals[0]) - 1]
    more = size_of(label, atoms) - count
    ratio = 0.0
    if choice < TURN_UP_TO:
        for i in range(count):
            literals[i] = -literals[i]
    elif choice < REPLACE_UP_TO:
        if more == 0:
            return False, 0.0
        literals[at] = sign * new_alike(random, literals, label, atoms)
    elif choice < ADD_UP_TO:
        if count >= longest_count or more == 0:
            return False, 0.0
        literals[count] = sign * new_alike(random, literals, label, atoms)
        row[0] += along
        ratio = np.log(more * 1.0) - np.log(count + 1.0)
    else:
        if row[0] - along >= count or row[0] - along < 2:
            return False, 0.0
        literals[at] = 0
        row[0] -= along
        ratio = np.log(count * 1.0) - np.log(more + 1.0)
    normalise(literals)
    return True, ratio


@part
def edit_literals(random, atoms, variables, longest, longest_count, row):
    """Turn, replace, add or drop a literal: (whether that was possible, log ratio of the chances back and forth).

    A clause stays a clause. With a literal of a count, its need comes or goes in half of the cases ("at most 2 of")
    and stays in the others ("at least 2 of"), but never becomes 1; so the chances back and forth are the same.
    """
    if row[0] > 1 and not atoms.plain:
        return edit_alike(random, atoms, longest_count, row)
    count = length_of(row)
    literals = row[1:]
    choice = fraction(random)
    at = below(random, count)
    along = 1 if row[0] > 1 and coin(random) else 0
    ratio = 0.0
    if choice < TURN_UP_TO:
        literals[at] = -literals[at]
    elif choice < REPLACE_UP_TO:
        if count == variables:
            return False, 0.0
        literals[at] = any_sign(random, new_variable(random, literals, variables))
    elif choice < ADD_UP_TO:
        if count >= (longest if row[0] == 1 else longest_count) or count == variables:
            return False, 0.0
        literals[count] = any_sign(random, new_variable(random, literals, variables))
        row[0] += along
        ratio = np.log(2.0 * (variables - count)) - np.log(count + 1.0)
    else:
        if count == 1 or row[0] - along >= count or row[0] - along < min(2, row[0]):
            return False, 0.0
        literals[at] = 0
        row[0] -= along
        ratio = np.log(count * 1.0) - np.log(2.0 * (variables - count + 1))
    normalise(literals)
    return True, ratio


@part
def change_need(random, longest, row):
    """One literal more or one less is needed, at even odds: whether that was possible."""
    length = length_of(row)
    row[0] += 1 if coin(random) else -1
    return 1 <= row[0] <= length and (row[0] > 1 or length <= longest)
