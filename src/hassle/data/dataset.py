"""Examples and datasets: what learners see.

A :class:`Dataset` is checked once, when it is made: every assignment satisfies its context, every label is known. Each
distinct context is stored once, and the examples are dense arrays that kernels can work on. Comparisons
(:mod:`hassle.data.comparisons`) stand beside the examples, and both have weights.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hassle.data.comparisons import Comparisons
from hassle.data.labels import LABELS, Label, as_label
from hassle.data.partial import Partial
from hassle.data.weights import as_weight, as_weights
from hassle.errors import InputError
from hassle.logic import EMPTY, Assignment, Column, Context, Schema, as_bits, as_context, as_schema
from hassle.logic.formula import Formula, conjunction
from hassle.logic.names import listing


@dataclass(frozen=True, slots=True)
class Example:
    """One decision: made in ``context``, and good or bad as ``label`` says; ``weight`` is how surely, or how often."""

    context: Context
    assignment: Assignment
    label: Label
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Dataset:
    """Examples over a ``schema``: example k is row k of ``assignments``, in context ``contexts[context_of[k]]``.

    ``assignments`` holds 0/1 for each variable of the schema.

    ``labels[k]`` is a code (:data:`LABELS`); ``lines[k]`` is the line of ``source`` that example k came from;
    ``weights[k]`` is how often example k was seen, or how sure it is, 1 by default. ``comparisons`` are of two
    assignments each, and ``partial`` are good decisions of which not all is known. ``compared[k]``: example k is one
    half of a comparison (:meth:`paired`). ``situations`` are the contexts in which somebody decided or compared: those
    of examples and comparisons where nothing else is said.
    Two datasets are equal when they hold the same examples in the same order, and the same comparisons, wherever they
    came from.
    """

    schema: Schema
    contexts: tuple[Context, ...]
    context_of: NDArray[np.int32]
    assignments: NDArray[np.uint8]
    labels: NDArray[np.int8]
    source: str | None = None
    lines: NDArray[np.int64] | None = field(default=None)
    weights: NDArray[np.float64] = field(default=None)  # type: ignore[arg-type]
    comparisons: Comparisons = field(default=None)  # type: ignore[assignment]
    compared: NDArray[np.bool_] = field(default=None)  # type: ignore[arg-type]
    partial: tuple[Partial, ...] = ()
    situations: tuple[Context, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.labels)
        self._fill_in(count)
        assert self.assignments.shape == (count, len(self.variables))
        assert self.context_of.shape == (count,)
        assert self.lines is None or self.lines.shape == (count,)
        assert len(set(self.contexts)) == len(self.contexts)
        for each in self.partial:
            each.check(self.schema, self.source)
        self._check_domain()
        self._check_contexts()
        for array in (self.context_of, self.assignments, self.labels, self.compared):
            array.flags.writeable = False

    def _fill_in(self, count: int) -> None:
        """What was left out: weights of 1, no comparisons."""
        given = Comparisons.none(self.schema) if self.comparisons is None else self.comparisons
        own = given if given.schema == self.schema else replace(given, schema=self.schema)
        compared = np.zeros(count, dtype=np.bool_) if self.compared is None else self.compared
        assert compared.shape == (count,)
        object.__setattr__(self, "weights", as_weights(self.weights, count))
        object.__setattr__(self, "comparisons", own)
        if not self.situations:
            object.__setattr__(self, "situations", tuple(dict.fromkeys((*self.contexts, *own.contexts))))
        object.__setattr__(self, "compared", compared)

    def _check_contexts(self) -> None:
        for context, rows in zip(self.contexts, self.rows_by_context, strict=True):
            broken = rows[~context.holds(self.assignments[rows])]
            if len(broken):
                k = int(broken[0])
                own = context.spoken_of(self.assignments[k], self.schema)
                raise InputError(
                    f"the assignment{own} breaks its own context {context.text(self.schema)!r}",
                    fix="correct one of them",
                    file=self.source,
                    line=self.line(k),
                )

    def _check_domain(self) -> None:
        outside = np.flatnonzero(~self.schema.admits(self.assignments))
        if len(outside):
            k = int(outside[0])
            raise InputError(
                f"the assignment {''.join(map(str, self.assignments[k]))} means no values of the columns",
                fix="give every column its value",
                file=self.source,
                line=self.line(k),
            )

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of all variables, in the schema's order."""
        return self.schema.variables

    @classmethod
    def build(
        cls,
        variables: Schema | Iterable[str],
        examples: Iterable[Sequence[object]],
        comparisons: Iterable[Sequence[object]] = (),
    ) -> Dataset:
        """A dataset from examples (context, assignment, label) and comparisons (context, better, worse).

        Each part is in any form a user may have it; a weight may stand behind.
        """
        schema = as_schema(variables)
        contexts, rows, labels, weights = [], [], [], []
        for k, (context, assignment, label, *weight) in enumerate(examples, 1):
            try:
                contexts.append(as_context(context, schema))
                rows.append(as_bits(assignment, schema))
                labels.append(as_label(label).code)
                weights.append(as_weight(*weight or [None]))
            except InputError as error:
                raise InputError(f"example {k}: {error.what}", fix=error.fix) from None
        bits = np.array(rows, dtype=np.uint8).reshape(-1, len(schema.variables))
        compared = Comparisons.build(schema, comparisons)
        return cls.from_arrays(schema, contexts, bits, labels, weights=weights, comparisons=compared)

    @classmethod
    def from_arrays(
        cls,
        variables: Schema | Iterable[str],
        contexts: Sequence[Context],
        assignments: NDArray[np.uint8],
        labels: Sequence[int] | NDArray[np.int8],
        source: str | None = None,
        lines: NDArray[np.int64] | None = None,
        weights: Sequence[float] | NDArray[np.float64] | None = None,
        comparisons: Comparisons | None = None,
        compared: NDArray[np.bool_] | None = None,
        partial: tuple[Partial, ...] = (),
    ) -> Dataset:
        """A dataset from one context per example, storing each distinct one once in the order of appearance."""
        index: dict[Context, int] = {}
        context_of = np.array([index.setdefault(context, len(index)) for context in contexts], dtype=np.int32)
        return cls(
            as_schema(variables),
            tuple(index),
            context_of,
            np.array(assignments, dtype=np.uint8),
            np.array(labels, dtype=np.int8),
            source,
            lines,
            as_weights(weights, len(contexts)),
            comparisons,  # type: ignore[arg-type]
            compared,  # type: ignore[arg-type]
            partial,
        )

    def in_contexts(
        self,
        contexts: Sequence[Context],
        comparisons: Comparisons | None = None,
        partial: tuple[Partial, ...] | None = None,
    ) -> Dataset:
        """The same examples in other contexts, one for each; with other comparisons and partial ones where given."""
        return Dataset.from_arrays(
            self.schema,
            contexts,
            self.assignments,
            self.labels,
            self.source,
            self.lines,
            self.weights,
            self.comparisons if comparisons is None else comparisons,
            self.compared,
            self.partial if partial is None else partial,
        )

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, k: int) -> Example:
        return Example(
            self.contexts[self.context_of[k]],
            Assignment.of(self.schema, self.assignments[k]),
            LABELS[self.labels[k]],
            float(self.weights[k]),
        )

    def __iter__(self) -> Iterator[Example]:
        return (self[k] for k in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Dataset)
            and self.schema == other.schema
            and np.array_equal(self.assignments, other.assignments)
            and np.array_equal(self.labels, other.labels)
            and np.array_equal(self.weights, other.weights)
            and self.comparisons == other.comparisons
            and len(self.partial) == len(other.partial)
            and all(each.same(its) for each, its in zip(self.partial, other.partial, strict=True))
            and [self.contexts[c] for c in self.context_of] == [other.contexts[c] for c in other.context_of]
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        compared = f"{len(self.comparisons)} comparisons, " if len(self.comparisons) else ""
        return (
            f"Dataset({len(self)} examples, {int(self.positive.sum())} positive, {compared}"
            f"{len(self.contexts)} contexts, {len(self.variables)} variables)"
        )

    @property
    def positive(self) -> NDArray[np.bool_]:
        """For each example: whether it is labelled positive."""
        return self.labels == Label.POSITIVE.code

    @cached_property
    def rows_by_context(self) -> tuple[NDArray[np.int64], ...]:
        """For each context: the examples made in it, in order."""
        order = np.argsort(self.context_of, kind="stable")
        bounds = np.searchsorted(self.context_of[order], np.arange(len(self.contexts) + 1))
        return tuple(order[a:b] for a, b in itertools.pairwise(bounds))

    @property
    def weighted(self) -> bool:
        """Whether any weight is not 1."""
        some = (self.weights != 1).any() or (self.comparisons.weights != 1).any()
        return bool(some or any(each.weight != 1 for each in self.partial))

    def line(self, k: int) -> int | None:
        """The line of the file that an example stands on; None where it came from no file."""
        return None if self.lines is None else int(self.lines[k])

    @cached_property
    def contradictions(self) -> tuple[tuple[int, ...], ...]:
        """Groups of examples with the same context and assignment but both labels: no model fits them all."""
        keys = np.column_stack([self.context_of, np.packbits(self.assignments, axis=1)])
        _, group = np.unique(keys, axis=0, return_inverse=True)
        group = group.ravel()
        positives = np.bincount(group, weights=self.positive, minlength=1)
        sizes = np.bincount(group, minlength=1)
        mixed = np.flatnonzero((positives > 0) & (positives < sizes))
        order, ends = np.argsort(group, kind="stable"), np.cumsum(sizes)
        return tuple(sorted(tuple(order[ends[g] - sizes[g] : ends[g]].tolist()) for g in mixed))

    def subset(self, rows: Sequence[int] | NDArray[np.int64]) -> Dataset:
        """The examples at these places, in this order.

        Comparisons and partial examples stay, but for those in contexts whose examples are all left out: who holds
        contexts out means both.
        """
        chosen = np.asarray(rows, dtype=np.int64)
        left_out = set(self.contexts).difference(self.contexts[c] for c in np.unique(self.context_of[chosen]))
        kept = [k for k, context in enumerate(self.comparisons.each_context()) if context not in left_out]
        return Dataset.from_arrays(
            self.schema,
            [self.contexts[c] for c in self.context_of[chosen]],
            self.assignments[chosen],
            self.labels[chosen],
            self.source,
            None if self.lines is None else self.lines[chosen],
            self.weights[chosen],
            self.comparisons.subset(kept),
            self.compared[chosen],
            tuple(each for each in self.partial if each.context not in left_out),
        )

    def paired(self) -> Dataset:
        """The same data without comparisons: each is two more examples, behind the others, marked as ``compared``.

        They are in a context that allows just the two assignments, in which the better one is best and the worse one is
        not. Learners need to know of nothing else.
        """
        pairs = self.comparisons
        if not len(pairs):
            return self
        # The contexts of the examples keep their places.
        index = {context: c for c, context in enumerate(self.contexts)}
        place = [index.setdefault(context, len(index)) for context in pairs.pair_contexts()]
        labels = np.tile(np.array([Label.POSITIVE.code, Label.NEGATIVE.code], dtype=np.int8), len(pairs))
        rows = np.stack([pairs.better, pairs.worse], axis=1).reshape(-1, len(self.variables))
        lines = None
        if self.lines is not None and pairs.lines is not None:
            lines = np.concatenate([self.lines, np.repeat(pairs.lines, 2)])
        return Dataset(
            self.schema,
            tuple(index),
            np.concatenate([self.context_of, np.repeat(np.array(place, dtype=np.int32), 2)]),
            np.concatenate([self.assignments, rows]),
            np.concatenate([self.labels, labels]),
            self.source,
            lines,
            np.concatenate([self.weights, np.repeat(pairs.weights, 2)]),
            compared=np.concatenate([self.compared, np.ones(len(labels), dtype=np.bool_)]),
            partial=self.partial,
            situations=self.situations,
        )

    def extended(self, more: Dataset) -> Dataset:
        """These examples and comparisons and, behind them, more over the same schema."""
        assert more.schema == self.schema
        pairs, others = self.comparisons, more.comparisons
        return Dataset.from_arrays(
            self.schema,
            [data.contexts[c] for data in (self, more) for c in data.context_of],
            np.concatenate([self.assignments, more.assignments]),
            np.concatenate([self.labels, more.labels]),
            weights=np.concatenate([self.weights, more.weights]),
            comparisons=Comparisons.from_arrays(
                self.schema,
                [*pairs.each_context(), *others.each_context()],
                np.concatenate([pairs.better, others.better]),
                np.concatenate([pairs.worse, others.worse]),
                np.concatenate([pairs.weights, others.weights]),
            ),
            compared=np.concatenate([self.compared, more.compared]),
            partial=(*self.partial, *more.partial),
        )

    def fold_of(self, folds: int, seed: int = 0) -> NDArray[np.int64]:
        """For each example its fold, from 0, in a random division by contexts into folds of about the same size.

        No context is in two folds: a model is of use in contexts that it has not seen, so that is what is tried.
        """
        if folds < 2:
            raise InputError(f"{folds} folds", fix="divide the examples into at least 2")
        sizes = self._context_sizes("divided into folds")
        if folds > np.count_nonzero(sizes):
            raise InputError(
                f"{folds} folds of {np.count_nonzero(sizes)} contexts", fix="take at most as many folds as contexts"
            )
        shuffled = np.random.default_rng(seed).permutation(len(sizes))
        fold, filled = np.zeros(len(sizes), dtype=np.int64), np.zeros(folds, dtype=np.int64)
        for c in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:  # the largest first
            fold[c] = filled.argmin()
            filled[fold[c]] += sizes[c]
        return fold[self.context_of]

    def held_out(self, share: float, seed: int = 0) -> NDArray[np.bool_]:
        """For each example: whether it is in one of the random contexts that hold about this share of all examples.

        At least one context is held out and at least one is not.
        """
        if not 0 < share < 1:
            raise InputError(f"the share to hold out is {share}", fix="give a fraction between 0 and 1, such as 0.2")
        sizes = self._context_sizes("held out")
        order = [c for c in np.random.default_rng(seed).permutation(len(sizes)) if sizes[c]]
        chosen, total, wanted = [], 0, share * len(self)
        for c in order:
            if abs(total + sizes[c] - wanted) < abs(total - wanted):
                chosen.append(c)
                total += sizes[c]
        if not chosen:
            chosen = [min(order, key=lambda c: sizes[c])]
        elif len(chosen) == len(order):
            chosen.pop()
        return np.isin(self.context_of, chosen)

    def _context_sizes(self, what_for: str) -> NDArray[np.int64]:
        """How many examples each context has; an error unless two have any."""
        sizes = np.bincount(self.context_of, minlength=len(self.contexts))
        if np.count_nonzero(sizes) < 2:
            raise InputError(
                f"the examples cannot be {what_for}, as all were made in the same context",
                fix="this takes examples from at least 2 contexts",
                file=self.source,
            )
        return sizes

    def without_contexts(self) -> Dataset:
        """The same examples with their contexts hidden: what most constraint learners would see (the paper's Q7)."""
        return self.in_contexts(
            [EMPTY] * len(self),
            self.comparisons.in_contexts([EMPTY] * len(self.comparisons)),
            tuple(replace(each, context=EMPTY) for each in self.partial),
        )

    def given(self, columns: str | Iterable[str]) -> Dataset:
        """The same examples with the values of these columns added to their contexts: given, and not decided."""
        names = [columns] if isinstance(columns, str) else list(columns)
        columns_given = [self.schema.column(name) for name in names]
        pairs = self.comparisons
        better, worse = (_with_given(columns_given, pairs.each_context(), rows) for rows in (pairs.better, pairs.worse))
        for k, (first, second) in enumerate(zip(better, worse, strict=True)):
            if first != second:
                raise InputError(
                    f"the two assignments of a comparison differ in {listing(names)}, which is given",
                    fix="compare what was decided in the same circumstances",
                    file=pairs.source,
                    line=pairs.line(k),
                )
        contexts = [self.contexts[c] for c in self.context_of]
        variables = frozenset(start + v for column, start in columns_given for v in range(len(column.atoms)))
        return self.in_contexts(
            _with_given(columns_given, contexts, self.assignments),
            pairs.in_contexts(better) if len(pairs) else None,
            tuple(each.given(variables) for each in self.partial),
        )

    # Doors to the files room; imported when used.

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        *,
        ignore: Iterable[str] = (),
        labels: bool = True,
        schema: Schema | str | PathLike[str] | None = None,
        given: Iterable[str] = (),
        missing: str = "error",
        ignore_undecidable: bool = False,
        sheet: str | None = None,
        attributes: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
        labels_from: str | PathLike[str] | None = None,
        label: str = "label",
        all_good: bool = False,
        each_sheet: bool = False,
    ) -> Dataset:
        """Examples from a CSV, JSONL or Excel file, told by its name and content.

        Parameters
        ----------
        path
            The file; ``-`` is standard input.
        ignore
            Columns (CSV, Excel) or keys (JSONL) to leave out.
        labels
            Where false, labels are neither needed nor looked at, and all examples count as negative.
        schema
            What the columns mean: a schema, or the TOML file that holds it. Without one, the cells of a table say what
            its columns are, and a JSONL file says it itself.
        given
            Columns that were given rather than decided: their values in a row are part of that row's context.
        missing
            Empty cells are an ``"error"``, or ``"unknown"``: then good rows with such are learned from as far as they
            go (``data.partial``), and bad ones left out, with a warning.
        ignore_undecidable
            Whether columns that cannot be decisions (ids, dates, free text) are left out.
        sheet
            Which sheet of an Excel file.
        attributes
            CSV files that say something of each member of a dimension: ``nurse,senior,contract``.
        labels_from
            A table with a row per example (``week,context,label``), where the file has a row per cell
            (``week,nurse,day,shift``).
        label
            The name of the column of labels.
        all_good
            There are no labels: every row is a positive example.
        each_sheet
            Every sheet of an Excel file is an example: a grid such as nurses × days, with rows ``label`` and
            ``context`` below it.
        """
        from hassle.files import read_examples

        return read_examples(
            path,
            ignore=ignore,
            labels=labels,
            schema=schema,
            given=given,
            missing=missing,
            ignore_undecidable=ignore_undecidable,
            sheet=sheet,
            attributes=attributes,
            labels_from=labels_from,
            label=label,
            all_good=all_good,
            each_sheet=each_sheet,
        )

    @classmethod
    def from_frame(cls, frame: Any, *, given: Iterable[str] = (), **options: Any) -> Dataset:
        """Examples from a data frame of pandas or Polars, one per row, with the columns that a CSV file would have.

        Parameters
        ----------
        frame
            The frame; ``label`` and ``context`` are columns of it.
        given
            Columns that were given rather than decided: their values in a row are part of that row's context.
        options
            ``ignore``, ``labels``, ``label``, ``all_good``, ``schema``, ``missing`` and ``ignore_undecidable``, as for
            :meth:`read`.
        """
        from hassle.files.frames import read_frame_table
        from hassle.files.sheet_examples import Reading

        data = read_frame_table(frame, Reading(**options)).data
        return data.given(given) if given else data

    def to_frame(self, backend: str | None = None) -> Any:
        """The examples as a data frame: of pandas, Polars or PyArrow, whichever is named, or else installed."""
        from hassle.files.frames import to_frame

        return to_frame(self, backend)

    def write(self, path: str | PathLike[str]) -> None:
        """The examples to a CSV or JSONL file, told by its name; ``-`` is standard output."""
        from hassle.files import write_examples

        write_examples(self, path)


