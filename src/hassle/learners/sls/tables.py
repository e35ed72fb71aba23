"""Scoring by tables: every completion of every context is held, and no solver is called.

`make_problem` turns a data set into the arrays of `kernels.scoring`, once and for all searches; a `TableScorer` holds
the candidate of one search. Memory: four bytes a completion, and for each clause, literal and context four bytes of
minima. Tables are full cubes, on which the kernels rest; points outside of a context's general part or of the domain
are ruled out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hassle.data import LABELS, Dataset, Label
from hassle.kernels.codes import (
    POSITIVE_INFEASIBLE,
    POSITIVE_SUBOPTIMAL,
    SHOULD_BE_INFEASIBLE,
    SHOULD_BE_SUBOPTIMAL,
    TRUE,
)
from hassle.kernels.coverage import Places
from hassle.kernels.moves import WHOLE
from hassle.kernels.scoring import (
    BLOCKED,
    Candidate,
    Problem,
    Rest,
    replace_clause,
    score_moves,
    update_minima,
)
from hassle.learners.sls.mistake import Mistake
from hassle.learners.sls.models import changed_clause
from hassle.learners.sls.strategies import pick_one
from hassle.tables.completions import Completions, completions, full_cubes

# What kind of mistake it is to call an example optimal, by the code of its label.
ERRORS = {
    Label.POSITIVE: 0,
    Label.NEGATIVE: SHOULD_BE_INFEASIBLE | SHOULD_BE_SUBOPTIMAL,
    Label.INFEASIBLE: SHOULD_BE_INFEASIBLE,
    Label.SUBOPTIMAL: SHOULD_BE_SUBOPTIMAL,
}


NEVER = np.zeros(1, dtype=np.bool_)  # a flag that nobody raises


def table_bytes(data: Dataset, constraints: int, searches: int) -> int:
    """About how much memory the tables of so many simultaneous searches take."""
    points = sum(1 << len(completions(context, data.schema).free) for context in data.contexts)
    literals = 2 * len(data.variables)
    per_search = points + (constraints + 3) * literals * len(data.contexts)
    return 4 * (searches * per_search + literals * len(data))


def error_bits(labels: NDArray[np.int8]) -> NDArray[np.int64]:
    """For each example the bits of `kernels.moves` that say what it should have been, 0 for positives."""
    by_code = np.array([ERRORS[label] for label in LABELS], dtype=np.int64)
    return by_code[labels]


def hard_cost(constraints: int) -> np.int32:
    """The cost of violating a hard clause: more than all soft clauses together."""
    return np.int32(WHOLE * constraints)


def make_problem(data: Dataset, constraints: int) -> Problem:
    """The arrays that the data fixes, for candidates of so many clauses."""
    variables = len(data.variables)
    listed = [completions(context, data.schema) for context in data.contexts]
    cubes = full_cubes(listed, variables)
    free = np.zeros((len(listed), variables), dtype=np.int32)
    for c, own in enumerate(listed):
        free[c, : len(own.free)] = own.free
    ruled_out = [cubes.offsets[c] + _ruled_out(own) for c, own in enumerate(listed) if not own.full]
    true = data.assignments.T.astype(np.int32)
    falsehoods = np.empty((2 * variables, len(data)), dtype=np.int32)
    falsehoods[0::2], falsehoods[1::2] = -true, true - 1
    return Problem(
        places=cubes.places,
        settled=Places(fixed_true=cubes.fixed_true, bits=cubes.bits),
        free=free,
        offsets=cubes.offsets,
        blocked=np.concatenate([np.zeros(0, dtype=np.int64), *ruled_out]),
        assignments=np.array(data.assignments),  # a copy: kernels see a read-only array as another type
        falsehoods=falsehoods,
        context_of=data.context_of.astype(np.uint32),  # unsigned: kernels need not care for negative indices
        point_of=cubes.offsets[data.context_of] + cubes.points(data.assignments, data.context_of),
        positive=data.positive,
        errors=error_bits(data.labels),
        hard=hard_cost(constraints),
    )


def _ruled_out(own: Completions) -> NDArray[np.int64]:
    """The words that are no completions."""
    result = np.ones(1 << len(own.free), dtype=np.bool_)
    result[own.words()] = False
    return np.flatnonzero(result)


class TableScorer:
    """The candidate of one search, its score kept up to date from move to move."""

    def __init__(self, problem: Problem, constraints: int, stop: NDArray[np.bool_]) -> None:
        contexts, variables = problem.places.shape
        literals, examples = problem.falsehoods.shape
        widest = int(np.diff(problem.offsets).max())
        self.problem = problem
        self.hard = problem.hard
        self.stop = stop
        self.correct = 0
        self.candidate = Candidate(
            signs=np.zeros((constraints + 1, variables), dtype=np.int8),
            costs=np.zeros(constraints, dtype=np.int32),
            losses=np.zeros(problem.offsets[-1], dtype=np.int32),
            example_losses=np.zeros(examples, dtype=np.int32),
            minima=np.zeros((constraints + 1, literals, contexts), dtype=np.int32),
            least=np.zeros((constraints + 1, contexts), dtype=np.int32),
            stale=np.ones((constraints + 1, contexts), dtype=np.bool_),
        )
        self.rest = Rest(
            minima=np.zeros((literals, contexts), dtype=np.int32),
            best=np.zeros(contexts, dtype=np.int32),
            example_losses=np.zeros(examples, dtype=np.int32),
            row=np.zeros(contexts, dtype=np.int32),
            charges=np.zeros(examples, dtype=np.int32),
            literals=np.zeros(variables, dtype=np.int32),
            signs=np.zeros(variables, dtype=np.int8),
            numbers=np.zeros(variables + 1, dtype=np.int32),
            left=np.zeros(contexts, dtype=np.int16),
            masks=np.zeros(contexts, dtype=np.int32),
            values=np.zeros(contexts, dtype=np.int32),
            buffer=np.zeros(widest, dtype=np.int32),
        )
        self.everything = np.arange(constraints + 1) == constraints
        self.signs, self.costs = self.candidate.signs[:-1], self.candidate.costs

    def begin(self, signs: NDArray[np.int8], costs: NDArray[np.int32]) -> None:
        """Make a new model the candidate."""
        problem, candidate = self.problem, self.candidate
        candidate.losses[:] = 0
        candidate.losses[problem.blocked] = BLOCKED
        candidate.costs[:] = 0
        candidate.stale[:] = True
        for clause in range(len(costs)):
            replace_clause(problem, candidate, self.rest, clause, signs[clause], costs[clause])
        self.update_everything()
        self.correct = len(problem.positive) - int(self.mistaken().sum())

    def update_everything(self) -> None:
        """Bring the minima over all completions up to date, on which every verdict rests."""
        update_minima(self.problem, self.candidate, self.rest, self.everything, NEVER)

    def mistaken(self) -> NDArray[np.bool_]:
        """For each example: is it misclassified?"""
        problem, losses = self.problem, self.candidate.example_losses
        optimal = (losses == self.candidate.least[-1][problem.context_of]) & (losses < problem.hard)
        return optimal != problem.positive

    def pick_mistake(self, rng: np.random.Generator) -> Mistake:
        """A misclassified example, each equally likely, and what is wrong with it."""
        problem, candidate = self.problem, self.candidate
        example = pick_one(self.mistaken(), rng)
        x = problem.assignments[example]
        if not problem.positive[example]:
            return Mistake(example, int(problem.errors[example]), x, x)
        if candidate.example_losses[example] >= problem.hard:
            return Mistake(example, POSITIVE_INFEASIBLE, x, x)
        return Mistake(example, POSITIVE_SUBOPTIMAL, x, self.optimum(int(problem.context_of[example]), rng))

    def optimum(self, context: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        """An optimal assignment in the context, each equally likely."""
        problem = self.problem
        losses = self.candidate.losses[problem.offsets[context] : problem.offsets[context + 1]]
        word = np.int64(pick_one(losses == losses.min(), rng))
        places = problem.places[context]
        return np.where(places >= 0, word >> np.maximum(places, 0) & 1, places == TRUE).astype(np.uint8)

    def score(
        self, moves: NDArray[np.int64], example: int, scores: NDArray[np.int32], fixes: NDArray[np.bool_]
    ) -> bool:
        """Write each move's score, and whether it corrects the example; False if asked to stop meanwhile."""
        wanted = np.zeros(len(self.everything), dtype=np.bool_)
        wanted[moves[:, 0]] = True
        return bool(
            update_minima(self.problem, self.candidate, self.rest, wanted, self.stop)
            and score_moves(self.problem, self.candidate, self.rest, moves, example, scores, fixes, self.stop)
        )

    def make(self, move: NDArray[np.int64], correct: int) -> None:
        """Make a move that was scored."""
        clause = int(move[0])
        signs, cost = changed_clause(self.signs[clause], self.costs[clause], move, self.hard)
        replace_clause(self.problem, self.candidate, self.rest, clause, signs, cost)
        self.update_everything()
        self.correct = correct
