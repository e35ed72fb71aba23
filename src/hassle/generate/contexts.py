"""Contexts that matter: feasible conjunctions of literals that change the model's optimum (Section "Datasets").

A context *changes* the optimum if it can be satisfied but no globally best assignment satisfies it, so that the
planner must do something else. Such contexts come first; where too few exist, or are found, the rest are contexts that
exclude one globally best assignment and keep another. The result says how many are of which kind.

Where examples are ``wanted``, contexts that cannot give them are redrawn: as many optima, infeasible and suboptimal
completions as positives and negatives are asked for, so that every context gives examples of each kind and another
kind of negatives leaves the contexts as they are. A kind that the model has nowhere is not asked for. That comes before
changing the optimum; only where no other contexts are left or found do some give fewer.

How they are found:

- Up to ``TABLE_VARIABLES`` variables, from a table of all assignments. If there are few contexts in all, each is
  looked at and the draw is uniform among those of a kind. Otherwise contexts are drawn uniformly and those that do not
  serve are rejected, until ``DRAWN_COMPLETIONS`` completions have been visited.
- Beyond, random conjunctions would hardly ever be feasible. So the variables are drawn uniformly and get random
  signs one after the other, a sign being turned where a SAT solver finds that no feasible assignment is left. Every
  feasible context can come up, but not equally often. ``SOLVED_DRAWS`` contexts are solved for each one asked for, and
  ``REDRAWS`` for each one that gives too few examples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError
from hassle.generate.examples import Wanted, gives_all
from hassle.generate.limits import SecondsLeft, unlimited
from hassle.logic import EMPTY, Context
from hassle.model import Model
from hassle.solve.implication import Feasible, feasible

TABLE_VARIABLES = 22
ALL_CONTEXTS = 2**20
ALL_COMPLETIONS = 2**28
DRAWN_COMPLETIONS = 2**30
BATCH = 4096
SOLVED_DRAWS = 20
REDRAWS = 3

Words = NDArray[np.int64]


@dataclass(frozen=True)
class DrawnContexts:
    """Distinct contexts in random order; ``changing`` of them exclude every global optimum, the others at least one."""

    contexts: tuple[Context, ...]
    changing: int
    asked: int

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know, where it is not what was asked for."""
        notes = []
        if len(self.contexts) < self.asked:
            notes.append(f"found only {len(self.contexts)} of {self.asked} contexts that change the optimum")
        kept = len(self.contexts) - self.changing
        if kept:
            notes.append(
                f"{kept} of {len(self.contexts)} contexts exclude some but not all of the best assignments, "
                "because too few that exclude them all were found"
            )
        return tuple(notes)


