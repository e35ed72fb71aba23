"""Pricing many constraints at once: what each would add to the log likelihood if it came with the smallest weight.

A constraint of vanishing weight changes nothing but ties: in a context where some optima violate it and some do not,
the former become suboptimal. So its exact price follows from the counts, per context, of optima and of
examples that violate it, and these counts for *all* clauses of up to three literals cost one pass over the optima: an
assignment violates exactly one clause over each set of variables. For counts over a set of variables (at least so many
are true, or false) it is enough to know how many are true.

Clauses are numbered: over v variables, first the v unit clauses times 2, then the pairs times 4, then the triples
times 8, in lexicographic order; the last digits, base 2, say which literals are negative. Behind them come the counts:
for each set of n variables, at least 2 to n of them, then at least 2 to n of their negations.

Slow twins: finite differences of tests/naive_evidence.py (tests/test_statistical_evidence.py).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.kernels.bundle import Bundle
from hassle.kernels.codes import NEGATIVE, OPTIMAL, POSITIVE, SUBOPTIMAL, TRUE
from hassle.kernels.compiled import clear_row, kernel, part
from hassle.kernels.evidence import HARD, least_loss

# Everything is counted in one type, weights too: one compiled signature.
ONE = np.float32(1)


@dataclass(frozen=True, eq=False)
class Tally(Bundle):
    """Room to count in, for one context: an assignment, and for everything priced what violates it."""

    bits: NDArray[np.int64]
    optima: NDArray[np.float32]
    good: NDArray[np.float32]  # positives that the model calls optimal,
    bad: NDArray[np.float32]  # and negatives,
    falling: NDArray[np.float32]  # and both, equal ones counted once


@part
def mark_violated(bits, longest, amount, counts):
    """Add `amount` to every clause of up to `longest` (at most three) literals that the assignment violates."""
    variables = bits.size
    for i in range(variables):
        counts[2 * i + bits[i]] += amount
    at = 2 * variables
    if longest >= 2:
        for i in range(variables):
            for j in range(i + 1, variables):
                counts[at + 2 * bits[i] + bits[j]] += amount
                at += 4
    if longest >= 3:
        for i in range(variables):
            for j in range(i + 1, variables):
                pair = 4 * bits[i] + 2 * bits[j]
                for k in range(j + 1, variables):
                    counts[at + pair + bits[k]] += amount
                    at += 8


@part
def mark_broken(bits, sets, amount, counts):
    """Add `amount` to every count over these sets (rows of variables, filled up with -1) that the assignment breaks."""
    at = 0
    for s in range(sets.shape[0]):
        true = 0
        size = 0
        while size < sets.shape[1] and sets[s, size] >= 0:
            true += bits[sets[s, size]]
            size += 1
        for need in range(max(2, true + 1), size + 1):
            counts[at + need - 2] += amount
        at += size - 1
        for need in range(max(2, size - true + 1), size + 1):
            counts[at + need - 2] += amount
        at += size - 1


@part
def mark(bits, longest, clauses, sets, amount, counts):
    """Add `amount` to everything priced, of which the first are clauses, that the assignment violates."""
    mark_violated(bits, longest, amount, counts)
    mark_broken(bits, sets, amount, counts[clauses:])


@part
def fill_bits(places, word, bits):
    """The full assignment that a word of a table stands for."""
    for v in range(places.size):
        place = places[v]
        bits[v] = (word >> place) & 1 if place >= 0 else place == TRUE


@part
def count_optima(places, words, losses, least, most, longest, clauses, sets, bits, counts):
    """Count, for everything priced, the optima that violate it, looking at `most` of them or a few more: (optima, those
    looked at).
    """
    optima = 0
    for i in range(losses.size):
        optima += losses[i] == least
    stride = 1 + optima // most
    seen = 0
    used = 0
    for i in range(losses.size):
        if losses[i] == least:
            if seen % stride == 0:
                fill_bits(places, words[i], bits)
                mark(bits, longest, clauses, sets, ONE, counts)
                used += 1
            seen += 1
    return optima, used


@part
def log_ways(belief, points, drawn):
    """Log of the number of ways to draw so many different ones of the points, one after the other."""
    return belief.log_factorials[points] - belief.log_factorials[max(0, points - drawn)]


@kernel
def price_all(cases, belief, state, assignments, longest, clauses, sets, most, step, tally, prices):
    """Add to `prices` what each clause of up to `longest` literals, of which there are so many `clauses`, and each
    count over the sets would gain in every `step`-th table; at most ~`most` optima per context are counted.
    """
    bits, violating, good, bad, falling = tally.bits, tally.optima, tally.good, tally.bad, tally.falling
    for t in range(0, state.impacts.size, step):
        first, last = cases.starts[t], cases.starts[t + 1]
        losses = state.losses[cases.offsets[t] : cases.offsets[t + 1]]
        words = cases.words[cases.word_starts[t] : cases.word_starts[t] + losses.size]
        least = least_loss(losses)
        if first == last or least >= HARD:
            continue
        for counts in (violating, good, bad, falling):
            clear_row(counts)
        optima, used = count_optima(
            cases.places[t], words, losses, least, most, longest, clauses, sets, bits, violating
        )
        suboptimal = 0
        for i in range(losses.size):
            suboptimal += (losses[i] < HARD) & (losses[i] != least)
        called_good = 0.0
        seen_good = 0
        positive = 0.0
        seen_positive = 0
        called_suboptimal = 0.0
        for e in range(first, last):
            loss = losses[cases.points[e]]
            if loss == least:
                weight = np.float32(cases.weights[e])
                called_good += weight
                seen_good += 1
                positive += weight if cases.labels[e] == POSITIVE else np.float32(0)
                seen_positive += cases.labels[e] == POSITIVE
                for v in range(bits.size):
                    bits[v] = assignments[e, v]
                mark(bits, longest, clauses, sets, weight, good if cases.labels[e] == POSITIVE else bad)
                mark(bits, longest, clauses, sets, ONE, falling)
            elif loss < HARD:
                called_suboptimal += cases.weights[e]
        log_optima = np.log(optima * 1.0)
        log_suboptimal = np.log(max(1.0, suboptimal * 1.0))
        kind = belief.kind_logs[SUBOPTIMAL] - belief.kind_logs[OPTIMAL]
        fall_good = kind + belief.label_logs[POSITIVE, SUBOPTIMAL] - belief.label_logs[POSITIVE, OPTIMAL]
        fall_bad = kind + belief.label_logs[NEGATIVE, SUBOPTIMAL] - belief.label_logs[NEGATIVE, OPTIMAL]
        for c in range(prices.size):
            if violating[c] == 0 or violating[c] == used:
                continue
            # Where not all optima were counted, this is an estimate, but what was seen to stay or to leave is certain.
            stay, leave = max(1.0, seen_good - falling[c]), max(1.0, falling[c])
            left = max(min(optima - violating[c] * optima / used, optima - leave), min(stay, optima - 1.0))
            log_more = np.log(suboptimal + optima - left)
            if cases.distinct and seen_positive > 0:
                each = positive / seen_positive  # exact where all weigh the same
                stayed = seen_positive - np.int64(good[c] / each + 0.5)
                prices[c] += each * log_ways(belief, optima, seen_positive)
                prices[c] -= each * log_ways(belief, np.int64(left), stayed) + good[c] * log_more
            else:
                prices[c] += (positive - good[c]) * (log_optima - np.log(left)) + good[c] * (log_optima - log_more)
            others = called_good - positive
            prices[c] += (others - bad[c]) * (log_optima - np.log(left)) + bad[c] * (log_optima - log_more)
            prices[c] += good[c] * fall_good + bad[c] * fall_bad
            prices[c] -= called_suboptimal * (log_more - log_suboptimal)
