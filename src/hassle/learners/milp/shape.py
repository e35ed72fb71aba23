"""What models are looked for: so many clauses of so many literals, with weights in whole steps.

Solvers need integers (CP-SAT takes nothing else), so a weight is one of 0, 1/levels, ..., 1, counted in steps. That
loses nothing where there are enough steps: what a model says depends only on the signs of sums of its weights with
coefficients -1, 0 and 1. Each pattern of signs is a face of a cone whose rays are, by Cramer's rule, whole vectors with
entries up to the largest determinant of order N - 1 over {-1, 0, 1}; the sum of at most N of them lies inside the face.
So ``N`` times that determinant steps serve every real weight in [0, 1], and a proof holds for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from hassle.model import DEFAULT_UNIT

# Largest determinants of order 0, 1, 2, ... over {-1, 0, 1} (Hadamard's maximal determinant problem).
LARGEST_DETERMINANT = (1, 1, 2, 4, 16, 48, 160, 576, 4096)

# Steps that divide the model's unit, so that every learned weight is exact.
LEVELS = tuple(step for step in range(1, DEFAULT_UNIT + 1) if DEFAULT_UNIT % step == 0)

# The paper separates values by 0.01; finer steps than that are only taken on request.
USUAL_LEVELS = 100


@dataclass(frozen=True)
class Shape:
    """At most ``clauses`` clauses (the paper's m) of 1 to ``literals`` literals; weights in steps of 1/``levels``."""

    variables: tuple[str, ...]
    clauses: int
    literals: int
    levels: int

    @property
    def top(self) -> int:
        """The largest value an assignment can have, in steps."""
        return self.clauses * self.levels

    @property
    def weights_are_general(self) -> bool:
        """Whether the steps serve every real weight in [0, 1]."""
        return self.levels >= levels_needed(self.clauses)

    def text(self) -> str:
        """The shape in words, for messages."""
        clauses = "1 clause" if self.clauses == 1 else f"{self.clauses} clauses"
        literals = "1 literal" if self.literals == 1 else f"{self.literals} literals"
        steps = "" if self.weights_are_general else f" and weights in steps of 1/{self.levels}"
        return f"{clauses} of at most {literals}{steps}"


def levels_needed(clauses: int) -> int:
    """Steps that are enough for every real weight; beyond the table, more than the unit has."""
    if clauses == 0:
        return 1
    if clauses > len(LARGEST_DETERMINANT):
        return DEFAULT_UNIT + 1
    return clauses * LARGEST_DETERMINANT[clauses - 1]


def usual_levels(clauses: int) -> int:
    """The fewest steps that are enough, or the paper's hundred where it takes more."""
    needed = min(levels_needed(clauses), USUAL_LEVELS)
    return next(step for step in LEVELS if step >= needed)
