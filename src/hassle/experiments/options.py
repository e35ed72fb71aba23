"""What determines an experiment's results, as the user gives it and as its manifest keeps it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

from hassle.errors import InputError
from hassle.experiments.catalogue import find_experiment
from hassle.experiments.experiment import Scale


@dataclass(frozen=True)
class Options:
    """How many machines carry the experiment out is not among them."""

    name: str
    full: bool = False
    models: int = 5
    datasets: int = 5
    cutoff: float | None = None
    cnf_dir: str | None = None

    def __post_init__(self) -> None:
        for name, kind in (("name", str), ("full", bool), ("cnf_dir", str | None)):
            if not isinstance(getattr(self, name), kind):
                raise InputError(f"{name} is {getattr(self, name)!r}", fix="see hassle experiment --help")
        find_experiment(self.name)
        for name in ("models", "datasets"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise InputError(f"{name} is {value!r}", fix="give a whole number, 1 or more")
        if self.cutoff is not None and not (isinstance(self.cutoff, int | float) and 0 < self.cutoff < math.inf):
            raise InputError(f"the cutoff is {self.cutoff!r}", fix="give a number of seconds")
        if self.cnf_dir is not None and self.name != "benchmark":
            raise InputError(f"the experiment {self.name} uses no CNF files", fix="leave --cnf-dir out")

    def settled(self) -> Options:
        """With the cutoff that is meant: defaults may change, what a manifest repeats must not."""
        return replace(self, cutoff=find_experiment(self.name).cutoff(self.scale()))

    def scale(self) -> Scale:
        return Scale(self.models, self.datasets, self.cutoff, self.full, cnf_files(self.cnf_dir))


def cnf_files(folder: str | None) -> tuple[str, ...]:
    """The DIMACS files of a folder, in order."""
    if folder is None:
        return ()
    files = tuple(str(path) for path in sorted(Path(folder).glob("*.cnf")))
    if not files:
        raise InputError(f"{folder}: there are no .cnf files", fix="name a folder of DIMACS files")
    return files
