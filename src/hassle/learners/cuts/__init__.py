"""Learning where contexts leave too many free variables to enumerate: comparisons, cuts from the solver, sampling."""

from hassle.learners.cuts.learner import CutsLearner

__all__ = ["CutsLearner"]
