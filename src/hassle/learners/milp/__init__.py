"""HASSLE-MILP, the exact learner: a model that fits every example, or the proof that there is none."""

from hassle.learners.milp.learner import MilpLearner
from hassle.learners.milp.run import MilpResult

__all__ = ["MilpLearner", "MilpResult"]
