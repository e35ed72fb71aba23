"""The statistical learner: mining, a joint likelihood of hard and soft clauses, and a choice among what explains the
data.
"""

from hassle.learn.convex.learner import ConvexLearner

__all__ = ["ConvexLearner"]
