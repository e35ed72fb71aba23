"""Questions that could be put, and how each member of the committee would answer them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hassle.interview.opinions import Opinions
from hassle.interview.questions import MOST_DIFFERENCES, AOrB, ChangeIt, GoodOrBad, Question
from hassle.interview.values import Polls
from hassle.kernels.codes import OPTIMAL
from hassle.logic import Assignment, Context, Schema

# How many questions of each kind are weighed.
MOST_DECISIONS, MOST_PAIRS, MOST_CHANGES = 300, 200, 40

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Candidate:
    """A question, how each member would answer it (by code, from 0), and how many answers there are."""

    question: Question
    codes: Codes
    size: int


def polls(candidates: Sequence[Candidate]) -> Polls:
    return Polls(
        np.array([each.codes for each in candidates], dtype=np.int64).reshape(len(candidates), -1),
        np.array([each.size for each in candidates], dtype=np.int64),
    )


def _spread(codes: Codes, weights: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """The chance that two members drawn by weight answer differently; codes are questions by members."""
    shares = np.array([(codes == answer) @ weights for answer in range(size)])
    return 1 - (shares**2).sum(axis=0)


def decisions_to_judge(
    opinions: Opinions, weights: NDArray[np.float64], schema: Schema, asked: Collection[Hashable]
) -> list[Candidate]:
    """Decisions that some member calls best and on which the members differ most."""
    codes = opinions.verdicts.T.astype(np.int64)
    wanted = (opinions.verdicts == OPTIMAL).T @ weights > 0
    spread = np.where(wanted, _spread(codes, weights, 3), 0.0)
    result = []
    for r in np.argsort(-spread, kind="stable")[:MOST_DECISIONS].tolist():
        if spread[r] <= 1e-9:
            break
        question = GoodOrBad(_context(opinions, r), _assignment(opinions, r, schema))
        if question.key not in asked:
            result.append(Candidate(question, codes[r], 3))
    return result


def pairs_to_compare(
    opinions: Opinions,
    weights: NDArray[np.float64],
    schema: Schema,
    asked: Collection[Hashable],
    rng: np.random.Generator,
) -> list[Candidate]:
    """Pairs of decisions that some member calls best, in one situation, which members rank differently."""
    support = (opinions.verdicts == OPTIMAL).T @ weights
    found = []
    for i, j in _pairs(opinions, support, rng):
        merit = _merits(opinions, i) - _merits(opinions, j)
        codes = (np.sign(merit) + 1).astype(np.int64)
        found.append((i, j, codes))
    if not found:
        return []
    spread = _spread(np.array([codes for _, _, codes in found]), weights, 3)
    result = []
    for k in np.argsort(-spread, kind="stable")[:MOST_PAIRS].tolist():
        i, j, codes = found[k]
        if spread[k] <= 1e-9:
            break
        question = AOrB(_context(opinions, i), _assignment(opinions, i, schema), _assignment(opinions, j, schema))
        if question.key not in asked:
            result.append(Candidate(question, codes, 3))
    return result


def _merits(opinions: Opinions, row: int) -> NDArray[np.float64]:
    """What decides between decisions: infeasible ones are alike, and below all others."""
    return np.where(opinions.feasible[:, row], opinions.values[:, row].astype(np.float64), -np.inf).clip(-1e15)


def _pairs(opinions: Opinions, support: NDArray[np.float64], rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    """Pairs of the decisions of one situation with most support, that do not differ in too many columns."""
    situations = opinions.situations
    ends = np.append(situations.starts[1:], len(situations.where))
    for start, end in zip(situations.starts.tolist(), ends.tolist(), strict=True):
        own = np.flatnonzero(support[start:end] > 0) + start
        best = own[np.argsort(-support[own], kind="stable")][:4].tolist()
        for a, i in enumerate(best):
            for j in best[a + 1 :]:
                if 0 < (situations.rows[i] != situations.rows[j]).sum() <= MOST_DIFFERENCES:
                    yield (i, j) if rng.random() < 0.5 else (j, i)


def decisions_to_change(
    opinions: Opinions, weights: NDArray[np.float64], schema: Schema, asked: Collection[Hashable]
) -> list[Candidate]:
    """In each situation the decision with most support; members would change it to their own nearest best one."""
    support = (opinions.verdicts == OPTIMAL).T @ weights
    situations = opinions.situations
    ends = np.append(situations.starts[1:], len(situations.where))
    result = []
    for start, end in zip(situations.starts.tolist(), ends.tolist(), strict=True):
        shown = start + int(support[start:end].argmax())
        far = (situations.rows[start:end] != situations.rows[shown]).sum(axis=1)
        distance = np.where(opinions.verdicts[:, start:end] == OPTIMAL, far[None, :], 10**6)
        nearest = distance.argmin(axis=1)
        changes = distance[np.arange(len(nearest)), nearest]
        distinct, codes = np.unique(nearest, return_inverse=True)
        if len(distinct) < 2:
            continue
        expected = round(float((np.minimum(changes, 20) * weights).sum()))
        question = ChangeIt(_context(opinions, shown), _assignment(opinions, shown, schema), expected)
        if question.key not in asked:
            result.append(Candidate(question, codes.ravel().astype(np.int64), len(distinct)))
    spread = [float((np.bincount(each.codes, weights=weights) ** 2).sum()) for each in result]
    return [result[k] for k in np.argsort(spread, kind="stable")[:MOST_CHANGES].tolist()]


def _context(opinions: Opinions, row: int) -> Context:
    return opinions.situations.contexts[int(opinions.situations.where[row])]


def _assignment(opinions: Opinions, row: int, schema: Schema) -> Assignment:
    return Assignment.of(schema, opinions.situations.rows[row])
