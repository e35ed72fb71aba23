"""What the committee makes of the answers so far: members, how much each is trusted, and their opinions.

A thought is made from data alone and never changed, so that the next one can be prepared in another thread while a
person looks at a question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hassle.interview.agreement import agrees
from hassle.interview.answers import Answer
from hassle.interview.opinions import Opinions
from hassle.model import Model

Floats = NDArray[np.float64]


def trusted(members: Sequence[Model], weights: Floats, answers: Sequence[Answer], wrong: float) -> Floats:
    """The weights of members after answers, which are wrong at this rate."""
    for answer in answers:
        if answer.known:
            said = np.array([agrees(member, answer) for member in members])
            weights = weights * np.where(said, 1 - wrong, wrong / max(1, len(answer.question.answers) - 1))
            weights = weights / weights.sum()
    return weights


@dataclass(frozen=True)
class Expected:
    """What the committee expects of its own choice: the shares of situations, and of the best value."""

    infeasibility: float
    regret: float

    @property
    def words(self) -> str:
        infeasible = f"{100 * self.infeasibility:.1f}".rstrip("0").rstrip(".")
        return f"expected to be infeasible in {infeasible} of 100 situations, and to lose {100 * self.regret:.1f} %"


@dataclass(frozen=True)
class Thought:
    """The committee after so many ``answers``."""

    answers: int
    members: tuple[Model, ...]
    weights: Floats
    opinions: Opinions
    wrong: float = 0.02  # how often answers seem to be wrong
    learned: Any = None  # what a learner found, where members are its variations (:mod:`large`)

    def after(self, more: Sequence[Answer]) -> Thought:
        """The same members, trusted as far as they agree with further answers."""
        if not len(more) or self.learned is not None:  # there every thought is soon made anew
            return self
        weights = trusted(self.members, self.weights, more, self.wrong)
        return replace(self, answers=self.answers + len(more), weights=weights)

    def foresees(self, answer: Answer) -> bool:
        """Whether most members, by trust, would have said the same."""
        if self.learned is not None:
            return agrees(self.model, answer)
        return bool(self.weights @ [agrees(member, answer) for member in self.members] > 0.5)

    @cached_property
    def chosen(self) -> int:
        """The member whose decisions put least at risk, of equals the smallest; or what a learner found."""
        if self.learned is not None:
            return int(self.weights.argmax())
        risk = self.opinions.risk @ self.weights
        sizes = [len(member.constraints) for member in self.members]
        return min(range(len(self.members)), key=lambda m: (round(float(risk[m]), 9), sizes[m]))

    @property
    def model(self) -> Model:
        return self.members[self.chosen]

    @property
    def expected(self) -> Expected:
        return Expected(
            float(self.opinions.infeasibility[self.chosen] @ self.weights),
            float(self.opinions.regret[self.chosen] @ self.weights),
        )
