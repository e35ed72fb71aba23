"""The paper's questions Q1 to Q7, its benchmark table, and three more, each as a grid of runs.

The settings are those of the paper's Section "Experiments": 8 variables, 10 hard and 10 soft clauses, 100 contexts with
2 positives and 2 negatives each, 5 models × 5 data sets. As in the paper, local search and MILP are told how many
clauses to learn; ``auto`` and ``statistical`` are told nothing. The paper's figures are fractions, copied from its text
and tables; its plots give no numbers, so plots are compared by their shape alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hassle.errors import InputError
from hassle.experiments.experiment import MEASURES, Experiment, Figure, Row, Scale, SecondTable
from hassle.experiments.run import ALL_CLAUSES, AS_PRINTED, COMMITTEE, FEW_INFEASIBLE, STRATEGIES, Run, problem


def _cutoffs(scale: Scale) -> tuple[float, ...]:
    """Six cutoffs up to the last one, for curves over time."""
    last = float(scale.cutoff or 0)
    return tuple(round(last * share, 4) for share in (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1))


def _one(scale: Scale) -> tuple[float, ...]:
    return (float(scale.cutoff or 0),)


def _q1(scale: Scale) -> list[Run]:
    """One run shows what a learner has at every cutoff, but ``auto`` plans its time and so has a run for each."""
    runs: list[Run] = []
    for contexts in (25, 50, 100):
        base = Run("q1", contexts=contexts)
        printed = [f"{strategy}, {AS_PRINTED}" for strategy in STRATEGIES]
        runs += [replace(base, method=method, cutoffs=_cutoffs(scale)) for method in (*STRATEGIES, *printed, "milp")]
        runs += [replace(base, method="auto", cutoffs=(cutoff,)) for cutoff in _cutoffs(scale)]
    return runs


Q1 = Experiment(
    "q1",
    "Does empirical risk minimisation succeed in acquiring good models from contextual examples?",
    "Quality grows with the number of contexts and with the cutoff; with 100 contexts WalkSAT reaches 85 % accuracy, "
    "15 % infeasibility and less than 6 % regret.",
    _q1,
    by=("contexts", "method", "cutoff"),
    figure=Figure(x="cutoff", lines="method", columns="contexts", logarithmic=True),
    measures=("learned", "score", "accuracy", "infeasibility", "regret"),
    paper={
        (100, method, "last"): {"accuracy": 0.85, "infeasibility": 0.15, "regret": 0.06}
        for method in ("walksat", f"walksat, {AS_PRINTED}")
    },
    notes="`as printed` is Algorithm 1 to the letter (`--paper`, docs/departures.md).",
)


def _where_milp_learned(rows: Sequence[Row]) -> list[Row]:
    """The rows of those problems for which MILP has a model."""

    def problem(row: Row) -> tuple[Any, ...]:
        return row["contexts"], row["model_seed"], row["data_seed"]

    learned = {problem(row) for row in rows if row["method"] == "milp" and row["learned"]}
    return [row for row in rows if problem(row) in learned]


Q2 = Experiment(
    "q2",
    "Which SLS strategy performs best, and how does it compare to MILP?",
    "WalkSAT is the best strategy. MILP fails to learn within the cutoff as the training set grows, SLS always learns; "
    "where MILP learns, SLS is better.",
    lambda scale: [
        Run("q2", contexts=contexts, method=method, cutoffs=_one(scale))
        for contexts in (5, 10, 25, 50, 100)
        for method in ("milp", "walksat")
    ],
    by=("contexts", "method"),
    figure=Figure(x="contexts", lines="method", measures=("learned",), bars=True),
    measures=("learned", "score", "accuracy", "infeasibility", "regret", "seconds"),
    second=SecondTable(
        "The problems of any size for which MILP learned a model:",
        _where_milp_learned,
        by=("method",),
        measures=MEASURES,
        paper={
            ("milp",): {"score": 0.918, "accuracy": 0.747, "infeasibility": 0.501, "regret": 0.094},
            ("walksat",): {"score": 0.987, "accuracy": 0.834, "infeasibility": 0.21, "regret": 0.073},
        },
    ),
)


def _q3(scale: Scale) -> list[Run]:
    base = Run("q3", cutoffs=_one(scale))
    varied = [replace(base, variables=n) for n in (8, 10, 12, 15)]
    varied += [replace(base, soft=soft, constraints=10 + soft) for soft in (2, 5, 15)]
    varied += [replace(base, hard=hard, constraints=hard + 10) for hard in (2, 5, 15)]
    return varied


Q3 = Experiment(
    "q3",
    "How does SLS scale as the true model grows?",
    "With more variables accuracy dips significantly, infeasibility and regret do not suffer. With more soft clauses "
    "all measures improve; with more hard clauses accuracy improves and infeasibility rises slightly.",
    _q3,
    by=("variables", "hard", "soft"),
    figure=Figure(varied={"variables": 8, "soft": 10, "hard": 10}, bars=True),
)

Q4 = Experiment(
    "q4",
    "How good is pruning the neighbourhood, compared with trying every neighbour?",
    "With 50 contexts pruning tries 56 % fewer neighbours, and in less time reaches a better score, infeasibility and "
    "regret.",
    lambda scale: [
        Run("q4", contexts=50, neighbourhood=kind, method=method, cutoffs=_one(scale))
        for method in ("walksat", f"walksat, {ALL_CLAUSES}", f"walksat, {AS_PRINTED}")
        for kind in ("pruned", "naive")
    ],
    by=("method", "neighbourhood"),
    figure=Figure(x="neighbourhood", lines="method", bars=True),
    measures=("score", "accuracy", "infeasibility", "regret", "neighbours", "seconds_to_best"),
    paper={
        (f"walksat, {AS_PRINTED}", kind): figures
        for kind, figures in {
            "pruned": {"score": 0.97, "infeasibility": 0.15, "regret": 0.057, "seconds_to_best": 900.0},
            "naive": {"score": 0.89, "infeasibility": 0.57, "regret": 0.089, "seconds_to_best": 2100.0},
        }.items()
    },
    notes="`walksat` considers half of the clauses in each step, on both sides; `all clauses` all of them, on both "
    "sides; `as printed` is Algorithm 1 to the letter (`--paper`, docs/departures.md).",
)

Q5 = Experiment(
    "q5",
    "Are both infeasible and suboptimal negatives needed?",
    "Suboptimal negatives are essential, infeasible ones hardly informative.",
    lambda scale: [
        Run("q5", negative_kind=kind, method=method, cutoffs=_one(scale))
        for kind in ("infeasible", "suboptimal", "both", FEW_INFEASIBLE)
        for method in ("walksat", "auto")
    ],
    by=("negative_kind", "method"),
    figure=Figure(x="negative_kind", lines="method", bars=True),
    quick_cutoff=6.0,
    paper={
        ("infeasible", "walksat"): {"score": 1.0, "accuracy": 0.53, "infeasibility": 0.492, "regret": 0.136},
        ("suboptimal", "walksat"): {"score": 0.967, "accuracy": 0.848, "infeasibility": 0.15, "regret": 0.064},
        ("both", "walksat"): {"score": 0.975, "accuracy": 0.85, "infeasibility": 0.156, "regret": 0.057},
    },
    notes="Here every negative satisfies its context, as the paper defines an example. In the data of the paper's own "
    "code about 94 % of the infeasible negatives break the context instead, which every model rejects, so that they "
    "teach nothing. The last rows show what the other 6 % alone teach.",
)

Q6 = Experiment(
    "q6",
    "Can noisy labels be handled?",
    "Quality falls gently with the noise: at 20 % noise still 77 % accuracy, 32 % infeasibility and 9 % regret.",
    lambda scale: [
        Run("q6", noise=noise, method=method, cutoffs=_one(scale))
        for noise in (0.0, 0.05, 0.1, 0.2)
        for method in ("walksat", "auto")
    ],
    by=("noise", "method"),
    figure=Figure(x="noise", lines="method"),
    quick_cutoff=6.0,
    paper={
        (0.0, "walksat"): {"score": 0.975, "accuracy": 0.85, "infeasibility": 0.157, "regret": 0.056},
        (0.05, "walksat"): {"score": 0.915, "accuracy": 0.817, "infeasibility": 0.189, "regret": 0.076},
        (0.1, "walksat"): {"score": 0.871, "accuracy": 0.791, "infeasibility": 0.281, "regret": 0.077},
        (0.2, "walksat"): {"score": 0.786, "accuracy": 0.771, "infeasibility": 0.319, "regret": 0.094},
    },
)

Q7 = Experiment(
    "q7",
    "Is it essential to know the contexts?",
    "Hiding the contexts hurts every measure: with them regret falls by more than half and infeasibility by a quarter.",
    lambda scale: [
        Run("q7", contexts=contexts, hide_contexts=hidden, cutoffs=_one(scale))
        for contexts in (25, 50, 100)
        for hidden in (False, True)
    ],
    by=("contexts", "hide_contexts"),
    figure=Figure(x="contexts", lines="hide_contexts"),
)

BENCHMARK = Experiment(
    "benchmark",
    "Are models of the SATLIB family (20 variables, 10 hard and 10 soft clauses of 3 literals) recovered?",
    "With 500 contexts 80.8 % accuracy, 26.8 % infeasibility and 7.3 % regret, against 74 % and 12.8 % of a random "
    "choice, in 6.3 hours.",
    lambda scale: [
        Run("benchmark", variables=20, contexts=contexts, satlib=True, method=method, cutoffs=_one(scale))
        for contexts in (250, 500, 1000)
        for method in ("walksat", "auto")
    ],
    by=("contexts", "method"),
    figure=Figure(x="contexts", lines="method"),
    measures=(
        *("score", "accuracy", "infeasibility", "baseline_infeasibility", "regret", "baseline_regret"),
        "seconds_to_best",
    ),
    quick_cutoff=15.0,
    full_cutoff=86_400.0,
    paper={
        (contexts, "walksat"): {
            "score": score,
            "accuracy": accuracy,
            "infeasibility": infeasibility,
            "baseline_infeasibility": 0.74,
            "regret": regret,
            "baseline_regret": 0.128,
            "seconds_to_best": 3600 * hours,
        }
        for contexts, score, accuracy, infeasibility, regret, hours in (
            (250, 0.975, 0.726, 0.4, 0.084, 4.5),
            (500, 0.962, 0.808, 0.268, 0.073, 6.3),
            (1000, 0.958, 0.8, 0.286, 0.076, 9.6),
        )
    },
)

EFFICIENCY = Experiment(
    "efficiency",
    "How many contexts does each learner need?",
    "(not in the paper)",
    lambda scale: [
        Run("efficiency", contexts=contexts, method=method, cutoffs=_one(scale))
        for contexts in (10, 25, 50, 100, 200)
        for method in ("walksat", "milp", "statistical", "cuts", "auto")
    ],
    by=("contexts", "method"),
    figure=Figure(x="contexts", lines="method", logarithmic=True),
    measures=("learned", *MEASURES),
)


# About a second of work each: steps of local search, moves of the statistical learner's chains.
GROWTH_STEPS = {"walksat": 1000, "statistical": 10_000}


def _growth(scale: Scale) -> list[Run]:
    base = Run("growth", variables=12, max_literals=3, cutoffs=_one(scale))
    varied = [replace(base, variables=n) for n in (8, 12, 16, 20, 24)]
    varied += [replace(base, contexts=contexts) for contexts in (25, 50, 200, 400)]
    varied += [replace(base, hard=half, soft=half, constraints=2 * half) for half in (3, 5, 20)]
    return [replace(run, method=method, steps=steps) for run in varied for method, steps in GROWTH_STEPS.items()]


GROWTH = Experiment(
    "growth",
    "How do time and memory grow with variables, contexts and clauses?",
    "(not in the paper)",
    _growth,
    by=("variables", "contexts", "constraints", "method"),
    figure=Figure(
        varied={"variables": 12, "contexts": 100, "constraints": 20},
        lines="method",
        measures=("neighbour_us", "memory_mb"),
        bars=True,
    ),
    measures=("neighbour_us", "seconds", "neighbours", "memory_mb"),
    notes="Local search makes 1,000 steps at most, the statistical learner 10,000 moves in each of two chains; the "
    "kernels are loaded before. `neighbour_us` are microseconds per model that was tried, on one core. Clauses have up "
    "to 3 literals. Most of the memory is Python and its libraries.",
)


FRESH_CONTEXTS = 300
GEN_CORES = {"auto": 2, COMMITTEE: 1}


def _gen(scale: Scale) -> list[Run]:
    runs: list[Run] = []
    for method in ("auto", COMMITTEE):
        for file in scale.problems:
            run = Run(
                "gen",
                problem=file,
                method=method,
                constraints=None,
                cutoffs=_one(scale),
                fresh_contexts=FRESH_CONTEXTS,
                cores=GEN_CORES[method],
            )
            truth, data = problem(run)
            runs.append(
                replace(
                    run,
                    variables=len(truth.variables),
                    hard=len(truth.hard),
                    soft=len(truth.soft),
                    contexts=len(data.contexts),
                )
            )
    return runs


# The models that HASSLE-SLS and HASSLE-GEN learned, as published with the problems by Berden, Kumar, Kolb and Guns
# (CP 2022), measured by us on the first four problems of each of these sizes; their plots agree.
PUBLISHED = tuple(
    {
        "variables": variables,
        "method": method,
        "infeasibility": infeasibility,
        "regret": regret,
        "decisions_optimal": optimal,
    }
    for variables, figures in {
        12: (("HASSLE-SLS, published", 0.571, 0.076, 0.155), ("HASSLE-GEN, published", 0.453, 0.076, 0.188)),
        16: (("HASSLE-SLS, published", 0.854, 0.115, 0.046), ("HASSLE-GEN, published", 0.681, 0.097, 0.088)),
        20: (("HASSLE-SLS, published", 0.911, 0.147, 0.028), ("HASSLE-GEN, published", 0.877, 0.131, 0.040)),
    }.items()
    for method, infeasibility, regret, optimal in figures
)

GEN = Experiment(
    "gen",
    "How do we fare on the problems of HASSLE-GEN, the paper's successor?",
    "(not in the paper) Berden, Kumar, Kolb and Guns, CP 2022: genetic search with knowledge compilation learns better "
    "models than HASSLE-SLS in the same time, on problems of 12 to 20 variables, 16 hard and 16 soft clauses.",
    _gen,
    by=("variables", "method"),
    figure=Figure(
        x="variables",
        lines="method",
        measures=("infeasibility", "regret", "decisions_optimal", "decisions_infeasible", "decisions_regret"),
        bars=True,
    ),
    measures=(
        *("score", "accuracy", "infeasibility", "regret"),
        *("decisions_optimal", "decisions_infeasible", "decisions_regret"),
        *("agreement", "members_score", "members_optimal"),
    ),
    quick_cutoff=60.0,
    full_cutoff=60.0,
    from_files=True,
    published=PUBLISHED,
    notes=f"`decisions` are answers in {FRESH_CONTEXTS} fresh random contexts (`hassle evaluate --contexts`): truly "
    "optimal, infeasible, mean regret of the feasible ones. `committee` asks for 20 models that fit equally well and "
    "answers with what most of them call best; `agreement` is their mean share, `members` are the single ones. `auto` "
    "has two cores, `committee` one. The published rows are the models that the authors of HASSLE-GEN published, "
    "measured by us over the first four problems of a size: one row stands for four models.",
)

EXPERIMENTS = {
    experiment.name: experiment for experiment in (Q1, Q2, Q3, Q4, Q5, Q6, Q7, BENCHMARK, EFFICIENCY, GROWTH, GEN)
}


def find_experiment(name: str) -> Experiment:
    if name not in EXPERIMENTS:
        raise InputError(f"there is no experiment {name!r}", fix=f"choose one of {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]
