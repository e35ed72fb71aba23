"""Slow twins of what an interview computes with arrays: what members' choices cost each other, and what an answer is
worth. Written from the definitions in `hassle.interview.opinions` and `hassle.interview.values`.
"""

from __future__ import annotations

from fractions import Fraction

import naive


def choices(model, context):
    """The decisions among which the model chooses alike."""
    best, _ = naive.optima(model, context)
    return sorted(best)


def infeasibility(chooser, truth, contexts):
    """The share of the contexts in which what the chooser decides breaks the truth's rules."""
    total = Fraction(0)
    for context in contexts:
        if not choices(truth, context):
            continue
        own = choices(chooser, context)
        if not own:
            total += 1
            continue
        bad = [bits for bits in own if naive.verdict(truth, context, bits) == "infeasible"]
        total += Fraction(len(bad), len(own))
    return total / len(contexts)


def regret(chooser, truth, contexts):
    """The mean share of the best value that what the chooser decides loses, where it is feasible."""
    total = Fraction(0)
    for context in contexts:
        own, best = choices(chooser, context), choices(truth, context)
        if not own or not best:
            continue
        most = value(truth, best[0])
        for bits in own:
            if naive.verdict(truth, context, bits) != "infeasible":
                total += min(Fraction(1), Fraction(most - value(truth, bits), max(1, abs(most)))) / len(own)
    return total / len(contexts)


def value(model, bits):
    """The value in whole units."""
    return sum(
        weight
        for soft, weight in zip(model.soft, model.weights.tolist(), strict=True)
        if naive.constraint_holds(soft.constraint, bits)
    )


def remaining(weights, risk, patience):
    """What remains at risk: a mixture of the best member's risk and of the mean one."""
    total = sum(weights)
    if not total:
        return 0.0
    own = [sum(w * risk[m][k] for k, w in enumerate(weights)) / total for m in range(len(weights))]
    mean = sum(w * own[m] for m, w in enumerate(weights)) / total
    return (1 - patience) * min(own) + patience * mean


def gain(codes, size, weights, risk, wrong, patience):
    """What an answer is expected to take off."""
    after = 0.0
    for answer in range(size):
        new = [
            w * (1 - wrong if code == answer else wrong / max(1, size - 1))
            for w, code in zip(weights, codes, strict=True)
        ]
        after += sum(new) * remaining(new, risk, patience)
    return remaining(weights, risk, patience) - after
