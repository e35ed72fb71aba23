"""What the columns say of their variables, as the kernels of :mod:`hassle.kernels.alike` read it."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, product
from math import comb

import numpy as np
from numpy.typing import NDArray

from hassle.kernels.alike import CHOICE, NUMBER, YES_NO, Atoms
from hassle.logic import Choice, Schema, YesNo


def atoms_of(schema: Schema, longest: int) -> Atoms:
    """The atoms of a schema, for constraints of up to so many literals."""
    labels = _labels(schema)
    order = np.argsort(labels, kind="stable").astype(np.int32)
    sizes = np.bincount(labels)
    values = np.array([len(column.values) for column in schema.columns], dtype=np.int32)
    kinds = np.array([_kind(column) for column in schema.columns], dtype=np.int8)
    several = [2 * sum(comb(int(n), k) for n in sizes) for k in range(longest + 1)]
    most = np.maximum(1, values[kinds == CHOICE] - 2).tolist()  # values that a clause names
    of_one = [
        sum(comb(n, k) for n, named in zip(values[kinds == CHOICE].tolist(), most, strict=True) if k <= named)
        for k in range(longest + 1)
    ]
    return Atoms(
        plain=schema.plain,
        columns=schema.column_of,
        kinds=kinds[schema.column_of],
        values=values[schema.column_of],
        labels=labels,
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
        members=order,
        log_alike=np.log(np.maximum(1.0, np.array(several))),
        log_alike_clauses=np.log(np.maximum(1.0, np.array(several) + np.array(of_one))),
    )


def _kind(column: object) -> int:
    return YES_NO if isinstance(column, YesNo) else CHOICE if isinstance(column, Choice) else NUMBER


def _labels(schema: Schema) -> NDArray[np.int32]:
    """For each variable the number of what it says of its column; all yes-or-no columns can say the same."""
    known: dict[tuple[str, str] | None, int] = {}
    said = [column.atom_text(k, True) for column in schema.columns for k in range(len(column.atoms))]
    return np.array([known.setdefault(text, len(known)) for text in said], dtype=np.int32)


@lru_cache(maxsize=4)
def sensible_clauses(schema: Schema, longest: int) -> NDArray[np.bool_]:
    """For each clause of up to ``longest`` literals, in the order of :mod:`hassle.kernels.mining`: whether it is one.

    The same as :func:`hassle.kernels.alike.is_sensible`, for all of them at once.
    """
    atoms = atoms_of(schema, max(1, longest))
    result = np.concatenate([np.zeros(0, dtype=np.bool_), *(_sensible(atoms, k) for k in range(1, longest + 1))])
    result.flags.writeable = False  # every chain has the same
    return result


def _sensible(atoms: Atoms, length: int) -> NDArray[np.bool_]:
    chosen = np.array(list(combinations(range(len(atoms.columns)), length)), dtype=np.int64).reshape(-1, 1, length)
    negative = np.array(list(product((False, True), repeat=length)))[None]
    result = np.ones((len(chosen), 1 << length), dtype=np.bool_)
    named = np.ones((len(chosen), 1), dtype=np.int64)  # literals of the column at hand
    for i in range(1, length):
        before, here = chosen[:, :, i - 1], chosen[:, :, i]
        follows = atoms.columns[before] == atoms.columns[here]
        named = np.where(follows, named + 1, 1)
        few = named <= np.maximum(1, atoms.values[here] - 2)
        values = ~negative[:, :, i - 1] & ~negative[:, :, i] & few
        bounds = negative[:, :, i - 1] & ~negative[:, :, i] & (named <= 2)
        result &= ~follows | np.where(atoms.kinds[here] == CHOICE, values, bounds)
    return result.ravel()


def draw_alike_sets(
    rows: NDArray[np.int16], smallest: int, atoms: Atoms, rng: np.random.Generator
) -> NDArray[np.int16]:
    """Random sets of at least ``smallest`` variables that say the same, one for each row if there are any."""
    groups = [group for group in np.split(atoms.members, atoms.starts[1:-1]) if len(group) >= smallest]
    if not groups:
        return rows[:0]
    for row in rows:
        group = groups[int(rng.integers(len(groups)))]
        size = int(rng.integers(smallest, min(len(group), len(row)) + 1))
        row[:size] = np.sort(rng.permutation(group)[:size])
    return np.unique(rows, axis=0)
