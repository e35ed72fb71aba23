"""How kernels are compiled.

A ``kernel`` is called from Python and kept on disk, with all that it calls. A ``part`` is called by kernels only (from
Python its ``py_func`` is): without a way in, and neither optimised nor kept by itself, it is compiled much sooner, and
somebody waits for that on the first run. Kernels allocate nothing; the few that must are ``allocating_kernel``.

Compiled kernels are kept beside their source or, where that is read-only, in the user's cache directory. Where neither
may be written to (a read-only installation without a home, as in containers), Numba would refuse to load them; then a
directory serves that lasts as long as the process. ``NUMBA_CACHE_DIR`` names a better one.
"""

from __future__ import annotations

from typing import Any

import numba
from numba import njit
from numba.core import event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

from hassle.compiling import clock
from hassle.files.leftovers import lasting_folder


def _probe() -> None:
    """A function that could be kept on disk."""


try:
    numba.njit(cache=True)(_probe)
except RuntimeError:
    numba.config.CACHE_DIR = str(lasting_folder())  # type: ignore[attr-defined]


class _ClockWatch(event.Listener):
    """Tells the clock of every compilation; what is found on disk is none."""

    def on_start(self, event: event.Event) -> None:
        clock.start()

    def on_end(self, event: event.Event) -> None:
        clock.stop()


event.register("numba:compile", _ClockWatch())


class _PartLibrary(JITCodeLibrary):
    """The code of a part: linked with that of the parts it calls, and left to its kernels to optimise and translate."""

    def add_llvm_module(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout
        self._final_module.link_in(module)

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


class _PartCompiler(Compiler):
    """Compiles a part as far as kernels need it."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        context = self.state.targetctx.subtarget()
        # Numba asks for a way in from Python, a builtin of its own for each part; this one raises an error.
        context.get_executable = lambda library, description, environment: {}.__getitem__
        self.state.targetctx = context
        self.state.library = _PartLibrary(context.codegen(), "part")


# Divisions are not checked for 0, and references not counted: kernels allocate nothing, and whoever calls them holds
# their arrays. Both cost time to compile, and counting also at every call.
LEAN: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True, "error_model": "numpy", "_nrt": False}

kernel = njit(cache=True, **LEAN)
part = njit(pipeline_class=_PartCompiler, **{**LEAN, "no_cpython_wrapper": True})
allocating_kernel = njit(cache=True, **{**LEAN, "_nrt": True})

# What NumPy has too: a copy between slices, or a minimum, brings Numba's checks and error messages along, which take
# seconds to compile.


@part
def copy_row(source, target):
    """Copy the entries of an array of one dimension to another of the same length."""
    for i in range(target.size):
        target[i] = source[i]


@part
def clear_row(target):
    """Fill an array of one dimension with zeros."""
    for i in range(target.size):
        target[i] = 0


@part
def least_of(values):
    """The least entry of an array of one dimension that has any."""
    least = values[0]
    for i in range(1, values.size):
        least = min(least, values[i])
    return least
