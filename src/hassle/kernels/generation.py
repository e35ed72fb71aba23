"""What a context leaves of a model's optima, read off one table of losses over all assignments.

The table (see :mod:`hassle.kernels.table`) is computed once per model; a context is then a loop over its completions,
without looking at a single clause.
"""

import numpy as np

from hassle.kernels.codes import INFEASIBLE_LOSS
from hassle.kernels.compiled import kernel


@kernel
def least_in_contexts(losses, fixed, words, least, counts, broken):
    """Write, for each context, the least loss of its completions, how many have it, and how many are infeasible.

    Bit v of ``fixed[c]`` says that context c fixes variable v, and bit v of ``words[c]`` to what. An infeasible context
    gets ``INFEASIBLE_LOSS``.
    """
    everything = np.int64(losses.size - 1)
    for c in range(fixed.size):
        free = everything & ~fixed[c]
        base = words[c]
        best = np.int64(INFEASIBLE_LOSS)
        count = np.int64(0)
        infeasible = np.int64(0)
        step = np.int64(0)
        while True:
            loss = losses[base | step]
            infeasible += loss == INFEASIBLE_LOSS
            if loss < best:
                best = loss
                count = 1
            elif loss == best:
                count += 1
            step = (step - free) & free
            if step == 0:
                break
        least[c] = best
        counts[c] = count
        broken[c] = infeasible
