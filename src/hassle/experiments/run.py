"""One run of an experiment: a problem, a learner, and what is measured; a pure function of its settings.

A run can be carried out on any machine: it makes its own problem from its seeds, learns, and evaluates what the learner
had found at each cutoff against the true model, which the learner never sees.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import resource
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hassle.errors import NoModelError
from hassle.model import Model

if TYPE_CHECKING:
    from hassle.data import Dataset
    from hassle.learners import LearnResult


@dataclass(frozen=True)
class Run:
    """The settings of one run; the defaults are the paper's (Section "Experiments").

    ``cutoffs`` are seconds, the last one is the learner's time limit; with ``steps`` the run is limited by steps
    instead, which makes it repeatable. ``constraints`` is told to the learner, as in the paper; None means it is not.
    """

    experiment: str
    variables: int = 8
    hard: int = 10
    soft: int = 10
    contexts: int = 100
    negative_kind: str = "both"
    noise: float = 0.0
    cnf: str | None = None
    satlib: bool = False
    method: str = "walksat"
    neighbourhood: str = "pruned"
    hide_contexts: bool = False
    constraints: int | None = 20
    max_literals: int | None = None
    cutoffs: tuple[float, ...] = (60.0,)
    steps: int | None = None
    model_seed: int = 0
    data_seed: int = 0

    @property
    def key(self) -> str:
        """A name for the run's file that depends on all of its settings and on nothing else."""
        text = json.dumps(dataclasses.asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:20]


STRATEGIES = ("walksat", "novelty", "novelty+", "adaptive-novelty+")
# The paper had Gurobi; of the free backends this one proves most within a short time (benchmarks/milp.py).
MILP_SOLVER = "cp-sat"
# A kind of negatives: infeasible ones, but only so many of them. In the data of the paper's own code the others break
# their context, so that every model rejects them and they teach nothing.
FEW = 0.06
FEW_INFEASIBLE = "6 % of the infeasible"


def perform(run: Run) -> list[dict[str, Any]]:
    """The rows of one run, one for each cutoff."""
    from hassle.learners import learn

    truth, data = problem(run)
    if run.hide_contexts:
        data = data.without_contexts()
    learner, options = _learner(run)
    _load_kernels(learner)
    seconds = None if run.steps else run.cutoffs[-1]
    common: dict[str, Any] = {"examples": len(data)}
    _forget_peak_memory()
    started = time.monotonic()
    try:
        result = learn(data, learner, time_limit=seconds, steps=run.steps, seed=run.data_seed, **options)
    except NoModelError as error:
        common |= {"seconds": time.monotonic() - started, "stopped": "proved" if error.proved else "time"}
        found: list[tuple[Model | None, dict[str, Any]]] = [(None, {})] * len(run.cutoffs)
    else:
        common |= {"seconds": result.seconds, "stopped": result.stopped}
        found = [_model_at(result, cutoff, last=cutoff == run.cutoffs[-1]) for cutoff in run.cutoffs]
    common["memory_mb"] = _peak_memory()
    return [
        {"cutoff": cutoff, "learned": model is not None, **common, **_quality(model, truth), **spent}
        for cutoff, (model, spent) in zip(run.cutoffs, found, strict=True)
    ]


@cache
def _load_kernels(learner: str) -> None:
    """Let the learner compile or load its kernels, or start its solver, once per process and outside all cutoffs."""
    from hassle.bundled import roster_examples
    from hassle.learners import learn

    few = roster_examples().subset(range(12))
    for name in (learner, "sls") if learner == "auto" else (learner,):
        with suppress(NoModelError):
            learn(few, name, time_limit=0.2)


def _quality(model: Model | None, truth: Model) -> dict[str, Any]:
    from hassle.evaluation import evaluate

    if model is None:
        return {}
    measures = evaluate(model, truth).record()
    return {
        **{name: measures[name] for name in ("accuracy", "infeasibility", "regret", "regret_exact")},
        **{f"baseline_{name}": value for name, value in measures["baseline"].items()},
        "clauses": len(model.constraints),
    }


def _model_at(result: LearnResult, cutoff: float, last: bool) -> tuple[Model | None, dict[str, Any]]:
    """The best model known at the cutoff, and what had been spent by then (at the last cutoff: in the whole run)."""
    moments = [moment for moment in result.trace if moment.seconds <= cutoff]
    if last:
        spent = {
            "neighbours": result.neighbours,
            "neighbour_us": 1e6 * result.seconds / result.neighbours if result.neighbours else None,
            "steps": result.steps,
            "score": result.score,
        }
        return result.model, {**spent, "seconds_to_best": result.trace[-1].seconds if result.trace else result.seconds}
    if not moments:
        return None, {}
    best = moments[-1]
    spent = {"neighbours": best.neighbours, "steps": best.steps, "score": best.correct / result.examples}
    return best.model, {**spent, "seconds_to_best": best.seconds}


def problem(run: Run) -> tuple[Model, Dataset]:
    """The true model and its examples: the model from its own seed, the data from both."""
    import numpy as np

    from hassle.generate import generate_data, model_from_cnf, random_model, satlib_like

    rng = np.random.default_rng([run.model_seed, 1])
    if run.cnf is not None:
        truth = model_from_cnf(Model.read(run.cnf), run.hard, run.soft, rng)
    elif run.satlib:
        truth = model_from_cnf(satlib_like(rng=rng), run.hard, run.soft, rng)
    else:
        truth = random_model(run.variables, run.hard, run.soft, rng)
    seed = 1_000 * run.model_seed + run.data_seed
    few = run.negative_kind == FEW_INFEASIBLE
    kind = "infeasible" if few else run.negative_kind
    data = generate_data(truth, run.contexts, negative_kind=kind, noise=run.noise, seed=seed).data
    if few:
        seen = np.random.default_rng(seed).random(len(data)) < FEW
        data = data.subset(np.flatnonzero(data.positive | seen).tolist())
    return truth, data


def _learner(run: Run) -> tuple[str, dict[str, Any]]:
    """The learner's name and options for the run's method; every run has one core, whatever ``--jobs`` is."""
    options: dict[str, Any] = {}
    if run.max_literals is not None:
        options["max_literals"] = run.max_literals
    if run.method == "milp":
        return "milp", options | {"constraints": run.constraints, "milp_solver": MILP_SOLVER}
    if run.method == "cuts":
        return "cuts", options
    options["jobs"] = 1
    if run.method in STRATEGIES:
        options |= {"strategy": run.method, "neighbourhood": run.neighbourhood, "constraints": run.constraints}
        return "sls", options | {"searches": 1}
    return run.method, options


def _forget_peak_memory() -> None:
    """Start measuring the peak anew, where the system can (Linux)."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak_memory() -> float:
    """The most memory this process has held since :func:`_forget_peak_memory`, else since it began, in MB."""
    with suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def attempt(run: Run) -> dict[str, Any]:
    """The run's record: its settings and its rows, or the error that ended it."""
    from threadpoolctl import threadpool_limits

    started = time.monotonic()
    try:
        with threadpool_limits(1):
            record = {"run": dataclasses.asdict(run), "rows": perform(run), "error": None}
    except Exception as error:
        record = failure(run, f"{type(error).__name__}: {' '.join(str(error).split())}")
    return record | {"wall_seconds": time.monotonic() - started}


def failure(run: Run, error: str) -> dict[str, Any]:
    """The record of a run that gave nothing but an error."""
    return {"run": dataclasses.asdict(run), "rows": [], "error": error}
