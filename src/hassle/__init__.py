"""hassle learns combinatorial optimisation models from examples.

>>> import hassle
>>> data = hassle.Dataset.read("nurses.csv")
>>> result = hassle.learn(data, time_limit=60, seed=0)
>>> result.model.solve("!alice_monday & !alice_tuesday")

Names are looked up when they are first used, so that importing the package (and ``hassle --help``) costs next to
nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hassle.errors import DataWarning, HassleError, InputError, NoModelError, ResourceError, SolverError
from hassle.version import __version__

if TYPE_CHECKING:
    from hassle.data import Comparison, Dataset, Example, Label
    from hassle.estimators import MaxSatClassifier
    from hassle.evaluation import evaluate
    from hassle.interview import Interview
    from hassle.learners import LearnResult, learn
    from hassle.learners.crossval import CrossValidation, cross_validate
    from hassle.logic import Assignment, Constraint, Context, Schema
    from hassle.model import Model, Rule, SoftConstraint, Verdict
    from hassle.splitting import ContextKFold

_HOMES = {
    "Assignment": "hassle.logic",
    "Comparison": "hassle.data",
    "Constraint": "hassle.logic",
    "Context": "hassle.logic",
    "ContextKFold": "hassle.splitting",
    "CrossValidation": "hassle.learners.crossval",
    "Dataset": "hassle.data",
    "Example": "hassle.data",
    "Interview": "hassle.interview",
    "Label": "hassle.data",
    "LearnResult": "hassle.learners",
    "MaxSatClassifier": "hassle.estimators",
    "Model": "hassle.model",
    "Rule": "hassle.model",
    "Schema": "hassle.logic",
    "SoftConstraint": "hassle.model",
    "Verdict": "hassle.model",
    "cross_validate": "hassle.learners.crossval",
    "evaluate": "hassle.evaluation",
    "learn": "hassle.learners",
}

__all__ = [
    "Assignment",
    "Comparison",
    "Constraint",
    "Context",
    "ContextKFold",
    "CrossValidation",
    "DataWarning",
    "Dataset",
    "Example",
    "HassleError",
    "InputError",
    "Interview",
    "Label",
    "LearnResult",
    "MaxSatClassifier",
    "Model",
    "NoModelError",
    "ResourceError",
    "Rule",
    "Schema",
    "SoftConstraint",
    "SolverError",
    "Verdict",
    "__version__",
    "cross_validate",
    "evaluate",
    "learn",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'hassle' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
