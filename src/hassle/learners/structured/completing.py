"""The last touch: rules that the examples speak for, though not loudly enough to be chosen among everything.

Two courses that share a teacher are never in one slot. If in most contexts something else keeps them apart, too, the
rule saves less than its price, and a model without it explains the examples as well. But a plan that breaks what nobody
ever broke is infeasible, where one that keeps it for nothing loses little. So in the end what is said for everybody or
for every day, and what no positive breaks, joins at half its price. The weights of the others stay as they are.

Measured on timetables (seeds 50 to 55): .046 of the plans were infeasible or missing, .013 are, and of the true rules
.50 were found, .69 are. At half price from the beginning, wrong labels and few examples led to rules that are not true.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hassle.learners.structured.candidates import Candidates
from hassle.learners.structured.fit import Fit
from hassle.learners.structured.selection import Selection
from hassle.model.families import Family

# The share of its price that a family must save, and how many join at most.
CHEAPER, MOST = 0.5, 12


def completed(selection: Selection, found: Fit, unbroken: NDArray[np.bool_]) -> Fit:
    """What was found and the families for everybody, of those that are ``unbroken``, that save half their price."""
    prices = np.where(unbroken & for_everybody(selection.candidates), CHEAPER * selection.prices, np.inf)
    prices[found.chosen] = selection.prices[found.chosen]
    cheaper = replace(selection, prices=prices)
    grown = cheaper.weighed(found)
    for _ in range(MOST):
        more = cheaper.grown(grown)
        if more is None:
            break
        grown = more
    joined = ~np.isin(grown.chosen, found.chosen)
    chosen = np.concatenate([found.chosen, grown.chosen[joined]])
    return Fit(chosen, np.concatenate([found.weights, grown.weights[joined]]))


def for_everybody(candidates: Candidates) -> NDArray[np.bool_]:
    """For each candidate whether it is a family with something that runs: the first of a kind tells for all of it."""
    firsts = [kind.family(0, False) if kind.columns else None for kind in candidates.kinds]
    runs = [isinstance(family, Family) and bool(family.every) for family in firsts]
    return np.repeat(runs, [2 * kind.columns for kind in candidates.kinds])
