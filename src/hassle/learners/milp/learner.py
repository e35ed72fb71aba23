"""HASSLE-MILP: the exact learner (the paper's Section "MAX-SAT Learning with MILP").

It finds a model that fits every example, or proves that no model of the shape does; in the minimum-error form it finds
the model with the fewest errors and proves how few there can be. What it cannot settle within the budget it says so:
the best model so far is returned with ``stopped`` telling the limit, and where there is none, :class:`NoModelError`
says whether that was proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hassle.data import Dataset
from hassle.errors import InputError
from hassle.learners.budget import Budget, Listener
from hassle.learners.milp.backends import Backend
from hassle.learners.milp.minimum_error import prices_of
from hassle.learners.milp.programme import AS_PRINTED, Form
from hassle.learners.milp.run import MilpResult, Run, Task
from hassle.learners.milp.shape import LEVELS, USUAL_LEVELS, Shape, usual_levels
from hassle.learners.options import check_counts
from hassle.model import Model

# More clauses than this are out of reach of every backend but on the easiest data (see benchmarks/milp.py).
DEFAULT_CONSTRAINTS = 6
# Takes well under a second, and three times as many found hardly better starts.
LOCAL_SEARCH_STEPS = 1000


@dataclass(frozen=True)
class MilpLearner:
    """The exact learner's options.

    Parameters
    ----------
    constraints
        At most so many clauses, 6 unless given; with ``smallest`` the least number up to it is found.
    max_literals
        Literals per clause; any number unless given.
    milp_solver
        ``highs`` (default), ``scip``, ``cp-sat`` or ``gurobi``.
    threads
        For all solvers but scip; 1.
    smallest
        Find the least number of clauses with which a model fits.
    minimum_error
        Tolerate errors and minimise them, weighed by ``example_weights``.
    start
        A model to start from.
    local_search
        Steps of local search to find one; unless given, 1000 for the minimum-error form and none for the other.
    weight_levels
        Steps of a weight between 0 and 1.
    paper
        Appendix D as printed, solved once: nothing that it gets wrong is repaired.
    maximise_gamma, every_optimum, ordered, rivals_from_examples
        Forms of the programme (:class:`Form`), for experiments.
    """

    constraints: int | None = None
    max_literals: int | None = None
    milp_solver: str = "highs"
    threads: int = 1
    smallest: bool = False
    minimum_error: bool = False
    example_weights: Sequence[int] | None = None
    start: Model | None = None
    local_search: int | None = None
    weight_levels: int | None = None
    maximise_gamma: bool = False
    every_optimum: bool = False
    ordered: bool = True
    rivals_from_examples: bool = True
    paper: bool = False

    def __post_init__(self) -> None:
        check_counts(self, "constraints", "max_literals")
        if self.weight_levels is not None and self.weight_levels not in LEVELS:
            raise InputError(f"weight levels {self.weight_levels}", fix=f"use one of {', '.join(map(str, LEVELS))}")
        if self.smallest and self.minimum_error:
            raise InputError(
                "the smallest model and the fewest errors cannot be asked for together",
                fix="ask for the fewest errors with several numbers of constraints",
            )
        if self.local_search is not None and self.local_search < 0:
            raise InputError(f"local search of {self.local_search} steps", fix="give 0 or more")
        for name in ("smallest", "minimum_error", "start", "local_search", "weight_levels"):
            if self.paper and getattr(self, name) not in (None, False):
                told = name.replace("_", " ")
                raise InputError(f"Appendix D as printed has no {told}", fix=f"leave out either paper or {told}")
        Backend(self.milp_solver, self.threads)

    def learn(self, data: Dataset, budget: Budget, seed: int, listener: Listener) -> MilpResult:
        task = Task(
            data=data,
            backend=Backend(self.milp_solver, self.threads, seed),
            form=self.form(data),
            shape_of=lambda clauses: self.shape(data, clauses),
            most_clauses=self.constraints or DEFAULT_CONSTRAINTS,
            smallest=self.smallest,
            one_shot=self.paper,
        )
        run = Run(task, budget, seed, listener)
        try:
            run.start_from(self.start, self.steps_of_local_search())
            run.work()
        except KeyboardInterrupt:
            budget.interrupt.set()
        return run.result()

    def steps_of_local_search(self) -> int:
        """A start pays off for the fewest errors: solvers are slow to find good models, and need them to prune."""
        if self.local_search is not None:
            return self.local_search
        return LOCAL_SEARCH_STEPS if self.minimum_error else 0

    def shape(self, data: Dataset, clauses: int) -> Shape:
        variables = len(data.variables)
        literals = min(self.max_literals or variables, variables)
        levels = USUAL_LEVELS if self.paper else usual_levels(clauses)
        return Shape(data.variables, clauses, literals, self.weight_levels or levels)

    def form(self, data: Dataset) -> Form:
        if self.paper:
            return AS_PRINTED
        return Form(
            tolerant=self.minimum_error,
            prices=prices_of(data, self.example_weights),
            maximise_gamma=self.maximise_gamma,
            every_optimum=self.every_optimum,
            ordered=self.ordered,
            rivals_from_examples=self.rivals_from_examples,
        )
