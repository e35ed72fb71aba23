"""``hassle warm-up``: compiles the kernels now, so that no later run has to."""

from __future__ import annotations

from hassle.cli.options import Json
from hassle.cli.output import emit, working

EXAMPLE = "hassle warm-up"


def warm_up(json: Json = False) -> None:
    """Compile what the learners and solvers need, which else happens on first use; once on a machine."""
    from hassle.cli.warming import warm_up as compile_all

    with working("compiling"):
        done = compile_all()
    text = f"{done.kernels} kernels compiled in {done.seconds:.1f} s." if done.kernels else "All kernels are there."
    emit({"kernels": done.kernels, "seconds": done.seconds}, text, json)
