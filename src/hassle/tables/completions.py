"""The completions of contexts, listed: the points that the domain of the schema and the whole context allow, no others.

A point is a *word*: bit p is the p-th variable that the context's literals and the domain leave open (its *place*).
Five choices among four values, all open, are 20 bits but 4^5 words. Points are made column by column, a column's values
being the digits of a number in mixed radix, and then filtered by the general part of the context, in blocks. Words are
in ascending order, so that a point is found by bisection.

:class:`Tables` hold the lists of many contexts for kernels. Where nothing but literals restricts a context, its words
are all numbers from 0; all such tables share the first words of ``Tables.words``, which stay in the processor's cache.
Of other lists, equal ones are stored once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from math import prod

import numpy as np
from numpy.typing import NDArray

from hassle.kernels.codes import FALSE, TRUE
from hassle.logic import Clause, Context, Schema, formula
from hassle.tables.limits import BLOCK, WORD_BITS

Words = NDArray[np.int64]

# Neighbouring columns are put together to one digit of at most so many values: fewer divisions per word.
WIDEST_DIGIT = 4096


@dataclass(frozen=True)
class Completions:
    """What a context leaves open. ``digits[i]`` are the bits that the values of the i-th open column set, ascending."""

    context: Context
    free: tuple[int, ...]
    digits: tuple[tuple[int, ...], ...]
    rest: formula.Formula | None

    @property
    def points(self) -> int:
        """How many points the columns allow, before the general part is looked at: the cost of listing them."""
        return prod(map(len, self.digits))

    @property
    def full(self) -> bool:
        """Whether every word is a completion."""
        return self.points == 1 << len(self.free) and self.rest is None

    @cached_property
    def count(self) -> int:
        """How many completions there are."""
        return self.points if self.rest is None else sum(map(len, self.blocks()))

    def fits(self, points: int) -> bool:
        """Whether the words have few enough bits, and are not more than so many."""
        return self.points <= points and (len(self.free) <= WORD_BITS or not self.points)

    def blocks(self) -> Iterator[Words]:
        """The words of all completions in ascending order, block by block."""
        digits = _merged(self.digits)
        for start in range(0, self.points, BLOCK):
            words = _words(digits, np.arange(start, min(start + BLOCK, self.points), dtype=np.int64))
            yield words if self.rest is None else words[self._allowed(words)]

    def words(self) -> Words:
        """The words of all completions in ascending order."""
        return np.concatenate([np.zeros(0, dtype=np.int64), *self.blocks()])

    def assignments(self, words: NDArray[np.integer]) -> NDArray[np.uint8]:
        """The full assignments that words stand for."""
        result = np.zeros((len(words), len(self.free) + len(self.context.literals)), dtype=np.uint8)
        for lit in self.context.literals:
            result[:, abs(lit) - 1] = lit > 0
        for place, v in enumerate(self.free):
            result[:, v] = (words >> place) & 1
        return result

    def _allowed(self, words: Words) -> NDArray[np.bool_]:
        assert self.rest is not None
        place = {v: p for p, v in enumerate(self.free)}
        fixed = {abs(lit) - 1: lit > 0 for lit in self.context.literals}
        truth = formula.evaluate(self.rest, partial(_column, words, place, fixed))
        return np.broadcast_to(truth, words.shape)


def completions(context: Context, schema: Schema) -> Completions:
    """The completions of a context, the schema's domain respected."""
    if schema.plain and context.rest is None:
        free = tuple(context.free(len(schema.variables)))
        return Completions(context, free, tuple((0, 1 << place) for place in range(len(free))), None)
    return _completions(context, schema)


@lru_cache(maxsize=2048)
def _completions(context: Context, schema: Schema) -> Completions:
    inside = context.within(schema)
    free = tuple(inside.free(len(schema.variables)))
    if inside.rest == formula.FALSE:
        return Completions(inside, free, ((),), None)
    if {abs(lit) - 1 for lit in context.linked} == set(free) and len(free) > 1:
        return _two_at_most(inside, context.linked, schema)
    # The digits take care of the domain; what the context itself says beyond its literals remains.
    return Completions(inside, free, tuple(_column_words(inside, schema)), context.rest)


