"""The statistical learner: mining, a joint likelihood of hard and soft clauses, and a choice among what explains the
data.
"""

from hassle.learners.statistical.learner import StatisticalLearner

__all__ = ["StatisticalLearner"]
