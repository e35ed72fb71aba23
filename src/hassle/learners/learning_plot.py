"""A run as a picture: the score on the examples learned from, over time, and what to expect elsewhere.

The score flatters: it is about examples that the learner has seen. With ``hold_out``, the models that the first half of
the run went through are judged on the examples held out, which is the quality to expect.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from hassle.evaluation.drawing import BLUE, ORANGE, picture
from hassle.learners.result import Improvement, LearnResult

if TYPE_CHECKING:
    from hassle.data import Dataset

# Moments that are judged on examples held out; each takes as long as scoring a model.
MOST_MOMENTS = 12


def plot_learning(result: LearnResult, path: str | PathLike[str], held: Dataset | None = None) -> None:
    """Write the picture to a PNG, SVG or PDF file; ``held`` are the examples that were held out, if any were."""
    with picture(path, 8, 5) as (axes,):
        shown = [(moment.seconds, moment.correct / max(1, result.examples)) for moment in result.trace]
        if result.score is None:
            axes.set_title("There was no time to judge the model")
        else:
            _steps(axes, shown, result.seconds, result.score, "examples learned from", BLUE)
        if held is not None and result.hold_out is not None:
            expected = _expected(result.held_out_trace, held)
            _steps(axes, expected, result.seconds, result.hold_out.score, "examples held out: expect this", ORANGE)
        axes.set_xlabel("seconds")
        axes.set_ylabel("score")
        axes.set_ylim(min([0.5, *(score for _, score in shown)]) - 0.02, 1.02)
        axes.set_xlim(left=0)
        if axes.lines:
            axes.legend(loc="lower right", frameon=False)


def _expected(trace: Sequence[Improvement], held: Dataset) -> list[tuple[float, float]]:
    from hassle.solve import agrees, verdicts

    every = max(1, -(-len(trace) // MOST_MOMENTS))
    return [
        (moment.seconds, float(agrees(verdicts(moment.model, held), held).mean())) for moment in trace[::-1][::every]
    ][::-1]


def _steps(axes: Any, moments: list[tuple[float, float]], seconds: float, last: float, label: str, colour: str) -> None:
    """A line that stays until something better is found, and ends where the run does."""
    times = [time for time, _ in moments] + [max([seconds, *(time for time, _ in moments)])]
    scores = [score for _, score in moments] + [last]
    if len(times) == 1:
        times, scores = [0.0, seconds], [last, last]
    axes.step(times, scores, where="post", color=colour, label=f"{label} ({last:.2f})")
    axes.plot(times[-1], last, "o", color=colour, markersize=9)