def _two_at_most(inside: Context, linked: Clause, schema: Schema) -> Completions:
    """What a context leaves whose open variables are all linked, as those of comparisons (:meth:`Context.between`)."""
    free = tuple(inside.free(len(schema.variables)))
    place = {v: p for p, v in enumerate(free)}
    words = sorted(sum(1 << place[abs(lit) - 1] for lit in linked if (lit > 0) == sign) for sign in (False, True))
    two = Completions(inside, free, (tuple(words),), None)
    inside_domain = schema.admits(two.assignments(np.array(words, dtype=object)))
    return replace(two, digits=(tuple(word for word, allowed in zip(words, inside_domain, strict=True) if allowed),))


def count_completions(context: Context, schema: Schema) -> int:
    """How many assignments satisfy the context and the schema's domain."""
    return completions(context, schema).count


def _column_words(context: Context, schema: Schema) -> Iterator[tuple[int, ...]]:
    """For each column that is open in the context: the bits that each of its possible values sets."""
    fixed = {abs(lit) - 1: int(lit > 0) for lit in context.literals}
    place = 0
    for column, start in zip(schema.columns, schema.starts, strict=False):
        atoms = range(start, start + len(column.atoms))
        free = [v - start for v in atoms if v not in fixed]
        known = [(v - start, fixed[v]) for v in atoms if v in fixed]
        if free:
            codes = [column.encode(value) for value in column.values]
            possible = [code for code in codes if all(code[v] == bit for v, bit in known)]
            yield tuple(sorted(sum(code[v] << (place + p) for p, v in enumerate(free)) for code in possible))
        place += len(free)


def _merged(digits: Sequence[tuple[int, ...]]) -> list[Words]:
    """Neighbouring digits put together while they have few values; none of their bits overlap."""
    result: list[Words] = []
    for digit in digits:
        values = np.array(digit, dtype=np.int64)
        if result and len(result[-1]) * len(values) <= WIDEST_DIGIT:
            result[-1] = (values[:, None] | result[-1]).ravel()
        else:
            result.append(values)
    return result


def _words(digits: Sequence[Words], ranks: Words) -> Words:
    """The words at these places in the list of all."""
    words = np.zeros_like(ranks)
    for digit in digits:
        ranks, places = np.divmod(ranks, len(digit))
        words |= digit[places]
    return words


def _column(words: Words, place: Mapping[int, int], fixed: Mapping[int, bool], v: int) -> NDArray[np.bool_]:
    """The value of variable v in each of the words."""
    if v in fixed:
        return np.broadcast_to(np.bool_(fixed[v]), words.shape)
    return (words >> place[v]) & 1 == 1


@dataclass(frozen=True)
class Tables:
    """The completions of some contexts, one table each.

    ``places[t, v]`` is variable v's bit in the words of table t, or FALSE or TRUE (:mod:`hassle.kernels.codes`). The
    points of table t are numbered from ``offsets[t]`` to ``offsets[t + 1]`` among those of all tables, and its words
    start at ``words[starts[t]]``. ``full[t]``: every word is a point, so the p-th word is p.
    """

    places: NDArray[np.int16]
    words: NDArray[np.int32]
    starts: NDArray[np.int64]
    offsets: NDArray[np.int64]
    full: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.places)

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.offsets)

    @property
    def largest(self) -> int:
        """The number of points of the largest table."""
        return int(self.sizes.max(initial=0))

    @cached_property
    def bits(self) -> NDArray[np.int32]:
        """For each variable and table: the variable's bit in the words, 0 where it is fixed."""
        places = np.clip(self.places, 0, WORD_BITS - 1).astype(np.int32)  # a table without points may have more
        return np.ascontiguousarray(np.where(self.places >= 0, np.int32(1) << places, 0).T, dtype=np.int32)

    @cached_property
    def fixed_true(self) -> NDArray[np.int16]:
        """For each literal (2 v: variable v is false, 2 v + 1: it is true) and table: 1 where the context fixes it."""
        tables, variables = self.places.shape
        result = np.empty((2 * variables, tables), dtype=np.int16)
        result[0::2] = (self.places == FALSE).T
        result[1::2] = (self.places == TRUE).T
        return result

    def points(self, assignments: NDArray[np.uint8], table_of: NDArray[np.integer]) -> NDArray[np.int64]:
        """The place of each assignment among the points of its table, in which it must be."""
        places = self.places[table_of]
        bits = assignments.astype(np.int64) << np.maximum(places, 0).astype(np.int64)
        result = np.asarray(np.where(places >= 0, bits, 0).sum(axis=1), dtype=np.int64)
        for t in np.unique(table_of[~self.full[table_of]]):
            words = self.words[self.starts[t] : self.starts[t] + self.sizes[t]]
            result[table_of == t] = np.searchsorted(words, result[table_of == t])
        return result


