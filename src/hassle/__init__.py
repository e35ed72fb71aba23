"""hassle learns combinatorial optimisation models from examples.

>>> import hassle
>>> data = hassle.Dataset.read("nurses.csv")
>>> result = hassle.learn(data, time_limit=60, seed=0)
>>> result.model.solve("!alice_monday & !alice_tuesday")
"""

from hassle.data import Dataset, Example, Label
from hassle.errors import DataWarning, HassleError, InputError, ResourceError, SolverError
from hassle.logic import Assignment, Context
from hassle.model import Model, SoftClause, Verdict
from hassle.version import __version__

__all__ = [
    "Assignment",
    "Context",
    "DataWarning",
    "Dataset",
    "Example",
    "HassleError",
    "InputError",
    "Label",
    "Model",
    "ResourceError",
    "SoftClause",
    "SolverError",
    "Verdict",
    "__version__",
]
