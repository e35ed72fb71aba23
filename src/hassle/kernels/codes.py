"""Numbers that stand for words in arrays, each written once. Without Numba, so that whoever needs a code loads no more.

Labels and verdicts are numbered where they are defined (:mod:`hassle.data`, :mod:`hassle.model`); here they get the
names that kernels use.
"""

from hassle.data import Label
from hassle.model import VERDICTS

# What the data says of an example, and what a model says of it.
POSITIVE, NEGATIVE = Label.POSITIVE.code, Label.NEGATIVE.code
INFEASIBLE, SUBOPTIMAL, OPTIMAL = (VERDICTS.index(verdict) for verdict in ("infeasible", "suboptimal", "optimal"))

# The place of a variable in the words of a table is the number of its bit, or what the context fixes it to.
FALSE, TRUE = -1, -2

# The loss of a completion that breaks a hard constraint, in tables of exact losses (int64).
INFEASIBLE_LOSS = 2**63 - 1

# States of a context under a model: nothing need be broken in it, a soft constraint must be, or a hard one.
HARMLESS, COSTLY, IMPOSSIBLE = range(3)

# Moves of the Metropolis search (kernels.metropolis).
BIRTH, DEATH, LITERALS, NEED, HARDNESS, WEIGHT, EXCHANGE = range(7)

# Moves of the local search (kernels.moves). Those from ADD on change a literal; the others carry NO_LITERAL.
HARDEN, SOFTEN, LIGHTEN, STRENGTHEN, ADD, REMOVE, FLIP = range(7)
NO_LITERAL = -1
NO_CLAUSE = -1

# What went wrong with an example, as bits, because a rule may serve several: a positive predicted infeasible;
# a positive predicted suboptimal; a negative predicted optimal that ought to be infeasible, or ought to be suboptimal.
# A negative of unknown reason is the last two together. ANYTHING stands for no error in particular: all neighbours.
POSITIVE_INFEASIBLE, POSITIVE_SUBOPTIMAL, SHOULD_BE_INFEASIBLE, SHOULD_BE_SUBOPTIMAL, ANYTHING = 1, 2, 4, 8, 16
# A positive predicted suboptimal, with the appendix's rule 5 to the letter.
SUBOPTIMAL_AS_PRINTED = 32
