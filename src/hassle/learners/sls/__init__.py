"""HASSLE-SLS: learning by stochastic local search (paper, "MAX-SAT Learning with Stochastic Local Search")."""

from hassle.learners.sls.learner import NEIGHBOURHOODS, STRATEGIES, LocalSearch, default_constraints

__all__ = ["NEIGHBOURHOODS", "STRATEGIES", "LocalSearch", "default_constraints"]
