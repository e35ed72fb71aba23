"""The neighbours of a model: which single changes a step may try (paper, "Neighbourhood Function" and Appendix E).

A move is a row (clause, kind, literal); moves of weight and hardness carry NO_LITERAL. A clause is a row of signs (-1,
0, +1 per variable) and a cost: its weight in thousandths, or `hard` if it is a hard clause. So no clause is ever a
tautology; and no move empties one or makes it longer than `longest`.

Differs from the paper: weights stay within 1/1000 and 999/1000, so that a soft clause never silently vanishes and
weights are exact; halves are rounded down. A move that would leave the model as it is does not exist.

Both neighbourhoods are rows of the table RULES: the pruned one row per sentence of Appendix E, which looks at one
misclassified example x and at an optimal assignment x* of the current model in the context of x; the naive one a row
per kind of move.

Slow twins: the rules spelled out one by one in tests/test_sls_moves.py.
"""

import numpy as np

from hassle.kernels.codes import (
    ADD,
    ANYTHING,
    FLIP,
    HARDEN,
    LIGHTEN,
    NO_LITERAL,
    POSITIVE_INFEASIBLE,
    POSITIVE_SUBOPTIMAL,
    REMOVE,
    SHOULD_BE_INFEASIBLE,
    SHOULD_BE_SUBOPTIMAL,
    SOFTEN,
    STRENGTHEN,
    SUBOPTIMAL_AS_PRINTED,
)
from hassle.kernels.compiled import kernel, part

LIGHTEST, HEAVIEST, WHOLE = 1, 999, 1000  # weights in thousandths; WHOLE is the paper's weight 1

KINDS = ("harden", "soften", "lighten", "strengthen", "add", "remove", "flip")

NO, YES, ANY = 0, 1, 2
SOFT, HARD = 0, 1

# One row: the error it answers, the clause it changes (hard or soft; is it covered by x; by x*), the kind of move, and
# for a literal to add or remove whether it must be true in x and in x*. In the order of the appendix.
#
# Positive predicted suboptimal, rule 5. Differs from the paper: it prints "replace phi by phi + l", which changes
# nothing as both assignments cover phi already; taking l out is what can turn x* away, so that is what is done, unless
# the error asks for the rule as it is printed.
EITHER_SUBOPTIMAL = POSITIVE_SUBOPTIMAL | SUBOPTIMAL_AS_PRINTED
RULES = np.array(
    [
        # positive, predicted infeasible: 1. any change of a hard clause that x violates
        (POSITIVE_INFEASIBLE, HARD, NO, ANY, SOFTEN, ANY, ANY),
        (POSITIVE_INFEASIBLE, HARD, NO, ANY, ADD, ANY, ANY),
        (POSITIVE_INFEASIBLE, HARD, NO, ANY, REMOVE, ANY, ANY),
        (POSITIVE_INFEASIBLE, HARD, NO, ANY, FLIP, ANY, ANY),
        # positive, predicted suboptimal: 1. a hard clause that x covers: take out a literal of x*
        (EITHER_SUBOPTIMAL, HARD, YES, ANY, REMOVE, ANY, YES),
        # 2. a soft clause that only x covers: make it hard, or heavier
        (EITHER_SUBOPTIMAL, SOFT, YES, NO, HARDEN, ANY, ANY),
        (EITHER_SUBOPTIMAL, SOFT, YES, NO, STRENGTHEN, ANY, ANY),
        # 3. a soft clause that only x* covers: add a literal of x, take out a literal of x*, or make it lighter
        (EITHER_SUBOPTIMAL, SOFT, NO, YES, ADD, YES, ANY),
        (EITHER_SUBOPTIMAL, SOFT, NO, YES, REMOVE, ANY, YES),
        (EITHER_SUBOPTIMAL, SOFT, NO, YES, LIGHTEN, ANY, ANY),
        # 4. a soft clause that neither covers: add a literal true in x only
        (EITHER_SUBOPTIMAL, SOFT, NO, NO, ADD, YES, NO),
        # 5. a soft clause that both cover: take out a literal true in x* only; as printed, add one
        (POSITIVE_SUBOPTIMAL, SOFT, YES, YES, REMOVE, NO, YES),
        (SUBOPTIMAL_AS_PRINTED, SOFT, YES, YES, ADD, NO, YES),
        # negative, predicted positive: 1. a hard clause that x covers: take out a literal of x
        (SHOULD_BE_INFEASIBLE, HARD, YES, ANY, REMOVE, YES, ANY),
        # 2. a soft clause that neither covers: make it hard, or heavier
        (SHOULD_BE_INFEASIBLE, SOFT, NO, NO, HARDEN, ANY, ANY),
        (SHOULD_BE_SUBOPTIMAL, SOFT, NO, NO, STRENGTHEN, ANY, ANY),
        # 3. a soft clause that both cover: take out a literal of x, or make it lighter
        (SHOULD_BE_SUBOPTIMAL, SOFT, YES, YES, REMOVE, YES, ANY),
        (SHOULD_BE_SUBOPTIMAL, SOFT, YES, YES, LIGHTEN, ANY, ANY),
        # the naive neighbourhood
        (ANYTHING, HARD, ANY, ANY, SOFTEN, ANY, ANY),
        (ANYTHING, HARD, ANY, ANY, ADD, ANY, ANY),
        (ANYTHING, HARD, ANY, ANY, REMOVE, ANY, ANY),
        (ANYTHING, HARD, ANY, ANY, FLIP, ANY, ANY),
        (ANYTHING, SOFT, ANY, ANY, HARDEN, ANY, ANY),
        (ANYTHING, SOFT, ANY, ANY, LIGHTEN, ANY, ANY),
        (ANYTHING, SOFT, ANY, ANY, STRENGTHEN, ANY, ANY),
        (ANYTHING, SOFT, ANY, ANY, ADD, ANY, ANY),
        (ANYTHING, SOFT, ANY, ANY, REMOVE, ANY, ANY),
        (ANYTHING, SOFT, ANY, ANY, FLIP, ANY, ANY),
    ],
    dtype=np.int64,
)


