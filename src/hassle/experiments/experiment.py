"""What an experiment is: a question, its runs, and how its rows are summed up and drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hassle.experiments.run import Run
from hassle.experiments.summary import Key

MEASURES = ("score", "accuracy", "infeasibility", "regret")
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Scale:
    """How large an experiment is: models × data sets per setting, and the cutoff in seconds.

    The paper's cutoffs are an hour (a day for the benchmark). Ours are in proportion to the speed of the search, so
    that ``--quick`` finishes in minutes; ``--full`` takes the paper's own.
    """

    models: int = 5
    datasets: int = 5
    cutoff: float | None = None
    full: bool = False
    cnf_files: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Figure:
    """A panel per measure (down) and column (across): ``x`` along, a line or a group of bars per value of ``lines``.

    There is a column for each value of ``columns``; or for each setting that is ``varied`` while the others stay at the
    values given there, and then that setting goes along.
    """

    x: str = ""
    lines: str | None = None
    columns: str | None = None
    varied: Mapping[str, Any] = field(default_factory=dict)
    measures: tuple[str, ...] = MEASURES
    bars: bool = False
    logarithmic: bool = False


@dataclass(frozen=True)
class SecondTable:
    """Another view of some of the rows: ``choose`` says which."""

    title: str
    choose: Callable[[Sequence[Row]], Sequence[Row]]
    by: tuple[str, ...]
    measures: tuple[str, ...]
    paper: Mapping[Key, Mapping[str, float]]


@dataclass(frozen=True)
class Experiment:
    """``settings`` gives one run per setting; :meth:`runs` repeats each over models and data sets.

    With ``from_files`` each problem is in files and there is nothing to repeat. ``published`` are rows that others
    made, to stand beside ours.
    """

    name: str
    question: str
    claim: str
    settings: Callable[[Scale], Sequence[Run]]
    by: tuple[str, ...]
    figure: Figure
    measures: tuple[str, ...] = MEASURES
    quick_cutoff: float = 4.0
    full_cutoff: float = 3600.0
    paper: Mapping[Key, Mapping[str, float]] = field(default_factory=dict)
    second: SecondTable | None = None
    notes: str = ""
    from_files: bool = False
    published: tuple[Row, ...] = ()

    def cutoff(self, scale: Scale) -> float:
        return scale.cutoff or (self.full_cutoff if scale.full else self.quick_cutoff)

    def runs(self, scale: Scale) -> list[Run]:
        settings = self.settings(replace(scale, cutoff=self.cutoff(scale)))
        if self.from_files:
            return list(settings)
        return [
            replace(run, model_seed=model, data_seed=dataset, **self._file(scale, model))
            for model in range(scale.models)
            for dataset in range(scale.datasets)
            for run in settings
        ]

    def _file(self, scale: Scale, model: int) -> dict[str, Any]:
        if self.name == "benchmark" and scale.cnf_files:
            return {"cnf": scale.cnf_files[model % len(scale.cnf_files)], "satlib": False}
        return {}
