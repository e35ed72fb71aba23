"""Comparisons: of two assignments that a context allows, one was better than the other.

A comparison is as good as two examples in a narrower context, which allows just these two assignments: there the better
one is best, and the worse one is not (:meth:`hassle.data.Dataset.paired`). So whatever learns from examples learns from
comparisons.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hassle.data.weights import as_weight, as_weights
from hassle.errors import InputError
from hassle.logic import Assignment, Context, Schema, as_bits, as_context, as_schema


@dataclass(frozen=True, slots=True)
class Comparison:
    """In ``context``, ``better`` was preferred to ``worse``."""

    context: Context
    better: Assignment
    worse: Assignment
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Comparison k: in context ``contexts[context_of[k]]``, row k of ``better`` was preferred to row k of ``worse``.

    ``weights[k]`` says how sure that is, or how often it was said; ``lines[k]`` is the line of ``source`` it came from.
    """

    schema: Schema
    contexts: tuple[Context, ...]
    context_of: NDArray[np.int32]
    better: NDArray[np.uint8]
    worse: NDArray[np.uint8]
    weights: NDArray[np.float64] = field(default=None)  # type: ignore[arg-type]
    source: str | None = None
    lines: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        count = len(self.context_of)
        object.__setattr__(self, "weights", as_weights(self.weights, count))
        assert self.better.shape == self.worse.shape == (count, len(self.schema.variables))
        assert self.lines is None or self.lines.shape == (count,)
        assert len(set(self.contexts)) == len(self.contexts)
        self._check()
        for array in (self.context_of, self.better, self.worse):
            array.flags.writeable = False

    @classmethod
    def none(cls, schema: Schema) -> Comparisons:
        nothing = np.zeros((0, len(schema.variables)), dtype=np.uint8)
        return cls.from_arrays(schema, [], nothing, nothing)

    @classmethod
    def build(cls, variables: Schema | Iterable[str], comparisons: Iterable[Sequence[object]]) -> Comparisons:
        """Comparisons from (context, better, worse), or with a weight behind, each in any form a user may have it."""
        schema = as_schema(variables)
        contexts, better, worse, weights = [], [], [], []
        for k, (context, first, second, *weight) in enumerate(comparisons, 1):
            try:
                contexts.append(as_context(context, schema))
                better.append(as_bits(first, schema))
                worse.append(as_bits(second, schema))
                weights.append(as_weight(*weight or [None]))
            except InputError as error:
                raise InputError(f"comparison {k}: {error.what}", fix=error.fix) from None
        rows = np.array([better, worse], dtype=np.uint8).reshape(2, -1, len(schema.variables))
        return cls.from_arrays(schema, contexts, rows[0], rows[1], weights)

    @classmethod
    def from_arrays(
        cls,
        schema: Schema,
        contexts: Sequence[Context],
        better: NDArray[np.uint8],
        worse: NDArray[np.uint8],
        weights: Sequence[float] | NDArray[np.float64] | None = None,
        source: str | None = None,
        lines: NDArray[np.int64] | None = None,
    ) -> Comparisons:
        """Comparisons from one context each, storing each distinct one once in the order of appearance."""
        index: dict[Context, int] = {}
        context_of = np.array([index.setdefault(context, len(index)) for context in contexts], dtype=np.int32)
        first, second = (np.array(each, dtype=np.uint8) for each in (better, worse))
        return cls(schema, tuple(index), context_of, first, second, as_weights(weights, len(contexts)), source, lines)

    def __len__(self) -> int:
        return len(self.context_of)

    def __getitem__(self, k: int) -> Comparison:
        return Comparison(
            self.contexts[self.context_of[k]],
            Assignment.of(self.schema, self.better[k]),
            Assignment.of(self.schema, self.worse[k]),
            float(self.weights[k]),
        )

    def __iter__(self) -> Iterator[Comparison]:
        return (self[k] for k in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Comparisons) and self.schema == other.schema and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def line(self, k: int) -> int | None:
        return None if self.lines is None else int(self.lines[k])

    def each_context(self) -> list[Context]:
        """The context of each comparison."""
        return [self.contexts[c] for c in self.context_of]

    def subset(self, rows: Sequence[int] | NDArray[np.int64]) -> Comparisons:
        """The comparisons at these places, in this order."""
        chosen = np.asarray(rows, dtype=np.int64)
        return self._with_contexts(
            [self.contexts[c] for c in self.context_of[chosen]],
            chosen,
        )

    def in_contexts(self, contexts: Sequence[Context]) -> Comparisons:
        """The same comparisons in other contexts, one for each."""
        return self._with_contexts(contexts, np.arange(len(self)))

    def _with_contexts(self, contexts: Sequence[Context], chosen: NDArray[np.int64]) -> Comparisons:
        lines = None if self.lines is None else self.lines[chosen]
        better, worse, weights = self.better[chosen], self.worse[chosen], self.weights[chosen]
        return Comparisons.from_arrays(self.schema, contexts, better, worse, weights, self.source, lines)

    def pair_contexts(self) -> list[Context]:
        """For each comparison the context that allows its two assignments and no other."""
        return [Context.between(*rows) for rows in zip(self.better.tolist(), self.worse.tolist(), strict=True)]

    def _check(self) -> None:
        for which, rows in (("better", self.better), ("worse", self.worse)):
            outside = np.flatnonzero(~self.schema.admits(rows))
            self._refuse(outside, rows, which, "means no values of the columns", "give every column its value")
            for c, context in enumerate(self.contexts):
                own = np.flatnonzero(self.context_of == c)
                text = f"breaks the comparison's context {context.text(self.schema)!r}"
                self._refuse(own[~context.holds(rows[own])], rows, which, text, "correct one of them", context)
        same = np.flatnonzero((self.better == self.worse).all(axis=1))
        self._refuse(same, self.better, "better", "is also the worse one", "compare two different ones")

    def _refuse(
        self,
        broken: NDArray[np.int64],
        rows: NDArray[np.uint8],
        which: str,
        what: str,
        fix: str,
        context: Context | None = None,
    ) -> None:
        if len(broken):
            k = int(broken[0])
            own = f" {''.join(map(str, rows[k]))}" if context is None else context.spoken_of(rows[k], self.schema)
            raise InputError(f"the {which} assignment{own} {what}", fix=fix, file=self.source, line=self.line(k))