def draw_contexts(
    model: Model,
    count: int,
    rng: np.random.Generator,
    literals: int | None = None,
    seconds_left: SecondsLeft = unlimited,
    wanted: Wanted | None = None,
) -> DrawnContexts:
    """Up to ``count`` distinct contexts of ``literals`` (n/2) literals each that change the model's optimum.

    Those that give the ``wanted`` examples come first; None asks for nothing.
    """
    variables = len(model.variables)
    length = max(1, variables // 2) if literals is None else literals
    if not 1 <= length <= variables:
        raise InputError(
            f"contexts of {length} literals over {variables} variables cannot be drawn",
            fix=f"choose from 1 to {variables}",
        )
    if count < 0:
        raise InputError(f"{count} contexts cannot be drawn", fix="ask for 0 or more")
    draw = _draw_by_table if variables <= TABLE_VARIABLES else _draw_by_solver
    finds = draw(model, count, length, rng, seconds_left, wanted)
    chosen = [context for found in finds.in_order for context in found][:count]
    if count and not chosen:
        raise InputError(
            f"no context of {length} literals was found that changes the model's optimum",
            fix="draw another model or change the number of literals",
        )
    order = rng.permutation(len(chosen))
    changing = {*finds.changing, *finds.changing_short}
    return DrawnContexts(tuple(chosen[i] for i in order), sum(context in changing for context in chosen), count)


@dataclass(frozen=True)
class Finds:
    """Distinct contexts by what they are good for; the short ones give fewer examples than are wanted."""

    changing: list[Context]
    keeping: list[Context]
    changing_short: list[Context]
    keeping_short: list[Context]

    @property
    def in_order(self) -> tuple[list[Context], ...]:
        return self.changing, self.keeping, self.changing_short, self.keeping_short


def _draw_by_table(
    model: Model, count: int, length: int, rng: np.random.Generator, seconds_left: SecondsLeft, wanted: Wanted | None
) -> Finds:
    from hassle.solve.table import losses_of_all

    variables = len(model.variables)
    losses = losses_of_all(model)
    number = comb(variables, length) << length
    if number <= ALL_CONTEXTS and number << (variables - length) <= ALL_COMPLETIONS:
        fixed, words = _all_contexts(variables, length)
        order = rng.permutation(number)
        batches = iter([(fixed[order], words[order])])
    else:
        batches = _random_contexts(variables, length, rng)
    kinds: list[dict[tuple[int, int], None]] = [{}, {}, {}, {}]
    for fixed, words in batches:
        seconds_left()
        for found, members in zip(kinds, _effects(losses, fixed, words, wanted), strict=True):
            places = np.flatnonzero(members)[:count]
            found.update(_keys(fixed[places], words[places]))
        if len(kinds[0]) >= count:
            break
    return Finds(*([_as_context(key, variables) for key in list(found)[:count]] for found in kinds))


def _effects(
    losses: Words, fixed: Words, words: Words, wanted: Wanted | None
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """For each context, whether it excludes all global optima, or some but not all; then the same for the short ones.

    In the order of :class:`Finds`.
    """
    from hassle.kernels.codes import INFEASIBLE_LOSS
    from hassle.kernels.generation import least_in_contexts

    best = losses.min()
    if best == INFEASIBLE_LOSS:
        raise InputError("no assignment satisfies the model's hard clauses", fix="correct the model")
    optima = np.count_nonzero(losses == best)
    least, counts, broken = np.empty_like(fixed), np.empty_like(fixed), np.empty_like(fixed)
    least_in_contexts(losses, fixed, words, least, counts, broken)
    changes, keeps = (least > best) & (least != INFEASIBLE_LOSS), (least == best) & (counts < optima)
    whole = np.ones(len(fixed), dtype=np.bool_)
    if wanted is not None:
        completions = losses.size >> np.bitwise_count(fixed).astype(np.int64)
        whole &= counts >= wanted.positives
        if (losses == INFEASIBLE_LOSS).any():
            whole &= broken >= wanted.negatives
        if ((losses > best) & (losses != INFEASIBLE_LOSS)).any():
            whole &= completions - counts - broken >= wanted.negatives
    return changes & whole, keeps & whole, changes & ~whole, keeps & ~whole


def _all_contexts(variables: int, length: int) -> tuple[Words, Words]:
    """Every conjunction of so many literals: the fixed variables, and what they are fixed to, as bits."""
    bits = np.int64(1) << np.array(list(combinations(range(variables), length)), dtype=np.int64)
    signs = np.arange(1 << length, dtype=np.int64)
    words = np.zeros((len(bits), 1 << length), dtype=np.int64)
    for place in range(length):
        words |= ((signs >> place) & 1)[None, :] * bits[:, place, None]
    return np.repeat(bits.sum(axis=1), 1 << length), words.ravel()


def _random_contexts(variables: int, length: int, rng: np.random.Generator) -> Iterator[tuple[Words, Words]]:
    """Batches of independent uniform conjunctions, as many as may be looked at."""
    left = max(1, DRAWN_COMPLETIONS >> (variables - length))
    while left > 0:
        size = min(BATCH, left)
        chosen = rng.random((size, variables)).argsort(axis=1)[:, :length]
        fixed = (np.int64(1) << chosen).sum(axis=1)
        yield fixed, rng.integers(0, 1 << variables, size=size) & fixed
        left -= size


def _keys(fixed: Words, words: Words) -> dict[tuple[int, int], None]:
    return dict.fromkeys(zip(fixed.tolist(), words.tolist(), strict=True))


def _as_context(key: tuple[int, int], variables: int) -> Context:
    fixed, word = key
    return Context(tuple(v + 1 if word >> v & 1 else -(v + 1) for v in range(variables) if fixed >> v & 1))


def _draw_by_solver(
    model: Model, count: int, length: int, rng: np.random.Generator, seconds_left: SecondsLeft, wanted: Wanted | None
) -> Finds:
    from hassle.solve import best_value, solve

    optimum = solve(model, time_limit=seconds_left())
    if optimum is None:
        raise InputError("no assignment satisfies the model's hard clauses", fix="correct the model")
    row = model.bits(optimum)[None, :]
    best = int(model.values(row)[0])
    whole: tuple[dict[Context, None], dict[Context, None]] = ({}, {})
    short: tuple[dict[Context, None], dict[Context, None]] = ({}, {})
    left, redraws = SOLVED_DRAWS * count, REDRAWS * count
    with feasible(model.hard, len(model.variables), EMPTY.within(model.schema)) as known:
        while left > 0 and redraws > 0 and len(whole[0]) < count:
            size = min(left, count - len(whole[0]))
            for _ in range(size):
                context = _feasible_context(known, length, rng)
                value = best_value(model, context, time_limit=seconds_left())
                assert value is not None
                if value == best and context.holds(row)[0]:
                    continue
                enough = wanted is None or gives_all(model, context, wanted, rng, seconds_left)
                (whole if enough else short)[value == best][context] = None
                redraws -= not enough
            left -= size
    return Finds(*map(list, (*whole, *short)))


def _feasible_context(known: Feasible, length: int, rng: np.random.Generator) -> Context:
    """A conjunction that the known constraints allow; they can be satisfied, so one sign of a variable always does."""
    literals: list[int] = []
    for v in rng.choice(known.variables, size=length, replace=False).tolist():
        lit = v + 1 if rng.integers(0, 2) else -(v + 1)
        literals.append(lit if known.possible([*literals, lit]) else -lit)
    return Context(tuple(sorted(literals, key=abs)))
