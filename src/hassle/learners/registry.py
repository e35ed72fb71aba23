"""The learners by name, imported only when asked for, and the protocol they all follow.

A learner is a frozen dataclass: its fields are its options, checked in `__post_init__`, and its `learn` method does
the work. To add one, write the class and add its line to `LEARNERS`.
"""

from __future__ import annotations

import dataclasses
import difflib
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from hassle.errors import DataWarning, InputError

if TYPE_CHECKING:
    from hassle.data import Dataset
    from hassle.learners.budget import Budget, Listener
    from hassle.learners.result import LearnResult

LEARNERS = {
    "auto": "hassle.learners.auto:AutoLearner",
    "sls": "hassle.learners.sls:LocalSearch",
    "milp": "hassle.learners.milp:MilpLearner",
    "statistical": "hassle.learners.statistical:StatisticalLearner",
    "structured": "hassle.learners.structured:StructuredLearner",
    "cuts": "hassle.learners.cuts:CutsLearner",
}


# Names of earlier releases, still understood in this one.
FORMER_NAMES = {"convex": "statistical", "large": "cuts"}


class Learner(Protocol):
    """Finds a model for a data set within a budget."""

    def learn(self, data: Dataset, budget: Budget, seed: int, listener: Listener) -> LearnResult:
        """The best model found before the budget ran out.

        NoModelError where there is none to return: an exact learner proved that none exists, or found none in time.
        KeyboardInterrupt counts as a request to stop: return the best so far with stopped="interrupted".
        """
        ...


def goes_on(name: str) -> bool:
    """Whether the named learner can go on from an earlier result (its option ``start``)."""
    return has_option(name, "start")


def has_option(name: str, option: str) -> bool:
    name = FORMER_NAMES.get(name, name)
    return name in LEARNERS and any(option == field.name for field in dataclasses.fields(_class_of(name)))


def takes_wishes(name: str) -> bool:
    """Whether the named learner learns around known rules with weights (its option ``known``)."""
    name = FORMER_NAMES.get(name, name)
    return name in LEARNERS and any(option.name == "known" for option in dataclasses.fields(_class_of(name)))


def _class_of(name: str) -> Any:
    module, _, class_name = LEARNERS[name].partition(":")
    return getattr(import_module(module), class_name)


def make_learner(name: str, options: dict[str, Any]) -> Learner:
    """The named learner with these options; a name or an option it does not know is an InputError."""
    if name in FORMER_NAMES:
        warnings.warn(f"the learner {name!r} is called {FORMER_NAMES[name]!r} now", DataWarning, stacklevel=3)
        name = FORMER_NAMES[name]
    if name not in LEARNERS:
        raise InputError(f"there is no learner {name!r}", fix=f"choose one of {', '.join(sorted(LEARNERS))}")
    learner_class = _class_of(name)
    known = [option.name for option in dataclasses.fields(learner_class)]
    for option in options:
        if option not in known:
            hint = _owners(option) or _near(option, known)
            raise InputError(f"the learner {name!r} has no option {option!r}", fix=hint)
    learner: Learner = learner_class(**options)
    return learner


def _owners(option: str) -> str | None:
    """Which learners have the option, if any has."""
    owners = [name for name in LEARNERS if has_option(name, option)]
    return f"leave it out, or choose {' or '.join(owners)}" if owners else None


def _near(option: str, known: list[str]) -> str:
    close = difflib.get_close_matches(option, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"its options are {', '.join(known)}"
