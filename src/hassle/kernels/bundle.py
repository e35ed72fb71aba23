"""Arrays that kernels are handed together, by reference.

Numba hands a tuple of arrays over as one argument for each pointer, size and stride in it, at every call; for the dozen
arrays of a problem that made most of the code there was to compile. A bundle is handed over as one pointer: to a list
of where its arrays begin and how large they are, made when the bundle is. In kernels ``bundle.name`` reads there, as
often as it stands: a bundle is frozen, so the compiler may keep what was read.

A bundle's arrays are contiguous and stay as large as they are, and kernels that take bundles count no references
(:mod:`hassle.kernels.compiled`): whoever calls them holds the bundle.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, lower_getattr_generic, models, register_model, unbox
from numba.np.numpy_support import from_dtype
from numpy.typing import NDArray

SLOT = ir.IntType(64)


class BundleType(types.Opaque):
    """The type of bundles of one class: the names and types of its fields."""

    def __init__(self, name: str, members: tuple[tuple[str, types.Type], ...]) -> None:
        self.members = members
        super().__init__(f"{name}({', '.join(f'{field}: {member}' for field, member in members)})")

    @property
    def key(self) -> tuple[str, tuple[tuple[str, types.Type], ...]]:
        return self.name, self.members

    def place_of(self, name: str) -> tuple[int, types.Type]:
        """The first slot of a field, and its type."""
        place = 0
        for other, member in self.members:
            if other == name:
                return place, member
            place += 1 + member.ndim if isinstance(member, types.Array) else 1
        raise AttributeError(name)


@dataclass(frozen=True, eq=False)
class Bundle:
    """The base of bundles: frozen dataclasses of arrays, numbers and other bundles."""

    slots: NDArray[np.int64] = field(init=False, repr=False)
    address: int = field(init=False, repr=False)
    _numba_type_: BundleType = field(init=False, repr=False)

    def __post_init__(self) -> None:
        slots: list[int] = []
        members = []
        for each in fields(self):
            if each.init:
                value = getattr(self, each.name)
                slots += _slots_of(value)
                members.append((each.name, _type_of(value)))
        table = np.array(slots, dtype=np.int64)
        object.__setattr__(self, "slots", table)
        object.__setattr__(self, "address", table.ctypes.data)
        object.__setattr__(self, "_numba_type_", _bundle_type(type(self).__name__, tuple(members)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Where its arrays begin is known to this process alone: elsewhere it is made anew."""
        return type(self), tuple(getattr(self, each.name) for each in fields(self) if each.init)


def _slots_of(value: Any) -> list[int]:
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous, "kernels read contiguous arrays"
        return [value.ctypes.data, *value.shape]
    if isinstance(value, Bundle):
        return [value.address]
    return [int(np.float64(value).view(np.int64)) if isinstance(value, float) else int(value)]  # np.float64 is a float


def _type_of(value: Any) -> types.Type:
    if isinstance(value, np.ndarray):
        return _array_type(value.dtype, value.ndim)
    if isinstance(value, Bundle):
        return value._numba_type_
    return from_dtype(np.asarray(value).dtype)


@cache
def _array_type(dtype: np.dtype[Any], dimensions: int) -> types.Array:
    return types.Array(from_dtype(dtype), dimensions, "C")


@cache
def _bundle_type(name: str, members: tuple[tuple[str, types.Type], ...]) -> BundleType:
    return BundleType(name, members)


# How Numba reads a bundle.

register_model(BundleType)(models.OpaqueModel)


@unbox(BundleType)
def _read_address(typ: BundleType, bundle: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(bundle, "address")
    address = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return NativeValue(address)


@infer_getattr
class _BundleAttribute(AttributeTemplate):
    key = BundleType

    def generic_resolve(self, typ: BundleType, name: str) -> types.Type | None:  # type: ignore[override]
        return dict(typ.members).get(name)


@lower_getattr_generic(BundleType)
def _read_field(context: Any, builder: Any, typ: BundleType, address: Any, name: str) -> Any:
    place, member = typ.place_of(name)
    slots = builder.bitcast(address, SLOT.as_pointer())

    def read(at: int, kind: ir.Type) -> Any:
        slot = builder.bitcast(builder.gep(slots, [ir.Constant(ir.IntType(32), at)]), kind.as_pointer())
        value = builder.load(slot)
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    if not isinstance(member, types.Array):
        kind = context.get_value_type(member)
        if isinstance(kind, ir.IntType) and kind.width < SLOT.width:
            return builder.trunc(read(place, SLOT), kind)
        return read(place, kind)
    element = context.get_data_type(member.dtype)
    shape = [read(place + 1 + axis, SLOT) for axis in range(member.ndim)]
    stride = itemsize = context.get_constant(types.intp, context.get_abi_sizeof(element))
    items = context.get_constant(types.intp, 1)
    strides: list[Any] = []
    for axis, length in enumerate(reversed(shape)):
        strides.insert(0, stride)
        items = builder.mul(items, length) if axis else length
        if axis + 1 < member.ndim:
            stride = builder.mul(stride, length)
    values = {
        "meminfo": cgutils.get_null_value(context.get_value_type(types.MemInfoPointer(member.dtype))),
        "parent": cgutils.get_null_value(context.get_value_type(types.pyobject)),
        "nitems": items,
        "itemsize": itemsize,
        "data": read(place, element.as_pointer()),
        "shape": cgutils.pack_array(builder, shape),
        "strides": cgutils.pack_array(builder, strides),
    }
    model = context.data_model_manager[member]
    result = ir.Constant(model.get_value_type(), ir.Undefined)
    for key, value in values.items():
        result = builder.insert_value(result, value, model.get_field_position(key))
    return result
