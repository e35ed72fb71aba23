"""Readers of real instances: each makes a true model and draws situations from what its files say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hassle.logic import Context
from hassle.model import Model


@dataclass(frozen=True)
class Instance:
    """The true rules and wishes of an instance, and what situations it may be in."""

    truth: Model
    situation: Callable[[np.random.Generator], Context]
    about: str
    unsaid: str = ""  # what of the original cannot be said, or is left out
