"""What determines an experiment's results, as the user gives it and as its manifest keeps it."""

from __future__ import annotations

import math
import re
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
    problems: str | None = None

    def __post_init__(self) -> None:
        for name, kind in (("name", str), ("full", bool), ("cnf_dir", str | None), ("problems", str | None)):
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
        if self.problems is None and find_experiment(self.name).from_files:
            raise InputError(
                f"the experiment {self.name} needs problems in files", fix="name their folder with --problems"
            )
        if self.problems is not None and not find_experiment(self.name).from_files:
            raise InputError(f"the experiment {self.name} makes its own problems", fix="leave --problems out")

    def settled(self) -> Options:
        """With the cutoff that is meant: defaults may change, what a manifest repeats must not."""
        return replace(self, cutoff=find_experiment(self.name).cutoff(self.scale()))

    def scale(self) -> Scale:
        files, problems = cnf_files(self.cnf_dir), problem_files(self.problems)
        return Scale(self.models, self.datasets, self.cutoff, self.full, files, problems)


def cnf_files(folder: str | None) -> tuple[str, ...]:
    """The DIMACS files of a folder, in order."""
    if folder is None:
        return ()
    files = tuple(str(path) for path in sorted(Path(folder).glob("*.cnf")))
    if not files:
        raise InputError(f"{folder}: there are no .cnf files", fix="name a folder of DIMACS files")
    return files


def problem_files(folder: str | None) -> tuple[str, ...]:
    """The examples of a folder that have their truth beside them, NAME.csv and NAME.wcnf, in order."""
    if folder is None:
        return ()
    examples = sorted(Path(folder).glob("*.csv"), key=lambda path: [_number(part) for part in _PARTS.split(path.stem)])
    files = tuple(str(path) for path in examples if path.with_suffix(".wcnf").exists())
    if not files:
        raise InputError(
            f"{folder}: there is no problem", fix="name a folder of files NAME.csv and NAME.wcnf, examples and truths"
        )
    return files


_PARTS = re.compile(r"(\d+)")


def _number(part: str) -> tuple[int, str]:
    """So that 10 comes after 9."""
    return (int(part), "") if part.isdigit() else (-1, part)