@kernel
def changed_cost(cost, kind, hard):
    """The cost of a clause after a move of this kind; moves of literals leave it as it is."""
    if kind == HARDEN:
        return hard
    if kind == SOFTEN:
        return np.int32(HEAVIEST)
    if kind == LIGHTEN:
        return np.int32(max(LIGHTEST, cost // 2))
    if kind == STRENGTHEN:
        return np.int32(min(HEAVIEST, (WHOLE + cost) // 2))
    return cost


@kernel
def changed_sign(kind, literal):
    """The sign that the variable of a literal has in the clause after the literal is added, removed or flipped."""
    if kind == REMOVE:
        return np.int8(0)
    if kind == ADD:
        return np.int8(1 if literal & 1 else -1)
    return np.int8(-1 if literal & 1 else 1)


@part
def covers(signs_of_clause, assignment):
    """Does the clause hold in the assignment (0/1 per variable)?"""
    for variable in range(signs_of_clause.size):
        sign = signs_of_clause[variable]
        if sign != 0 and (sign > 0) == (assignment[variable] != 0):
            return True
    return False


@part
def admits(condition, holds):
    """Does a condition NO, YES or ANY allow this truth value?"""
    return condition == ANY or (condition == YES) == holds


@part
def write_literal_moves(signs_of_clause, longest, clause, kind, x, best, in_x, in_best, moves, count):
    """Append the moves of this kind for every literal whose truth in x and in x* is as asked; return the new count."""
    length = 0
    for variable in range(signs_of_clause.size):
        length += signs_of_clause[variable] != 0
    if (kind == ADD and length >= longest) or (kind == REMOVE and length <= 1):
        return count
    for literal in range(2 * signs_of_clause.size):
        variable = literal >> 1
        positive = literal & 1
        sign = signs_of_clause[variable]
        possible = sign == 0 if kind == ADD else sign == 2 * positive - 1
        if possible and admits(in_x, x[variable] == positive) and admits(in_best, best[variable] == positive):
            moves[count, 0] = clause
            moves[count, 1] = kind
            moves[count, 2] = literal
            count += 1
    return count


@kernel
def write_moves(signs, costs, hard, longest, considered, error, x, best, moves):
    """Write the moves of the considered clauses that the rules for this error allow; return how many they are.

    For the naive neighbourhood the error is ANYTHING, and x and best do not matter.
    """
    count = np.int64(0)
    for clause in range(costs.size):
        if not considered[clause]:
            continue
        is_hard = costs[clause] == hard
        covered_by_x = covers(signs[clause], x)
        covered_by_best = covers(signs[clause], best)
        for r in range(RULES.shape[0]):
            rule = RULES[r]
            errors, wants_hard, by_x, by_best = rule[0], rule[1], rule[2], rule[3]
            kind, in_x, in_best = rule[4], rule[5], rule[6]
            if errors & error == 0 or (wants_hard == HARD) != is_hard:
                continue
            if not admits(by_x, covered_by_x) or not admits(by_best, covered_by_best):
                continue
            if kind >= ADD:
                count = write_literal_moves(signs[clause], longest, clause, kind, x, best, in_x, in_best, moves, count)
            elif changed_cost(costs[clause], kind, hard) != costs[clause]:
                moves[count, 0] = clause
                moves[count, 1] = kind
                moves[count, 2] = NO_LITERAL
                count += 1
    return count
