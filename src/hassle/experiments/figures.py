"""The figures, as PNG and SVG: the paper's panels with our values, and the paper's where its text gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from hassle.experiments.experiment import Experiment, Figure, Row
from hassle.experiments.summary import SHARES, grouped, means
from hassle.files.atomic import write_bytes


def draw(experiment: Experiment, rows: Sequence[Row], path: Path) -> list[Path]:
    """Write ``path`` with the endings .png and .svg; a grid of a panel per measure (down) and column (across)."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "hassle"  # the same rows, the same file
    from matplotlib import pyplot

    columns = _columns(experiment.figure, rows)
    measures = experiment.figure.measures
    panels, axes = pyplot.subplots(
        len(measures),
        len(columns),
        squeeze=False,
        figsize=(1.2 + 4.2 * len(columns), 0.8 + 2.4 * len(measures)),
        constrained_layout=True,
    )
    for across, column in enumerate(columns):
        for down, measure in enumerate(measures):
            panel = axes[down][across]
            (_bars if experiment.figure.bars else _lines)(panel, experiment, column, measure)
            panel.set_ylabel(f"{measure} (%)" if measure in SHARES else _label(measure))
            panel.set_xlabel(_label(column.x))
            if down == 0 and column.value is not None:
                panel.set_title(f"{experiment.figure.columns} = {column.value}")
    shown = {
        label: handle for panel in axes.flat for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    if len(shown) > 1:
        panels.legend(list(shown.values()), list(shown), loc="outside lower center", ncols=4, fontsize="small")
    panels.suptitle(experiment.question, fontsize="medium", wrap=True)
    written = [path.with_suffix(ending) for ending in (".png", ".svg")]
    for file in written:
        drawing = BytesIO()
        panels.savefig(
            drawing, format=file.suffix[1:], dpi=120, metadata={"Date": None} if file.suffix == ".svg" else {}
        )
        write_bytes(file, drawing.getvalue())
    pyplot.close(panels)
    return written


@dataclass(frozen=True)
class Column:
    """One column of panels: what goes along, and the rows it shows."""

    x: str
    rows: Sequence[Row]
    value: Any = None


def _columns(figure: Figure, rows: Sequence[Row]) -> list[Column]:
    if figure.varied:
        return [
            Column(x, [row for row in rows if all(row[y] == kept for y, kept in figure.varied.items() if y != x)])
            for x in figure.varied
        ]
    if figure.columns is None:
        return [Column(figure.x, rows)]
    return [Column(figure.x, members, value) for (value,), members in grouped(rows, [figure.columns]).items()]


def _label(column: str) -> str:
    units = {"cutoff": "cutoff (seconds)", "memory_mb": "memory (MB)", "neighbour_us": "per model tried (µs)"}
    return units.get(column, column.replace("_", " "))


def _scaled(measure: str, value: float) -> float:
    return 100 * value if measure in SHARES else value


def _lines(panel: Any, experiment: Experiment, column: Column, measure: str) -> None:
    figure, along = experiment.figure, column.x
    for name, members in _series(figure, column.rows).items():
        found = {key[0]: mean[measure] for key, mean in means(members, [along], [measure]).items() if measure in mean}
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
    told = _told(experiment, column, measure)
    if told:
        panel.plot([x for x, _, _ in told], [_scaled(measure, value) for _, _, value in told], "k*", label="the paper")
    if figure.logarithmic:
        ticks = _values(column.rows, along)
        panel.set_xscale("log")
        panel.set_xticks(ticks, [f"{tick:g}" for tick in ticks], fontsize="small")
        panel.minorticks_off()


def _bars(panel: Any, experiment: Experiment, column: Column, measure: str) -> None:
    values = _values(column.rows, column.x)
    series = _series(experiment.figure, column.rows)
    names = list(series)
    width = 0.8 / max(1, len(names))

    def place(x: Any, name: Any) -> float:
        return values.index(x) + (names.index(name) - (len(names) - 1) / 2) * width

    for i, (name, members) in enumerate(series.items()):
        found = means(members, [column.x], [measure])
        known = [(key[0], mean[measure]) for key, mean in found.items() if measure in mean]
        panel.bar(
            [place(x, name) for x, _ in known],
            [_scaled(measure, mean.value) for _, mean in known],
            width,
            yerr=[_scaled(measure, mean.error or 0) for _, mean in known],
            color=f"C{i}",
            label=str(name or "hassle"),
        )
    told = [(place(x, name), value) for x, name, value in _told(experiment, column, measure) if name in names]
    if told:
        panel.plot([x for x, _ in told], [_scaled(measure, value) for _, value in told], "k*", label="the paper")
    panel.set_xticks(range(len(values)), [str(value) for value in values], rotation=30, ha="right", fontsize="small")


def _series(figure: Figure, rows: Sequence[Row]) -> dict[Any, Sequence[Row]]:
    """The rows of each line or colour of bars, by its name."""
    if figure.lines is None:
        return {None: rows}
    return {name: members for (name,), members in grouped(rows, [figure.lines]).items()}


def _values(rows: Sequence[Row], column: str) -> list[Any]:
    """The values in a column, numbers by size and names in the order of their appearance."""
    values = [value for (value,) in grouped(rows, [column]) if value is not None]
    return sorted(values) if all(isinstance(value, int | float) for value in values) else values


def _told(experiment: Experiment, column: Column, measure: str) -> list[tuple[Any, Any, float]]:
    """What the paper's text gives for these panels: where along, for which line, and the value."""
    figure, values, told = experiment.figure, _values(column.rows, column.x), []
    for key, figures in experiment.paper.items():
        setting = dict(zip(experiment.by, key, strict=True))
        x = values[-1] if values and setting.get(column.x) == "last" else setting.get(column.x)
        here = figure.columns is None or setting[figure.columns] == column.value
        if measure in figures and here and x in values:
            told.append((x, setting.get(figure.lines or ""), figures[measure]))
    return told
