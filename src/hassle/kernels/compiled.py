"""How kernels are compiled.

A ``kernel`` is called from Python and kept on disk, with all that it calls. A ``part`` is called by kernels only (from
Python it would crash; its ``py_func`` does not): without a way in, and not kept by itself, it is compiled sooner, and
somebody waits for that on the first run.
"""

from numba import njit

kernel = njit(cache=True, nogil=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]
part = njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)  # type: ignore[call-overload]
inlined = njit(nogil=True, inline="always")

# What NumPy has too: a copy between slices, or a minimum, brings Numba's checks and error messages along, which take
# seconds to compile.


@part
def copy_row(source, target):
    """Copy the entries of an array of one dimension to another of the same length."""
    for i in range(target.size):
        target[i] = source[i]


@part
def least_of(values):
    """The least entry of an array of one dimension that has any."""
    least = values[0]
    for i in range(1, values.size):
        least = min(least, values[i])
    return least
