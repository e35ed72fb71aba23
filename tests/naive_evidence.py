"""Slow twin of the evidence kernels: the log likelihood of a dataset, from the definition in its module."""

from __future__ import annotations

from math import log

from naive import all_assignments, constraint_holds, context_holds, in_domain

from hassle.data import Label
from hassle.logic import Choice, Constraint, Context, Schema, YesNo


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


def kind_chance(verdict, rates):
    return {"infeasible": rates.infeasible, "suboptimal": 1 - rates.infeasible, "optimal": 1.0}[verdict]


def label_chance(label, verdict, rates):
    right = {
        Label.POSITIVE: ("optimal",),
        Label.NEGATIVE: ("infeasible", "suboptimal"),
        Label.INFEASIBLE: ("infeasible",),
        Label.SUBOPTIMAL: ("suboptimal",),
    }[label]
    return 1 - rates.wrong if verdict in right else rates.wrong


def places(data):
    """Each example's context and assignment."""
    return [(example.context, tuple(int(bit) for bit in example.assignment.bits)) for example in data]


def examples_log_likelihood(hard, soft, data, rates):
    """Where nothing was drawn twice, an optimum that was a positive before cannot be one again. What was compared was
    not drawn.
    """
    result = 0.0
    gone = set()
    for example, (context, bits), compared in zip(data, places(data), data.compared.tolist(), strict=True):
        verdicts, counts = verdict_counts(losses(hard, soft, context, data.schema))
        left = counts[verdicts[bits]]
        good = verdicts[bits] == "optimal" and example.label == Label.POSITIVE
        if good and len(set(places(data))) == len(data):
            left -= sum(other == context for other, one in gone)
            gone.add((context, bits))
        result += log(label_chance(example.label, verdicts[bits], rates))
        if not compared:
            result += log(kind_chance(verdicts[bits], rates)) - log(left)
    return result


def fewest_positives(data):
    """How many different positives there are in every context that was recorded."""
    good = {place for example, place in zip(data, places(data), strict=True) if example.label == Label.POSITIVE}
    return min(sum(context == one for one, _ in good) for context in recorded(data))


def recorded(data):
    """The contexts in which decisions were made rather than compared."""
    compared = {data.contexts[c] for c in data.context_of[data.compared]}
    return [context for context in data.contexts if context not in compared]


def context_weight(hard, soft, context, schema, rates, fewest):
    feasible = [loss for loss in losses(hard, soft, context, schema).values() if loss is not None]
    if not feasible or feasible.count(min(feasible)) < fewest:
        return 0.0
    return 1.0 if min(feasible) > 0 else rates.harmless


def contexts_log_likelihood(hard, soft, data, rates, smallest=1e-4):
    """With all neighbours: each literal of each context turned around."""
    result = 0.0
    fewest = fewest_positives(data)
    for context in recorded(data):
        near = [
            Context(tuple(-lit if i == j else lit for j, lit in enumerate(context.literals)), context.rest)
            for i in range(len(context.literals))
        ]
        weights = [context_weight(hard, soft, other, data.schema, rates, fewest) for other in (context, *near)]
        result += log(max(weights[0], smallest)) - log(max(sum(weights), smallest))
    return result


def said_of(literal, schema):
    """What a literal says of its column, and the column's name."""
    column = schema.columns[schema.column_of[abs(literal) - 1]]
    place = abs(literal) - 1 - schema.starts[schema.column_of[abs(literal) - 1]]
    return (column.atom_text(place, True), literal > 0), column.name


def are_alike(constraint, schema):
    """Two literals or more that say the same of several columns, or name values of one choice."""
    said = {said_of(literal, schema)[0] for literal in constraint.literals}
    columns = {said_of(literal, schema)[1] for literal in constraint.literals}
    if schema.plain or len(constraint.literals) < 2:
        return False
    named = len(columns) == 1 and all(literal > 0 for literal in constraint.literals)
    return len(said) == 1 or (named and isinstance(schema.column(*columns)[0], Choice))


def is_sensible(constraint, schema):
    """A count says the same of several columns. What a clause says of one column rules out some of its values, and
    could not be said with fewer literals.
    """
    if schema.plain:
        return True
    if not constraint.is_clause:
        return len({said_of(literal, schema)[0] for literal in constraint.literals}) == 1
    for name in {said_of(literal, schema)[1] for literal in constraint.literals}:
        column, start = schema.column(name)
        own = [
            lit - start if lit > 0 else lit + start for lit in constraint.literals if said_of(lit, schema)[1] == name
        ]
        if len(own) == 1:
            continue
        alone = Schema((column,))
        values = [alone.encode([value]).tolist() for value in column.values]

        def left(literals, values=values):
            return [k for k, bits in enumerate(values) if constraint_holds(Constraint(tuple(literals)), tuple(bits))]

        atoms = range(1, len(column.atoms) + 1)
        shorter = [[sign * atom] for atom in atoms for sign in (1, -1)] + [
            [lit for lit in own if lit != out] for out in own
        ]
        assert not isinstance(column, YesNo)
        if len(left(own)) == len(values) or any(left(each) == left(own) for each in shorter):
            return False
    return True
