"""Slow twin of the evidence kernels: the log likelihood of a dataset, from the definition in its module."""

from __future__ import annotations

from math import log

from naive import all_assignments, constraint_holds, context_holds, in_domain

from hassle.data import Label
from hassle.logic import Context


def losses(hard, soft, context, schema):
    """For each assignment in the context: its loss, None if it is infeasible. Losses only need to be comparable."""
    result = {}
    for bits in all_assignments(len(schema.variables)):
        if context_holds(context, bits) and in_domain(schema, bits):
            feasible = all(constraint_holds(constraint, bits) for constraint in hard)
            lost = sum(weight for constraint, weight in soft if not constraint_holds(constraint, bits))
            result[bits] = lost if feasible else None
    return result


def verdict_counts(table):
    feasible = [loss for loss in table.values() if loss is not None]
    best = min(feasible, default=None)
    verdicts = {
        bits: "infeasible" if loss is None else "optimal" if loss == best else "suboptimal"
        for bits, loss in table.items()
    }
    names = list(verdicts.values())
    return verdicts, {name: names.count(name) for name in ("infeasible", "suboptimal", "optimal")}


def label_chance(label, verdict, rates):
    kind = {"infeasible": rates.infeasible, "suboptimal": 1 - rates.infeasible, "optimal": 1.0}[verdict]
    right = {
        Label.POSITIVE: ("optimal",),
        Label.NEGATIVE: ("infeasible", "suboptimal"),
        Label.INFEASIBLE: ("infeasible",),
        Label.SUBOPTIMAL: ("suboptimal",),
    }[label]
    return kind * (1 - rates.wrong if verdict in right else rates.wrong)


def examples_log_likelihood(hard, soft, data, rates):
    result = 0.0
    for example in data:
        verdicts, counts = verdict_counts(losses(hard, soft, example.context, data.schema))
        verdict = verdicts[tuple(int(bit) for bit in example.assignment.bits)]
        result += log(label_chance(example.label, verdict, rates)) - log(counts[verdict])
    return result


def context_weight(hard, soft, context, schema, rates):
    feasible = [loss for loss in losses(hard, soft, context, schema).values() if loss is not None]
    if not feasible:
        return 0.0
    return 1.0 if min(feasible) > 0 else rates.harmless


def contexts_log_likelihood(hard, soft, data, rates, smallest=1e-4):
    """With all neighbours: each literal of each context turned around."""
    result = 0.0
    for context in data.contexts:
        near = [
            Context(tuple(-lit if i == j else lit for j, lit in enumerate(context.literals)), context.rest)
            for i in range(len(context.literals))
        ]
        weights = [context_weight(hard, soft, other, data.schema, rates) for other in (context, *near)]
        result += log(max(weights[0], smallest)) - log(max(sum(weights), smallest))
    return result
