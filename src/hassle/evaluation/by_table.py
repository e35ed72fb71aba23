"""Counting by listing every assignment of the context, block by block.

A block fixes all but the first ``BLOCK`` free variables, so it is a context of its own, its table fits a processor's
cache, and the memory needed does not grow with the number of variables. Two passes: the first finds both models' best
values, the second counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hassle.evaluation.counts import Counts, Losses
from hassle.logic import Context
from hassle.model import Model
from hassle.tables.completions import count_completions

BLOCK = 16
# Two models of 20 clauses take some seconds here, and twice as long with each further variable.
LARGEST = 26

Table = NDArray[np.int64]


def counts_by_table(model: Model, truth: Model, context: Context, samples: int, rng: np.random.Generator) -> Counts:
    """Every number, exactly. Both models speak of the same variables in the same order."""
    from hassle.kernels.codes import INFEASIBLE_LOSS as INFEASIBLE

    pairs = [
        (int(own.min(initial=INFEASIBLE)), int(true.min(initial=INFEASIBLE)))
        for own, true in _tables(model, truth, context)
    ]
    best, true_best = min(own for own, _ in pairs), min(true for _, true in pairs)
    optima = true_optima = common = 0
    hits: list[int] = []
    exact, random = [], []
    for own, true in _tables(model, truth, context):
        chosen = (own == best) & (own != INFEASIBLE)
        feasible = true != INFEASIBLE
        optima += _number(chosen)
        true_optima += _number((true == true_best) & feasible)
        common += _number(chosen & (true == true_best) & feasible)
        hits.append(_number(chosen & feasible))
        exact.append(_losses(true[chosen & feasible], true_best))
        random.append(_losses(true[feasible], true_best))
    return Counts(
        assignments=count_completions(context, model.schema),
        optima=optima,
        true_optima=true_optima,
        common=common,
        feasible_optima=sum(hits),
        true_value=None if true_best == INFEASIBLE else int(truth.weights.sum()) - true_best,
        sampled=_sampled(model, truth, context, (best, true_best), hits, samples, rng),
        exact=_joined(exact),
        random=_joined(random),
        method="table",
    )


def feasible_by_table(model: Model, context: Context) -> int:
    """How many assignments of the context satisfy the model's hard clauses."""
    from hassle.kernels.codes import INFEASIBLE_LOSS as INFEASIBLE
    from hassle.solve.table import losses_in

    return sum(_number(losses_in(model, block) != INFEASIBLE) for block in blocks(context, len(model.variables)))


def table_fits(context: Context, variables: int) -> bool:
    return variables - len(context.literals) <= LARGEST


def blocks(context: Context, variables: int) -> Iterator[Context]:
    """The context cut into contexts with at most ``BLOCK`` free variables each."""
    later = context.free(variables)[BLOCK:]
    for bits in itertools.product((False, True), repeat=len(later)):
        fixed = [v + 1 if bit else -(v + 1) for v, bit in zip(later, bits, strict=True)]
        yield Context(tuple(sorted((*context.literals, *fixed), key=abs)), context.rest)


def _tables(model: Model, truth: Model, context: Context) -> Iterator[tuple[Table, Table]]:
    """The losses of both models over each block."""
    from hassle.solve.table import losses_in

    for block in blocks(context, len(model.variables)):
        yield losses_in(model, block), losses_in(truth, block)


def _sampled(
    model: Model,
    truth: Model,
    context: Context,
    bests: tuple[int, int],
    hits: list[int],
    samples: int,
    rng: np.random.Generator,
) -> Losses:
    """Losses over ``samples`` of the feasible optima, drawn uniformly without repetition (all where there are fewer).

    ``hits`` is their number in each block: only blocks that hold a drawn one are listed again.
    """
    from hassle.kernels.codes import INFEASIBLE_LOSS as INFEASIBLE
    from hassle.solve.table import losses_in

    ranks = np.sort(rng.choice(sum(hits), size=min(samples, sum(hits)), replace=False))
    starts = np.concatenate([[0], np.cumsum(hits)])
    drawn = []
    for i, block in enumerate(blocks(context, len(model.variables))):
        inside = ranks[(starts[i] <= ranks) & (ranks < starts[i + 1])] - starts[i]
        if len(inside):
            own, true = losses_in(model, block), losses_in(truth, block)
            drawn.append(_losses(true[(own == bests[0]) & (true != INFEASIBLE)][inside], bests[1]))
    return _joined(drawn)


def _losses(values: Table, best: int) -> Losses:
    """The values above ``best``, added up exactly: the two halves of each word apart, so that no sum overflows."""
    short = values - best
    total = (int((short >> 32).sum()) << 32) + int((short & 0xFFFFFFFF).sum())
    return Losses(len(values), total)


def _joined(parts: list[Losses]) -> Losses:
    return Losses(sum(part.count for part in parts), sum(part.total for part in parts))


def _number(mask: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(mask))
