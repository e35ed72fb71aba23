"""Learning by asking: :class:`~hassle.interview.interview.Interview` puts the questions that teach most."""

from hassle.interview.answers import Answer
from hassle.interview.contradictions import Contradiction
from hassle.interview.interview import Interview
from hassle.interview.oracle import Oracle
from hassle.interview.questions import KINDS, AOrB, ChangeIt, GoodOrBad, Question, RuleRight
from hassle.interview.thoughts import Expected

__all__ = [
    "KINDS",
    "AOrB",
    "Answer",
    "ChangeIt",
    "Contradiction",
    "Expected",
    "GoodOrBad",
    "Interview",
    "Oracle",
    "Question",
    "RuleRight",
]
