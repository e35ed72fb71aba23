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
from dataclasses import dataclass
from typing import Any

from hassle.errors import NoModelError
from hassle.model import Model


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

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Run:
        return cls(**{**record, "cutoffs": tuple(record["cutoffs"])})


STRATEGIES = ("walksat", "novelty", "novelty+", "adaptive-novelty+")


def perform(run: Run) -> list[dict[str, Any]]:
    """The rows of one run, one for each cutoff."""
    from hassle.evaluate import evaluate
    from hassle.learn import learn

    truth, data = problem(run)
    if run.hide_contexts:
        data = data.without_contexts()
    learner, options = _learner(run)
    seconds = None if run.steps else run.cutoffs[-1]
    started = time.monotonic()
    try:
        result = learn(data, learner, time_limit=seconds, steps=run.steps, seed=run.data_seed, **options)
    except NoModelError as error:
        ended = {"seconds": time.monotonic() - started, "stopped": "proved" if error.proved else "time"}
        nothing = {"learned": False, "examples": len(data), **ended, "memory_mb": _peak_memory()}
        return [{"cutoff": cutoff, **nothing} for cutoff in run.cutoffs]
    rows = []
    for cutoff in run.cutoffs:
        model, found = _model_at(result, cutoff, last=cutoff == run.cutoffs[-1])
        row: dict[str, Any] = {"cutoff": cutoff, "learned": model is not None, "examples": len(data)}
        if model is not None:
            measures = evaluate(model, truth).record()
            row |= {
                "score": found["correct"] / len(data),
                **{name: measures[name] for name in ("accuracy", "infeasibility", "regret", "regret_exact")},
                **{f"baseline_{name}": value for name, value in measures["baseline"].items()},
                "clauses": len(model.clauses),
                "neighbours": found["neighbours"],
                "steps": found["steps"],
                "seconds_to_best": found["seconds"],
            }
        row |= {"seconds": result.seconds, "stopped": result.stopped, "memory_mb": _peak_memory()}
        rows.append(row)
    return rows


def _model_at(result: Any, cutoff: float, last: bool) -> tuple[Model | None, dict[str, Any]]:
    """The best model known at the cutoff, and what had been spent until it was found."""
    moments = [moment for moment in result.trace if last or moment.seconds <= cutoff]
    if moments:
        best = moments[-1]
        return best.model, {
            "correct": best.correct,
            "neighbours": result.neighbours if last else best.neighbours,
            "steps": result.steps if last else best.steps,
            "seconds": best.seconds,
        }
    if last and result.model is not None:
        spent = {"correct": result.correct, "neighbours": result.neighbours, "steps": result.steps}
        return result.model, spent | {"seconds": result.seconds}
    return None, {}


def problem(run: Run) -> tuple[Model, Any]:
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
    made = generate_data(truth, run.contexts, negative_kind=run.negative_kind, noise=run.noise, seed=seed)
    return truth, made.data


def _learner(run: Run) -> tuple[str, dict[str, Any]]:
    """The learner's name and options for the run's method."""
    options: dict[str, Any] = {}
    if run.max_literals is not None:
        options["max_literals"] = run.max_literals
    if run.method in STRATEGIES:
        options |= {"strategy": run.method, "neighbourhood": run.neighbourhood, "constraints": run.constraints}
        return "sls", options
    if run.method == "milp":
        return "milp", options | {"constraints": run.constraints}
    return run.method, options


def _peak_memory() -> float:
    """The most memory this process has held, in MB (runs that measure memory get a process of their own)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def attempt(run: Run) -> dict[str, Any]:
    """The run's record: its settings and its rows, or the error that ended it."""
    started = time.monotonic()
    record: dict[str, Any] = {"run": dataclasses.asdict(run), "rows": [], "error": None}
    try:
        record["rows"] = perform(run)
    except Exception as error:
        record["error"] = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return record | {"wall_seconds": time.monotonic() - started}
