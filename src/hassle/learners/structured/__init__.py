"""Families of constraints for arranged decisions, learned by contrast and cuts."""

from hassle.learners.structured.learner import StructuredLearner

__all__ = ["StructuredLearner"]
