"""The minimum-error form: for noisy or inconsistent data, the model that gets the fewest examples wrong.

The paper's encoding has no solution there. Here every example may be given up at a price (1 unless told otherwise) and
the price of all examples given up is minimised. The programme is a relaxation (see ``milp.programme``),
so its bound is proved for every model of the shape; the models found on the way are judged exactly. The run is finished
when the two meet, and says how far they are apart when it is stopped before.
"""

from __future__ import annotations

from collections.abc import Sequence

from hassle.data import Dataset
from hassle.errors import InputError


def prices_of(data: Dataset, weights: Sequence[int] | None) -> tuple[int, ...]:
    """One whole number per example, 1 where nothing is said."""
    if weights is None:
        return (1,) * len(data)
    if len(weights) != len(data):
        raise InputError(
            f"{len(weights)} example weights for {len(data)} examples", fix="give one whole number per example"
        )
    for k, weight in enumerate(weights):
        if weight != int(weight) or weight < 0:
            raise InputError(f"the weight of example {k + 1} is {weight}", fix="use whole numbers, 0 or more")
    return tuple(int(weight) for weight in weights)
