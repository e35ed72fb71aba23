"""A plan as a picture: the table that ``hassle solve`` prints, a colour for each mark."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from hassle.cli.plans import PlanTable, plan_table
from hassle.errors import InputError
from hassle.evaluation.drawing import BLUE, GREEN, GREY, ORANGE, RED, picture, plain

if TYPE_CHECKING:
    from hassle.logic import Assignment

# The ground of a cell and the letters on it, one after the other for what stands there; then a cell with nothing in it.
COLOURS = ((ORANGE, "black"), (BLUE, "white"), (GREEN, "black"), (RED, "black"))
EMPTY = ("none", GREY)
# Beyond so many cells a side, nobody reads a picture.
LARGEST = 60
CELL_HEIGHT, LETTER_WIDTH = 0.42, 0.12  # inches


def plot_plan(assignment: Assignment, path: str | PathLike[str]) -> None:
    """Write the picture to a PNG, SVG or PDF file; what is no table, or too large a one, is refused."""
    table = plan_table(assignment)
    if table is None:
        raise InputError("--plot draws plans that are tables", fix="leave it out, or arrange the columns in the schema")
    if max(len(table.rows), len(table.columns)) > LARGEST:
        raise InputError(f"--plot draws at most {LARGEST} rows and columns", fix="take the plan as a file: -o plan.csv")
    names = max(map(len, table.rows)) * LETTER_WIDTH
    widest = max(len(text) for line in (table.columns, *table.cells) for text in line) * LETTER_WIDTH + 0.25
    with picture(path, names + widest * len(table.columns) + 0.6, CELL_HEIGHT * (len(table.rows) + 2)) as (axes,):
        for r, line in enumerate(table.cells):
            for c, text in enumerate(line):
                ground, letters = _colours(text, table)
                axes.add_patch(_box(c, r, ground))
                axes.text(c, r, plain(text), ha="center", va="center", color=letters)
        axes.set(xlim=(-0.5, len(table.columns) - 0.5), ylim=(len(table.rows) - 0.5, -0.5))
        axes.set_xticks(range(len(table.columns)), list(map(plain, table.columns)))
        axes.set_yticks(range(len(table.rows)), list(map(plain, table.rows)))
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        axes.spines[:].set_visible(False)
        axes.grid(visible=False)
        if table.others:
            axes.set_xlabel(plain(", ".join(table.others)))


def _colours(text: str, table: PlanTable) -> tuple[str, str]:
    """Those of the first mark in the cell, as on a terminal."""
    first = next((k for k, mark in enumerate(table.marks) if text == mark or text.startswith(f"{mark} ")), None)
    return EMPTY if first is None else COLOURS[first % len(COLOURS)]


def _box(column: int, row: int, colour: str) -> object:
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.47, row - 0.44), 0.94, 0.88, facecolor=colour, edgecolor="#DDDDDD")
