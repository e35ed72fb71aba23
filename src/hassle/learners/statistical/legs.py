"""Chains carried out elsewhere, leg by leg (:mod:`hassle.learners.places`): what is sent, what comes back.

All chains share the data and the sizes of their models. Of a chain only its model travels, with what it has counted;
what follows from model and data is computed anew where a leg begins, which takes as long as some hundred moves.
Of a run that is limited by steps the result is the same as in one process.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from hassle.learners.budget import Budget
from hassle.learners.statistical.chains import Chain, Draw
from hassle.learners.statistical.problem import Problem
from hassle.learners.statistical.sampler import Packed, Sampler

# What a chain knows of itself that goes with it.
KNOWN = ("best", "misses", "failure", "moves", "made", "rests", "stretches", "over", "_stretch", "_began")


@dataclass(frozen=True)
class Task:
    """What the chains of a run have in common; the numbers as :class:`Sampler` and :class:`Chain` take them."""

    problem: Problem
    longest: int
    longest_count: int
    constraints: int
    share: float
    warm: bool

    def sampler(self, seed: int) -> Sampler:
        return Sampler(self.problem, self.longest, self.longest_count, self.constraints, seed)

    def chain(self, sampler: Sampler, budget: Budget) -> Chain:
        return Chain(sampler, budget, self.share, warm=self.warm)


@dataclass(frozen=True)
class Parcel:
    """Where a chain stands, and the states at rest of its last leg."""

    sampler: Packed
    known: dict[str, Any]
    draws: tuple[Draw, ...] = ()


def parcel_of(chain: Chain) -> Parcel:
    return Parcel(chain.sampler.packed(), {name: getattr(chain, name) for name in KNOWN}, tuple(chain.draws))


def advance(task: Task, parcel: Parcel, budget: Budget, seconds: float) -> Parcel:
    """A leg of so many seconds."""
    sampler = task.sampler(0)
    sampler.unpack(parcel.sampler)
    chain = task.chain(sampler, budget)
    vars(chain).update(parcel.known)
    chain.misses = chain.misses.copy()
    chain.most_draws = math.inf
    chain.advance(seconds)
    if chain.over:
        chain.finish()
    return parcel_of(chain)


class ChainAfar(Chain):
    """A chain whose legs are done elsewhere. Its sampler here, which may be that of others too, only has its rates."""

    def __init__(self, sampler: Sampler, budget: Budget, share: float, *, warm: bool = False) -> None:
        self.rates = sampler.rates
        super().__init__(sampler, budget, share, warm=warm)

    @property
    def sampler(self) -> Sampler:
        self._sampler.rates = self.rates
        return self._sampler

    @sampler.setter
    def sampler(self, sampler: Sampler) -> None:
        self._sampler = sampler

    def parcel(self) -> Parcel:
        return parcel_of(self)

    def take(self, parcel: Parcel) -> None:
        vars(self).update(parcel.known)
        self.rates = parcel.sampler.rates
        for draw in parcel.draws:
            self.add(draw)

    def finish(self) -> None:
        if not self.draws:
            self.add(self.best or self._state())
