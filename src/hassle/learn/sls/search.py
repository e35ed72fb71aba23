"""One search: the loop of the paper's Algorithm 1 over any way of scoring, any strategy and either neighbourhood.

Differs from the paper in three ways, each measured to matter (`benchmarks/sls.py`):

- Algorithm 1 prints the neighbours of the best candidate so far, its text those of the current one. A step here goes on
  from the current candidate, and the best is kept beside it; walking on is what lets a search leave a local optimum.
- The paper wants to try only neighbours "which can make the selected example consistent" and approximates that by
  rules, because trying was expensive. Here it is known for each scored neighbour, and if some do correct the example,
  the strategy chooses among those only. That is WalkSAT's focus: each step repairs what it set out to repair, and does
  not drift through the many changes that change no verdict.
- A step considers a random share of the clauses, as the paper's rules "pick any" clause. It costs less, and the varying
  choice keeps the best neighbour from being the same again and again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hassle.kernels.chance import below, toss
from hassle.kernels.moves import ANYTHING, HEAVIEST, LIGHTEST, keep_fixing, write_moves
from hassle.kernels.strategies import part_of
from hassle.learn.sls.mistake import Mistake, Scorer
from hassle.learn.sls.strategies import Neighbours, WalkSat


def draw_model(
    constraints: int, variables: int, longest: int, hard: int, rng: np.random.Generator
) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    """A random model: clauses hard or soft with equal chance, lengths and weights uniform, literals random."""
    lengths = rng.integers(1, longest, constraints, endpoint=True)
    ranks = rng.permuted(np.tile(np.arange(variables), (constraints, 1)), axis=1)
    signs = rng.choice(np.array([-1, 1], dtype=np.int8), (constraints, variables))
    signs[ranks >= lengths[:, None]] = 0
    weights = rng.integers(LIGHTEST, HEAVIEST, constraints, endpoint=True)
    costs = np.where(rng.random(constraints) < 0.5, hard, weights).astype(np.int32)
    return signs, costs


class Search:
    """A search in progress. The same seed makes the same steps, whatever runs beside it."""

    def __init__(
        self,
        scorer: Scorer,
        strategy: WalkSat,
        *,
        examples: int,
        longest: int,
        naive: bool,
        share: float,
        seed: tuple[int, ...],
    ) -> None:
        sequence = np.random.SeedSequence(seed)
        constraints, variables = scorer.signs.shape
        most = constraints * (2 * variables + 3)
        self.scorer = scorer
        self.strategy = strategy
        self.examples = examples
        self.longest = longest
        self.naive = naive
        self.share = share
        self.rng = np.random.default_rng(sequence)
        self.state = sequence.generate_state(1, np.uint64).astype(np.uint64)
        self.changed = np.zeros((constraints, variables + 1), dtype=np.int64)
        self.considered = np.zeros(constraints, dtype=np.bool_)
        self.moves = np.zeros((most, 3), dtype=np.int64)
        self.scores = np.zeros(most, dtype=np.int32)
        self.fixes = np.zeros(most, dtype=np.bool_)
        self.steps = 0
        self.neighbours = 0

    def restart(self) -> None:
        """Go on from a new random model, with no memory of what was changed when."""
        constraints, variables = self.scorer.signs.shape
        self.scorer.begin(*draw_model(constraints, variables, self.longest, int(self.scorer.hard), self.rng))
        self.changed[:] = 0
        self.strategy.begin(self.scorer.correct, self.steps)

    def step(self) -> None:
        """One pass of the loop of Algorithm 1, unless the scorer is asked to stop. Some example must be wrong."""
        scorer, strategy, state = self.scorer, self.strategy, self.state
        if strategy.wants_restart(state):
            self.steps += 1
            self.restart()
            return
        mistake = scorer.pick_mistake(int(below(state, self.examples - scorer.correct)), state)
        count = self.list_neighbours(mistake)
        moves, scores, fixes = self.moves[:count], self.scores[:count], self.fixes[:count]
        if not scorer.score(moves, mistake.example, scores, fixes):
            return
        self.steps += 1
        self.neighbours += count
        count = int(keep_fixing(moves, scores, fixes))
        chosen = strategy.choose(Neighbours(moves[:count], scores[:count], self.changed), state)
        move, correct = moves[chosen], int(scores[chosen])
        scorer.make(move, correct)
        self.changed[move[0], part_of(move, self.changed.shape[1] - 1)] = self.steps
        strategy.observe(correct, self.steps)

    def list_neighbours(self, mistake: Mistake) -> int:
        """Write the neighbours for a misclassified example to `self.moves`; return how many there are."""
        toss(self.state, self.share, self.considered)
        count = 0
        if not self.naive:
            count = self.write(mistake.error, mistake)
        if not count:
            count = self.write(ANYTHING, mistake)
        if not count:  # no clause was considered
            self.considered[:] = True
            count = self.write(ANYTHING, mistake)
        return count

    def write(self, error: int, mistake: Mistake) -> int:
        scorer = self.scorer
        return int(
            write_moves(
                scorer.signs,
                scorer.costs,
                scorer.hard,
                self.longest,
                self.considered,
                error,
                mistake.x,
                mistake.best,
                self.moves,
            )
        )
