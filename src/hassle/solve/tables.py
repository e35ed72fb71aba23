"""What tables need to know of models and contexts, as arrays, and how large a table may be.

A context with k free variables has ``2^k`` completions at 8 bytes each. Cost of solving by table: at most
``2^k * clauses`` additions per context, usually far less (see :mod:`hassle.kernels.table`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hassle.logic import Context, clauses_of
from hassle.logic.formula import evaluate
from hassle.memory import allowed_memory
from hassle.model import Model

# As in hassle.kernels.table, which is not imported here because it brings numba.
FALSE = -1
TRUE = -2

BYTES_PER_COMPLETION = 8
# Where more may be taken: larger tables are slower than solvers.
MEMORY_BUDGET = 2**30
# Free variables of a table that is too small to ask for its memory.
SMALL_TABLE = 20
PIECE = 2**16


def table_memory(free: int) -> int:
    """Bytes that a table of so many free variables takes, with one array of marks beside it."""
    return 2 * BYTES_PER_COMPLETION << free


def largest_table() -> int:
    """The most free variables whose table fits the memory allowed."""
    return max(0, (min(MEMORY_BUDGET, allowed_memory()) // table_memory(0)).bit_length() - 1)


@dataclass(frozen=True)
class ClauseArrays:
    """A model's clauses for kernels: the soft ones first, as many as there are ``weights``, then the hard ones."""

    starts: NDArray[np.int64]
    literals: NDArray[np.int32]
    weights: NDArray[np.int64]

    @classmethod
    def of(cls, model: Model) -> ClauseArrays:
        clauses = clauses_of((*model.soft_constraints, *model.hard))
        starts = np.zeros(len(clauses) + 1, dtype=np.int64)
        np.cumsum([len(clause) for clause in clauses], out=starts[1:])
        literals = np.array([lit for clause in clauses for lit in clause], dtype=np.int32)
        return cls(starts, literals, model.weights)


def free_counts(contexts: Sequence[Context], variables: int) -> NDArray[np.int64]:
    """How many variables each context's literals leave open."""
    return variables - np.array([len(context.literals) for context in contexts], dtype=np.int64)


def places_of(contexts: Sequence[Context], variables: int) -> NDArray[np.int16]:
    """For each context and variable: its bit in the context's words, or FALSE or TRUE where the context fixes it."""
    lengths = [len(context.literals) for context in contexts]
    literals = np.array([lit for context in contexts for lit in context.literals], dtype=np.int64)
    rows = np.repeat(np.arange(len(contexts)), lengths)
    fixed = np.zeros((len(contexts), variables), dtype=np.int16)
    fixed[rows, np.abs(literals) - 1] = np.where(literals > 0, TRUE, FALSE)
    positions = np.cumsum(fixed == 0, axis=1, dtype=np.int16) - np.int16(1)
    return np.where(fixed == 0, positions, fixed)


def words_of(assignments: NDArray[np.uint8], free: Sequence[int]) -> NDArray[np.int64]:
    """The words of full assignments in a context with these free variables."""
    return assignments[:, list(free)].astype(np.int64) @ (np.int64(1) << np.arange(len(free), dtype=np.int64))


def assignments_of(words: NDArray[np.int64], context: Context, variables: int) -> NDArray[np.uint8]:
    """The full assignments of words in a context: the inverse of :func:`words_of`."""
    result = np.zeros((len(words), variables), dtype=np.uint8)
    for lit in context.literals:
        result[:, abs(lit) - 1] = lit > 0
    for place, v in enumerate(context.free(variables)):
        result[:, v] = (words >> place) & 1
    return result


def allowed_words(context: Context, variables: int) -> NDArray[np.bool_]:
    """For every word of a context with a general part: whether that part holds."""
    assert context.rest is not None
    place = {v: p for p, v in enumerate(context.free(variables))}
    fixed = {abs(lit) - 1: lit > 0 for lit in context.literals}
    result = np.empty(1 << len(place), dtype=np.bool_)
    # Piece by piece, as evaluating takes many times the memory of its result.
    for start in range(0, result.size, PIECE):
        words = np.arange(start, min(start + PIECE, result.size), dtype=np.int64)
        result[start : start + PIECE] = evaluate(context.rest, partial(_column, words, place, fixed))
    return result


def _column(words: NDArray[np.int64], place: Mapping[int, int], fixed: Mapping[int, bool], v: int) -> NDArray[np.bool_]:
    """The value of variable v in each of the words."""
    if v in fixed:
        return np.broadcast_to(np.bool_(fixed[v]), words.shape)
    return (words >> place[v]) & 1 == 1