def list_tables(contexts: Sequence[Context], schema: Schema) -> Tables:
    """The tables of contexts that fit words (:meth:`Completions.fits`)."""
    if schema.plain and all(context.rest is None for context in contexts):
        return _cubes(places_of(contexts, len(schema.variables)))
    listed = [completions(context, schema) for context in contexts]
    full = np.array([own.full for own in listed], dtype=np.bool_)
    lists = [np.arange(max((own.points for own in listed if own.full), default=0), dtype=np.int32)]
    end = len(lists[0])
    starts, sizes = np.zeros((2, len(listed)), dtype=np.int64)
    known: dict[bytes, int] = {}
    for t, own in enumerate(listed):
        if own.full:
            sizes[t] = own.points
            continue
        words = own.words().astype(np.int32)
        sizes[t], starts[t] = len(words), known.setdefault(words.tobytes(), end)
        if starts[t] == end:
            lists.append(words)
            end += len(words)
    places = places_of([own.context for own in listed], len(schema.variables))
    return Tables(places=places, words=np.concatenate(lists), starts=starts, offsets=_offsets(sizes), full=full)


def full_cubes(listed: Sequence[Completions], variables: int) -> Tables:
    """Tables of all words over the variables that the contexts leave open, whether they are completions or not."""
    return _cubes(places_of([own.context for own in listed], variables))


def _cubes(places: NDArray[np.int16]) -> Tables:
    sizes = np.int64(1) << (places >= 0).sum(axis=1)
    return Tables(
        places=places,
        words=np.arange(sizes.max(initial=0), dtype=np.int32),
        starts=np.zeros(len(places), dtype=np.int64),
        offsets=_offsets(sizes),
        full=np.ones(len(places), dtype=np.bool_),
    )


def places_of(contexts: Sequence[Context], variables: int) -> NDArray[np.int16]:
    """For each context and variable: its bit in the context's words, or FALSE or TRUE where its literals fix it."""
    lengths = [len(context.literals) for context in contexts]
    literals = np.array([lit for context in contexts for lit in context.literals], dtype=np.int64)
    rows = np.repeat(np.arange(len(contexts)), lengths)
    fixed = np.zeros((len(contexts), variables), dtype=np.int16)
    fixed[rows, np.abs(literals) - 1] = np.where(literals > 0, TRUE, FALSE)
    positions = np.cumsum(fixed == 0, axis=1, dtype=np.int16) - np.int16(1)
    return np.where(fixed == 0, positions, fixed)


def _offsets(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def listable(contexts: Sequence[Context], schema: Schema, points: int) -> NDArray[np.bool_]:
    """For each context: whether its completions can be listed, and are at most so many to look at."""
    if schema.plain:  # the general part of a context takes none of the points to look at away
        free = len(schema.variables) - np.array([len(context.literals) for context in contexts], dtype=np.int64)
        few = free <= min(WORD_BITS, points.bit_length() - 1)
        return few | ((free <= WORD_BITS) & _leaves_two(contexts, schema)) if points >= 2 else few
    return np.array([completions(context, schema).fits(points) for context in contexts], dtype=np.bool_)


def points_in(contexts: Sequence[Context], schema: Schema) -> NDArray[np.float64]:
    """For each context: how many points listing its completions looks at (as floats, for they may be very many)."""
    if schema.plain:
        with np.errstate(over="ignore"):  # more than can be told is more than enough
            points = 2.0 ** (len(schema.variables) - np.array([len(context.literals) for context in contexts]))
        return np.where(_leaves_two(contexts, schema), 2.0, points)
    return np.array([float(completions(context, schema).points) for context in contexts])


def _leaves_two(contexts: Sequence[Context], schema: Schema) -> NDArray[np.bool_]:
    """For each context of a plain schema: whether it leaves two assignments that are known without listing."""
    return np.array(
        [context.rest is not None and completions(context, schema).points == 2 for context in contexts], dtype=np.bool_
    )


def total_points(contexts: Sequence[Context], schema: Schema) -> float:
    """How many points listing the completions of all contexts looks at."""
    return float(points_in(contexts, schema).sum())
