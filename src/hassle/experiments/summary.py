"""Means with their standard errors, grouped, and beside them what the paper reports."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Mean:
    """The mean of so many values and its standard error (None for fewer than two values)."""

    value: float
    error: float | None
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean | None:
        if not values:
            return None
        mean = sum(values) / len(values)
        if len(values) < 2:
            return cls(mean, None, 1)
        variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
        return cls(mean, math.sqrt(variance / len(values)), len(values))


def grouped(rows: Iterable[Mapping[str, Any]], by: Sequence[str]) -> dict[Key, list[Mapping[str, Any]]]:
    """The rows by their values in these columns, in the order of first appearance."""
    groups: dict[Key, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(column) for column in by), []).append(row)
    return groups


def means(rows: Iterable[Mapping[str, Any]], by: Sequence[str], measures: Sequence[str]) -> dict[Key, dict[str, Mean]]:
    """For each group: the mean of each measure over the rows that have it."""
    result: dict[Key, dict[str, Mean]] = {}
    for key, members in grouped(rows, by).items():
        found = {name: Mean.of([float(row[name]) for row in members if row.get(name) is not None]) for name in measures}
        result[key] = {name: mean for name, mean in found.items() if mean is not None}
    return result


def markdown_table(
    rows: Iterable[Mapping[str, Any]],
    by: Sequence[str],
    measures: Sequence[str],
    paper: Mapping[Key, Mapping[str, float]],
) -> str:
    """A Markdown table: a line per group, ours ± standard error, and the paper's figure where it gives one."""
    told = [name for name in measures if any(name in figures for figures in paper.values())]
    header = [*by, *(label for name in measures for label in ([name, f"{name}, paper"] if name in told else [name]))]
    lines = ["| " + " | ".join((*header, "runs")) + " |", "|" + "---|" * (len(header) + 1)]
    everything = list(rows)
    counts = {key: len(members) for key, members in grouped(everything, by).items()}
    for key, found in means(everything, by, measures).items():
        cells = [str(part) for part in key]
        for name in measures:
            cells.append(shown(name, found.get(name)))
            if name in told:
                figure = paper.get(key, {}).get(name)
                cells.append("" if figure is None else plain(name, figure))
        lines.append("| " + " | ".join((*cells, str(counts[key]))) + " |")
    return "\n".join(lines)


# Measures that are shares, shown in per cent as the paper does.
SHARES = frozenset(
    {
        *("score", "accuracy", "infeasibility", "regret", "learned", "baseline_infeasibility", "baseline_regret"),
        *("decisions_optimal", "decisions_infeasible", "decisions_regret"),
        *("agreement", "members_score", "members_optimal", "members_best"),
    }
)


def shown(name: str, mean: Mean | None) -> str:
    if mean is None:
        return "–"
    error = "" if mean.error is None else f" ± {plain(name, mean.error)}"
    return plain(name, mean.value) + error


def plain(name: str, value: float) -> str:
    if name in SHARES:
        return f"{100 * value:.1f}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"
