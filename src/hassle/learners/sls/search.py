"""One search: the loop of the paper's Algorithm 1 over any way of scoring, any strategy and either neighbourhood.

With ``paper`` the loop is Algorithm 1 as it is printed. Without, it differs in three ways, each measured to matter
(`benchmarks/sls.py`):

- Algorithm 1 prints the neighbours of the best candidate so far, its text those of the current one. A step here goes on
  from the current candidate, and the best is kept beside it; walking on is what lets a search leave a local optimum.
- The paper wants to try only neighbours "which can make the selected example consistent" and approximates that by
  rules, because trying was expensive. Here it is known for each scored neighbour, and if some do correct the example,
  the strategy chooses among those only (``focus``). That is WalkSAT's focus: each step repairs what it set out to
  repair, and does not drift through the many changes that change no verdict.
- A step considers a random ``share`` of the clauses that have a move, as the paper's rules "pick any" clause. It costs
  less, and the varying choice keeps the best neighbour from being the same again and again.

Where the rules of Appendix E allow no move for the mistake picked, another is picked: the paper does not speak of that.
If ``PICKS`` in a row have none, the search starts anew; with ``paper`` it stays, until a restart is due anyway.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hassle.kernels.codes import ANYTHING, NO_LITERAL, POSITIVE_SUBOPTIMAL, SUBOPTIMAL_AS_PRINTED
from hassle.kernels.moves import HEAVIEST, LIGHTEST, write_moves
from hassle.learners.sls.mistake import Mistake, Scorer
from hassle.learners.sls.strategies import Neighbours, WalkSat

PICKS = 20


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


def part_of(moves: NDArray[np.int64], parts: int) -> NDArray[np.int64]:
    """Which part of its clause each move changes: the place of its variable, or the last for weight and hardness."""
    literals = moves[:, 2]
    return np.where(literals == NO_LITERAL, parts - 1, literals >> 1)


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
        focus: bool = True,
        paper: bool = False,
        start: tuple[NDArray[np.int8], NDArray[np.int32]] | None = None,
        seed: tuple[int, ...],
    ) -> None:
        constraints, variables = scorer.signs.shape
        most = constraints * (2 * variables + 3)
        self.scorer = scorer
        self.strategy = strategy
        self.examples = examples
        self.longest = longest
        self.naive = naive
        self.share = share
        self.focus = focus
        self.paper = paper
        self.start = start
        self.rng = np.random.default_rng(seed)
        self.changed = np.zeros((constraints, variables + 1), dtype=np.int64)
        self.considered = np.zeros(constraints, dtype=np.bool_)
        self.moves = np.zeros((most, 3), dtype=np.int64)
        self.scores = np.zeros(most, dtype=np.int32)
        self.fixes = np.zeros(most, dtype=np.bool_)
        self.steps = 0
        self.neighbours = 0

    def restart(self) -> None:
        """Go on from a new random model, or from the one given, with no memory of what was changed when."""
        constraints, variables = self.scorer.signs.shape
        drawn = self.start or draw_model(constraints, variables, self.longest, int(self.scorer.hard), self.rng)
        self.scorer.begin(*drawn)
        self.changed[:] = 0
        self.strategy.begin(self.scorer.correct, self.steps)

    def step(self) -> None:
        """One pass of the loop of Algorithm 1, unless the scorer is asked to stop. Some example must be wrong."""
        scorer, strategy, rng = self.scorer, self.strategy, self.rng
        if strategy.wants_restart(rng):
            self.steps += 1
            self.restart_if_better() if self.paper else self.restart()
            return
        mistake, count = self.pick_mistake()
        moves, scores, fixes = self.moves[:count], self.scores[:count], self.fixes[:count]
        if not count:
            self.steps += 1
            if not self.paper:
                self.restart()
            return
        if not scorer.score(moves, mistake.example, scores, fixes):
            return
        self.steps += 1
        self.neighbours += count
        if self.focus and fixes.any():
            moves, scores = moves[fixes], scores[fixes]
        clauses, parts = moves[:, 0], part_of(moves, self.changed.shape[1])
        chosen = strategy.choose(Neighbours(scores, self.changed[clauses, parts]), rng)
        self.changed[clauses[chosen], parts[chosen]] = self.steps
        # As printed, the next step looks at the neighbours of the best so far: one that is no better is dropped.
        if not self.paper or scores[chosen] > scorer.correct:
            scorer.make(moves[chosen], int(scores[chosen]))
        strategy.observe(scorer.correct, self.steps)

    def restart_if_better(self) -> None:
        """Algorithm 1's random candidate, from which the search goes on only if it is the best so far."""
        scorer = self.scorer
        best, correct = (scorer.signs.copy(), scorer.costs.copy()), scorer.correct
        self.restart()
        if scorer.correct <= correct:
            scorer.begin(*best)

    def pick_mistake(self) -> tuple[Mistake, int]:
        """A misclassified example that has neighbours, written to `self.moves`, and how many; 0 if none was found."""
        for _ in range(PICKS):
            mistake = self.scorer.pick_mistake(self.rng)
            count = self.list_neighbours(mistake)
            if count:
                break
        return mistake, count

    def list_neighbours(self, mistake: Mistake) -> int:
        """Write the neighbours for a misclassified example to `self.moves`; return how many there are.

        Those of a random share of the clauses that have any, of one at least.
        """
        error = ANYTHING if self.naive else mistake.error
        if self.paper and error == POSITIVE_SUBOPTIMAL:
            error = SUBOPTIMAL_AS_PRINTED
        self.considered[:] = True
        count = self.write(error, mistake)
        if self.share >= 1 or not count:
            return count
        changeable = np.unique(self.moves[:count, 0])
        drawn = self.rng.random(len(changeable)) < self.share
        if not drawn.any():
            drawn[int(self.rng.random() * len(drawn))] = True
        self.considered[:] = False
        self.considered[changeable[drawn]] = True
        return self.write(error, mistake)

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
