"""New clauses for a Metropolis search: drawn at random, from data, from a pool, or by editing a clause.

Every function draws from an explicit random state. Proposals that are not symmetric report the log of the ratio
(chance of the way back) / (chance of the way forth), which the acceptance rule needs.
"""

from collections import namedtuple

import numpy as np

from hassle.kernels.chance import below, fraction
from hassle.kernels.compiled import part
from hassle.kernels.evidence import length_of

# Promising clauses with their chances, and the running sums of the chances. May be empty.
Pool = namedtuple("Pool", "clauses chances sums")

# What random clauses are drawn from: the examples, which of them are negative, the literals each context fixes.
Sources = namedtuple("Sources", "assignments negatives context_literals")


@part
def mentions(clause, variable):
    # A loop, because numba does not compile any().
    for literal in clause:  # noqa: SIM110
        if literal == variable or literal == -variable:
            return True
    return False


@part
def same_clause(first, second):
    for i in range(first.size):
        if first[i] != second[i]:
            return False
        if first[i] == 0:
            return True
    return True


@part
def normalise(clause):
    """Sort the literals by variable, zeros last."""
    for i in range(1, clause.size):
        literal = clause[i]
        j = i - 1
        while j >= 0 and literal != 0 and (clause[j] == 0 or abs(clause[j]) > abs(literal)):
            clause[j + 1] = clause[j]
            j -= 1
        clause[j + 1] = literal


@part
def any_sign(state, variable):
    return variable if fraction(state) < 0.5 else -variable


@part
def new_variable(state, clause, variables):
    """A random variable, numbered from 1, that the clause does not mention; there must be one."""
    variable = 1 + below(state, variables)
    while mentions(clause, variable):
        variable = 1 + below(state, variables)
    return variable


@part
def draw_clause(state, sources, longest, clause):
    """A random clause; most often one that a negative example violates, or that a context falsifies."""
    for i in range(clause.size):
        clause[i] = 0
    variables = sources.assignments.shape[1]
    choice = fraction(state)
    if choice < 0.3:
        literals = sources.context_literals[below(state, sources.context_literals.shape[0])]
        fixed = length_of(literals)
        if fixed > 0:
            _draw_falsified(state, literals[:fixed], longest, clause)
            return
    violated = choice < 0.9 and sources.negatives.size > 0
    row = sources.negatives[below(state, sources.negatives.size)] if violated else 0
    for i in range(1 + below(state, longest)):
        variable = new_variable(state, clause, variables)
        if violated:
            clause[i] = -variable if sources.assignments[row, variable - 1] else variable
        else:
            clause[i] = any_sign(state, variable)
    normalise(clause)


@part
def _draw_falsified(state, literals, longest, clause):
    """A random clause that is false wherever these literals are true."""
    for i in range(1 + below(state, min(literals.size, longest))):
        literal = literals[below(state, literals.size)]
        while mentions(clause, abs(literal)):
            literal = literals[below(state, literals.size)]
        clause[i] = -literal
    normalise(clause)


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
def draw_new(state, sources, pool, longest, clause):
    """A clause from the pool, or a random one, at even odds."""
    if pool.chances.size > 0 and fraction(state) < 0.5:
        at = place_in(pool.sums, fraction(state))
        for i in range(clause.size):
            clause[i] = pool.clauses[at, i]
    else:
        draw_clause(state, sources, longest, clause)


@part
def log_chance_of(clause, pool, longest, log_clauses):
    """Log chance of drawing the clause, as if random clauses were uniform among those of their length."""
    uniform = np.exp(-log_clauses[length_of(clause)]) / longest
    if pool.chances.size == 0:
        return np.log(uniform)
    listed = 0.0
    for i in range(pool.chances.size):
        if same_clause(pool.clauses[i], clause):
            listed = pool.chances[i]
            break
    return np.log(0.5 * listed + 0.5 * uniform)


@part
def edit_clause(state, variables, longest, clause):
    """Turn, replace, add or drop a literal: (whether that was possible, log ratio of the chances back and forth)."""
    count = length_of(clause)
    choice = fraction(state)
    at = below(state, count)
    ratio = 0.0
    if choice < 0.15:
        clause[at] = -clause[at]
    elif choice < 0.5:
        if count == variables:
            return False, 0.0
        clause[at] = any_sign(state, new_variable(state, clause, variables))
    elif choice < 0.75:
        if count >= longest or count == variables:
            return False, 0.0
        clause[count] = any_sign(state, new_variable(state, clause, variables))
        ratio = np.log(2.0 * (variables - count)) - np.log(count + 1.0)
    else:
        if count == 1:
            return False, 0.0
        clause[at] = 0
        ratio = np.log(count * 1.0) - np.log(2.0 * (variables - count + 1))
    normalise(clause)
    return True, ratio
