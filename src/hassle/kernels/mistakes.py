"""What a candidate gets wrong: a misclassified example, and the optimal assignment that it loses to.

Works on the losses of `kernels.scoring`: an example is optimal iff its loss is the least of its context and below
`hard`.
"""

from numba import njit

from hassle.kernels.chance import below


@njit(cache=True, nogil=True)
def find_mistake(example_losses, best, context_of, positive, hard, skip):
    """The misclassified example that comes after `skip` others."""
    for example in range(positive.size):
        loss = example_losses[example]
        optimal = loss == best[context_of[example]] and loss < hard
        if optimal != positive[example]:
            if skip == 0:
                return example
            skip -= 1
    return -1


@njit(cache=True, nogil=True)
def write_optimum(losses, places, state, assignment):
    """Write an assignment of least loss in the context of these losses and places, each one equally likely."""
    word = 0
    ties = 0
    for i in range(losses.size):
        if losses[i] < losses[word]:
            word = i
            ties = 1
        elif losses[i] == losses[word]:
            ties += 1
            if below(state, ties) == 0:
                word = i
    for variable in range(assignment.size):
        place = places[variable]
        assignment[variable] = (word >> place & 1) if place >= 0 else -1 - place
