"""How every picture is drawn: colours that all eyes tell apart, letters that can be read at half the size.

The colours are those of Okabe and Ito. A picture is written whole or not at all, and the same picture is the same file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

from hassle.errors import InputError
from hassle.files.atomic import check_target, write_bytes

BLUE, ORANGE, GREEN, RED, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#666666"

STYLE: Any = {
    "font.size": 13,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "axes.axisbelow": True,
    "lines.linewidth": 2.5,
    "svg.hashsalt": "hassle",
    "svg.fonttype": "path",  # looks the same wherever it is opened
}


def check_picture(path: str | PathLike[str]) -> None:
    """Raise at once what drawing to this file would raise after long work, as far as it can be known before."""
    ending = Path(path).suffix[1:].lower()
    if ending not in ("png", "svg", "pdf"):
        what = f"there are no plots with the ending {ending!r}" if ending else "the plot's name has no ending"
        raise InputError(what, fix="name a .png, .svg or .pdf file", file=os.fspath(path))
    check_target(path)


@contextmanager
def picture(path: str | PathLike[str], width: float, height: float, panels: int = 1, **layout: Any) -> Iterator[Any]:
    """Panels side by side to draw on; the file is written at the end, in the format of its ending."""
    check_picture(path)
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    ending = Path(path).suffix[1:].lower()
    with matplotlib.rc_context(STYLE):
        figure, axes = pyplot.subplots(
            1, panels, figsize=(width, height), layout="constrained", squeeze=False, **layout
        )
        try:
            yield axes[0]
            drawing = BytesIO()
            figure.savefig(drawing, format=ending, dpi=120, metadata={"Date": None} if ending == "svg" else None)
        finally:
            pyplot.close(figure)
    write_bytes(path, drawing.getvalue())


def plain(text: str) -> str:
    """A text without what would be taken for a formula."""
    return text.replace("$", r"\$")
