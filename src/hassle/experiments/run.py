"""One run of an experiment: a problem, a learner, and what is measured; a pure function of its settings.

A run can be carried out on any machine: it makes its own problem from its seeds, learns, and evaluates what the learner
had found at each cutoff against the true model, which the learner never sees. Where its problem is in files, it reads
them: the examples, and beside them the truth.

A version is part of every run, so that rows made by other learners are not taken for rows of these. Raise
``LEARNERS_VERSION`` with every change to the generator, to a measure or to a learner that changes what all runs give,
and the entry in ``NEWER`` with a change to one learner. A test that watches the local search says when that was
forgotten.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import resource
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hassle.errors import NoModelError
from hassle.model import Model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hassle.data import Dataset
    from hassle.evaluation.decisions import Decisions
    from hassle.learners import LearnResult
    from hassle.logic import Context


LEARNERS_VERSION = 2
NEWER = {"statistical": 9, "auto": 9, "committee": 9}


def version_of(method: str) -> int:
    """The version of a learner, or of a strategy of local search."""
    return NEWER.get(method, LEARNERS_VERSION)


@dataclass(frozen=True)
class Run:
    """The settings of one run; the defaults are the paper's (Section "Experiments").

    ``cutoffs`` are seconds, the last one is the learner's time limit; with ``steps`` the run is limited by steps
    instead, which makes it repeatable. ``constraints`` is told to the learner, as in the paper; None means it is not.
    ``method`` is a learner or a strategy of local search, perhaps with one of ``VARIANTS`` after a comma. ``problem``
    is a file of examples, whose truth has the same name and the ending .wcnf. In so many ``fresh_contexts`` the
    decisions of the model are judged. Learners that can use several ``cores`` have so many.
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
    problem: str | None = None
    fresh_contexts: int = 0
    cores: int = 1
    version: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "version", version_of(self.method))

    @property
    def key(self) -> str:
        """A name for the run's file that depends on its settings, on what is in its files, and on nothing else."""
        settings = dataclasses.asdict(self)
        for name, files in (("cnf", (self.cnf,)), ("problem", (self.problem, truth_beside(self.problem)))):
            settings[name] = [_fingerprint(str(file)) for file in files if file is not None]
        text = json.dumps(settings, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:20]


def core_hours(runs: Iterable[Run]) -> float:
    """What the runs take at most, by their cutoffs."""
    return sum(run.cutoffs[-1] for run in runs) / 3600


def truth_beside(problem: str | None) -> str | None:
    """Where the true model of a file of examples is."""
    return None if problem is None else str(Path(problem).with_suffix(".wcnf"))


@cache
def _fingerprint(file: str) -> str:
    """A file's name and content, wherever it lies."""
    try:
        return f"{Path(file).name} {hashlib.sha256(Path(file).read_bytes()).hexdigest()}"
    except OSError:
        return Path(file).name


STRATEGIES = ("walksat", "novelty", "novelty+", "adaptive-novelty+")
# The paper had Gurobi; of the free backends this one proves most within a short time (benchmarks/milp.py).
MILP_SOLVER = "cp-sat"
# A kind of negatives: infeasible ones, but only so many of them. In the data of the paper's own code the others break
# their context, so that every model rejects them and they teach nothing.
FEW = 0.06
FEW_INFEASIBLE = "6 % of the infeasible"
# Other forms of local search: without our choice of clauses; and Algorithm 1 to the letter.
ALL_CLAUSES, AS_PRINTED = "all clauses", "as printed"
VARIANTS: dict[str, dict[str, Any]] = {"": {}, ALL_CLAUSES: {"share": 1.0}, AS_PRINTED: {"paper": True}}
# A method of its own: so many models that fit equally well, and what most of them call best.
COMMITTEE, MEMBERS = "committee", 20
FRESH_SEED = 2022


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
    started, worked = time.monotonic(), time.process_time()
    try:
        result = learn(data, learner, time_limit=seconds, steps=run.steps, seed=run.data_seed, **options)
    except NoModelError as error:
        common |= {"seconds": time.monotonic() - started, "stopped": "proved" if error.proved else "time"}
        found: list[tuple[Model | None, dict[str, Any]]] = [(None, {})] * len(run.cutoffs)
    else:
        common |= {"seconds": result.seconds, "stopped": result.stopped}
        found = [_model_at(result, cutoff, last=cutoff == run.cutoffs[-1]) for cutoff in run.cutoffs]
    common["cpu_seconds"] = time.process_time() - worked  # less than the seconds where a core was shared
    common["memory_mb"] = _peak_memory()
    return [
        {"cutoff": cutoff, "learned": model is not None, **common, **_quality(model, truth, data, run), **spent}
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


def _quality(model: Model | None, truth: Model, data: Dataset, run: Run) -> dict[str, Any]:
    from hassle.evaluation import evaluate

    if model is None:
        return {}
    measures = evaluate(model, truth).record()
    return {
        **{name: measures[name] for name in ("accuracy", "infeasibility", "regret", "regret_exact")},
        **{f"baseline_{name}": value for name, value in measures["baseline"].items()},
        "clauses": len(model.constraints),
        **_decisions(model, truth, data, run),
    }


def _decisions(model: Model, truth: Model, data: Dataset, run: Run) -> dict[str, Any]:
    """How good the model's decisions are in fresh contexts; those of its committee where it has one."""
    from hassle.evaluation.decisions import decision_quality, quality_of_answers, random_contexts
    from hassle.solve import agrees, verdicts
    from hassle.solve.committee import committee_of

    if not run.fresh_contexts:
        return {}
    contexts = random_contexts(truth, run.fresh_contexts, FRESH_SEED)
    members = committee_of(model)
    if members is None:
        return _named(decision_quality(model, truth, contexts))
    shares: list[float] = []

    def elected(context: Context, _: float | None) -> NDArray[np.uint8] | None:
        found = members.solve(context)
        if found is None:
            return None
        shares.append(float(found[1]))
        return truth.bits(found[0])

    said = _named(quality_of_answers(elected, truth, contexts))
    own = [decision_quality(member, truth, contexts) for member in members.members]
    right = [agrees(verdicts(member, data), data).mean() for member in members.members]
    return {
        **said,
        "agreement": sum(shares) / len(shares) if shares else None,
        "members": len(members),
        "members_score": float(sum(right) / len(right)),
        "members_optimal": float(sum(each.optimal for each in own) / len(own)),
        "members_best": float(max(each.optimal for each in own)),
    }


def _named(found: Decisions) -> dict[str, Any]:
    return {f"decisions_{name}": value for name, value in found.record().items() if name != "contexts"}


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

    from hassle.data import Dataset
    from hassle.generate import generate_data, model_from_cnf, random_model, satlib_like

    if run.problem is not None:
        return Model.read(str(truth_beside(run.problem))), Dataset.read(run.problem)
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
    """The learner's name and options for the run's method; what a run has does not depend on ``--jobs``."""
    options: dict[str, Any] = {}
    if run.max_literals is not None:
        options["max_literals"] = run.max_literals
    if run.method == "milp":
        return "milp", options | {"constraints": run.constraints, "milp_solver": MILP_SOLVER}
    if run.method == "cuts":
        return "cuts", options
    options["jobs"] = run.cores
    strategy, _, variant = run.method.partition(", ")
    if strategy in STRATEGIES:
        options |= {"strategy": strategy, "neighbourhood": run.neighbourhood, "constraints": run.constraints}
        return "sls", options | {"searches": 1} | VARIANTS[variant]
    if run.method == COMMITTEE:
        return "auto", options | {"committee": MEMBERS}
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
