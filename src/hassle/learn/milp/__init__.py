"""HASSLE-MILP, the exact learner: a model that fits every example, or the proof that there is none."""

from hassle.learn.milp.learner import MilpLearner
from hassle.learn.milp.run import MilpResult

__all__ = ["MilpLearner", "MilpResult"]