def _with_given(
    columns: Sequence[tuple[Column, int]], contexts: Sequence[Context], assignments: NDArray[np.uint8]
) -> list[Context]:
    """For each assignment its context, which asks for the values that the columns have there as well."""
    index: dict[Context, int] = {}
    context_of = np.array([index.setdefault(context, len(index)) for context in contexts], dtype=np.int64)
    if not len(context_of):
        return []
    known = list(index)
    parts = [_values_given(assignments, *each) for each in columns]
    keys = np.column_stack([context_of, *(of for of, _ in parts)])
    distinct, of = np.unique(keys, axis=0, return_inverse=True)
    narrowed = [
        Context.of(conjunction([known[c].formula, *(part[1][v] for part, v in zip(parts, values, strict=True))]))
        for c, *values in distinct.tolist()
    ]
    return [narrowed[c] for c in of.ravel()]


def _values_given(
    assignments: NDArray[np.uint8], column: Column, start: int
) -> tuple[NDArray[np.int64], list[Formula]]:
    """For each assignment which of the column's values it has, and for each value that it is this one."""
    bits = assignments[:, start : start + len(column.atoms)]
    distinct, of = np.unique(bits, axis=0, return_inverse=True)
    return of.ravel(), [column.compare("=", str(column.decode(row)), start) for row in distinct.tolist()]
