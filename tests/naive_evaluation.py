"""The paper's performance measures straight from their definitions, over all assignments of few variables."""

from __future__ import annotations

from fractions import Fraction

import naive


def measures(model, truth, context):
    """Every measure as an exact fraction; None where it is undefined."""
    everything = [
        bits
        for bits in naive.all_assignments(len(model.variables))
        if naive.in_domain(model.schema, bits) and naive.context_holds(context, bits)
    ]
    optima, _ = naive.optima(model, context)
    true_optima, best = naive.optima(truth, context)
    feasible = [bits for bits in optima if naive.feasible(truth, context, bits)]
    all_feasible = [bits for bits in everything if naive.feasible(truth, context, bits)]
    agreeing = [bits for bits in everything if (bits in optima) == (bits in true_optima)]
    common = optima & true_optima
    return {
        "accuracy": share(len(agreeing), len(everything)),
        "infeasibility": share(len(optima) - len(feasible), len(optima)),
        "regret_exact": regret(truth, feasible, best),
        "precision": share(len(common), len(optima)),
        "recall": share(len(common), len(true_optima)),
        "f1": share(2 * len(common), len(optima) + len(true_optima)),
        "optima": len(optima),
        "true_optima": len(true_optima),
        "common_optima": len(common),
        "baseline_infeasibility": share(len(everything) - len(all_feasible), len(everything)),
        "baseline_regret": regret(truth, all_feasible, best),
    }


def share(part, whole):
    return Fraction(part, whole) if whole else None


def regret(truth, assignments, best):
    """The mean shortfall of the assignments, as a share of the true optimum's value."""
    if not assignments or best is None or best <= 0:
        return None
    shortfalls = [Fraction(best - naive.value(truth, bits)) for bits in assignments]
    return sum(shortfalls) / len(assignments) / Fraction(best)
