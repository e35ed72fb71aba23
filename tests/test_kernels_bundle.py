"""Bundles: what a kernel reads in one is what Python put there. And parts: what Python gets that calls one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from hassle.kernels.bundle import Bundle
from hassle.kernels.compiled import kernel, part


@dataclass(frozen=True, eq=False)
class Inner(Bundle):
    words: NDArray[np.int16]
    half: float


@dataclass(frozen=True, eq=False)
class Outer(Bundle):
    cube: NDArray[np.int32]
    flags: NDArray[np.bool_]
    inner: Inner
    yes: bool
    small: np.int8
    large: int
    table: NDArray[np.float64]


@part
def whole(outer, at):
    """Everything in the bundle, at one place of each array."""
    i, j, k = at
    total = outer.cube[i, j, k] + 2 * outer.flags[i] + 4 * outer.inner.words[j] + 8 * outer.inner.half
    return total + 16 * outer.yes + 32.0 * outer.small + 64 * outer.large + 128 * outer.table[j, k]


@kernel
def read(outer, at, shapes):
    shapes[0], shapes[1], shapes[2] = outer.cube.shape
    shapes[3], shapes[4], shapes[5] = outer.cube.size, outer.table[1:].shape[0], outer.table.size
    outer.table[0, 0] += 1
    return whole(outer, at)


def a_bundle() -> Outer:
    rng = np.random.default_rng(0)
    return Outer(
        cube=rng.integers(-9, 9, (2, 3, 4)).astype(np.int32),
        flags=np.array([True, False]),
        inner=Inner(words=np.array([-3, 2, 7], dtype=np.int16), half=-0.5),
        yes=True,
        small=np.int8(-5),
        large=2**40,
        table=rng.random((3, 4)),
    )


def test_a_kernel_reads_what_python_put_there():
    outer = a_bundle()
    for changed in (outer, replace(outer, yes=False, large=-1, cube=outer.cube[::-1].copy())):
        for at in np.ndindex(2, 3, 4):
            shapes = np.zeros(6, dtype=np.int64)
            before = changed.table[0, 0]
            result = read(changed, at, shapes)
            assert changed.table[0, 0] == before + 1
            assert result == whole.py_func(changed, at)
            assert shapes.tolist() == [2, 3, 4, 24, 2, 12]
    assert len(read.signatures) == 1


def test_arrays_of_a_bundle_are_contiguous():
    with pytest.raises(AssertionError, match="contiguous"):
        Inner(words=np.zeros(6, dtype=np.int16)[::2], half=0.0)


def test_a_part_called_from_python_is_an_error():
    read(a_bundle(), (0, 0, 0), np.zeros(6, dtype=np.int64))  # compiles it
    with pytest.raises((TypeError, KeyError)):
        whole(a_bundle(), (0, 0, 0))
