"""The figures, as PNG and SVG: the paper's panels with our values, and the paper's where its text gives them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hassle.errors import InputError
from hassle.experiments.experiment import Experiment, Row
from hassle.experiments.summary import SHARES, grouped, means


def draw(experiment: Experiment, rows: Sequence[Row], path: Path) -> list[Path]:
    """Write ``path`` with the endings .png and .svg; a grid of a panel per measure (down) and column (across)."""
    try:
        import matplotlib
    except ImportError:
        raise InputError("figures need Matplotlib", fix="pip install 'hassle-learn[plots]'") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = experiment.figure
    rows = [row | {"setting": _setting(experiment, row)} for row in map(dict, rows)]
    columns = list(grouped(rows, [figure.columns])) if figure.columns else [(None,)]
    panels, axes = pyplot.subplots(
        len(figure.measures),
        len(columns),
        squeeze=False,
        figsize=(1.2 + 4.2 * len(columns), 0.8 + 2.4 * len(figure.measures)),
        constrained_layout=True,
    )
    for across, (value,) in enumerate(columns):
        members = [row for row in rows if figure.columns is None or row[figure.columns] == value]
        for down, measure in enumerate(figure.measures):
            panel = axes[down][across]
            (_bars if figure.bars else _lines)(panel, experiment, members, measure)
            panel.set_ylabel(f"{measure} (%)" if measure in SHARES else measure.replace("_", " "))
            panel.set_xlabel(figure.x.replace("_", " ") if figure.x != "setting" else "")
            if down == 0 and value is not None:
                panel.set_title(f"{figure.columns} = {value}")
    handles, labels = axes[0][0].get_legend_handles_labels()
    if len(labels) > 1:
        panels.legend(handles, labels, loc="outside lower center", ncols=4, fontsize="small")
    panels.suptitle(experiment.question, fontsize="medium", wrap=True)
    written = [path.with_suffix(ending) for ending in (".png", ".svg")]
    for file in written:
        # No date inside, so that the same rows give the same file.
        panels.savefig(file, dpi=120, metadata={"Date": None} if file.suffix == ".svg" else {})
    pyplot.close(panels)
    return written


def _setting(experiment: Experiment, row: Row) -> str:
    return ", ".join(f"{row[column]} {column}" for column in experiment.by)


def _scaled(measure: str, value: float) -> float:
    return 100 * value if measure in SHARES else value


def _lines(panel: Any, experiment: Experiment, rows: Sequence[Row], measure: str) -> None:
    figure = experiment.figure
    series = list(grouped(rows, [figure.lines])) if figure.lines else [(None,)]
    for (name,) in series:
        members = [row for row in rows if figure.lines is None or row[figure.lines] == name]
        found = {
            key[0]: mean[measure] for key, mean in means(members, [figure.x], [measure]).items() if measure in mean
        }
        xs = sorted(found)
        panel.errorbar(
            xs,
            [_scaled(measure, found[x].value) for x in xs],
            yerr=[_scaled(measure, found[x].error or 0) for x in xs],
            marker="o",
            markersize=3,
            capsize=2,
            label=f"{figure.lines}: {name}" if isinstance(name, bool) else str(name or "hassle"),
        )
    _paper_points(panel, experiment, measure)
    if figure.logarithmic:
        ticks = sorted({row[figure.x] for row in rows if row.get(figure.x) is not None})
        panel.set_xscale("log")
        panel.set_xticks(ticks, [f"{tick:g}" for tick in ticks], fontsize="small")
        panel.minorticks_off()


def _paper_points(panel: Any, experiment: Experiment, measure: str) -> None:
    """The paper's values along the x axis, where its tables give them."""
    if experiment.figure.x not in experiment.by:
        return
    at = experiment.by.index(experiment.figure.x)
    told = [(key[at], figures[measure]) for key, figures in experiment.paper.items() if measure in figures]
    told = [(x, value) for x, value in told if isinstance(x, int | float)]
    if told:
        xs, values = zip(*told, strict=True)
        panel.plot(xs, [_scaled(measure, value) for value in values], "k*", label="the paper")


def _bars(panel: Any, experiment: Experiment, rows: Sequence[Row], measure: str) -> None:
    figure = experiment.figure
    series = list(grouped(rows, [figure.lines])) if figure.lines else [(None,)]
    places = {key[0]: i for i, key in enumerate(grouped(rows, [figure.x]))}
    width = 0.8 / len(series)
    for i, (name,) in enumerate(series):
        members = [row for row in rows if figure.lines is None or row[figure.lines] == name]
        found = means(members, [figure.x], [measure])
        for key, mean in found.items():
            if measure not in mean:
                continue
            panel.bar(
                places[key[0]] + (i - (len(series) - 1) / 2) * width,
                _scaled(measure, mean[measure].value),
                width,
                yerr=_scaled(measure, mean[measure].error or 0),
                color=f"C{i}",
                label=str(name or "hassle") if key == next(iter(found)) else None,
            )
    panel.set_xticks(list(places.values()), [str(place) for place in places], rotation=30, ha="right", fontsize="small")
